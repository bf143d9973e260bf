"""pairloom vocab: count the words of a corpus."""

import json
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import OPTIONS, add_cache_dir, add_corpus, add_max_memory, add_running, add_vocabulary
from pairloom.cli.commands.inputs import check_not_read, given, source, words_in
from pairloom.cli.console import progress
from pairloom.config import checked_threads
from pairloom.system.memory import checked_size

PURPOSE = "count the words of a corpus"
EXAMPLE = "pairloom vocab corpus.txt -o words.txt --min-count 10"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    add_corpus(parser)
    parser.add_argument("-o", "--output", metavar="OUT", help="write `word count` lines here instead of printing them")
    add_vocabulary(parser)
    add_running(parser)
    add_max_memory(parser)
    add_cache_dir(parser)


def run(args: Namespace) -> None:
    """Do it."""
    from pairloom.config import split_options
    from pairloom.corpus.sentences import open_corpus
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.system.files import check_folder

    config, text = split_options(given(args, OPTIONS))
    checked_threads(args.threads)
    max_memory = checked_size(args.max_memory)
    if args.output:
        check_folder(args.output)
        check_not_read(args.output, *args.corpus, args.keep, args.drop)
    with open_corpus(source(args.corpus), text=text) as corpus, progress(args.quiet) as on_progress:
        vocabulary = Vocabulary.from_corpus(
            corpus,
            min_count=config.min_count,
            max_vocab=config.max_vocab,
            keep=words_in(args.keep),
            drop=words_in(args.drop),
            max_memory=max_memory,
            cache_dir=args.cache_dir,
            threads=args.threads,
            on_progress=on_progress,
        )
    if args.output:
        vocabulary.save(args.output)
    if args.json:
        counts = dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True))
        summary = {"words": len(vocabulary), "tokens": vocabulary.n_tokens}
        print(
            json.dumps(summary | ({"output": args.output} if args.output else {"counts": counts}), ensure_ascii=False)
        )
    elif args.output:
        if not args.quiet:
            print(f"{args.output}: {len(vocabulary):,} words, {vocabulary.n_tokens:,} tokens")
    else:
        for word, count in zip(vocabulary.words, vocabulary.counts.tolist(), strict=True):
            print(word, count)

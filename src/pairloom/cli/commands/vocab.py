"""pairloom vocab: count the words of a corpus."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import OPTIONS, add_corpus, add_running, add_vocabulary, explicit_options
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read, input_paths, read_words
from pairloom.config import checked_threads, split_options
from pairloom.system.display import number_of
from pairloom.system.memory import checked_size

if TYPE_CHECKING:
    from pairloom.corpus.vocabulary import Vocabulary

GROUP = "prepare"
PURPOSE = "count the words of a text"
EXAMPLE = "pairloom vocab corpus.txt -o words.txt --min-count 10"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write `word count` lines to this file instead of printing them"
    )
    add_corpus(parser)
    add_vocabulary(parser)
    add_running(parser, max_memory=True, cache_dir=True)


def run(args: Namespace) -> None:
    from pairloom.corpus.sentences import open_corpus
    from pairloom.corpus.vocabulary import Vocabulary, WordSelection
    from pairloom.system.files import check_folder

    config, text = split_options(explicit_options(args, OPTIONS))
    checked_threads(args.threads)
    max_memory = checked_size(args.max_memory)
    if args.output:
        check_folder(args.output)
        check_not_read(args.output, *args.corpus, args.keep, args.drop)
    selection = WordSelection(
        min_count=config.min_count,
        max_vocab=config.max_vocab,
        keep=read_words(args.keep),
        drop=read_words(args.drop),
    )
    with open_corpus(input_paths(args.corpus), text=text) as corpus, progress(args.quiet) as on_progress:
        corpus.check_beginning()
        vocabulary = Vocabulary.from_corpus(
            corpus,
            selection,
            max_memory=max_memory,
            cache_dir=args.cache_dir,
            threads=args.threads,
            on_progress=on_progress,
        )
    if args.output:
        vocabulary.save(args.output)
    _print(vocabulary, args)


def _print(vocabulary: "Vocabulary", args: Namespace) -> None:
    counts = zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)
    if args.json:
        result = {"output": args.output} if args.output else {"counts": dict(counts)}
        summary = {"words": len(vocabulary), "tokens": vocabulary.n_tokens}
        print(json.dumps(summary | result, ensure_ascii=False))
    elif not args.output:
        for word, count in counts:
            print(word, count)
    elif not args.quiet:
        print(f"{args.output}: {number_of(len(vocabulary), 'word')}, {number_of(vocabulary.n_tokens, 'token')}")

"""pairloom word2vec: the flags, defaults and files of Mikolov's program, trained by ours."""

import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pairloom.cli.arguments import number, say, whole
from pairloom.cli.commands.inputs import check_not_read, source
from pairloom.cli.console import progress
from pairloom.corpus.finding import would_overwrite
from pairloom.errors import InputError
from pairloom.system.extras import need

if TYPE_CHECKING:
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.vectors.embedding import Embedding

PURPOSE = "train as the original program does: same flags, same files"
EXAMPLE = "pairloom word2vec -train text8 -output vectors.bin -size 200 -window 8 -negative 25 -binary 1"

TYPED = {  # what the library calls otherwise
    "dim": "-size",
    "window": "-window",
    "sample": "-sample",
    "negatives": "-negative",
    "epochs": "-iter",
    "min_count": "-min-count",
    "lr": "-alpha",
    "min_lr": "-alpha",
}
_SENTENCE = 1000  # words: the original's MAX_SENTENCE_LENGTH
_FLAGS: tuple[tuple[str, Any, Any, str], ...] = (
    ("size", whole, 100, "the length of the vectors"),
    ("window", whole, 5, "the largest window"),
    ("sample", number, 1e-3, "thin out words that are more frequent than this"),
    ("hs", whole, 0, "1 learns by hierarchical softmax"),
    ("negative", whole, 5, "drawn contexts for every pair"),
    ("threads", whole, 12, "at most so many threads, and no more than there are cores"),
    ("iter", whole, 5, "times that the text is read"),
    ("min-count", whole, 5, "rarer words leave the text"),
    ("alpha", number, None, "the learning rate at the start (0.05 for -cbow 1, 0.025 for -cbow 0)"),
    ("classes", whole, 0, "write so many word classes instead of vectors (needs scikit-learn)"),
    ("debug", whole, 2, "0 says nothing while it works"),
    ("binary", whole, 0, "1 writes the binary format"),
    ("cbow", whole, 1, "1 learns the continuous bag of words, 0 skip-gram"),
)


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it: single dashes, as in the original."""
    parser.add_argument("-train", metavar="FILE", required=True, help="the text")
    parser.add_argument("-output", metavar="FILE", help="the vectors, or the word classes")
    for name, kind, default, meaning in _FLAGS:
        shown = "" if default is None else f" ({default})"
        parser.add_argument(f"-{name}", type=kind, default=default, metavar="N", help=meaning + shown)
    parser.add_argument("-save-vocab", metavar="FILE", help="write the words and their counts")
    parser.add_argument("-read-vocab", metavar="FILE", help="take words and counts from this file")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.epilog = (
        f"example: {EXAMPLE}\n\n"
        "What differs: -hs 1 is learnt without negative sampling beside it; </s> gets no vector;\n"
        "the bytes are the same for any number of threads."
    )


def run(args: Namespace) -> None:
    """Count, say what differs, train, write."""
    from pairloom.corpus.vocabulary import Vocabulary
    from pairloom.system.files import check_folder
    from pairloom.system.locks import claim

    _check(args)
    for path in filter(None, (args.output, args.save_vocab)):
        check_folder(path)
        check_not_read(path, args.train, args.read_vocab)
    vocabulary = _given_vocabulary(args) if args.read_vocab else None
    if args.debug > 0 and args.output:
        for line in _differences(args):
            say(f"pairloom word2vec: {line}")
    if args.output:
        with claim(args.output):
            embedding = _trained(args, vocabulary)
            _write(embedding, args)
        vocabulary = Vocabulary(tuple(embedding.words.words), embedding.words.counts)
    elif vocabulary is None:
        vocabulary = _counted(args)
    if args.save_vocab:
        vocabulary.save(args.save_vocab)
    _report(args, vocabulary)


def _given_vocabulary(args: Namespace) -> "Vocabulary":
    """The original leaves rare words out of a vocabulary that it reads, too."""
    from pairloom.corpus.vocabulary import Vocabulary

    read = Vocabulary.read(args.read_vocab)
    counted = zip(read.words, read.counts.tolist(), strict=True)
    return Vocabulary.of((word, n) for word, n in counted if n >= args.min_count)


def _check(args: Namespace) -> None:
    if not args.output and not args.save_vocab:
        raise InputError("There is nothing to write. Name a file with -output, or with -save-vocab.")
    if args.output and args.save_vocab and would_overwrite(args.output, [args.save_vocab]):
        raise InputError(f"{args.output} cannot hold both the vectors and the words. Choose another name for one.")
    if args.classes:
        need("sklearn.cluster", "sklearn", "-classes")  # not after the training
    for name in ("hs", "cbow", "binary"):
        if getattr(args, name) not in (0, 1):
            raise InputError(f"-{name} {getattr(args, name)} is neither 0 nor 1. Use one of these.")
    if args.negative == 0 and not args.hs:
        raise InputError("-negative 0 -hs 0 leaves nothing to learn from. Use -negative 5.")
    if args.threads < 1:
        raise InputError(f"-threads {args.threads} is not a number of threads. Use 1 or more.")
    if args.classes < 0:
        raise InputError(f"-classes {args.classes} is not a number of classes. Use 0 (vectors) or more.")


def _differences(args: Namespace) -> Iterator[str]:
    """What of the given flags means something else here."""
    if args.hs and args.negative:
        yield "hierarchical softmax (-hs 1) is learnt without negative sampling; say -negative 0 to hear nothing of it."
    yield "the ends of lines are no word </s> here, so there is one row less."


def _trained(args: Namespace, vocabulary: "Vocabulary | None") -> "Embedding":
    from pairloom.training.train import train

    counting = {} if vocabulary else {"min_count": args.min_count}
    usual = 0.05 if args.cbow else 0.025
    alpha = usual if args.alpha is None else args.alpha
    with progress(args.debug < 1) as on_progress:
        return train(
            source([args.train]),
            vocabulary=vocabulary,
            threads=min(args.threads, os.cpu_count() or 1),
            on_progress=on_progress,
            dim=args.size,
            window=args.window,
            sample=args.sample,
            negatives=args.negative or 5,
            epochs=args.iter,
            model="cbow" if args.cbow else "skipgram",
            objective="hs" if args.hs else "negative",
            cbow_gradient="undivided",  # as the original has it
            lr=alpha,
            min_lr=alpha * 1e-4,
            max_sentence=_SENTENCE,
            heldout=0.0,
            **counting,
        )


def _counted(args: Namespace) -> "Vocabulary":
    from pairloom.corpus.sentences import open_corpus
    from pairloom.corpus.vocabulary import Vocabulary

    with open_corpus(source([args.train])) as corpus, progress(args.debug < 1) as on_progress:
        return Vocabulary.from_corpus(corpus, min_count=args.min_count, on_progress=on_progress)


def _write(embedding: "Embedding", args: Namespace) -> None:
    from pairloom.formats import write_word2vec as word2vec

    if args.classes:
        from pairloom.vectors.classes import word_classes

        word_classes(embedding.words, args.classes).save(args.output)
    elif args.binary:
        word2vec.write_binary(embedding.words, args.output)
    else:
        word2vec.write_text(embedding.words, args.output)


def _report(args: Namespace, vocabulary: "Vocabulary") -> None:
    facts = {"output": args.output, "vocabulary": args.save_vocab}
    facts |= {"words": len(vocabulary), "tokens": vocabulary.n_tokens}
    if args.json:
        print(json.dumps(facts))
    elif args.debug > 0:
        print(f"Vocab size: {len(vocabulary)}\nWords in train file: {vocabulary.n_tokens}")

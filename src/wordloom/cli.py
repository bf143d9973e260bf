"""The command line: one short function per command, each calling the library.

Exit codes: 0 done, 2 bad input or option, 3 diverged, 4 corpus changed, 5 cannot write, 130 interrupted.
"""

import io
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordloom.arguments import OPTIONS, parse, say
from wordloom.config import checked_threads
from wordloom.console import progress
from wordloom.errors import ConfigError, CorpusWarning, InputError, UnknownWordError, WordloomError
from wordloom.textfiles import is_among

if TYPE_CHECKING:  # what brings NumPy is imported by the commands that need it, so that --help answers at once
    from wordloom.vectors import Embedding, Vectors


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; gives the exit code."""
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", CorpusWarning)
    for name in ("SIGTERM", "SIGHUP"):  # by which schedulers and closed terminals end programs: clean up as for Ctrl-C
        if hasattr(signal, name) and threading.current_thread() is threading.main_thread():
            signal.signal(getattr(signal, name), _interrupt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that knows fewer letters than the vocabulary
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    args = parse(sys.argv[1:] if argv is None else argv)
    try:
        COMMANDS[args.command](args)
        if sys.stdout is not None:
            sys.stdout.flush()
    except WordloomError as error:
        say(f"wordloom {args.command}: {_as_typed(error)}")
        return error.exit_code
    except KeyboardInterrupt as interrupt:
        say(f"wordloom {args.command}: interrupted; nothing was written.")
        return 128 + (interrupt.args[0] if interrupt.args else signal.SIGINT)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would try again on its way out
        if isinstance(error, BrokenPipeError):  # the reader of our output has seen enough, as `head` does
            return 0
        say(f"wordloom {args.command}: the output could not be written: {error.strerror}. Send it elsewhere.")
        return 5
    return 0


def _interrupt(number: int, _: object) -> None:
    raise KeyboardInterrupt(number)


def _as_typed(error: WordloomError) -> str:
    """The library speaks of min_count=0, the command line of --min-count 0."""
    if not isinstance(error, ConfigError):
        return str(error)
    return re.sub(r"^(\w+)=", lambda m: f"--{m[1].replace('_', '-')} ", str(error))


# --- commands -----------------------------------------------------------------------------------------------------


def _train(args: Namespace) -> None:
    from wordloom import formats
    from wordloom.training import split_options, train
    from wordloom.vocabulary import Vocabulary

    options = _given(args, OPTIONS)
    split_options(options)
    checked_threads(args.threads)
    formats.check_output(args.output)
    _check_not_read(args)
    began = time.perf_counter()
    with progress(args.quiet) as on_progress:
        embedding = train(
            _source(args.corpus),
            threads=args.threads,
            keep=_words_in(args.keep),
            drop=_words_in(args.drop),
            vocabulary=Vocabulary.read(args.read_vocab) if args.read_vocab else None,
            cache_dir=args.cache_dir,
            on_progress=on_progress,
            **options,
        )
    embedding.save(args.output)
    summary = {"output": str(args.output), "seconds": round(time.perf_counter() - began, 2), **_summary(embedding)}
    if args.json:
        print(json.dumps(summary, indent=2))
    elif not args.quiet:
        print(_sentence(summary))


def _vocab(args: Namespace) -> None:
    from wordloom.corpus import open_corpus
    from wordloom.files import check_folder
    from wordloom.training import split_options
    from wordloom.vocabulary import Vocabulary

    config, text = split_options(_given(args, OPTIONS))
    checked_threads(args.threads)
    if args.output:
        check_folder(args.output)
        _check_not_read(args)
    with open_corpus(_source(args.corpus), text=text) as corpus, progress(args.quiet) as on_progress:
        vocabulary = Vocabulary.from_corpus(
            corpus,
            min_count=config.min_count,
            max_vocab=config.max_vocab,
            keep=_words_in(args.keep),
            drop=_words_in(args.drop),
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


def _near(args: Namespace) -> None:
    embedding = _load(args.model)
    vectors = embedding.contexts if args.contexts else embedding.words
    unknown = None
    for word in args.word or (line.strip() for line in sys.stdin or ()):
        try:
            if word:
                _print_neighbours(vectors, word, args)
        except UnknownWordError as error:  # the others are answered all the same
            say(f"wordloom near: {error}")
            unknown = error
    if unknown:
        raise SystemExit(unknown.exit_code)


def _print_neighbours(vectors: "Vectors", word: str, args: Namespace) -> None:
    near = vectors.most_similar(word, topn=args.n)
    if args.json:
        print(json.dumps({"word": word, "near": near}, ensure_ascii=False))
    else:
        print(word, *(f"  {cosine:6.3f}  {other}" for other, cosine in near), sep="\n")


def _info(args: Namespace) -> None:
    embedding = _load(args.model)
    summary = {**_summary(embedding), **embedding.record}
    if args.json:
        print(json.dumps(summary, indent=2))
        return
    for name, value in _flat(summary):
        print(f"{name:24} {value}")


def _convert(args: Namespace) -> None:
    from wordloom import formats

    formats.check_output(args.output)
    embedding = _load(args.model)
    embedding.save(args.output)
    print(f"{args.output}: {len(embedding):,} words, {embedding.words.dim} dimensions")


def _cache(args: Namespace) -> None:
    from wordloom.encode import cache_entries, clear_cache, default_cache_dir

    folder = Path(args.cache_dir) if args.cache_dir else default_cache_dir()
    if args.clear:
        print(f"{folder}: {clear_cache(folder):,} bytes freed")
        return
    entries = cache_entries(folder)
    for path, size in entries:
        print(f"{size:>16,}  {path}")
    print(
        f"{sum(size for _, size in entries):>16,}  bytes in {len(entries)} corpora; delete with: wordloom cache --clear"
    )


def _demo(args: Namespace) -> None:
    from wordloom import formats
    from wordloom.demo import PROBES, write_corpus
    from wordloom.training import train

    checked_threads(args.threads)
    formats.check_output(args.output)
    with tempfile.TemporaryDirectory() as folder, progress() as on_progress:
        corpus = Path(folder) / "python.txt"
        tokens = write_corpus(corpus)
        print(f"The text: {tokens:,} words from the sources and docstrings of Python's standard library.")
        embedding = train(corpus, sample=1e-4, threads=args.threads, cache_dir=folder, on_progress=on_progress)
    embedding.save(args.output)
    first, last = (embedding.record["heldout"]["loss"][i] for i in (0, -1))
    print(f"Learnt: {len(embedding):,} words. Held-out loss {first:.3f} before training, {last:.3f} after.\n")
    for word in PROBES:
        print(f"{word:>12}  {', '.join(near for near, _ in embedding.most_similar(word, topn=6))}")
    wordloom = "wordloom" if shutil.which("wordloom") else sys.argv[0]
    print(
        f"\nThe model is in {args.output}. What to try next:\n"
        f"  {wordloom} near {args.output} socket thread\n"
        f"  {wordloom} info {args.output}\n"
        f"  {wordloom} train YOUR_TEXT.txt -o yours.loom"
    )


COMMANDS: dict[str, Callable[[Namespace], None]] = {
    "train": _train,
    "vocab": _vocab,
    "near": _near,
    "info": _info,
    "convert": _convert,
    "cache": _cache,
    "demo": _demo,
}


# --- what commands share -------------------------------------------------------------------------------------------


def _given(args: Namespace, names: Iterable[str]) -> dict[str, Any]:
    """The options that were typed; the library knows the defaults."""
    return {name: value for name in names if (value := getattr(args, name, None)) is not None}


def _source(corpus: list[str]) -> object:
    """What was named, as the library takes it: a list of strings might be a sentence, a list of paths is not."""
    if "" in corpus:
        raise InputError("The path of the corpus is empty. Give a file, a folder or - for standard input.")
    return corpus[0] if len(corpus) == 1 else [Path(path) for path in corpus]


def _check_not_read(args: Namespace) -> None:
    """A slip of the hand must not write the vectors over the text."""
    others = (args.keep, args.drop, getattr(args, "read_vocab", None))
    if is_among(args.output, [*args.corpus, *(path for path in others if path)]):
        raise InputError(f"{args.output} is, or is among, the files to be read. Choose another name for the output.")


def _words_in(path: str | None) -> list[str]:
    """The words of a file, one per line."""
    if path is None:
        return []
    try:
        if Path(path).is_char_device():
            raise InputError(f"{path} is a device. Give a UTF-8 file with one word per line.")
        lines = Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} could not be read: {error}. Give a UTF-8 file with one word per line.") from error
    return [line.strip() for line in lines if line.strip()]


def _load(path: str) -> "Embedding":
    from wordloom.formats import load

    return load(path)


def _summary(embedding: "Embedding") -> dict[str, Any]:
    losses = embedding.record.get("heldout", {}).get("loss", [None])
    return {"words": len(embedding), "dim": embedding.words.dim, "heldout_loss": losses[-1]}


def _sentence(summary: dict[str, Any]) -> str:
    loss = summary["heldout_loss"]
    held_out = "nothing held out" if loss is None else f"held-out loss {loss:.4f}"
    words = f"{summary['words']:,} words, {summary['dim']} dimensions"
    return f"{summary['output']}: {words}, {held_out}, {summary['seconds']:.1f} s"


def _flat(record: dict[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Nested dictionaries as dotted names."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _show_warning(message: Warning | str, *details: Any, **_: Any) -> None:
    say(f"wordloom: warning: {message}")

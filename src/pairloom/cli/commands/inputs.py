"""What commands read: options, corpora, lists of words, models."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairloom.corpus.finding import would_overwrite
from pairloom.corpus.lists import numbered_lines, opened
from pairloom.errors import InputError, OutputError

if TYPE_CHECKING:  # what brings NumPy is imported by the commands that need it, so that --help answers at once
    from pairloom.vectors.embedding import Embedding
    from pairloom.vectors.vectors import Vectors


def given(args: Namespace, names: Iterable[str]) -> dict[str, Any]:
    """The options that were typed; the library knows the defaults."""
    return {name: value for name in names if (value := getattr(args, name, None)) is not None}


def source(corpus: list[str]) -> str | list[Path]:
    """What was named, as the library takes it: a list of strings might be a sentence, a list of paths is not."""
    if "" in corpus:
        raise InputError("The path of the corpus is empty. Give a file, a folder or - for standard input.")
    return corpus[0] if len(corpus) == 1 else [Path(path) for path in corpus]


def check_not_read(output: str, *read: str | None) -> None:
    """A slip of the hand must not write the vectors over the text."""
    if would_overwrite(output, [path for path in read if path]):
        raise InputError(f"{output} is, or is among, the files to be read. Choose another name for the output.")


@contextmanager
def closed_pipes() -> Iterator[None]:
    """What is written may go to /dev/stdout, and whoever reads it may stop before its end: that is no error."""
    try:
        yield
    except OutputError as error:
        if isinstance(error.__cause__, BrokenPipeError):
            raise error.__cause__ from None
        raise


def words_in(path: str | None) -> list[str]:
    """The words of a file, one per line."""
    if path is None:
        return []
    with opened(path, "Give a UTF-8 file with one word per line.") as file:
        return [line.strip() for _, line in numbered_lines(file, path) if line.strip()]


def add_model(parser: ArgumentParser) -> None:
    """MODEL, and which of its matrices."""
    parser.add_argument("model", metavar="MODEL", help="a file of vectors")
    add_side(parser)


def add_side(parser: ArgumentParser) -> None:
    """Which of a model's matrices."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--contexts", action="store_true", help="ask the contexts' vectors instead of the words'")
    which.add_argument("--combined", action="store_true", help="ask the sums of both: v_w + v_c")


def side(embedding: "Embedding", args: Namespace) -> "Vectors":
    """The vectors that `add_model`'s options name."""
    if args.combined:
        return embedding.combined()
    if args.contexts and embedding.objective == "hs":
        raise InputError(
            "In the place of contexts this model has the nodes of a tree (objective=hs). Leave out --contexts; "
            "`pairloom convert --contexts` writes the nodes to a file."
        )
    return embedding.contexts if args.contexts else embedding.words


def load(path: str) -> "Embedding":
    """The embedding of a file."""
    from pairloom.formats import load

    return load(path)


def summary(embedding: "Embedding") -> dict[str, Any]:
    """What is worth a line about a model."""
    losses = embedding.record.get("heldout", {}).get("loss", [None])
    facts = {"words": len(embedding), "dim": embedding.words.dim, "heldout_loss": losses[-1]}
    return facts | {name: embedding.record[name] for name in ("start",) if name in embedding.record}

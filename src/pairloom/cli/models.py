"""Models named on the command line, and which of their vectors to use."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pairloom.cli.files import is_file
from pairloom.errors import InputError

if TYPE_CHECKING:  # NumPy is loaded by the commands that need it, so that --help answers at once
    from pairloom.vectors.embedding import Embedding
    from pairloom.vectors.vectors import Vectors

_SUFFIXES = (".loom", ".bin", ".vec")  # of files that hold vectors and nothing else


def add_model(parser: ArgumentParser) -> None:
    """MODEL."""
    parser.add_argument("model", metavar="MODEL", help="a file of vectors, in any format that `pairloom convert` reads")


def add_matrix_choice(parser: ArgumentParser) -> None:
    """--contexts and --combined."""
    matrices = parser.add_mutually_exclusive_group()
    matrices.add_argument("--contexts", action="store_true", help="use the vectors of contexts instead of words")
    matrices.add_argument(
        "--combined", action="store_true", help="use the sum of the two vectors that a word has, as word and as context"
    )


def chosen_vectors(embedding: "Embedding", args: Namespace) -> "Vectors":
    """The vectors that the options of `add_matrix_choice` name."""
    if args.combined:
        return embedding.combined()
    if args.contexts and embedding.objective == "hs":
        raise InputError(
            "This model was trained with hierarchical softmax (objective=hs), so it has nodes of a tree instead of "
            "contexts. Leave out --contexts, or write the nodes to a file with: pairloom convert --contexts"
        )
    return embedding.contexts if args.contexts else embedding.words


def as_in_text(embedding: "Embedding", vectors: "Vectors", word: str) -> str:
    """The word as the text of training spells it, if only that is known: king for King."""
    if vectors.has_vector(word):
        return word
    from pairloom.vectors.record import split_as_recorded

    spelt = split_as_recorded(embedding.record, word)
    return spelt[0] if len(spelt) == 1 and vectors.has_vector(spelt[0]) else word


def load(path: str, others: Sequence[str] = (), **options: Any) -> "Embedding":
    """The model in a file. others: arguments after it, one of which may be the model by mistake."""
    from pairloom.formats import load

    try:
        return load(path, **options)
    except InputError as error:
        model = next((name for name in others if name.endswith(_SUFFIXES) and name != path and is_file(name)), None)
        if model is None:
            raise
        raise InputError(f"{error} If {model} is the model, name it first.") from None


def summary(embedding: "Embedding") -> dict[str, Any]:
    """The first facts about a model."""
    losses = embedding.record.get("heldout", {}).get("loss", [None])
    facts = {"words": len(embedding), "dim": embedding.words.dim, "heldout_loss": losses[-1]}
    return facts | {name: embedding.record[name] for name in ("start",) if name in embedding.record}

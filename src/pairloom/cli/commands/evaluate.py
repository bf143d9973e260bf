"""pairloom evaluate: how good models are, by files of analogies, similarities and categories."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pairloom.cli.arguments import whole
from pairloom.cli.commands.inputs import add_side, load, side
from pairloom.cli.commands.tables import print_table
from pairloom.config import checked_threads

if TYPE_CHECKING:
    from pairloom.evaluation import AnalogyScores, CategoryScores, MethodName, QuestionFile, Scores, SimilarityScores

PURPOSE = "how good a model is, by analogies, similarities and categories"
EXAMPLE = "pairloom evaluate king.loom questions-words.txt ws353.tsv --against queen.loom"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="MODEL", help="a file of vectors")
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="+",
        help="files of analogies (`: section` lines, then four words a line), similarities (two words and a number) "
        "or categories (a word and its category); their lines show which it is; - is stdin",
    )
    parser.add_argument(
        "--against",
        metavar="MODEL",
        nargs="+",
        action="extend",
        default=[],
        help="more models, side by side in the table; an option, since a file of vectors may end in .txt too",
    )
    add_side(parser)
    parser.add_argument("--sections", action="store_true", help="a line for each section of analogies")
    parser.add_argument(
        "--threads", type=whole, metavar="N", help="how many threads (all cores); scores are the same for any number"
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    _add_choices(parser)


def _add_choices(parser: ArgumentParser) -> None:
    choices = parser.add_argument_group("choices that change the scores")
    choices.add_argument(
        "--method", choices=["add", "mul", "both"], default="add", help="3CosAdd, 3CosMul or both (add)"
    )
    choices.add_argument(
        "--restrict-vocab",
        type=whole,
        metavar="N",
        help="only the first N words are asked and searched, 0 for all (300000, as in gensim)",
    )
    choices.add_argument("--case", choices=["fold", "keep"], default="fold", help="whether King is king (fold)")
    choices.add_argument(
        "--unknown",
        choices=["skip", "wrong"],
        default="skip",
        help="leave out questions with unknown words, or count them as wrong (skip)",
    )
    choices.add_argument("--seed", type=whole, default=1, metavar="N", help="of the bootstrap and of k-means (1)")


class Line(NamedTuple):
    """A line of the table for one model."""

    test: str
    score: str
    value: str
    coverage: str


def run(args: Namespace) -> None:
    """Do it."""
    from pairloom.evaluation import RESTRICT_VOCAB, Policy, kind_of, read

    args.restrict_vocab = RESTRICT_VOCAB if args.restrict_vocab is None else args.restrict_vocab
    Policy(restrict_vocab=args.restrict_vocab)  # refuses before anything is read
    checked_threads(args.threads)
    files = [read(path) for path in args.file]
    for file in files:
        kind_of(file)
    models = [args.model, *args.against]
    scores = [_scores(model, files, args) for model in models]
    if args.json:
        found = [{"model": m, "results": [s.as_dict() for s in some]} for m, some in zip(models, scores, strict=True)]
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return
    _print_table(models, [[line for some in of_model for line in _lines(some, args)] for of_model in scores])
    print(_footnote(args, scores[0]))


def _scores(model: str, files: "list[QuestionFile]", args: Namespace) -> "list[Scores]":
    """What each file says of a model; analogies say it once for each method."""
    from pairloom.evaluation import evaluate, kind_of

    vectors = side(load(model), args)
    names = ("restrict_vocab", "case", "unknown", "seed", "threads")
    options = {name: getattr(args, name) for name in names}
    methods: list[MethodName] = ["add", "mul"] if args.method == "both" else [args.method]
    return [
        evaluate(vectors, file, method=method, **options)
        for file in files
        for method in (methods if kind_of(file) == "analogies" else methods[:1])
    ]


def _lines(scores: "Scores", args: Namespace) -> Iterator[Line]:
    from pairloom.evaluation import AnalogyScores, SimilarityScores

    if isinstance(scores, AnalogyScores):
        return _analogy_lines(scores, args.sections)
    if isinstance(scores, SimilarityScores):
        return _similarity_lines(scores)
    return _category_lines(scores)


def _analogy_lines(scores: "AnalogyScores", sections: bool) -> Iterator[Line]:
    from pairloom.evaluation import METHODS

    label = METHODS[scores.method].label
    parts = [(_name(scores), scores.total), ("  semantic", scores.semantic), ("  syntactic", scores.syntactic)]
    if sections:
        parts += [(f"    {tally.name or '(no name)'}", tally) for tally in scores.sections]
    for name, tally in parts:
        yield Line(name, label, _percent(tally.accuracy), _covered(tally.known, tally.questions))


def _similarity_lines(scores: "SimilarityScores") -> Iterator[Line]:
    covered = _covered(scores.known, scores.pairs)
    interval = f" [{scores.interval[0]:.3f}, {scores.interval[1]:.3f}]" if scores.interval else ""
    yield Line(_name(scores), "Spearman", _decimal(scores.spearman) + interval, covered)
    yield Line(_name(scores), "Pearson", _decimal(scores.pearson), covered)


def _category_lines(scores: "CategoryScores") -> Iterator[Line]:
    yield Line(_name(scores), "purity", _percent(scores.purity), _covered(scores.known, scores.words))


def _name(scores: "Scores") -> str:
    return Path(scores.file).name


def _percent(share: float | None) -> str:
    return "     -" if share is None else f"{100 * share:6.2f} %"


def _decimal(value: float | None) -> str:
    return "     -" if value is None else f"{value:6.3f}"


def _covered(known: int, of: int) -> str:
    return f"{known:,} of {of:,}"


def _footnote(args: Namespace, scores: "list[Scores]") -> str:
    """The choices behind the numbers."""
    from pairloom.evaluation import SimilarityScores

    limit = f"the first {args.restrict_vocab:,}" if args.restrict_vocab else "all"
    searched = f"{limit} {'contexts' if args.contexts else 'words'} of a model"
    case = "alike" if args.case == "fold" else "apart"
    others = "left out" if args.unknown == "skip" else "counted as wrong"
    note = f"known: questions whose words are among {searched}, upper and lower case {case}; others are {others}."
    has_interval = any(isinstance(some, SimilarityScores) for some in scores)
    return note + (" In []: 95 % by bootstrap over pairs." if has_interval else "")


# --- The table


def _print_table(models: list[str], columns: list[list[Line]]) -> None:
    """Tests down, models across: their lines are those of the same files, so they belong to the same tests."""
    heads = ["test", "score", *(head for model in models for head in (model, "known"))]
    rows = [
        [lines[0].test, lines[0].score, *(cell for line in lines for cell in (line.value, line.coverage))]
        for lines in zip(*columns, strict=True)
    ]
    print_table(heads, rows)

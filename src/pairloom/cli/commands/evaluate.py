"""pairloom evaluate: score models by files of analogies, similarities and categories."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_json, add_threads, whole_number
from pairloom.cli.files import check_is_text
from pairloom.cli.models import add_matrix_choice, add_model, chosen_vectors, load
from pairloom.cli.tables import print_table
from pairloom.config import checked_threads

if TYPE_CHECKING:
    from pairloom.judging.evaluation import MethodName, QuestionFile, Scores
    from pairloom.judging.evaluation.lines import ScoreLine

GROUP = "measure"
PURPOSE = "score models by analogies, similarities and categories"
EXAMPLE = "pairloom evaluate king.loom questions-words.txt ws353.tsv --against queen.loom"


def arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="+",
        help="files of analogies (lines of four words, under `: section` lines), similarities (two words and a number) "
        "or categories (a word and its category), recognised by their lines; - for standard input",
    )
    parser.add_argument(
        "--against",
        metavar="MODEL",
        nargs="+",
        action="extend",
        default=[],
        help="other models to show side by side in the table",
    )
    add_matrix_choice(parser)
    parser.add_argument("--sections", action="store_true", help="also show each section of a file of analogies")
    add_threads(parser, "the scores are the same for any number of threads")
    add_json(parser)
    _add_policy(parser)


def _add_policy(parser: ArgumentParser) -> None:
    policy = parser.add_argument_group("choices that change the scores")
    policy.add_argument(
        "--method",
        choices=["add", "mul", "both"],
        default="add",
        help="how to answer analogies: 3CosAdd, 3CosMul or both (default: add)",
    )
    policy.add_argument(
        "--restrict-vocab",
        type=whole_number,
        metavar="N",
        help="use only the first N words of a model; 0 for all (default: 300000, as in gensim)",
    )
    policy.add_argument(
        "--case",
        choices=["fold", "keep"],
        default="fold",
        help="fold: King and king are the same word. keep: they differ (default: fold)",
    )
    policy.add_argument(
        "--unknown",
        choices=["skip", "wrong", "spell"],
        default="skip",
        help="questions with unknown words: skip them, count them as wrong, or, for similarities, make vectors from "
        "their spelling if the model has n-grams, see `pairloom spell` (default: skip)",
    )
    policy.add_argument(
        "--seed", type=whole_number, default=1, metavar="N", help="seed of the bootstrap and of k-means (default: 1)"
    )


def run(args: Namespace) -> None:
    from pairloom.judging.evaluation import RESTRICT_VOCAB, Policy, kind_of, read

    args.restrict_vocab = RESTRICT_VOCAB if args.restrict_vocab is None else args.restrict_vocab
    Policy(restrict_vocab=args.restrict_vocab)  # a wrong value is reported before large models are loaded
    checked_threads(args.threads)
    check_is_text(args.file)
    files = [read(path) for path in args.file]
    for file in files:
        kind_of(file)
    models = [args.model, *args.against]
    scores = [_scores(model, files, args) for model in models]
    if args.json:
        results = [[file_scores.as_dict() for file_scores in model_scores] for model_scores in scores]
        facts = [{"model": model, "results": result} for model, result in zip(models, results, strict=True)]
        print(json.dumps(facts, indent=2, ensure_ascii=False))
        return
    _print_table(
        models,
        [[line for file_scores in of_model for line in _lines(file_scores, args.sections)] for of_model in scores],
    )
    print(_footnote(args, scores[0]))


def _scores(model: str, files: "list[QuestionFile]", args: Namespace) -> "list[Scores]":
    """The scores of a model on each file, and on analogies for each method."""
    from pairloom.judging.evaluation import evaluate, kind_of

    vectors = chosen_vectors(load(model), args)
    names = ("restrict_vocab", "case", "unknown", "seed", "threads")
    options = {name: getattr(args, name) for name in names}
    methods: list[MethodName] = ["add", "mul"] if args.method == "both" else [args.method]
    return [
        evaluate(vectors, file, method=method, **options)
        for file in files
        for method in (methods if kind_of(file) == "analogies" else methods[:1])
    ]


def _lines(scores: "Scores", sections: bool) -> "Iterator[ScoreLine]":
    from pairloom.judging.evaluation import AnalogyScores

    return scores.lines(sections) if isinstance(scores, AnalogyScores) else scores.lines()


def _footnote(args: Namespace, scores: "list[Scores]") -> str:
    """What the columns mean under the chosen policy."""
    from pairloom.judging.evaluation import SimilarityScores

    limit = f"the first {args.restrict_vocab:,}" if args.restrict_vocab else "all"
    searched = f"{limit} {'contexts' if args.contexts else 'words'} of a model"
    case = "ignoring case" if args.case == "fold" else "case counts"
    unknown = {"wrong": "counted as wrong", "spell": "spelled, or skipped"}.get(args.unknown, "skipped")
    note = f"known: questions whose words are among {searched} ({case}); the others are {unknown}."
    has_interval = any(isinstance(file_scores, SimilarityScores) for file_scores in scores)
    return note + (" In []: the 95 % interval, by bootstrap over pairs." if has_interval else "")


# --- The table


def _print_table(models: list[str], columns: "list[list[ScoreLine]]") -> None:
    """Print a row for each test and two columns for each model. All models have the same tests in the same order."""
    heads = ["test", "score", *(head for model in models for head in (model, "known"))]
    rows = [
        [lines[0].test, lines[0].score, *(cell for line in lines for cell in (line.value, line.coverage))]
        for lines in zip(*columns, strict=True)
    ]
    print_table(heads, rows)

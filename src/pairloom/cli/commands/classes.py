"""pairloom classes: group words into classes."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_json, whole_number
from pairloom.cli.files import check_not_read
from pairloom.cli.models import add_model, load
from pairloom.errors import InputError
from pairloom.system.display import number_of

if TYPE_CHECKING:
    from pairloom.vectors.classes import WordClasses

GROUP = "look"
PURPOSE = "group words into classes by k-means"
EXAMPLE = "pairloom classes king.loom -k 500 -o classes.txt"


def arguments(parser: ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("-k", type=whole_number, required=True, metavar="K", help="number of classes")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write `word class` lines, sorted by class, instead of printing a table"
    )
    parser.add_argument(
        "-n", type=whole_number, default=8, metavar="N", help="words to show for each class in the table (default: 8)"
    )
    parser.add_argument(
        "--algorithm",
        choices=["minibatch", "lloyd"],
        default="minibatch",
        help="minibatch is faster, lloyd slightly better (default: minibatch)",
    )
    parser.add_argument(
        "--seed", type=whole_number, default=1, metavar="N", help="seed of the random start of k-means (default: 1)"
    )
    add_json(parser, "a line for each class with all its words (with -o, only a summary)")


def run(args: Namespace) -> None:
    from pairloom.system.files import check_folder
    from pairloom.vectors.classes import word_classes

    if args.n < 0:
        raise InputError(f"-n {args.n} is not a number of words. Use 0 or more; 8 is usual.")
    if args.output:
        check_folder(args.output)
        check_not_read(args.output, args.model)
    classes = word_classes(load(args.model).words, args.k, seed=args.seed, algorithm=args.algorithm)
    if args.output:
        classes.save(args.output)
        _print_summary(classes, args)
    elif args.json:
        _print_json(classes)
    else:
        _print_table(classes, args.n)


def _print_summary(classes: "WordClasses", args: Namespace) -> None:
    sizes = classes.sizes.tolist()
    facts = {"output": args.output, "words": sum(sizes), "classes": len(classes), "sizes": sizes}
    print(json.dumps(facts) if args.json else f"{args.output}: {_sentence(classes)}")


def _print_json(classes: "WordClasses") -> None:
    for number, size in enumerate(classes.sizes.tolist()):
        facts = {"class": number, "size": size, "words": classes.members(number)}
        print(json.dumps(facts, ensure_ascii=False))


def _print_table(classes: "WordClasses", n_words: int) -> None:
    print("class   words  most central words")
    for number, size in enumerate(classes.sizes.tolist()):
        print(f"{number:5} {size:7,}  {' '.join(word for word, _ in classes.members(number)[:n_words])}")
    print(_sentence(classes))


def _sentence(classes: "WordClasses") -> str:
    sizes = classes.sizes
    outside = len(classes.labels) - int(sizes.sum())
    zero = f"; {outside:,} with a zero vector {'is' if outside == 1 else 'are'} in no class (-1)" if outside else ""
    words, groups = number_of(int(sizes.sum()), "word"), number_of(len(classes), "class")
    smallest = f"{sizes.min():,} to " if sizes.min() < sizes.max() else ""
    return f"{words} in {groups} of {smallest}{number_of(int(sizes.max()), 'word')}{zero}"

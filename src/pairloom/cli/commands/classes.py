"""pairloom classes: words grouped into classes."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import whole
from pairloom.cli.commands.inputs import check_not_read, load
from pairloom.errors import InputError

if TYPE_CHECKING:
    from pairloom.vectors.classes import WordClasses

PURPOSE = "group words into classes by k-means"
EXAMPLE = "pairloom classes king.loom -k 500 -o classes.txt"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("model", metavar="MODEL", help="a file of vectors")
    parser.add_argument("-k", type=whole, required=True, metavar="K", help="how many classes")
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="write `word class` lines, sorted by class, instead of printing a table"
    )
    parser.add_argument("-n", type=whole, default=8, metavar="N", help="words of each class in the table (8)")
    parser.add_argument(
        "--algorithm",
        choices=["minibatch", "lloyd"],
        default="minibatch",
        help="minibatch is faster, lloyd slightly better (minibatch)",
    )
    parser.add_argument("--seed", type=whole, default=1, metavar="N", help="another seed gives other classes (1)")
    parser.add_argument(
        "--json", action="store_true", help="print a line of JSON for each class with all its words; with -o, a summary"
    )


def run(args: Namespace) -> None:
    """Do it."""
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
        for number, size in enumerate(classes.sizes.tolist()):
            facts = {"class": number, "size": size, "words": classes.members(number)}
            print(json.dumps(facts, ensure_ascii=False))
    else:
        _print_table(classes, args)


def _print_summary(classes: "WordClasses", args: Namespace) -> None:
    sizes = classes.sizes.tolist()
    facts = {"output": args.output, "words": sum(sizes), "classes": len(classes), "sizes": sizes}
    print(json.dumps(facts) if args.json else f"{args.output}: {_sentence(classes)}")


def _print_table(classes: "WordClasses", args: Namespace) -> None:
    print("class   words  the most central")
    for number, size in enumerate(classes.sizes.tolist()):
        print(f"{number:5} {size:7,}  {' '.join(word for word, _ in classes.members(number)[: args.n])}")
    print(_sentence(classes))


def _sentence(classes: "WordClasses") -> str:
    sizes = classes.sizes
    outside = len(classes.labels) - int(sizes.sum())
    zero = f"; {outside:,} with a zero vector are in none (-1)" if outside else ""
    return f"{sizes.sum():,} words in {len(classes):,} classes of {sizes.min():,} to {sizes.max():,}{zero}"

"""pairloom recommend: what comes next in a session."""

import json
import sys
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_json, whole_number
from pairloom.cli.commands.near import answer_each
from pairloom.cli.console import print_message
from pairloom.cli.models import add_model, load
from pairloom.corpus.inputs.row_batch import listed
from pairloom.system.display import quoted

GROUP = "ask"
PURPOSE = "rank the items that come next in a session"
EXAMPLE = "pairloom recommend clicks.loom bread butter"
OPTION_NAMES = {"n": "-n"}


def arguments(parser: ArgumentParser) -> None:
    parser.usage = "%(prog)s MODEL ITEM [ITEM ...] [options]\n       %(prog)s MODEL [options] < SESSIONS"
    add_model(parser)
    parser.add_argument(
        "item",
        metavar="ITEM",
        nargs="*",
        default=[],
        help="the items of a session, the last one last; if none, sessions are read from stdin, one per line",
    )
    parser.add_argument(
        "-n",
        type=whole_number,
        default=10,
        metavar="N",
        help="number of items, each with log p but for a constant of its session (default: 10)",
    )
    parser.add_argument("--include-seen", action="store_true", help="also recommend what the session has already")
    add_json(parser, "a line for each session")


def run(args: Namespace) -> None:
    from pairloom.sklearn import ItemRecommender

    model = load(args.model, args.item)
    recommender = ItemRecommender(n=args.n, exclude_seen=not args.include_seen, embedding=model).fit()
    recommender.recommend([])  # checks -n once

    def answer(session: str) -> None:
        items = session.split("\t") if "\t" in session else session.split()  # a tab lets items have spaces
        unknown = [item for item in items if item not in model.words]
        if unknown and args.item:
            model.words.get_index(unknown[0])  # an error: the answer would be about the others
        if unknown:
            them = f"{listed(unknown)} {'is' if len(unknown) == 1 else 'are'}"
            print_message(f"pairloom recommend: warning: {them} not in the model, and left out of {quoted(session)}.")
        (best,) = recommender.recommend([items])
        if args.json:
            print(json.dumps({"session": items, "next": best}, ensure_ascii=False), flush=True)
        else:
            print(" ".join(items), *(f"  {score:7.3f}  {item}" for item, score in best), sep="\n", flush=True)

    answer_each("recommend", ["\t".join(args.item)] if args.item else sys.stdin or (), answer, "session> ", blank=True)

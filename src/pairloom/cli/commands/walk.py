"""pairloom walk: walks over a graph become a corpus."""

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_running, number, whole
from pairloom.cli.commands.inputs import check_not_read, closed_pipes, given, source
from pairloom.cli.console import progress

if TYPE_CHECKING:
    from pairloom.graphs.walks import Walks

PURPOSE = "walk over a graph and write the walks as a corpus (DeepWalk, node2vec)"
EXAMPLE = "pairloom walk edges.txt -o walks.txt && pairloom train walks.txt -o nodes.loom --window 10 --sample 0"
TYPED = {"p": "-p", "q": "-q"}

_OPTIONS = ("walks", "length", "p", "q", "directed", "seed", "encoding", "errors")


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument(
        "edges", metavar="EDGES", nargs="+", help="files of lines `u v` or `u v weight` (.gz and so on); - is stdin"
    )
    parser.add_argument(
        "-o", "--output", metavar="WALKS", required=True, help="a line for each walk; packed if .gz, - is stdout"
    )
    group = parser.add_argument_group("walks")
    group.add_argument("--walks", type=whole, metavar="N", help="from each node (10); the DeepWalk paper has 80")
    group.add_argument("--length", type=whole, metavar="N", help="nodes of a walk (40)")
    group.add_argument("-p", type=number, metavar="P", help="node2vec's: large makes it rare to go straight back (1)")
    group.add_argument(
        "-q", type=number, metavar="Q", help="node2vec's: large keeps a walk near, small sends it away (1)"
    )
    group.add_argument("--directed", action="store_const", const=True, help="edges lead one way only")
    group.add_argument("--seed", type=whole, metavar="N", help="another seed gives other walks (1)")
    reading = parser.add_argument_group("reading")
    reading.add_argument("--encoding", metavar="NAME", help="encoding of the file (utf-8)")
    reading.add_argument("--errors", choices=["strict", "replace", "ignore"], help="what to do with bad bytes (strict)")
    add_running(parser)


def run(args: Namespace) -> None:
    """Do it."""
    from pairloom.config import checked_threads
    from pairloom.graphs.walks import walk
    from pairloom.system.files import check_folder

    checked_threads(args.threads)
    if args.output != "-":
        check_folder(args.output)
        check_not_read(args.output, *args.edges)
    began = time.perf_counter()
    with progress(args.quiet) as on_progress:
        edges = source(args.edges)
        walks = walk(edges, threads=args.threads, on_progress=on_progress, **given(args, _OPTIONS))
        if args.output == "-":
            for data in walks.texts(on_progress):
                sys.stdout.buffer.write(data)
            return
        with closed_pipes():
            walks.save(args.output, on_progress)
    if not args.output.startswith("/dev/"):
        _report(args, walks, time.perf_counter() - began)


def _report(args: Namespace, walks: "Walks", seconds: float) -> None:
    graph = walks.graph
    facts = {"nodes": len(graph.nodes), "sinks": graph.n_sinks, "walks": len(walks), "length": walks.config.length}
    if args.json:
        print(json.dumps({"output": args.output, **facts, "seconds": round(seconds, 2)}))
    elif not args.quiet:
        sinks = f" ({graph.n_sinks:,} lead nowhere, and walks end there)" if graph.n_sinks else ""
        print(f"{args.output}: {len(walks):,} walks over {len(graph.nodes):,} nodes{sinks}, {seconds:.1f} s")

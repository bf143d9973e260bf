"""pairloom walk: draw walks over a graph and write them as a corpus."""

import json
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_reading, add_running, explicit_options, number, whole_number
from pairloom.cli.console import progress
from pairloom.cli.files import check_not_read, closed_pipe_is_no_error, input_paths
from pairloom.system.display import number_of

if TYPE_CHECKING:
    from pairloom.preparing.graphs.walks import Walks

GROUP = "prepare"
PURPOSE = "draw walks over a graph and write them as a corpus (DeepWalk, node2vec)"
EXAMPLE = "pairloom walk edges.txt -o walks.txt && pairloom train walks.txt -o nodes.loom --window 10 --sample 0"
OPTION_NAMES = {"p": "-p", "q": "-q"}

_OPTIONS = ("walks", "length", "p", "q", "directed", "seed", "encoding", "errors")


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "edges",
        metavar="EDGES",
        nargs="+",
        help="files of edges, `u v` or `u v weight` per line, also compressed, or - for standard input",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="WALKS",
        required=True,
        help="the file to write, one walk per line (compressed if it ends in .gz), or - for standard output",
    )
    walks = parser.add_argument_group("walks")
    walks.add_argument(
        "--walks", type=whole_number, metavar="N", help="walks from each node (default: 10; the DeepWalk paper has 80)"
    )
    walks.add_argument("--length", type=whole_number, metavar="N", help="nodes of a walk (default: 40)")
    walks.add_argument(
        "-p", type=number, metavar="P", help="node2vec's p: the larger, the rarer a step straight back (default: 1)"
    )
    walks.add_argument(
        "-q",
        type=number,
        metavar="Q",
        help="node2vec's q: above 1 walks stay near their start, below 1 they move away (default: 1)",
    )
    walks.add_argument("--directed", action="store_const", const=True, help="follow edges from u to v only")
    walks.add_argument("--seed", type=whole_number, metavar="N", help="seed of all random draws (default: 1)")
    add_reading(parser, "reading the edges", lowercase=False)
    add_running(parser)


def run(args: Namespace) -> None:
    from pairloom.preparing.graphs.walks import walk
    from pairloom.system.files import check_folder

    if args.output != "-":
        check_folder(args.output)
        check_not_read(args.output, *args.edges)
    began = time.perf_counter()
    with progress(args.quiet) as on_progress:
        edges = input_paths(args.edges)
        walks = walk(edges, threads=args.threads, on_progress=on_progress, **explicit_options(args, _OPTIONS))
        if args.output == "-":
            for data in walks.texts(on_progress):
                sys.stdout.buffer.write(data)
            return
        with closed_pipe_is_no_error():
            walks.save(args.output, on_progress)
    if not args.output.startswith("/dev/"):
        _report(args, walks, time.perf_counter() - began)


def _report(args: Namespace, walks: "Walks", seconds: float) -> None:
    graph = walks.graph
    facts = {"nodes": len(graph.nodes), "sinks": graph.n_sinks, "walks": len(walks), "length": walks.config.length}
    if args.json:
        print(json.dumps({"output": args.output, **facts, "seconds": round(seconds, 2)}))
    elif not args.quiet:
        sinks = f" ({graph.n_sinks:,} have no way out, so walks end there)" if graph.n_sinks else ""
        print(
            f"{args.output}: {number_of(len(walks), 'walk')} over {number_of(len(graph.nodes), 'node')}{sinks}, "
            f"{seconds:.1f} s"
        )

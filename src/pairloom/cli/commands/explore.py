"""pairloom explore: a page in the browser to explore one or more models."""

import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_json, add_quiet, add_threads, whole_number
from pairloom.cli.console import print_message, progress
from pairloom.cli.files import check_not_read, closed_pipe_is_no_error
from pairloom.cli.models import load
from pairloom.config import check_whole, checked_threads
from pairloom.errors import InputError
from pairloom.progress import Progress
from pairloom.system.display import format_bytes, number_of
from pairloom.system.extras import need

if TYPE_CHECKING:
    from pairloom.explorer.models import ExploredModel
    from pairloom.explorer.serving import Explore

GROUP = "look"
PURPOSE = "explore models in the browser: a map of words, neighbours, analogies"
EXAMPLE = "pairloom explore king.loom; pairloom explore king.loom --export king.html"
OPTION_NAMES = {"export_words": "--export-words"}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", nargs="+", help="files of vectors; two or more can be compared")
    _add_map(parser)
    _add_server(parser)
    export = parser.add_argument_group("a page that needs no server")
    export.add_argument(
        "--export", metavar="OUT.html", help="write page and models to this file, which works from disk, and end"
    )
    export.add_argument(
        "--export-words",
        type=whole_number,
        metavar="N",
        help="words and contexts in the file, the most frequent ones (default: 10000)",
    )
    add_quiet(parser)
    add_json(parser, "the address and the token, or a summary of the exported page,")


def _add_map(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("the map")
    group.add_argument(
        "--words",
        type=whole_number,
        default=20_000,
        metavar="N",
        help="words on the map, the most frequent ones, up to a million (default: 20000)",
    )
    group.add_argument(
        "--method",
        choices=["auto", "tsne", "pca"],
        default="auto",
        help="tsne needs the extra `map`; pca is faster and shows less (default: tsne if it is installed)",
    )
    group.add_argument("--seed", type=whole_number, default=1, metavar="N", help="seed of t-SNE (default: 1)")
    add_threads(group, "the map is the same for any number of threads")


def _add_server(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("the server")
    group.add_argument(
        "--port", type=whole_number, default=0, metavar="N", help="port to listen on (default: 0, any free one)"
    )
    group.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default: 127.0.0.1, which other machines cannot reach)",
    )
    group.add_argument("--no-browser", action="store_true", help="print the address without opening it in the browser")


def run(args: Namespace) -> None:
    _check(args)
    if args.export is None:
        from pairloom.explorer.serving import Explore

        with Explore(args.host, args.port) as server:
            models = _opened(args)
            server.load(models)
            _announce(server, models, args)
            server.run()
    else:
        _export(_opened(args), args)


def _check(args: Namespace) -> None:
    """Refuse what cannot work before models are loaded and maps are made."""
    checked_threads(args.threads)
    check_whole("words", args.words, 1, 1_000_000, "20000 is usual")
    check_whole("seed", args.seed, 0, 2**32 - 1, "another seed gives another map")
    check_whole("port", args.port, 0, 65535, "0 is any free port")
    if args.export_words is not None:
        check_whole("export_words", args.export_words, 1, 1_000_000, "10000 is usual")
    if args.export is not None:
        from pairloom.system.files import check_folder

        check_folder(args.export)
        check_not_read(args.export, *args.model)
    elif args.export_words is not None:
        raise InputError("--export-words says how large the exported page is. Give --export OUT.html, too.")
    else:
        for package in ("starlette", "uvicorn", "threadpoolctl"):
            need(package, "explore", "pairloom explore")


def _opened(args: Namespace) -> list["ExploredModel"]:
    """The models with their maps, which are kept beside them."""
    from pairloom.explorer.models import explored_file

    with progress(args.quiet) as on_progress:
        return [
            explored_file(
                path,
                load(path, args.model),
                args.words,
                args.method,
                seed=args.seed,
                threads=args.threads,
                on_progress=on_progress,
            )
            for path in args.model
        ]


def _export(models: list["ExploredModel"], args: Namespace) -> None:
    from pairloom.explorer.export import WORDS, exported_page
    from pairloom.system.files import atomic_write

    with progress(args.quiet) as on_progress:
        on_progress(Progress(stage="page"))
        page = exported_page(models, args.export_words or WORDS)
    with closed_pipe_is_no_error(), atomic_write(args.export) as file:
        file.write(page)
    facts = {"output": args.export, "bytes": len(page), "models": [model.name for model in models]}
    if args.json:
        print(json.dumps(facts))
    elif not args.quiet:
        print(f"{args.export}: {format_bytes(len(page))}, open it in a browser")


def _announce(server: "Explore", models: list["ExploredModel"], args: Namespace) -> None:
    """Print the address and open it in the browser."""
    if args.json:
        facts = {"address": server.address, "open": server.opening_address, "token": server.token}
        print(json.dumps(facts), flush=True)
    else:
        for model in models:
            print(f"{model.name}: {number_of(len(model.embedding), 'word')}, {model.mapped:,} on the map")
        print(f"open      {server.opening_address}\ntoken     {server.token}", flush=True)
        print_message("The address works once, for one browser. Scripts send the token. Ctrl-C ends the server.")
    if not args.no_browser:
        _open(server.opening_address)


def _open(address: str) -> None:
    """Open a page in the browser, if there is one, without waiting for it."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()

"""pairloom explore: a page in the browser to explore one or more models."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_json, whole_number
from pairloom.cli.console import print_message, progress
from pairloom.cli.models import load
from pairloom.config import check_whole
from pairloom.progress import OnProgress
from pairloom.system.display import number_of
from pairloom.system.extras import need

if TYPE_CHECKING:
    from pairloom.explorer.models import ExploredModel
    from pairloom.explorer.serving import Explore

PURPOSE = "explore models in the browser: a map of words, neighbours, analogies"
EXAMPLE = "pairloom explore king.loom"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", nargs="+", help="files of vectors; two or more can be compared")
    page = parser.add_argument_group("the map")
    page.add_argument(
        "--words", type=whole_number, default=20_000, metavar="N", help="words on the map (default: 20000)"
    )
    server = parser.add_argument_group("the server")
    server.add_argument(
        "--port", type=whole_number, default=0, metavar="N", help="port to listen on (default: 0, any free one)"
    )
    server.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen on (default: 127.0.0.1, which other machines cannot reach)",
    )
    server.add_argument("--no-browser", action="store_true", help="print the address instead of opening it")
    parser.add_argument("--quiet", action="store_true", help="do not print progress")
    add_json(parser, "the address and the token")


def run(args: Namespace) -> None:
    need("starlette", "explore", "pairloom explore")
    need("uvicorn", "explore", "pairloom explore")
    from pairloom.explorer.serving import Explore

    check_whole("port", args.port, 0, 65535, "0 is any free port")
    with progress(args.quiet) as on_progress:
        models = [_opened(path, args, on_progress) for path in args.model]
    server = Explore(models, host=args.host, port=args.port)
    _announce(server, models, args)
    server.run()


def _opened(path: str, args: Namespace, on_progress: OnProgress) -> "ExploredModel":
    from pairloom.explorer.models import ExploredModel, n_mapped, principal_components

    embedding = load(path, args.model)
    vectors = embedding.words.vectors[: n_mapped(args.words, embedding)]
    return ExploredModel(name=Path(path).name, embedding=embedding, coordinates=principal_components(vectors))


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

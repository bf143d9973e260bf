"""pairloom cache: the encoded corpora that are kept for the next run."""

import json
import time
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from pairloom.cli.arguments import add_cache_dir, add_json
from pairloom.errors import InputError
from pairloom.system.display import format_bytes, format_seconds, visible

if TYPE_CHECKING:
    from pairloom.system.cache_entries import CacheEntry

GROUP = "install"
PURPOSE = "list or delete cached corpora (deleting is safe at any time)"
EXAMPLE = "pairloom cache --clear"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="delete them; training encodes the text again when needed")
    parser.add_argument(
        "--max-size",
        metavar="SIZE",
        help="delete those whose last use is longest ago until all together have at most this size, for example 20GB; "
        "none that is in use. $PAIRLOOM_CACHE_SIZE does so after every training",
    )
    add_cache_dir(parser)
    add_json(parser)


def run(args: Namespace) -> None:
    from pairloom.system.cache_entries import clear_cache, shrink_cache
    from pairloom.system.cache_folder import cache_folder
    from pairloom.system.memory import checked_size

    folder = cache_folder(args.cache_dir or None)
    limit = checked_size(args.max_size, "max_size", least="1MB")
    if args.clear and limit is not None:
        raise InputError("--clear deletes all, and --max-size only some. Leave out one of them.")
    if args.clear:
        _print_freed(folder, clear_cache(folder), args.json)
    elif limit is not None:
        _print_freed(folder, shrink_cache(limit, folder), args.json)
    else:
        _list(folder, args.json)


def _print_freed(folder: Path, freed: int, as_json: bool) -> None:
    print(json.dumps({"folder": str(folder), "freed": freed}) if as_json else f"{folder}: {freed:,} bytes freed")


def _list(folder: Path, as_json: bool) -> None:
    from pairloom.cli.tables import print_table
    from pairloom.system.cache_entries import cache_entries

    entries = cache_entries(folder)
    if as_json:
        corpora = [
            {"path": str(path), "bytes": size, "name": name, "used": round(used), "in_use": in_use}
            for path, size, name, used, in_use in entries
        ]
        print(json.dumps({"folder": str(folder), "corpora": corpora}, indent=2))
        return
    if entries:
        print_table(["corpus", "size", "last used", "folder"], [_row(entry) for entry in entries])
    total = sum(entry.size_bytes for entry in entries)
    corpora_in = "1 corpus" if len(entries) == 1 else f"{len(entries)} corpora"
    print(f"{total:,} bytes in {corpora_in} in {folder}" + ("; to delete: pairloom cache --clear" if entries else ""))


def _row(entry: "CacheEntry") -> list[str]:
    used = "in use" if entry.in_use else f"{format_seconds(max(0.0, time.time() - entry.used))} ago"
    return [visible(entry.name) or "(unfinished)", format_bytes(entry.size_bytes), used, entry.path.name]

"""pairloom cache: the encoded corpora that are kept for the next run."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path

from pairloom.cli.arguments import add_cache_dir, add_json

GROUP = "install"
PURPOSE = "list or delete cached corpora (deleting is safe at any time)"
EXAMPLE = "pairloom cache --clear"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--clear", action="store_true", help="delete them; training encodes the text again when needed")
    add_cache_dir(parser)
    add_json(parser)


def run(args: Namespace) -> None:
    from pairloom.system.cache_folder import cache_folder

    folder = cache_folder(args.cache_dir or None)
    (_clear if args.clear else _list)(folder, args.json)


def _clear(folder: Path, as_json: bool) -> None:
    from pairloom.corpus.prepared import clear_cache

    freed = clear_cache(folder)
    print(json.dumps({"folder": str(folder), "freed": freed}) if as_json else f"{folder}: {freed:,} bytes freed")


def _list(folder: Path, as_json: bool) -> None:
    from pairloom.corpus.prepared import cache_entries

    entries = cache_entries(folder)
    if as_json:
        corpora = [{"path": str(path), "bytes": size} for path, size in entries]
        print(json.dumps({"folder": str(folder), "corpora": corpora}, indent=2))
        return
    for path, size in entries:
        print(f"{size:>16,}  {path}")
    total = sum(size for _, size in entries)
    corpora_in = "1 corpus" if len(entries) == 1 else f"{len(entries)} corpora"
    print(
        f"{total:>16,}  bytes in {corpora_in} in {folder}" + ("; to delete: pairloom cache --clear" if entries else "")
    )

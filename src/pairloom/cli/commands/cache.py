"""pairloom cache: the encoded corpora that are kept for the next run."""

import json
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_cache_dir

PURPOSE = "show or delete the encoded corpora (safe at any time)"
EXAMPLE = "pairloom cache --clear"


def arguments(parser: ArgumentParser) -> None:
    """What can be typed after it."""
    parser.add_argument("--clear", action="store_true", help="delete them")
    add_cache_dir(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: Namespace) -> None:
    """Do it."""
    from pairloom.corpus.prepared import cache_entries, clear_cache
    from pairloom.system.cache_folder import cache_folder

    folder = cache_folder(args.cache_dir or None)
    if args.clear:
        freed = clear_cache(folder)
        print(json.dumps({"folder": str(folder), "freed": freed}) if args.json else f"{folder}: {freed:,} bytes freed")
        return
    entries = cache_entries(folder)
    if args.json:
        corpora = [{"path": str(path), "bytes": size} for path, size in entries]
        print(json.dumps({"folder": str(folder), "corpora": corpora}, indent=2))
        return
    for path, size in entries:
        print(f"{size:>16,}  {path}")
    print(
        f"{sum(size for _, size in entries):>16,}  bytes in {len(entries)} corpora; delete with: pairloom cache --clear"
    )

"""pairloom compile: compile all kernels now, so that no later run has to."""

import json
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_json, add_quiet
from pairloom.cli.console import progress
from pairloom.progress import Progress
from pairloom.system.display import format_seconds, number_of

GROUP = "install"
PURPOSE = "compile all kernels now, for example while an image is built"
EXAMPLE = "pairloom compile && pairloom compile --check"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--check", action="store_true", help="compile nothing; fail if something would be compiled")
    add_quiet(parser)
    add_json(parser)


def run(args: Namespace) -> None:
    from contextlib import nullcontext

    from pairloom.advice.diagnosis.kernels import cache_place, compile_all, only_loaded

    with progress(args.quiet) as on_progress, only_loaded() if args.check else nullcontext():
        steps = compile_all(lambda what: on_progress(Progress(stage="compile")))
    facts = {
        "folder": str(cache_place()),
        "compiled": sum(step.compiled for step in steps),
        "loaded": sum(step.loaded for step in steps),
        "seconds": round(sum(step.seconds for step in steps), 2),
    }
    if args.json:
        print(json.dumps(facts | {"steps": [step._asdict() for step in steps]}, indent=2))
    elif not args.quiet:
        for step in steps:
            print(f"{format_seconds(step.seconds):>7}  {step.compiled:4} compiled  {step.loaded:4} loaded  {step.what}")
        compiled = number_of(sum(step.compiled for step in steps), "kernel")
        print(f"{facts['folder']}: {compiled} compiled, {facts['loaded']} loaded, {facts['seconds']:.1f} s")

"""pairloom doctor: whether this installation works, and what to do if not."""

import json
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_json, add_quiet
from pairloom.cli.console import progress
from pairloom.progress import Progress
from pairloom.system.display import number_of

GROUP = "install"
PURPOSE = "check this machine and installation, and say what to do about what is wrong"
EXAMPLE = "pairloom doctor"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--fast", action="store_true", help="do not train small models to compare them with the published digests"
    )
    add_quiet(parser, "progress")
    add_json(parser)


def run(args: Namespace) -> None:
    from pairloom.advice.diagnosis.findings import findings

    with progress(args.quiet) as on_progress:
        found = [
            *findings(kernels=not args.fast, on_step=lambda name: on_progress(Progress(stage="check"))),
        ]
    wrong = [finding for finding in found if finding.status == "wrong"]
    if args.json:
        print(json.dumps({"good": not wrong, "findings": [finding._asdict() for finding in found]}, indent=2))
    else:
        width = max(len(finding.topic) for finding in found)
        for topic, what, status, advice in found:
            mark = {"ok": "  ", "note": "- ", "wrong": "! "}[status]
            print(f"{mark}{topic:{width}}  {what}" + (f"\n{'':{width + 4}}{advice}" if advice else ""))
        print(f"\n{number_of(len(wrong), 'problem')}: see the lines with !" if wrong else "\nall good")
    if wrong:
        raise SystemExit(2)

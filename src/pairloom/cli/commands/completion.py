"""pairloom completion: a script that makes a shell complete commands, options and files."""

import json
from argparse import ArgumentParser, Namespace

from pairloom.cli.arguments import add_json

GROUP = "install"
PURPOSE = "print a script that completes commands and options in bash, zsh or fish"
EXAMPLE = "pairloom completion bash > ~/.local/share/bash-completion/completions/pairloom"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], metavar="SHELL", help="bash, zsh or fish")
    add_json(parser, "the script in a string")


def run(args: Namespace) -> None:
    from pairloom.cli.completion import script

    text = script(args.shell)
    if args.json:
        print(json.dumps({"shell": args.shell, "script": text}))
    else:
        print(text, end="")

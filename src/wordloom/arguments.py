"""What can be typed after `wordloom`: the commands, their options, and the errors for what cannot."""

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from difflib import get_close_matches
from typing import Any, NoReturn

from wordloom import __version__
from wordloom.config import PEER_NAMES, TextOptions, TrainConfig

OPTIONS = {f.name: f.default for config in (TrainConfig, TextOptions) for f in fields(config)}


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The command and its options; exits with code 2 and one line if something is wrong with them."""
    args, unknown = _parser().parse_known_args(argv)
    if unknown and unknown[0].startswith("-"):
        args.parser.error(f"there is no option {unknown[0]}{_meant(unknown[0], args.parser)}")
    if unknown:
        args.parser.error(f"{unknown[0]!r} is one argument too many; name all files before the options")
    return args


def say(line: str) -> None:
    """A line for the person, apart from the output."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(line + "\n")


class _Parser(argparse.ArgumentParser):
    """argparse, with errors of one line that end in an action."""

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith("?") else "."
        say(f"{self.prog}: {message}{end} See: {self.prog} --help")
        sys.exit(2)


def _meant(typed: str, parser: argparse.ArgumentParser) -> str:
    """The option that was probably meant, as the end of a sentence."""
    known = [option for action in parser._actions for option in action.option_strings]
    name = typed.lstrip("-").split("=")[0]
    peer = PEER_NAMES.get(name.lower().replace("-", "_"))
    meant = f"--{peer.replace('_', '-')}" if peer else next(iter(get_close_matches(f"--{name}", known, 1)), None)
    return f"; did you mean {meant}?" if meant in known else ""


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def _parser() -> _Parser:
    parser = _Parser(
        prog="wordloom",
        description="Learn vectors for words from text, and ask them questions.",
        epilog="exit codes: 0 done, 2 bad input or option, 3 diverged, 4 corpus changed, 5 unwritable, 130 interrupted",
    )
    parser.add_argument("--version", action="version", version=f"wordloom {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    _train_parser(commands)
    _vocab_parser(commands)
    _near_parser(commands)

    info = _command(commands, "info", "what a model holds and how it was made", "wordloom info king.loom")
    info.add_argument("model", metavar="MODEL", help="a .loom or .safetensors file")
    info.add_argument("--json", action="store_true", help="print JSON")

    convert = _command(commands, "convert", "write a model in another format", "wordloom convert king.loom king.bin")
    convert.add_argument("model", metavar="MODEL", help="a .loom or .safetensors file")
    convert.add_argument(
        "output", metavar="OUT", help=".bin is word2vec binary, .vec and .txt word2vec text, .loom ours"
    )

    cache = _command(
        commands, "cache", "show or delete the encoded corpora (safe at any time)", "wordloom cache --clear"
    )
    cache.add_argument("--clear", action="store_true", help="delete them")
    _add_cache_dir(cache)

    demo = _command(commands, "demo", "train on Python's own library and look at it", "wordloom demo")
    demo.add_argument("-o", "--output", metavar="OUT", default="demo.loom", help="the model (demo.loom)")
    demo.add_argument("--threads", type=_whole, metavar="N", help="all cores")
    return parser


def _command(commands: Any, name: str, purpose: str, example: str) -> _Parser:
    parser: _Parser = commands.add_parser(
        name,
        help=purpose,
        description=purpose[0].upper() + purpose[1:] + ".",
        epilog=f"example: {example}",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(parser=parser)
    return parser


def _train_parser(commands: Any) -> None:
    parser = _command(
        commands,
        "train",
        "learn vectors from a corpus",
        "wordloom train corpus.txt -o king.loom --dim 300 --epochs 3",
    )
    _add_corpus(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        required=True,
        help="the file to write: .loom keeps everything; .bin, .vec and .txt hold words and vectors for other tools",
    )
    learn = parser.add_argument_group("learning")
    for name, kind, metavar, meaning in (
        ("dim", _whole, "D", "the length of the vectors"),
        ("window", _whole, "N", "the largest window; each position draws its own from 1 to this"),
        ("negatives", _whole, "K", "drawn contexts for every pair"),
        ("noise_power", _number, "P", "contexts are drawn by count to this power"),
        ("sample", _number, "T", "thin out words that make up more than this share of the text; 0 keeps all"),
        ("epochs", _whole, "N", "times that the text is read"),
        ("lr", _number, "R", "the learning rate at the start, falling linearly"),
        ("min_lr", _number, "R", "the learning rate at the end"),
        ("seed", _whole, "N", "another seed gives other vectors; the same gives the same bytes"),
        (
            "heldout",
            _number,
            "SHARE",
            "share of sentences kept aside to measure the objective, more of a small text; 0 turns it off",
        ),
    ):
        _add_option(learn, name, kind, metavar, meaning)
    vocabulary = _add_vocabulary(parser)
    vocabulary.add_argument(
        "--read-vocab",
        metavar="FILE",
        help="take words and counts from this file, `word count` per line, instead of counting",
    )
    _add_running(parser)
    _add_cache_dir(parser)


def _vocab_parser(commands: Any) -> None:
    parser = _command(
        commands, "vocab", "count the words of a corpus", "wordloom vocab corpus.txt -o words.txt --min-count 10"
    )
    _add_corpus(parser)
    parser.add_argument("-o", "--output", metavar="OUT", help="write `word count` lines here instead of printing them")
    _add_vocabulary(parser)
    _add_running(parser)


def _near_parser(commands: Any) -> None:
    parser = _command(commands, "near", "the words nearest to a word, by cosine", "wordloom near king.loom king queen")
    parser.add_argument("model", metavar="MODEL", help="a .loom or .safetensors file")
    parser.add_argument("word", metavar="WORD", nargs="*", help="words; without any, one per line is read from stdin")
    parser.add_argument("-n", type=_whole, default=10, metavar="N", help="how many (10)")
    parser.add_argument("--contexts", action="store_true", help="ask the contexts' vectors instead of the words'")
    parser.add_argument("--json", action="store_true", help="print a line of JSON for each word")


def _add_corpus(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "corpus",
        metavar="CORPUS",
        nargs="+",
        help="files, globs or folders of text, a sentence or paragraph a line (.gz .bz2 .xz .zst too); - is stdin",
    )
    reading = parser.add_argument_group("reading")
    reading.add_argument("--lowercase", action="store_const", const=True, help="fold words to lower case")
    reading.add_argument(
        "--encoding", metavar="NAME", help="encoding of the text, such as latin-1 or utf-16-le (utf-8)"
    )
    reading.add_argument("--errors", choices=["strict", "replace", "ignore"], help="what to do with bad bytes (strict)")
    _add_option(reading, "max_sentence", _whole, "N", "longer lines are cut into pieces of so many words")


def _add_vocabulary(parser: argparse.ArgumentParser) -> Any:
    vocabulary = parser.add_argument_group("vocabulary")
    _add_option(vocabulary, "min_count", _whole, "N", "rarer words leave the text")
    _add_option(vocabulary, "max_vocab", _whole, "N", "at most so many words, the most frequent")
    vocabulary.add_argument(
        "--keep", metavar="FILE", help="file of words to keep however rare (if they occur), one per line"
    )
    vocabulary.add_argument("--drop", metavar="FILE", help="file of words to leave out, one per line")
    return vocabulary


def _add_running(parser: argparse.ArgumentParser) -> None:
    running = parser.add_argument_group("running")
    running.add_argument(
        "--threads",
        type=_whole,
        metavar="N",
        help="how many threads (all cores); the result is the same for any number",
    )
    running.add_argument("--quiet", action="store_true", help="no progress")
    running.add_argument("--json", action="store_true", help="print JSON for programs")


def _add_cache_dir(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--cache-dir", metavar="DIR", help="where encoded corpora are kept (or set WORDLOOM_CACHE)")


def _add_option(group: Any, name: str, kind: Callable[[str], Any], metavar: str, meaning: str) -> None:
    """An option whose default the library knows; help shows it."""
    default = "" if OPTIONS[name] is None else f" ({OPTIONS[name]})"
    group.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=meaning + default)

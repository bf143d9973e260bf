"""Every option of every command, with values that it must refuse.

`missing_cases` compares the tables with the parsers of the package: an option without an entry is a miss, and so is an
entry without an option.
"""

import argparse
from collections.abc import Iterator
from typing import Any

from reliability.cases.case import Case

# A valid line of each command, so that only the option added to it can be wrong.
LINES = {
    "train": "text.txt -o old.loom --quiet --min-count 1 --dim 4 --epochs 1",
    "train --ray": "text.txt -o old.loom --quiet --min-count 1 --dim 4 --epochs 1 --ray local",
    "train --checkpoint": "text.txt -o old.loom --quiet --min-count 1 --dim 4 --epochs 1 --checkpoint run",
    "train --report": "text.txt -o old.loom --quiet --min-count 1 --dim 4 --epochs 1 --report old.html",
    "train --pairs": "pairs.txt -o old.loom --quiet --min-count 1 --dim 4 --epochs 1 --pairs",
    "plan": "text.txt --quiet --min-count 1 --pairs-per-second 1e6",
    "plan --read-vocab": "--read-vocab counted.txt --pairs-per-second 1e6",
    "tune": "text.txt --quiet --trials 1 --for animals.tsv",
    "vocab": "text.txt -o old.vocab --quiet",
    "inspect": "text.txt --quiet",
    "phrases": "text.txt -o old.txt --quiet",
    "walk": "edges.txt -o old.txt --quiet",
    "pairs": "baskets baskets.txt -o old.txt --quiet",
    "fold-in": "model.loom more.txt -o old.loom --quiet --min-count 1",
    "spell": "model.loom -o old.loom --quiet",
    "near": "model.loom cat",
    "similarity": "model.loom cat dog",
    "map": "model.loom -o old.svg --quiet",
    "analogy": "model.loom cat dog cow",
    "recommend": "model.loom cat dog",
    "evaluate": "model.loom questions.txt similar.tsv",
    "explain": "model.loom text.txt --quiet",
    "explain two words": "model.loom cat dog --quiet",
    "report": "model.loom -o old.html",
    "explore": "model.loom --export old.txt --quiet --method pca",
    "explore --no-browser": "model.loom --no-browser --quiet --method pca",
    "compare": "model.loom model.loom cat",
    "trajectory": "model.loom model.loom --word cat",
    "align": "model.loom --to model.loom -o old.loom",
    "index": "model.loom",
    "classes": "model.loom -k 2 -o old.txt",
    "info": "model.loom",
    "convert": "model.loom old.loom",
    "cache": "",
    "doctor": "--fast -q",
    "compile": "-q",
    "completion": "bash",
    "demo": "-o old.loom",
    "word2vec": "-train text.txt -output old.vec -size 4 -iter 1 -debug 0",
    "word2vecf": "-train pairs.txt -output old.vec -size 4 -debug 0",
    "word2phrase": "-train text.txt -output old.txt -debug 0",
    "distance": "model.loom",
    "word-analogy": "model.loom",
    "compute-accuracy": "model.loom",
}

SEED, THREADS = "-1 9223372036854775808", "0 -1 257 5000"
ANY = ""  # every number is valid
# Values out of range, for every option that takes a number.
OUTSIDE = {
    "train": {
        "--max-sentence": "1 0 -1 1000001",
        "--dim": "0 -5 4097 2000000000",
        "--negatives": "0 -5 65",
        "--noise-power": "-2.1 2.1 nan inf",
        "--sample": "-0.1 1.1 nan inf",
        "--epochs": "0 -1 1000001",
        "--lr": "0 -1 nan inf 1e7 1e30",
        "--min-lr": "-1 nan inf 1",
        "--seed": SEED,
        "--heldout": "-0.1 0.6 2 nan inf",
        "--patience": "0 -1 1000001",
        "--window": "0 -3 1001 sentences",
        "--left": "-1 1001",
        "--right": "-1 1001",
        "--min-count": "0 -1 nan inf 1.5 9999999999999999999999",
        "--max-vocab": "1 0 -1 2147483648",
        "--threads": THREADS,
        "--workers": "2 0 nan",
    },
    "train --ray": {"--workers": "0 -1 nan 1.5 1025", "--threads": THREADS},
    "plan": {
        "--max-sentence": "1 0 -1 1000001",
        "--min-count": "0 -1 nan inf 1.5",
        "--max-vocab": "1 0 -1",
        "--dim": "0 -5 4097",
        "--negatives": "0 -5 65",
        "--epochs": "0 -1 1000001",
        "--window": "0 -3 1001 sentences",
        "--sample": "-0.1 1.1 nan inf",
        "--workers": "0 -1 65537 1000",
        "--threads": THREADS,
        "--latency": "-1 nan inf 1e6",
        "--pairs-per-second": "0 -1 nan inf 1e13",
        "--tokens": "0 1 -1 x 1X 1e9 nan 2000T",
        "--words": "0 1 -1 x 1X 1e9 nan 3B",
    },
    "train --pairs": {"--min-context-count": "0 -1 nan inf -0.5", "--min-count": "0 -1 nan inf -0.5"},
    "inspect": {"--max-sentence": "1 0 -1 1000001"},
    "tune": {
        "--max-sentence": "1 0 -1 1000001",
        "--trials": "0 -1 100001",
        "--min-count": "0 -1 nan inf -0.5",
        "--dim": "0 -5 4097",
        "--negatives": "0 -5 65",
        "--noise-power": "-2.1 2.1 nan inf",
        "--epochs": "0 -1 1000001",
        "--window": "0 -3 1001 sentences",
        "--sample": "-0.1 1.1 nan inf",
        "--lr": "0 -1 nan inf 1e7",
        "--seed": SEED,
        "--threads": THREADS,
    },
    "vocab": {
        "--max-sentence": "1 0 -1 1000001",
        "--min-count": "0 -1 nan inf 1.5",
        "--max-vocab": "1 0 -1",
        "--threads": THREADS,
    },
    "phrases": {
        "--max-sentence": "1 0 -1 1000001",
        "--min-count": "0 -1",
        "--threshold": "0 -1 nan inf 1,nan 1,2,3,4,5,6,7,8,9,10,11",
        "--passes": "0 -1 11",
        "--threads": THREADS,
    },
    "walk": {
        "--walks": "0 -1 1000001",
        "--length": "1 0 -1 1000001",
        "-p": "0 -1 1e7 nan inf",
        "-q": "0 -1 1e7 nan inf",
        "--seed": SEED,
        "--threads": THREADS,
    },
    "pairs": {"--largest": "1 0 -1 100001"},
    "fold-in": {
        "--max-sentence": "1 0 -1 1000001",
        "--min-count": "0 -1",
        "--l2": "0 -1 nan inf",
        "--most-contexts": "0 -1 2147483648",
        "--window": "0 -3 1001",
        "--sample": "-0.1 1.1 nan inf",
        "--negatives": "0 -5 65",
        "--noise-power": "-2.1 2.1 nan inf",
        "--threads": THREADS,
    },
    "spell": {
        "--minn": "0 -1 7",
        "--maxn": "0 -1 51",
        "--buckets": "0 -1 2147483649",
        "--l2": "0 -1 nan inf",
        "--threads": THREADS,
    },
    "near": {"-n": "-1", "--restrict-vocab": "0 -1"},
    "map": {"-n": "0 -1 1", "--seed": "-1 4294967296", "--threads": THREADS},
    "analogy": {"-n": "-1", "--restrict-vocab": "0 -1"},
    "recommend": {"-n": "0 -1 2147483648"},
    "evaluate": {"--threads": THREADS, "--restrict-vocab": "-1", "--seed": SEED},
    "explain": {"--most-products": "0 -1", "--threads": THREADS, "-n": ANY},
    "explain two words": {"-n": "0 -1 1000001", "--most-products": ANY, "--threads": THREADS},
    "report": {"--threads": THREADS},
    "explore": {
        "--words": "0 -1 1000001",
        "--seed": "-1 4294967296",
        "--threads": THREADS,
        "--port": "-1 65536",
        "--export-words": "0 -1 1000001",
    },
    "compare": {"-n": "-1", "--min-count": "0 -1", "--rate": "0 -1 0.6 nan inf", "--threads": THREADS},
    "trajectory": {"-n": "-1", "--threads": THREADS},
    "align": {"--threads": THREADS},
    "index": {"--links": "1 0 -1 1001", "--effort": "1 0 -1 10001", "--threads": THREADS},
    "classes": {"-n": "-1", "--seed": "-1 4294967296"},
    "convert": {"--limit": "0 -1"},
    "demo": {"--threads": THREADS},
    "word2vec": {
        "-size": "0 -5 4097",
        "-window": "0 -3 1001",
        "-sample": "-0.1 1.1 nan inf",
        "-hs": "2 -1",
        "-negative": "0 -5 65",
        "-threads": "0 -1",
        "-iter": "0 -1 1000001",
        "-min-count": "0 -1",
        "-alpha": "0 -1 nan inf 1e30",
        "-classes": "-1",
        "-debug": ANY,
        "-binary": "2 -1",
        "-cbow": "2 -1",
    },
    "word2vecf": {
        "-size": "0 -5 4097",
        "-sample": "-0.1 1.1 nan inf",
        "-negative": "0 -5 65",
        "-threads": "0 -1",
        "-iters": "0 -1 1000001",
        "-min-count": "0 -1",
        "-alpha": "0 -1 nan inf 1e30",
        "-debug": ANY,
        "-binary": "2 -1",
    },
    "word2phrase": {"-min-count": "0 -1", "-threshold": "0 -1 nan inf", "-debug": ANY},
    "compute-accuracy": {"threshold": "-1"},
}
FAULTS = {  # the numbers of faults.md
    "--dim 0": 27, "--dim -5": 28, "--dim 2000000000": 29, "--dim abc": 30, "--window 0": 31, "--window -3": 32,
    "--lr 0": 33, "--lr -1": 35, "--lr nan": 35, "--lr 1e30": 35, "--negatives 0": 36, "--negatives -5": 37,
    "--threads 0": 38, "--threads 5000": 39, "--epochs 0": 40, "--epochs -1": 41, "--sample nan": 42,
}  # fmt: skip

# Values that are refused, with part of the message: for inputs, for outputs, and for other names.
READ = {
    "missing.txt": "missing.txt",
    "folder.loom": "folder.loom",
    "/dev/zero": "/dev/zero",
    "": "empty",
    "text.txt/below": "text.txt/below",
    "x" * 300: "too long",
    "latin.txt": "latin.txt",
}
OTHER_TEXT = {**READ, "text.txt": "text.txt", "edges.txt": "edges.txt"}
MODEL = {**OTHER_TEXT, "cut.vec": "pairloom convert --errors"}
WRITTEN = {
    "": "empty",
    "missing/new.loom": "does not exist",
    "text.txt/new.loom": "is a file",
    "x" * 300 + ".loom": "too long",
    "folder.loom": "is a folder",
}
PICTURE = {
    "": "empty",
    "missing/new.svg": "does not exist",
    "text.txt/new.svg": "is a file",
    "x" * 300 + ".svg": "too long",
    "new.doc": "does not say what to write",
}
ENCODING = dict.fromkeys(["klingon", "", "hex", "idna"], "--encoding")
CACHE = dict.fromkeys(["text.txt", "/proc/none"], "The cache folder")  # with exit code 5: it is not writable
CONFIG = {**READ, "text.txt": "text.txt is not a TOML file"}
COLUMNS = {
    "--column": {"x": "has no columns", "": "empty"},
    "--session": {"x": "belong together", "": "empty"},
    "--item": {"x": "belong together", "": "empty"},
    "--order": {"x": "sorts the rows of a session", "": "empty"},
}
MEMORY = dict.fromkeys(["", "0", "-1", "2 apples", "nan", "1e400", "GB", "0.5"], "--max-memory")
NAMED: dict[str, dict[str, dict[str, str]]] = {
    "train": {
        **COLUMNS,
        "corpus": READ, "--encoding": ENCODING, "-o": {**WRITTEN, "new.doc": "suffix", "text.txt": "to be read"},
        "--contexts-output": {**WRITTEN, "old.loom": "cannot hold both"}, "--keep": READ, "--drop": READ,
        "--report": {**WRITTEN, "old.loom": "cannot hold both", "text.txt": "to be read"},
        "--evaluate": {"similar.tsv": "Add --report"},
        "--read-vocab": READ, "--read-contexts": {"contexts.txt": "--pairs"},
        "--min-context-count": {"3": "for pairs", "0": "--min-context-count"}, "--columns": {"a,b": "--pairs"},
        "--start": MODEL, "--cache-dir": CACHE, "--max-memory": MEMORY, "--config": CONFIG,
        "--every": {"5m": "there is no folder", "": "empty"},
        "--checkpoint": {"": "empty", "text.txt": "cannot hold checkpoints"},
        "--ray": {"": "empty"}, "--copies": {"copies": "--copies is for a cluster"},
        "--round-log": {"log.jsonl": "--round-log is for a cluster"},
        "--resume": dict.fromkeys(["missing", "text.txt", "folder.loom", "x" * 300], "no training to resume"),
    },
    "train --ray": {
        "--model": {"cbow": "on one machine", "sppmi-svd": "on one machine"},
        "--objective": {"hs": "on one machine", "softmax": "on one machine"},
    },
    "train --report": {"--evaluate": {**READ, "text.txt": "text.txt"}},
    "train --checkpoint": {
        "--every": dict.fromkeys(["soon", "0s", "-5m", "5 m", "1.5", "nan", "5d", "0", "epochs"], "--every"),
    },
    "train --pairs": {
        "corpus": READ, "--read-contexts": READ, "--read-vocab": READ, "--columns": {"a": "columns",
        "": "columns"},
        "--keep": {"words.txt": "--keep is for text"}, "--drop": {"words.txt": "--drop is for text"}, "--start": MODEL,
    },
    "plan": {
        **COLUMNS,
        "corpus": READ, "--encoding": ENCODING, "--keep": READ, "--drop": READ, "--cache-dir": {"": "empty"},
        "--read-vocab": {"counted.txt": "Several sources"}, "--tokens": {"": "empty", "1M": "Give words too"},
        "--words": {"": "empty", "1000": "Give tokens too"},
        "--network": dict.fromkeys(["", "fast", "10", "1b", "-1Gb", "nan", "Gb"], "--network"),
        "--worker-memory": dict.fromkeys(MEMORY, "--worker-memory"),
        "--chart": {**WRITTEN, "text.txt": "to be read"}, "--config": CONFIG,
    },
    "plan --read-vocab": {
        "--read-vocab": {**READ, "text.txt": "text.txt"}, "--min-count": {"2": "used as they are"},
        "--keep": {"words.txt": "used as they are"}, "--tokens": {"1M": "Give words too"},
    },
    "inspect": {**COLUMNS, "corpus": READ, "--encoding": ENCODING},
    "tune": {
        **COLUMNS,
        "corpus": READ, "--encoding": ENCODING,
        "--for": {**READ, "text.txt": "text.txt", **dict.fromkeys(["similar.tsv", "heldout"], "20 are needed")},
        "--budget": {**dict.fromkeys(["", "soon", "0s", "10", "epoch"], "--budget"), "1m": "not both"},
        "--tokens": dict.fromkeys(["", "many", "1", "-5", "nan"], "--tokens"),
        "--page": {**WRITTEN, "text.txt": "to be read"}, "--chart": PICTURE, "--config": CONFIG,
    },
    "vocab": {
        **COLUMNS,
        "corpus": READ, "--encoding": ENCODING, "-o": WRITTEN, "--keep": READ, "--drop": READ,
        "--max-memory": MEMORY, "--cache-dir": {"": "empty"}, "--config": CONFIG,
    },
    "phrases": {
        **COLUMNS,
        "corpus": READ, "--encoding": ENCODING, "-o": WRITTEN, "--scoring": {"maybe": "--scoring", "": "--scoring"},
        "--connectors": READ, "--delimiter": {"": "--delimiter", " ": "--delimiter", "x" * 101: "--delimiter"},
        "--save-phrases": {**WRITTEN, "old.txt": "cannot hold both"}, "--phrases": OTHER_TEXT, "--cache-dir": CACHE,
        "--max-memory": MEMORY, "--config": CONFIG,
    },
    "walk": {"edges": READ, "-o": WRITTEN, "--encoding": ENCODING, "--config": CONFIG},
    "pairs": {"files": READ, "-o": WRITTEN, "--encoding": ENCODING},
    "fold-in": {
        **COLUMNS,
        "model": MODEL, "corpus": READ, "--encoding": ENCODING, "-o": {**WRITTEN, "more.txt": "to be read"},
        "--words": READ, "--cache-dir": CACHE, "--config": CONFIG,
    },
    "near": {"model": MODEL, "word": {"kat": "Did you mean 'cat'"}, "--chart": PICTURE},
    "similarity": {"model": MODEL, "word": {"cat": "no second word"}},
    "map": {
        "model": MODEL, "word": {"cat": "at least 2 words"}, "-o": PICTURE, "--title": {"": "empty"},
        "--neighbours-of": {"kat": "Did you mean 'cat'"}, "--to": {"kat": "Did you mean 'cat'"},
        "--classes": {"0": "--classes 0", "-1": "--classes -1", "1000": "a k of 1 to 20", "missing": "missing"},
    },
    "spell": {"model": MODEL, "-o": {**WRITTEN, "model.loom": "to be read"}, "--config": CONFIG},
    "analogy": {"model": MODEL, "word": {"cat": "three words"}},
    "recommend": {"model": MODEL, "item": {"kat": "kat"}},
    "evaluate": {"model": MODEL, "file": READ, "--against": MODEL},
    "explain": {
        **COLUMNS,
        "model": MODEL, "what": READ, "--page": WRITTEN, "--encoding": ENCODING,
        "--corpus": {"text.txt": "--corpus is only for two words"}, "--cache-dir": CACHE, "--max-memory": MEMORY,
        "--config": CONFIG,
    },
    "explain two words": {
        "--page": {**WRITTEN, "model.loom": "to be read"}, "--corpus": READ, "what": {"kat": "kat"},
        "--max-memory": MEMORY,
    },
    "report": {
        "model": MODEL, "-o": {**WRITTEN, "model.loom": "to be read"}, "--evaluate": READ, "--config": CONFIG,
    },
    "explore": {"model": MODEL, "--export": {**WRITTEN, "model.loom": "to be read"}, "--host": {"": "empty"}},
    "explore --no-browser": {
        "--host": dict.fromkeys(["no.such.host.invalid", "x" * 300], "has no address"),
        "--export-words": {"5": "Give --export"},
    },
    "compare": {
        "model": MODEL, "other": MODEL, "word": {"kat": "Did you mean 'cat'"}, "--noise": MODEL,
        "--page": {**WRITTEN, "model.loom": "to be read"}, "--config": CONFIG,
    },
    "trajectory": {
        "--word": {"kat": "'kat' is in 0 models", "": "empty"}, "model": MODEL,
        "--page": {**WRITTEN, "model.loom": "to be read"}, "--config": CONFIG,
    },
    "align": {
        "model": MODEL, "--to": MODEL, "-o": {**WRITTEN, "new.doc": "suffix", "model.loom": "to be read"},
        "--config": CONFIG,
    },
    "index": {"model": MODEL},
    "classes": {"model": MODEL, "-o": WRITTEN, "-k": dict.fromkeys(["0", "-1", "1000"], "a k of 1 to 20")},
    "info": {"model": MODEL},
    "convert": {"input": MODEL, "output": {**WRITTEN, "new.doc": "suffix", "model.loom": "to be read"}},
    "cache": {
        "--cache-dir": {"text.txt": "text.txt"},
        "--max-size": dict.fromkeys(["", "0", "-1", "2 apples", "nan", "GB"], "--max-size"),
    },
    "demo": {"-o": {**WRITTEN, "new.doc": "suffix"}, "--text": WRITTEN},
    "word2vec": {"-train": READ, "-output": WRITTEN, "-save-vocab": {**WRITTEN, "old.vec": "both"},
         "-read-vocab": READ, "--encoding": ENCODING},
    "word2vecf": {
        "-train": READ, "-output": WRITTEN, "-dumpcv": {**WRITTEN, "old.vec": "both"}, "-wvocab": READ,
        "-cvocab": READ, "--encoding": ENCODING,
    },
    "word2phrase": {"-train": READ, "-output": WRITTEN, "--encoding": ENCODING},
    "distance": {"model": MODEL},
    "word-analogy": {"model": MODEL},
    "compute-accuracy": {"model": MODEL},
}  # fmt: skip
MAKE = {"latin.txt": b"caf\xe9 1\n", "cut.vec": b"1 1\ncaf\xc3 1\n", "folder.loom": lambda path: path.mkdir()}


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    from pairloom.cli.commands import NAMES
    from pairloom.cli.parsing import parser_of

    return {name: parser_of(name) for name in NAMES}


def options_of(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """The options of a parser, and its positional arguments by name."""
    found = {(a.option_strings or [a.dest])[0]: a for a in parser._actions}
    return {name: action for name, action in found.items() if not isinstance(action, argparse._HelpAction)}


def cases() -> Iterator[Case]:
    """All cases, in the order of --help."""
    for line, rest in LINES.items():
        command = line.partition(" ")[0]
        known = options_of(parsers()[command])
        for name, action in known.items():
            in_help = name if action.option_strings else str(action.metavar)
            values = {**dict.fromkeys(_outside(line, name), in_help), **NAMED.get(line, {}).get(name, {})}
            if line == command:
                values |= _mistyped(name, action)
            for value, says in values.items():
                yield _case(line, rest, name, action, value, says)


def missing_cases() -> list[str]:
    """Options without an entry, and entries without an option."""
    with_cases = {(line, name) for table in (OUTSIDE, NAMED) for line, names in table.items() for name in names}
    known = {command: options_of(parser) for command, parser in parsers().items()}
    missing = [f"{c} is a command without a line" for c in known if c not in LINES]
    missing += [
        f"{command} {name} is an option without cases"
        for command, options in known.items()
        for name, action in options.items()
        if action.nargs != 0 and not action.choices and (command, name) not in with_cases
    ]
    return missing + [
        f"{line} {name} is gone" for line, name in with_cases if name not in known[line.partition(" ")[0]]
    ]


def _outside(line: str, name: str) -> list[str]:
    return OUTSIDE.get(line, {}).get(name, "").split()


def _mistyped(name: str, action: argparse.Action) -> dict[str, str]:
    """Values that argparse itself refuses, with part of the message."""
    kind = getattr(action.type, "__name__", None)
    if action.nargs == 0:
        return {"=1": "ignored explicit argument"}
    if action.choices:
        return {value: f"invalid choice: {value!r}" for value in ("maybe", "")}
    if kind in ("whole_number", "window"):
        return {value: f"{value!r} is not a whole number" for value in ("abc", "1.5", "nan", "inf", "", "1e3", "5 6")}
    if kind not in (None, "str"):
        return {value: f"{value!r} is not a number" for value in ("abc", "", "0x10", "1,5x")}
    return {}


def _case(line: str, rest: str, name: str, action: argparse.Action, value: str, says: str) -> Case:
    argv = [line.partition(" ")[0], *rest.split()]
    if not action.option_strings:
        argv = _in_place(argv, action, value)
    elif action.nargs == 0:
        argv.append(name + value)
    else:
        argv = [part for at, part in enumerate(argv) if not _sets(argv, at, action)] + [f"{name}={value}"]
    shown = f"{name} {value if len(value) < 50 else value[:20] + '...'}"
    code = 5 if says == CACHE["text.txt"] else 2
    return Case(f"{line} {shown}", argv, None, says, code, fault=FAULTS.get(shown), make=MAKE)


def _sets(argv: list[str], at: int, action: argparse.Action) -> bool:
    """Whether argv[at] is this option or its value, which the bad value replaces."""
    return not {argv[at], argv[at - 1]}.isdisjoint(action.option_strings)


def _in_place(argv: list[str], action: argparse.Action, value: str) -> list[str]:
    """A line with another value for a positional argument."""
    places: dict[str, Any] = {
        "model": 1,
        "input": 1,
        "output": 2,
        "other": 2,
        "kind": 1,
        "files": 2,
        "word": 3 if argv[0] == "compare" else 2,
        "file": 2,
        "what": 2,
    }
    at = places.get(action.dest, 2 if argv[0] in ("fold-in", "compute-accuracy") else 1)
    if action.dest == "word" and argv[0] in ("analogy", "similarity"):
        return [*argv[:2], value]
    if action.dest == "word" and argv[0] == "map":
        return [*argv, value]
    return [*argv[:at], value, *argv[at + 1 :]]


CASES = list(cases())

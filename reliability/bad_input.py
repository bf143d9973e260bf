"""Bad input, and odd input that is valid: tables of cases, tried through the command line and through the library.

The tables are in reliability/cases: corpora, models and questions (the 78 cases that other programs were tried with),
every option of every command, every parameter of every public function, and cases that need a process of their own. A
bad case must end with the right exit code or exception, one line that names the cause, and all files unchanged. A good
case must give the right result. An option or parameter without a case is a miss too.
"""

import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from reliability.cases import corpora, folder, library, models, options, parameters, processes
from reliability.cases.bench import Bench, limited, run
from reliability.cases.case import Case
from reliability.cases.processes import Process
from reliability.figures import Figure, Mutant, main

FAULTS = range(1, 79)  # of faults.md
ELSEWHERE = {
    48: "kills in the middle of a write are in fault_points.py",
    49: "a model is one file, so there is no time between files",
}
SAMPLED = 60  # cases of options, and as many of parameters, that the seed chooses for the short form

MUTANTS = [
    Mutant(
        "an option that is not a number is taken",
        "config.py",
        'check_number("sample", self.sample, 0.0, 1.0,',
        'check_number("sample", 0.0, 0.0, 1.0,',
    ),
    Mutant(
        "the byte order mark stays",
        "corpus/decoding.py",
        "return block if begin else block.removeprefix(_BYTE_ORDER_MARK)",
        "return block",
    ),
    Mutant(
        "the byte order mark of text that is decoded stays",
        "corpus/decoding.py",
        'text, fresh = text.removeprefix("\\ufeff"), False',
        "text, fresh = text, False",
    ),
    Mutant("an error of training ends with code 1", "errors.py", "    exit_code = 3\n", "    exit_code = 1\n"),
    Mutant(
        "training writes its output before it has learnt anything",
        "cli/commands/train.py",
        "    began, executor = time.perf_counter(), executor_of(args)\n",
        '    open(args.output, "w").close()\n    began, executor = time.perf_counter(), executor_of(args)\n',
    ),
]

Tried = Case | Process


def measure(short: bool, seed: int) -> list[Figure]:
    """All cases; in the short form the quick ones and a sample of options and parameters."""
    with tempfile.TemporaryDirectory() as root:
        bench = Bench(Path(root))
        cases = chosen(short, seed)
        found = {case.name: _problems(case, bench) for case in cases}
        lines = [] if short else list(bad_lines(bench))
    return [_handled(cases, found, lines), _covered()]


def _problems(case: Tried, bench: Bench) -> list[str]:
    return case.problems(bench) if isinstance(case, Process) else bench.problems(case)


def chosen(short: bool, seed: int) -> list[Tried]:
    """The cases to try."""
    named: list[Tried] = [*corpora.CASES, *library.CASES, *models.CASES, *processes.CASES]
    ranges: list[Sequence[Case]] = [options.CASES, parameters.CASES]
    if not short:
        return [*named, *(case for table in ranges for case in table)]
    draw = random.Random(seed)
    faults = [case for case in options.CASES if case.fault]
    sampled = [case for table in ranges for case in draw.sample(table, SAMPLED) if not case.fault]
    return [case for case in [*named, *faults, *sampled] if not case.long]


def bad_lines(bench: Bench) -> Iterator[str]:
    """Command lines that fail by themselves, so that options tried on them would prove nothing."""
    for line, rest in options.LINES.items():
        if line in ("demo", "explore --no-browser"):
            continue  # they take a minute, and until they are stopped
        with bench.entered(), limited(300):
            ended = run([line.partition(" ")[0], *rest.split()])
        if ended.code != 0 or "Traceback" in ended.err:
            yield f"pairloom {line} {rest}: exit code {ended.code}: {ended.err[-300:]!r}"
        folder.restore(bench.folder, bench.good)


def _handled(cases: Sequence[Tried], found: dict[str, list[str]], lines: list[str]) -> Figure:
    misses = [problem for problems in found.values() for problem in problems] + lines
    right = len(found) - sum(map(bool, found.values()))
    faults = len({case.fault for case in cases if case.fault})
    return Figure(
        "bad inputs and options, through CLI and library",
        "all cases of the peers and the ranges of every option, 120 or more, 100 %",
        f"{right:,} of {len(found):,}, {faults} of the peers' 78 among them",
        not misses and len(found) >= 120,
        misses,
    )


def _covered() -> Figure:
    """Whether every option, parameter and numbered fault has a case, and every case its own name."""
    misses = [*options.missing_cases(), *parameters.missing_cases(), *_untried_faults(), *_repeated_names()]
    n_options = sum(len(options.options_of(parser)) for parser in options.parsers().values())
    n_parameters = sum(len(function.bad) for function in parameters.FUNCTIONS.values())
    return Figure(
        "options and parameters that have cases",
        "every one",
        f"{n_options} options, {n_parameters} parameters, {len(misses)} without",
        not misses,
        misses,
    )


def _untried_faults() -> Iterable[str]:
    tried = {case.fault for case in chosen(short=False, seed=0)}
    return [f"fault {number} is not tried" for number in FAULTS if number not in tried and number not in ELSEWHERE]


def _repeated_names() -> Iterable[str]:
    names = [case.name for case in chosen(short=False, seed=0)]
    return [f"{name!r} names two cases" for name in sorted({name for name in names if names.count(name) > 1})]


if __name__ == "__main__":
    main(measure)

"""The measurements of `scaling.py`: series of trainings, text to ids, and the start of the program."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.programs import HERE, Run, Settings, run
from benchmarks.salted import Stretch
from benchmarks.setting import report_progress

TOKENS_TRAINED = 20_000_000  # shorter texts get several epochs: enough for seconds, so that noise is small beside them


class Case(NamedTuple):
    """A text to train on, and the number of threads."""

    series: str
    n_words: int
    repetitions: int  # of the piece of real text
    n_tokens: int  # in all repetitions
    threads: int

    @property
    def epochs(self) -> int:
        return max(1, round(TOKENS_TRAINED / self.n_tokens))


class Bench:
    """A temporary folder for measurements, each of which is repeated."""

    def __init__(self, folder: Path, stretch: Stretch, dim: int, repeat: int) -> None:
        self.folder, self.stretch, self.dim, self.repeat = folder, stretch, dim, repeat
        # Kernels are compiled here once: the first start shows how long that takes, and no stale ones are met.
        self.variables = {"NUMBA_CACHE_DIR": str(folder / "kernels"), "TMPDIR": str(folder)}

    def check_space(self, cases: list[Case]) -> None:
        """Stop if the disk is too small for the texts of these cases, the ids of the longest and a model."""
        texts = sum({(case.n_words, case.repetitions): case.repetitions for case in cases}.values())
        ids = 5 * max(case.n_tokens for case in cases)  # 4 bytes for an id, the rest for where sentences start
        model = 9 * self.dim * max(case.n_words for case in cases)
        needed, free = texts * self.stretch.n_bytes + ids + model, shutil.disk_usage(self.folder).free
        if free < needed:
            raise SystemExit(
                f"The texts need {needed / 1e9:.1f} GB, and {self.folder.parent} has {free / 1e9:.1f} GB left. "
                "Name another place with --folder, or smaller --sizes."
            )

    def starts(self, text: Path) -> list[float]:
        """Seconds from the call of `pairloom train` to its first batch: the very first time, and later."""
        small = self.folder / "small.txt"
        with text.open("rb") as file:
            small.write_bytes(b"".join(islice(file, 500)))
        return [self._start(small) for _ in range(1 + self.repeat)]

    def text_to_ids(self, text: Path, threads: list[int]) -> dict[int, float]:
        """MB/s of count + encode together, by number of threads."""
        rates: dict[int, list[float]] = {n: [] for n in threads}
        self._text_to_ids(text, 1)  # not measured: it brings the text into the system's cache
        for _ in range(self.repeat):
            for n, mine in rates.items():
                mine.append(self._text_to_ids(text, n))
                report_progress(f"text to ids by {n}: {mine[-1]:.0f} MB/s")
        return {n: statistics.median(mine) for n, mine in rates.items()}

    def trainings(self, cases: list[Case]) -> dict[Case, list[Run]]:
        """Train all cases in turn, and delete their texts afterwards."""
        runs: dict[Case, list[Run]] = {case: [] for case in cases}
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            texts = {case: Path(name) / f"{case.n_words}-{case.repetitions}.txt" for case in cases}
            for case, text in texts.items():
                if not text.exists():
                    report_progress(f"making a text of {case.n_tokens:,} tokens and {case.n_words:,} words")
                    self.stretch.write(text, case.repetitions, case.n_words)
            for _ in range(self.repeat):
                for case, mine in runs.items():
                    mine.append(self._train(case, texts[case]))
        return runs

    def _text_to_ids(self, text: Path, threads: int) -> float:
        command = [sys.executable, str(HERE / "scripts" / "pairloom_encode.py"), str(text), str(threads)]
        done = subprocess.run(command, env=os.environ | self.variables, stdout=subprocess.PIPE, check=True)
        return text.stat().st_size / 1e6 / float(done.stdout)

    def _train(self, case: Case, text: Path) -> Run:
        settings = Settings(text, self.dim, case.threads, min_count=2, epochs=case.epochs)
        done = run("pairloom", settings, self.folder / "out.loom", Path(), self.variables)
        if done.facts["words"] != case.n_words:
            raise RuntimeError(f"{done.facts['words']:,} words were trained instead of {case.n_words:,}.")
        what = f"{case.epochs} x {case.n_tokens:,} tokens, {case.n_words:,} words"
        report_progress(f"training on {what} by {case.threads}: {done.training_seconds:.2f} s")
        return done

    def _start(self, text: Path) -> float:
        cache = tempfile.mkdtemp(dir=self.folder)  # a new one, so that the text is encoded every time
        options = [f"--output={self.folder / 'out.loom'}", f"--cache-dir={cache}", f"--dim={self.dim}"]
        command = [sys.executable, "-m", "pairloom", "train", str(text), *options]
        seconds, said = None, b""
        began = time.perf_counter()
        with subprocess.Popen(
            command, env=os.environ | self.variables, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                said += line
                if seconds is None and line.startswith(b"train"):  # this stage's first report, before its first batch
                    seconds = time.perf_counter() - began
        if seconds is None or process.returncode:
            raise RuntimeError(f"pairloom train failed with status {process.returncode}:\n{said.decode()}")
        report_progress(f"start of pairloom train: {seconds:.2f} s")
        return seconds

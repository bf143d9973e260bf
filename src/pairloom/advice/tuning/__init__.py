"""Settings that suit a corpus and a purpose, found by trying them.

sampling.py    a corpus -> a sample of its lines, and lines that no trial trains on
space.py       the options that are searched, and the next ones to try
halving.py     which trial is next: more text for the settings that have done best so far
ranks.py       the rank of the right answer among others, the same on every machine
yardsticks.py  what a trial is scored by, the same for all settings
result.py      the trials, the best settings, and the command to run
page.py        the trials as a plot and as a page
search.py      `tune`: all of it together
"""

from pairloom.advice.tuning.result import TuningResult
from pairloom.advice.tuning.search import tune

__all__ = ["TuningResult", "tune"]

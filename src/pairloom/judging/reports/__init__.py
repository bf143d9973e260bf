"""The report of a training: one HTML page that says whether it learnt, from what, how and where.

curve.py        what a training reported while it ran, for speed and time
verdict.py      the first sentences: did it learn, and does anything look wrong?
vocabulary.py   the words and how often they occur
learning.py     the held-out loss and the learning rate by epoch
samples.py      frequent, middle and rare words with their neighbours
small_map.py    a map of frequent words
environment.py  versions, machine and time: the only section that differs between equal trainings
page.py         all sections on one page
writing.py      the public function: check, gather, write
"""

from pairloom.judging.reports.curve import LearningCurve
from pairloom.judging.reports.writing import report

__all__ = ["LearningCurve", "report"]

"""Two corpora, two times, two models: which words have another meaning, and how much of that is noise.

common.py      two models -> the words that both have
rotation.py    two matrices -> the rotation that brings one onto the other
shifts.py      common words -> how far each has moved
noise.py       shifts and counts -> how far words move by chance
neighbours.py  a word -> neighbours kept, gained and lost
two_models.py  all of these together: `compare`
series.py      one word in many models: `trajectory`
alignment.py   one model rotated onto another: `align`
"""

from pairloom.judging.comparison.alignment import align
from pairloom.judging.comparison.series import Trajectory, trajectory
from pairloom.judging.comparison.two_models import Comparison, compare

__all__ = ["Comparison", "Trajectory", "align", "compare", "trajectory"]

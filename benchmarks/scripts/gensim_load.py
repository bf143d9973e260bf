"""Load a file of vectors and print its time and memory, from /proc: getrusage would start at the parent's peak."""

import json
import re
import sys
import time
from pathlib import Path

from gensim.models import KeyedVectors


def peak_mb() -> float:
    """The peak memory of this process so far."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) * 1.024e-3 if found else 0.0


before, began = peak_mb(), time.perf_counter()
KeyedVectors.load_word2vec_format(sys.argv[1], binary=sys.argv[1].endswith(".bin"))
seconds = time.perf_counter() - began
print(json.dumps({"seconds": seconds, "peak_mb": peak_mb() - before}))

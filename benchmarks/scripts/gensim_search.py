"""Answer queries by gensim: reads the number of a row from each line, prints the seconds that its neighbours took."""

import sys
import time

import numpy as np
from gensim.models import KeyedVectors

rows, dim, topn = map(int, sys.argv[1:])
vectors = KeyedVectors(dim)
matrix = np.random.default_rng(0).standard_normal((rows, dim), np.float32)
vectors.add_vectors([f"word{i}" for i in range(rows)], matrix)
print("ready", flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    vectors.most_similar(f"word{int(line)}", topn=topn)
    print(time.perf_counter() - began, flush=True)

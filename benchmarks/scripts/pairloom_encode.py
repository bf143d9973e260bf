"""pairloom from text to ids (count and encode) with an empty cache, after loading the kernels."""

import sys
import tempfile
import time

from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.training.warm_up import load_kernels

corpus, threads = sys.argv[1:]
load_kernels()
with tempfile.TemporaryDirectory() as cache, open_corpus(corpus) as opened:
    began = time.perf_counter()
    with prepare(opened, cache_dir=cache, threads=int(threads)):
        print(time.perf_counter() - began)

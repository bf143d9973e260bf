"""pairloom from text to ids (count and encode) with an empty cache, after loading the kernels.

python pairloom_encode.py CORPUS THREADS [spaces|words|icu]      prints the seconds; CPU seconds to stderr
"""

import sys
import tempfile
import time

from pairloom.config import TextOptions
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.training.warm_up import load_kernels

corpus, threads, rule = (*sys.argv[1:], "spaces")[:3]
load_kernels(rule=rule)
with tempfile.TemporaryDirectory() as cache, open_corpus(corpus, text=TextOptions(tokenize=rule)) as opened:
    began, cpu = time.perf_counter(), time.process_time()
    with prepare(opened, cache_dir=cache, threads=int(threads)):
        print(time.perf_counter() - began)
        print(time.process_time() - cpu, "s of CPU time", file=sys.stderr)

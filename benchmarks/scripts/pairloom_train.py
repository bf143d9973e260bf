"""pairloom from text to vectors, with an empty cache."""

import sys
import tempfile
import time

import pairloom
from pairloom.training.warm_up import load_kernels

corpus, output, *numbers = sys.argv[1:]
dim, threads, window, negatives = map(int, numbers[:4])
sample, min_count, epochs = float(numbers[4]), int(numbers[5]), int(numbers[6])


class Marks:
    """`begin` when the words are encoded, `end` when the last epoch is over."""

    def __init__(self) -> None:
        self.created = time.perf_counter()
        self.prepared_ms = 0

    def __call__(self, progress: pairloom.Progress) -> None:
        if progress.stage == "train" and (progress.done == 0 or progress.done == progress.total):
            print("begin" if progress.done == 0 else "end", flush=True)
            self.prepared_ms = self.prepared_ms or round(1000 * (time.perf_counter() - self.created))


load_kernels()  # as `train` does, but before the measured time
marks = Marks()
with tempfile.TemporaryDirectory() as cache:
    embedding = pairloom.train(
        corpus,
        dim=dim,
        threads=threads,
        window=window,
        negatives=negatives,
        sample=sample,
        min_count=min_count,
        epochs=epochs,
        cache_dir=cache,
        on_progress=marks,
    )
embedding.save(output)

words = embedding.words.words
size = sum(map(sys.getsizeof, words)) + sys.getsizeof(words)
print(f"prepared_ms = {marks.prepared_ms}")
print(f"tokens = {embedding.record['corpus']['tokens']}")
print(f"words = {len(words)}")
print(f"vocabulary_bytes = {size + embedding.words.counts.nbytes}", flush=True)

"""wordloom, from text: the encoded corpus of an earlier run is not reused."""

import sys
import tempfile

import wordloom

corpus, output, *numbers = sys.argv[1:]
dim, threads, window, negatives = map(int, numbers[:4])
sample, min_count, epochs = float(numbers[4]), int(numbers[5]), int(numbers[6])


class Marks:
    """`begin` when the words are encoded, `end` when the last epoch is over."""

    def __call__(self, progress: wordloom.Progress) -> None:
        if progress.stage == "train" and (progress.done == 0 or progress.done == progress.total):
            print("begin" if progress.done == 0 else "end", flush=True)


with tempfile.TemporaryDirectory() as cache:
    embedding = wordloom.train(
        corpus,
        dim=dim,
        threads=threads,
        window=window,
        negatives=negatives,
        sample=sample,
        min_count=min_count,
        epochs=epochs,
        cache_dir=cache,
        on_progress=Marks(),
    )
embedding.save(output)

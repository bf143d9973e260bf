"""fastText without subwords. It reports its progress itself."""

import sys
from pathlib import Path

import fasttext

corpus, output, *numbers = sys.argv[1:]
dim, threads, window, negatives = map(int, numbers[:4])
sample, min_count, epochs = float(numbers[4]), int(numbers[5]), int(numbers[6])

model = fasttext.train_unsupervised(
    corpus,
    model="skipgram",
    dim=dim,
    thread=threads,
    ws=window,
    neg=negatives,
    t=sample,
    minCount=min_count,
    epoch=epochs,
    minn=0,
    maxn=0,
    lr=0.025,
    verbose=2,
)
words = model.words
with Path(output).open("wb") as file:
    file.write(f"{len(words)} {dim}\n".encode())
    for word in words:
        file.write(word.encode() + b" " + model.get_word_vector(word).tobytes() + b"\n")

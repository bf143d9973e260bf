"""Train gensim's skip-gram for benchmarks/settings.py. Takes a JSON object, writes both matrices as .npz."""

import json
import sys

import numpy as np
from gensim.models import Word2Vec

given = json.loads(sys.argv[1])
corpus, options = given["corpus"], given["options"]

model = Word2Vec(
    sg=1,
    vector_size=options["dim"],
    window=options["window"],
    negative=options["negatives"],
    sample=options["sample"],
    min_count=options["min_count"],
    ns_exponent=options["noise_power"],
    alpha=options["lr"],
    workers=given["workers"],
    seed=given["seed"],
)
model.build_vocab(corpus_file=corpus)
model.train(
    corpus_file=corpus,
    total_words=model.corpus_total_words,
    total_examples=model.corpus_count,
    epochs=options["epochs"],
)
words = model.wv.index_to_key
counts = [model.wv.get_vecattr(word, "count") for word in words]
np.savez(given["output"], words=np.array(words), W=model.wv.vectors, C=model.syn1neg, counts=np.array(counts))

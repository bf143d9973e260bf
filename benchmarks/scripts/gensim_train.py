"""gensim's corpus_file mode, its fastest."""

import sys

from gensim.models import Word2Vec

corpus, output, *numbers = sys.argv[1:]
dim, threads, window, negatives = map(int, numbers[:4])
sample, min_count, epochs = float(numbers[4]), int(numbers[5]), int(numbers[6])

model = Word2Vec(
    vector_size=dim, workers=threads, window=window, negative=negatives, sample=sample, min_count=min_count, sg=1
)
model.build_vocab(corpus_file=corpus)
print("begin", flush=True)
model.train(corpus_file=corpus, total_words=model.corpus_total_words, total_examples=model.corpus_count, epochs=epochs)
print("end", flush=True)
model.wv.save_word2vec_format(output, binary=True)

"""Files that word2vec.c, gensim and fastText wrote are read with the same words and the same bits as they read them."""

import subprocess

import pytest

import pairloom
from pairloom.errors import InputError

# Every script prints the vectors that the other program reads, as words and the hexadecimal bytes of their float32.
GENSIM = """
import json, sys
from gensim.models import KeyedVectors
path, binary, header, errors = sys.argv[1], sys.argv[2] == "True", sys.argv[3] == "True", sys.argv[4]
kv = KeyedVectors.load_word2vec_format(path, binary=binary, no_header=not header, unicode_errors=errors)
print(json.dumps({w: kv[w].astype("<f4").tobytes().hex() for w in kv.index_to_key}))
"""

TRAIN_GENSIM = """
import json, sys
from gensim.models import Word2Vec
corpus, text, binary, glove = sys.argv[1:]
kv = Word2Vec(corpus_file=corpus, vector_size=24, min_count=1, sg=1, epochs=1).wv
kv.save_word2vec_format(text, binary=False)
kv.save_word2vec_format(binary, binary=True)
kv.save_word2vec_format(glove, binary=False, write_header=False)
print(json.dumps({w: kv[w].astype("<f4").tobytes().hex() for w in kv.index_to_key}))
"""

TRAIN_FASTTEXT = """
import json, sys
import fasttext
corpus, out, kind, loss, minn, maxn = sys.argv[1:]
m = fasttext.train_unsupervised(corpus, model=kind, loss=loss, dim=24, minCount=1, epoch=1, minn=int(minn),
                                maxn=int(maxn), bucket=500, thread=12, verbose=0)  # with fewer it leaves numbers unset
m.save_model(out)
unknown = ["kitten", "Kätzchen", "x", "子猫", "the the"]
hexed = lambda row: row.astype("<f4").tobytes().hex()
print(json.dumps({"words": {w: hexed(m.get_word_vector(w)) for w in m.words}, "counts": [int(n) for n in m.get_words(
    include_freq=True)[1]], "unknown": {w: hexed(m.get_word_vector(w)) for w in unknown},
    "output": [hexed(row) for row in m.get_output_matrix()]}))
"""


def read(path, **options):
    words = pairloom.load(path, **options).words
    return {word: words[word].tobytes().hex() for word in words}


@pytest.mark.parametrize("binary", [0, 1])
def test_files_of_word2vec_c(program, ask, corpus, tmp_path, binary):
    out = tmp_path / "c.out"
    options = "-size 24 -cbow 0 -negative 5 -iter 1 -min-count 1 -threads 1".split()
    command = [program("word2vec", "word2vec"), "-train", corpus, "-output", out, "-binary", str(binary), *options]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with pytest.raises(InputError, match="is not UTF-8"):  # it cut the long word in the middle of a letter
        pairloom.load(out)
    found = read(out, errors="replace")
    assert "naïve" in found and len(found) == 8
    assert found == ask("gensim", GENSIM, out, bool(binary), True, "replace")


def test_files_of_gensim(ask, corpus, tmp_path):
    text, binary, glove = tmp_path / "g.txt", tmp_path / "g.bin", tmp_path / "g.glove.gz"
    expected = ask("gensim", TRAIN_GENSIM, corpus, text, binary, glove)
    for path in (text, binary, glove):
        assert read(path) == expected


@pytest.mark.parametrize(
    ("kind", "loss", "minn", "maxn"),
    [("skipgram", "ns", 3, 6), ("skipgram", "ns", 0, 0), ("cbow", "ns", 1, 3), ("skipgram", "hs", 2, 2)],
)
def test_models_of_fasttext(ask, corpus, tmp_path, kind, loss, minn, maxn):
    out = tmp_path / "f.bin"
    expected = ask("fasttext", TRAIN_FASTTEXT, corpus, out, kind, loss, minn, maxn)
    loaded = pairloom.load(out)
    assert {word: loaded[word].tobytes().hex() for word in loaded} == expected["words"]
    assert loaded.words.counts.tolist() == expected["counts"]
    for word, vector in expected["unknown"].items():
        if maxn and set(vector) != {"0"}:
            assert loaded.words.vector(word).tobytes().hex() == vector
    if (kind, loss) == ("skipgram", "ns"):
        assert [row.tobytes().hex() for row in loaded.contexts.vectors] == expected["output"]
    else:
        assert len(loaded.contexts) == 0

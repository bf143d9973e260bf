"""The steps of gensim's Word2Vec tutorial, with another import: a corpus class, training, queries, saving, going on,
scores, the loss in a callback, and the matrix for a plot."""

import numpy as np
import pytest
from pairloom.gensim_compat.models.callbacks import CallbackAny2Vec

import pairloom.gensim_compat as gensim
from pairloom.gensim_compat import utils
from pairloom.gensim_compat.models import KeyedVectors, Word2Vec


class MyCorpus:
    """Sentences of a file, one line at a time, never all in memory."""

    def __init__(self, path):
        self.path = path

    def __iter__(self):
        with self.path.open() as file:
            for line in file:
                yield utils.simple_preprocess(line)


class LossLogger(CallbackAny2Vec):
    def __init__(self):
        self.losses, self.events, self.first = [], [], []

    def on_train_begin(self, model):
        self.events.append("train begins")

    def on_epoch_begin(self, model):
        self.events.append("epoch begins")

    def on_epoch_end(self, model):
        self.events.append("epoch ends")
        self.losses.append(model.get_latest_training_loss())
        self.first.append(model.wv.vectors[0].copy())

    def on_train_end(self, model):
        self.events.append("train ends")


@pytest.fixture(scope="module")
def sentences(corpus):
    return MyCorpus(corpus)


@pytest.fixture(scope="module")
def trained(sentences):
    logger = LossLogger()
    options = {"vector_size": 16, "min_count": 1, "sample": 0, "epochs": 6, "alpha": 0.05, "sg": 1}
    return gensim.models.Word2Vec(sentences=sentences, callbacks=[logger], compute_loss=True, **options), logger


def test_the_vocabulary_and_the_neighbours_are_those_of_the_text(trained):
    model, _ = trained
    assert len(model.wv.index_to_key) == len(model.wv) == 20
    assert model.wv["cat"].shape == (16,)
    animals = "cat dog horse cow sheep goat hen duck pig goose".split()
    assert {word for word, _ in model.wv.most_similar(positive=["cat", "dog"], topn=8)} <= {*animals}
    assert model.wv.doesnt_match(["cat", "dog", "red", "horse"]) == "red"
    assert model.wv.similarity("cat", "dog") > 0.5 > model.wv.similarity("cat", "red")
    with pytest.raises(KeyError):
        model.wv["cameroon"]


def test_callbacks_are_called_in_order_with_the_held_out_loss_and_the_vectors_of_their_epoch(trained):
    model, logger = trained
    assert logger.events == ["train begins", *["epoch begins", "epoch ends"] * 6, "train ends"]
    assert logger.losses == model.embedding.record["heldout"]["loss"][1:]
    assert logger.losses[-1] < logger.losses[0]
    assert len({row.tobytes() for row in logger.first}) == 6
    assert logger.first[-1].tobytes() == model.wv.vectors[0].tobytes()


def test_callbacks_change_no_bit(trained, sentences):
    model, _ = trained
    options = {"vector_size": 16, "min_count": 1, "sample": 0, "epochs": 6, "alpha": 0.05, "sg": 1}
    alone = Word2Vec(sentences, workers=2, **options)
    assert alone.wv.vectors.tobytes() == model.wv.vectors.tobytes()


def test_a_saved_model_goes_on_training(trained, sentences, tmp_path):
    model, _ = trained
    model.save(str(tmp_path / "word2vec.model"))
    loaded = Word2Vec.load(str(tmp_path / "word2vec.model"))
    assert loaded.wv.vectors.tobytes() == model.wv.vectors.tobytes()
    assert (loaded.epochs, loaded.alpha, loaded.sg, loaded.corpus_count) == (6, 0.05, 1, 600)
    more = [["cat", "purrs", "softly"]] * 40
    loaded.build_vocab(more, update=True)
    assert loaded.wv["cat"].tobytes() == model.wv["cat"].tobytes()
    loaded.train(more, total_examples=1, epochs=3)
    assert "purrs" in loaded.wv
    assert len(loaded.wv) == 22
    assert loaded.wv["cat"].tobytes() != model.wv["cat"].tobytes()


def test_vectors_alone_are_saved_and_mapped_again(trained, tmp_path):
    model, _ = trained
    model.wv.save(str(tmp_path / "vectors.kv"))
    assert KeyedVectors.load(str(tmp_path / "vectors.kv"), mmap="r")["cat"].tobytes() == model.wv["cat"].tobytes()
    model.wv.save_word2vec_format(tmp_path / "v.txt")
    assert KeyedVectors.load_word2vec_format(tmp_path / "v.txt", binary=False)["cat"].tolist() == list(model.wv["cat"])


def test_it_is_scored_on_analogies_and_on_pairs(trained, tmp_path):
    model, _ = trained
    (tmp_path / "questions.txt").write_text(": made up\ncat dog red green\ncat dog red nowhere\n")
    score, sections = model.wv.evaluate_word_analogies(tmp_path / "questions.txt")
    assert score in (0.0, 1.0)
    assert [section["section"] for section in sections] == ["made up", "Total accuracy"]
    assert sum(len(sections[-1][part]) for part in ("correct", "incorrect")) == 1
    (tmp_path / "pairs.tsv").write_text("cat\tdog\t9\nred\tgreen\t8\ncat\tred\t1\ndog\tblue\t2\nno\tcat\t3\n")
    pearson, spearman, unknown = model.wv.evaluate_word_pairs(tmp_path / "pairs.tsv")
    assert pearson.statistic > 0.9
    assert spearman[0] > 0.5
    assert unknown == pytest.approx(20)


def test_the_matrix_can_be_plotted(trained):
    model, _ = trained
    matrix = np.asarray(model.wv.vectors)
    centred = matrix - matrix.mean(axis=0)
    assert (np.linalg.svd(centred)[2][:2] @ centred.T).shape == (2, 20)

"""New words with the contexts as they are: each is a logistic regression, and solved to its one optimum."""

import itertools
import json
from collections import Counter

import numpy as np
import pytest

import pairloom
from pairloom import Embedding, Vectors
from pairloom.cli.main import main
from pairloom.errors import ConfigError, DivergedError, InputError
from pairloom.fold_in.fold_in import L2, MOST_CONTEXTS
from pairloom.fold_in.logistic import (
    AS_THEY_ARE,
    ENOUGH,
    FOR_MEAN,
    MOMENTS,
    loss_and_gradient,
    noise_of,
    normal_loss_and_gradient,
    solve,
)
from pairloom.fold_in.occurrences import Seen
from pairloom.kernel.counts.logistic import NODES, PARTS, SEEN, SINGLE_GRADIENTS, solve_words
from pairloom.kernel.rows import thinned
from pairloom.method.contexts import Windows, keep_limit, sentence_pairs
from pairloom.method.draws import key
from pairloom.system.threads import workers


@pytest.fixture(scope="module")
def without(two_topics):
    """A model that has never seen `duck` and `pink`."""
    return pairloom.train(two_topics, dim=16, epochs=20, min_count=1, sample=0, drop=["duck", "pink"])


@pytest.fixture(scope="module")
def large(zipf_corpus):
    """A model of more contexts than one takes as noise below, of more words than one thread takes at once."""
    return pairloom.train(zipf_corpus, dim=12, epochs=2, min_count=40, sample=1e-3)


# --- The optimum


def problem(rng, rows=300, dim=11, n_words=4):
    """Random rows, random words that were seen with some of them, a noise over all of them."""
    matrix = rng.normal(scale=0.7, size=(rows, dim)).astype(np.float32)
    chosen = [np.sort(rng.choice(rows, size, replace=False)).astype(np.int32) for size in (1, 5, 90, 290)[:n_words]]
    times = [rng.exponential(3.0, len(some)) for some in chosen]
    starts = np.cumsum([0, *map(len, chosen)])
    ones = np.ones(n_words)
    words = [f"w{j}" for j in range(n_words)]
    seen = Seen(words, ones.astype(np.int64), ones, ones, np.concatenate(chosen), np.concatenate(times), starts)
    probability = rng.dirichlet(np.ones(rows))
    return matrix, seen, probability


def solved(seen, matrix, noise, k=5.0, l2=2.0, threads=1, most=None):
    with workers(threads) as pool:
        return solve(seen, matrix, noise, np.full(len(seen.words), k), l2, most, pool, lambda done: None)


@pytest.fixture
def to_the_end(monkeypatch):
    """As near to the optimum as one wants: by default one stops within about a thousandth of it."""
    monkeypatch.setattr("pairloom.fold_in.logistic.ENOUGH", 1e-12)


def test_the_gradient_is_that_of_the_loss():
    rng = np.random.default_rng(0)
    X, (p, n), v = rng.normal(size=(7, 4)).astype(np.float32), rng.exponential(size=(2, 7)), rng.normal(size=4)
    _, gradient = loss_and_gradient(v, X, p, n, 0.3)
    for i, step in enumerate(1e-6 * np.eye(4)):
        up, down = (loss_and_gradient(v + sign * step, X, p, n, 0.3)[0] for sign in (1, -1))
        assert (up - down) / 2e-6 == pytest.approx(gradient[i], rel=1e-6, abs=1e-8)


def objective_of(j, seen, matrix, probability, k=5.0, l2=2.0):
    """The arguments of `loss_and_gradient` after v, by the formula at the head of fold_in.py."""
    mine = slice(seen.starts[j], seen.starts[j + 1])
    p = np.bincount(seen.rows[mine], seen.times[mine], minlength=len(matrix))
    return matrix, p, k * p.sum() * probability, l2


@pytest.mark.parametrize(("enough", "left"), [(ENOUGH, 2e-3), (1e-12, 1e-5)])
@pytest.mark.parametrize("dim", [1, 8, 11, 100])
def test_at_the_solution_the_gradient_vanishes(dim, enough, left, monkeypatch):
    monkeypatch.setattr("pairloom.fold_in.logistic.ENOUGH", enough)
    matrix, seen, probability = problem(np.random.default_rng(dim), dim=dim)
    V = solved(seen, matrix, noise_of(matrix, probability, None))
    for j, v in enumerate(V.astype(np.float64)):
        asked = objective_of(j, seen, matrix, probability)
        at_zero, at_v = (np.linalg.norm(loss_and_gradient(x, *asked)[1]) for x in (0 * v, v))
        assert at_v < left * at_zero


def test_a_thousandth_is_what_a_vector_is_from_its_optimum_at_most(monkeypatch):
    matrix, seen, probability = problem(np.random.default_rng(4), dim=50)
    near = solved(seen, matrix, noise_of(matrix, probability, None))
    monkeypatch.setattr("pairloom.fold_in.logistic.ENOUGH", 1e-12)
    exact = solved(seen, matrix, noise_of(matrix, probability, None))
    distance = np.linalg.norm(near - exact, axis=1) / np.linalg.norm(exact, axis=1)
    assert 0 < distance.max() < 2e-3


def test_no_other_vector_has_a_smaller_loss():
    rng = np.random.default_rng(5)
    matrix, seen, probability = problem(rng)
    V = solved(seen, matrix, noise_of(matrix, probability, None)).astype(np.float64)
    for j, v in enumerate(V):
        asked = objective_of(j, seen, matrix, probability)
        best = loss_and_gradient(v, *asked)[0]
        assert all(loss_and_gradient(v + rng.normal(scale=s, size=len(v)), *asked)[0] > best for s in (0.01, 0.1, 3.0))


def test_the_solution_is_that_of_scikit_learn(to_the_end):
    linear_model = pytest.importorskip("sklearn.linear_model")
    matrix, seen, probability = problem(np.random.default_rng(6))
    V = solved(seen, matrix, noise_of(matrix, probability, None))
    for j, v in enumerate(V):
        _, p, n, l2 = objective_of(j, seen, matrix, probability)
        model = linear_model.LogisticRegression(C=1 / l2, fit_intercept=False, tol=1e-10, max_iter=10_000)
        label = np.repeat([1, 0], len(matrix))
        model.fit(np.vstack([matrix, matrix]).astype(np.float64), label, sample_weight=np.concatenate([p, n]))
        np.testing.assert_allclose(v, model.coef_[0], rtol=1e-4, atol=1e-5 * np.linalg.norm(v))


@pytest.mark.parametrize(("dim", "l2"), [(11, 2.0), (100, 2.0), (11, 1e-6)])
def test_the_solution_is_the_optimum_of_rows_and_a_normal_distribution_too(dim, l2, to_the_end):
    matrix, seen, probability = problem(np.random.default_rng(6), dim=dim)
    noise = noise_of(matrix, probability, 64)
    V = solved(seen, matrix, noise, l2=l2).astype(np.float64)
    for j, v in enumerate(V):
        _, p, _, _ = objective_of(j, seen, matrix, probability)
        drawn = 5.0 * p.sum()

        def gradient(v, p=p, drawn=drawn):
            of_seen, of_rows = (
                loss_and_gradient(v, *asked)[1]
                for asked in ((matrix, p, 0 * p, l2), (noise.X, 0 * noise.weights, drawn * noise.weights, 0.0))
            )
            return of_seen + of_rows + drawn * noise.rest * normal_loss_and_gradient(v, noise.mean, noise.covariance)[1]

        assert np.linalg.norm(gradient(v)) < 1e-5 * np.linalg.norm(gradient(0 * v))


def test_the_gradient_of_a_normal_distribution_is_that_of_its_loss_and_that_of_many_rows_drawn_from_it():
    rng = np.random.default_rng(1)
    root, mean, v = rng.normal(scale=0.6, size=(4, 4)), rng.normal(size=4), rng.normal(size=4)
    covariance = root @ root.T
    loss, gradient = normal_loss_and_gradient(v, mean, covariance)
    for i, step in enumerate(1e-6 * np.eye(4)):
        up, down = (normal_loss_and_gradient(v + sign * step, mean, covariance)[0] for sign in (1, -1))
        assert (up - down) / 2e-6 == pytest.approx(gradient[i], rel=1e-6, abs=1e-8)
    rows = (mean + rng.normal(size=(200_000, 4)) @ root.T).astype(np.float32)
    weights = np.full(len(rows), 1 / len(rows))
    of_rows = loss_and_gradient(v, rows, 0 * weights, weights, 0.0)
    assert of_rows[0] == pytest.approx(loss, rel=0.01)
    np.testing.assert_allclose(of_rows[1], gradient, atol=0.01)
    assert normal_loss_and_gradient(0 * v, mean, covariance)[1] == pytest.approx(mean / 2)


def test_the_numbers_of_gauss_and_hermite_are_right():
    t, parts = np.polynomial.hermite_e.hermegauss(8)
    np.testing.assert_allclose(NODES, t[4:], rtol=1e-14)
    np.testing.assert_allclose(PARTS, parts[4:] / parts.sum(), rtol=1e-13)


def test_of_what_a_word_was_seen_with_the_mean_is_that_of_many_and_the_rest_that_of_a_sample(to_the_end):
    matrix, seen, probability = problem(np.random.default_rng(12))
    noise = noise_of(matrix, probability, None)
    V = solved(seen, matrix, noise, most=20).astype(np.float64)
    for j, v in enumerate(V):
        mine = slice(seen.starts[j], seen.starts[j + 1])
        rows, times, total = seen.rows[mine], seen.times[mine], seen.times[mine].sum()
        many, many_times = thinned(rows, times, FOR_MEAN * 20)
        some, weights = thinned(many, many_times, 20)
        weights, many_times = (w * total / w.sum() for w in (weights, many_times))
        p = np.bincount(some, weights, minlength=len(matrix))
        _, gradient = loss_and_gradient(v, matrix, p, 5.0 * total * probability, 2.0)
        gradient += (1 - SEEN) * (weights @ matrix[some] - many_times @ matrix[many])
        assert len(some) <= 20 and np.linalg.norm(gradient) < 1e-5 * total


def test_threads_and_the_company_of_other_words_do_not_matter():
    matrix, seen, probability = problem(np.random.default_rng(7))
    many = Seen(
        [f"w{j}" for j in range(40)],
        np.tile(seen.counts, 10),
        *np.ones((2, 40)),
        np.tile(seen.rows, 10),
        np.tile(seen.times, 10),
        np.concatenate([[0], (seen.starts[1:] + np.arange(10)[:, None] * seen.starts[-1]).ravel()]),
    )
    noise = noise_of(matrix, probability, 64)
    alone = solved(seen, matrix, noise)
    for threads in (1, 2, 5):
        np.testing.assert_array_equal(solved(many, matrix, noise, threads=threads), np.tile(alone, (10, 1)))


def test_rows_of_a_loaded_and_of_a_trained_model_give_the_same_bits():
    matrix, seen, probability = problem(np.random.default_rng(8))
    padded = np.zeros((len(matrix), 48), np.float32)
    padded[:, : matrix.shape[1]] = matrix
    noise = noise_of(matrix, probability, None)
    expected = solved(seen, matrix, noise)
    np.testing.assert_array_equal(solved(seen, padded[:, : matrix.shape[1]], noise), expected)
    np.testing.assert_array_equal(solved(seen, np.asfortranarray(matrix), noise), expected)


def test_rows_that_cannot_be_written_to_need_no_kernel_of_their_own():
    matrix, seen, probability = problem(np.random.default_rng(8))
    noise = noise_of(matrix, probability, None)
    solved(seen, matrix, noise)
    compiled = len(solve_words.signatures)
    matrix.flags.writeable = False  # as those of a file are
    solved(seen, matrix, noise)
    assert len(solve_words.signatures) == compiled


@pytest.mark.parametrize("scale", [1e-3, 20.0])
@pytest.mark.parametrize("l2", [1e-6, 1.0, 1e6])
def test_long_and_short_rows_that_are_much_alike_have_their_optimum_too(scale, l2, to_the_end):
    rng = np.random.default_rng(10)
    matrix, seen, probability = problem(rng)
    alike = (scale * (1 + 0.01 * matrix)).astype(np.float32)
    V = solved(seen, alike, noise_of(alike, probability, None), l2=l2).astype(np.float64)
    for j, v in enumerate(V):
        asked = objective_of(j, seen, alike, probability, l2=l2)
        at_zero, at_v = (np.linalg.norm(loss_and_gradient(x, *asked)[1]) for x in (0 * v, v))
        assert at_v < 1e-4 * at_zero


@pytest.mark.parametrize("most", [3, SINGLE_GRADIENTS + 1])
def test_what_does_not_converge_is_an_error(most, to_the_end, monkeypatch):
    monkeypatch.setattr("pairloom.fold_in.logistic.MOST_GRADIENTS", most)
    matrix, seen, probability = problem(np.random.default_rng(9))
    alike = (20 * (1 + 0.01 * matrix)).astype(np.float32)
    with pytest.raises(DivergedError, match=r"No optimum was found for 'w\d' in \d+ steps\. l2=1e-06 may be too small"):
        solved(seen, alike, noise_of(alike, probability, None), l2=1e-6)


# --- The noise


def test_all_contexts_are_the_noise_if_they_are_few():
    matrix, p = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([0.5, 0.2, 0.3])
    noise = noise_of(matrix, p, 3)
    assert noise.X.tolist() == matrix.tolist() and noise.weights.tolist() == [0.5, 0.2, 0.3] and noise.rest == 0


def test_the_probable_contexts_stay_as_they_are_and_the_others_are_a_normal_distribution():
    rng = np.random.default_rng(2)
    p = np.array([*[0.3 / 300] * 300, 0.4, 0.3])
    matrix = rng.normal(size=(302, 3)).astype(np.float32)
    noise = noise_of(matrix, p, 2 * AS_THEY_ARE)
    np.testing.assert_array_equal(noise.X, matrix[[300, 301]])
    np.testing.assert_allclose([*noise.weights, noise.rest], [0.4, 0.3, 0.3], rtol=0.01)
    np.testing.assert_allclose(noise.mean, matrix[:300].mean(axis=0), atol=0.06)
    np.testing.assert_allclose(noise.covariance, np.cov(matrix[:300].T, bias=True), atol=0.1)


def test_a_sample_has_the_frequent_ones_all_and_of_the_others_equal_parts():
    times = np.array([4, 3, *[0.01] * 300])
    rows, weights = thinned(np.arange(302, dtype=np.int32), times, 32)
    assert 31 <= len(set(rows.tolist())) == len(rows) <= 33 and weights.sum() == pytest.approx(10, rel=0.01)
    assert dict(zip(rows.tolist(), weights.tolist(), strict=True)).items() >= {0: 4.0, 1: 3.0}.items()
    np.testing.assert_allclose(weights[2:], 3 / 30)


def test_a_sample_of_uneven_times_has_those_of_more_than_a_part_as_they_are():
    rng = np.random.default_rng(3)
    rows, times = np.arange(1000, dtype=np.int32), rng.exponential(size=1000) ** 3
    some, weights = thinned(rows, times, 200)
    assert 199 <= len(some) <= 201 and (np.diff(some) > 0).all()
    assert weights.sum() == pytest.approx(times.sum(), rel=0.01)
    as_they_are = weights > weights.min()
    assert 20 < as_they_are.sum() < 200
    np.testing.assert_array_equal(weights[as_they_are], times[some[as_they_are]])
    assert times[np.setdiff1d(rows, some)].max() <= weights.min()
    few, same = thinned(rows[:5], times[:5], 5)
    assert few.tolist() == [0, 1, 2, 3, 4] and same.tolist() == times[:5].tolist()


@pytest.mark.parametrize("rest", [1e-9, 1e-20, 1e-300, 0.0])
def test_a_sample_is_not_too_large_however_uneven_times_are(rest):
    times = np.full(1000, rest)
    times[[7, 500]] = 1e20, 3.0
    some, weights = thinned(np.arange(1000, dtype=np.int32), times, 200)
    assert {7, 500} <= set(some.tolist()) and len(some) <= 201 and (np.diff(some) > 0).all()
    assert weights.sum() == pytest.approx(times.sum(), rel=0.01)


@pytest.mark.parametrize(("contexts", "drawn"), [(5000, 400), (150, 148), (3000, 24), (3000, 1)])
def test_mean_and_covariance_of_all_are_those_of_a_larger_sample(contexts, drawn):
    rng = np.random.default_rng(1)
    matrix, p = rng.normal(1.0, size=(contexts, 6)).astype(np.float32), rng.dirichlet(np.full(contexts, 0.3))
    X, weights, rest, mean, covariance = noise_of(matrix, p, drawn)
    rows, many = thinned(np.arange(contexts, dtype=np.int32), p, MOMENTS * max(drawn, 6))
    many = many / many.sum()
    assert len(X) == drawn // AS_THEY_ARE and weights.sum() + rest == pytest.approx(1)
    np.testing.assert_allclose(weights @ X + rest * mean, many @ matrix[rows], rtol=1e-5)
    moment = X.T * weights @ X + rest * (covariance + np.outer(mean, mean))
    np.testing.assert_allclose(moment, matrix[rows].T * many @ matrix[rows], rtol=1e-4)


def test_contexts_of_one_vector_stay_as_they_are(to_the_end):
    matrix, p = np.full((900, 3), 0.5, np.float32), np.full(900, 1 / 900)
    _, seen, _ = problem(np.random.default_rng(3))
    noise = noise_of(matrix, p, 40)
    np.testing.assert_allclose([noise.mean, *noise.X], 0.5, rtol=1e-6)
    np.testing.assert_allclose(noise.covariance, 0, atol=1e-12)
    np.testing.assert_allclose(solved(seen, matrix, noise), solved(seen, matrix, noise_of(matrix, p, None)), rtol=1e-4)


def test_a_sample_of_the_noise_gives_nearly_the_vectors_of_all(large, zipf_corpus):
    target = large.words.words[-1]
    pairs = [(f"new{i}", c, 1.0 + i) for i in range(5) for c in large.contexts.words[10 + i : 400 : 3]]
    assert target in large and len(large.contexts) > 250
    exact, near = (large.fold_in(pairs=pairs, most_contexts=n).vectors.get_normed_vectors() for n in (None, 200))
    assert ((exact * near).sum(axis=1) > 0.98).all() and not np.array_equal(exact, near)


# --- From a text


def test_the_pairs_of_a_text_are_those_that_training_expects(without):
    """Many draws of the definition in contexts.py have the mean that is computed without any."""
    sentence = "cat new dog cat hen cat red cat cow new cat pig".split()
    expected = _expected(without, sentence, sample=0.005, window=3)
    words = [*without.contexts.words, "new"]
    scaled = np.append(without.contexts.counts, max(1, round(2 * without.contexts.counts.sum() / len(sentence))))
    keep = pairloom.Vocabulary(tuple(words), scaled).keep_probability(0.005)
    assert 0.1 < keep.min() < keep.max() < 0.5
    ids = np.array([words.index(word) for word in sentence], np.int32)
    drawn = Counter()
    n = 10_000
    for i in range(n):
        keys = {"keep_key": key(1, i), "window_key": key(2, i)}
        drawn.update(sentence_pairs(ids, 0, windows=Windows(3, 3), limit=keep_limit(keep), **keys))
    mean = {words[c]: times / n for (w, c), times in drawn.items() if words[w] == "new" and words[c] != "new"}
    assert mean.keys() == expected.keys()
    for word, times in mean.items():
        assert times == pytest.approx(expected[word], abs=5 * np.sqrt(max(expected[word], 1e-4) / n) + 2e-4)


def _expected(embedding, sentence, **options):
    """n(new, c) for all c, as fold_in takes them from a text of one sentence."""
    import pairloom.fold_in.fold_in as module

    found = []
    original = module.solve

    def spy(seen, *rest):
        found.append(seen)
        return original(seen, *rest)

    module.solve = spy
    try:
        embedding.fold_in([sentence], words=["new"], **options)
    finally:
        module.solve = original
    (seen,) = found
    return {embedding.contexts.words[row]: t for row, t in zip(seen.rows.tolist(), seen.times.tolist(), strict=True)}


def test_without_thinning_a_window_reaches_less_and_less_far(without):
    expected = _expected(without, "cat dog hen new cow pig goat sheep".split(), sample=0, window=3)
    third = 1 / 3
    assert expected == pytest.approx(
        {"cat": third, "dog": 2 * third, "hen": 1, "cow": 1, "pig": 2 * third, "goat": third}
    )


def test_windows_are_those_of_the_model_and_seen_from_the_words(two_topics):
    right = pairloom.train(two_topics, dim=8, min_count=1, sample=0, left=0, right=2, window_shape="fixed")
    sentence = "cat dog new hen cow pig".split()
    assert _expected(right, sentence) == pytest.approx({"hen": 1, "cow": 1})
    assert _expected(right, sentence, side="contexts") == pytest.approx({"cat": 1, "dog": 1})


@pytest.mark.parametrize("windows", ["clean", "positional"])
def test_a_model_of_windows_that_cannot_be_expected_is_refused(two_topics, windows):
    model = pairloom.train(two_topics, dim=8, min_count=1, sample=0, **{windows: True})
    with pytest.raises(InputError, match=f"Words cannot be folded into a model of {windows} windows"):
        model.fold_in([["new", "cat"]] * 9)


def test_a_model_of_pairs_takes_pairs():
    model = pairloom.train_pairs([(w, c) for w in "abc" for c in "xyz"] * 30, dim=8)
    with pytest.raises(InputError, match="This model was trained on pairs"):
        model.fold_in([["new", "x"]] * 9)
    assert list(model.fold_in(pairs=[("new", "x"), ("new", "y", 2)]).vectors) == ["new"]


def test_words_that_nobody_knows_leave_the_text_before_windows_are_taken(without):
    near = _expected(without, "cat new dog".split(), sample=0)
    assert _expected(without, "cat zebra zebra new gnu dog".split(), sample=0) == near


def test_a_word_folded_in_has_the_neighbours_of_its_topic(without, two_topics):
    folded = without.fold_in(two_topics)
    assert sorted(folded.vectors) == ["duck", "pink"] and folded.left_out == []
    whole = without.with_words(folded)
    animals = {"cat", "dog", "horse", "cow", "sheep", "goat", "hen", "pig", "goose"}
    assert {word for word, _ in whole.most_similar("duck", topn=9)} == animals
    assert folded.vectors.get_vecattr("duck", "count") == sum(sentence.count("duck") for sentence in two_topics)


def test_the_order_of_the_text_and_the_threads_do_not_change_a_byte(large, zipf_corpus, tmp_path):
    options = {"min_count": 20, "most_contexts": 100}
    saved = set()
    for name, text, threads in (("a", zipf_corpus, 1), ("b", zipf_corpus[::-1], 2), ("c", zipf_corpus, 5)):
        folded = large.fold_in(text, threads=threads, **options)
        assert len(folded.vectors) > 100
        rest = {**folded.record, "corpus": None}
        order = np.argsort(folded.vectors.words)
        saved.add((folded.vectors.vectors[order].tobytes(), json.dumps(rest)))
        without_threads = tmp_path / f"{name}.loom"
        large.with_words(folded).save(without_threads)
    assert len(saved) == 1
    assert (tmp_path / "a.loom").read_bytes() == (tmp_path / "c.loom").read_bytes()


def test_the_models_own_settings_are_the_default_and_the_record_says_so(without, two_topics):
    record = without.fold_in(two_topics, words=["duck"]).record
    assert (record["window"], record["sample"], record["negatives"], record["side"]) == (5, 0.0, 5, "words")
    other = without.fold_in(two_topics, words=["duck"], window=1, negatives=2)
    assert (other.record["window"], other.record["negatives"]) == (1, 2)
    assert not np.array_equal(other.vectors.vectors, without.fold_in(two_topics, words=["duck"]).vectors.vectors)


def test_more_ridge_makes_shorter_vectors(without, two_topics):
    norms = [without.fold_in(two_topics, words=["duck"], l2=l2).vectors.norms[0] for l2 in (1, 100, 10_000)]
    assert norms[0] > norms[1] > norms[2] > 0


def test_new_contexts_are_solved_for_with_the_words_as_they_are(two_topics):
    emb = pairloom.train(two_topics, dim=16, epochs=20, min_count=1, sample=0)
    fewer = Embedding(
        words=emb.words,
        contexts=emb.contexts.vectors_for_all(word for word in emb.contexts if word != "duck"),
        record=emb.record,
    )
    folded = fewer.fold_in(two_topics, side="contexts")
    assert folded.vectors.words == ["duck"]
    whole = fewer.with_words(folded)
    assert len(whole.contexts) == 20 and len(whole.words) == 20
    cosine = np.corrcoef(
        [whole.probability(w, "duck") for w in emb.words], [emb.probability(w, "duck") for w in emb.words]
    )
    assert cosine[0, 1] > 0.95


def test_a_context_has_the_noise_that_training_draws_for_it(two_topics):
    """k |D| noise(c) pairs (w, c) of D', counted in a drawn training, beside what the regression takes."""
    emb = pairloom.train(two_topics, dim=4, epochs=1, min_count=1, sample=0)
    fewer = Embedding(
        words=emb.words,
        contexts=emb.contexts.vectors_for_all(word for word in emb.contexts if word != "duck"),
        record=emb.record,
    )
    import pairloom.fold_in.fold_in as module

    found = {}
    original = module.solve
    module.solve = lambda seen, matrix, noise, drawn, *rest: (
        found.update(seen=seen, drawn=drawn) or original(seen, matrix, noise, drawn, *rest)
    )
    try:
        fewer.fold_in(two_topics, side="contexts")
    finally:
        module.solve = original
    vocabulary = pairloom.Vocabulary(tuple(emb.contexts.words), emb.contexts.counts)
    pairs = dict.fromkeys(vocabulary.words, 0.0)
    for sentence in two_topics:
        for i, j in itertools.permutations(range(len(sentence)), 2):
            pairs[sentence[j]] += max(0, 1 - (abs(i - j) - 1) / 5)
    duck = vocabulary.index["duck"]
    per_pair = 5 * sum(pairs.values()) * vocabulary.noise()[duck] / pairs["duck"]
    assert found["drawn"][0] == pytest.approx(per_pair, rel=0.1)


# --- From pairs


def test_pairs_are_added_up_whatever_their_order(without):
    pairs = [("new", "cat", 0.1), ("new", "dog", 2), ("new", "cat", 0.7), ("new", "cat", 1e-9), ("other", "red")] * 3
    one, other = (without.fold_in(pairs=some).vectors for some in (pairs, sorted(pairs, reverse=True)))
    assert one.words == other.words == ["new", "other"]
    np.testing.assert_array_equal(one.vectors, other.vectors)
    assert one.counts.tolist() == [8, 3]


def test_pairs_of_known_words_and_with_unknown_contexts_are_passed_over(without):
    pairs = [("new", "cat"), ("new", "zebra"), ("cat", "dog")]
    folded = without.fold_in(pairs=pairs)
    assert folded.vectors.words == ["new"]
    np.testing.assert_array_equal(folded.vectors.vectors, without.fold_in(pairs=[("new", "cat")]).vectors.vectors)


def test_pairs_can_give_new_contexts(without):
    folded = without.fold_in(pairs=[("cat", "near_1"), ("dog", "near_1", 2.5)], side="contexts")
    assert folded.vectors.words == ["near_1"]
    assert "near_1" in without.with_words(folded).contexts


def test_words_without_a_known_context_are_reported_not_made_up(without):
    folded = without.fold_in(pairs=[("new", "cat"), ("lost", "zebra")])
    assert (folded.vectors.words, folded.left_out) == (["new"], ["lost"])
    assert folded.record["left_out"] == 1
    folded = without.fold_in([["cat", "new"], ["lost"]], words=["new", "lost", "absent"])
    assert (folded.vectors.words, folded.left_out) == (["new"], ["absent", "lost"])


# --- Joined to the model


def test_the_old_rows_stay_as_they_are_and_the_record_grows(without, two_topics, tmp_path):
    once = without.with_words(without.fold_in(two_topics, words=["duck"]))
    twice = once.with_words(once.fold_in(two_topics, words=["pink"]))
    np.testing.assert_array_equal(twice.words.vectors[: len(without)], without.words.vectors)
    np.testing.assert_array_equal(twice.contexts.vectors, without.contexts.vectors)
    assert twice.words.words[-2:] == ["duck", "pink"]
    assert [entry["words"] for entry in twice.record["folded_in"]] == [1, 1]
    assert "folded_in" not in without.record
    twice.save(tmp_path / "m.loom")
    assert pairloom.load(tmp_path / "m.loom").record == twice.record


def test_words_are_joined_once_and_to_their_own_model(without, two_topics):
    folded = without.fold_in(two_topics, words=["duck"])
    with pytest.raises(InputError, match=r"'duck' is already in the model\."):
        without.with_words(folded).with_words(folded)
    small = Embedding.of_words(Vectors(["a"], [[1.0]]))
    with pytest.raises(InputError, match=r"Vectors of dim 16 do not belong to a model of dim 1\."):
        small.with_words(folded)


# --- What cannot be


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "New words are learnt from a corpus or from pairs."),
        ({"corpus": [["a", "cat"]], "pairs": []}, "New words are learnt from a corpus or from pairs."),
        ({"pairs": [("a", "cat")], "min_count": 2}, "min_count is for a corpus"),
        ({"pairs": []}, "None of the new words was seen with a context that the model knows"),
        ({"pairs": [("a", "zebra")]}, "None of the new words was seen with a context that the model knows"),
        ({"pairs": 7}, "Pairs cannot be of type int."),
        ({"pairs": [("a", "cat"), "ac"]}, r"pairs\[1\] is 'ac', which is no pair."),
        ({"pairs": [("a",)]}, r"pairs\[0\] is \('a',\)."),
        ({"pairs": [("a", "")]}, r"The context of pairs\[0\] is an empty string."),
        ({"pairs": [("a", "cat"), ("a", "cat", float("nan"))]}, r"pairs\[1\]: a pair cannot have the weight nan."),
        ({"pairs": [("a", "cat", -1)]}, r"pairs\[0\]: a pair cannot have the weight -1."),
        ({"pairs": [("a", "cat", 0)]}, "None of the new words was seen with a context that the model knows"),
        ({"pairs": [("a", "cat", float("inf"))]}, r"pairs\[0\]: a pair cannot have the weight inf."),
        ({"pairs": [("a", "cat", "2")]}, r"The weight of pairs\[0\] is '2', which is no number."),
        ({"corpus": [["a", "cat"]], "words": ["cat"]}, "'cat' is in the model already."),
        ({"corpus": [["a", "cat"]], "words": []}, "words has to be a list of strings"),
        ({"corpus": [["a", "cat"]], "words": "cat"}, "words='cat' is not a list of words."),
        ({"corpus": [["a", "cat"]], "words": [3]}, "words has to be a list of strings"),
        ({"corpus": [["cat", "dog"]]}, "has no word that occurs 1 times and that the model does not know"),
        ({"corpus": [["a", "b"]], "min_count": 2}, "has no word that occurs 2 times"),
        ({"corpus": [["a", "b"]]}, "None of the new words was seen with a context"),
        ({"corpus": []}, "has no words"),
        ({"corpus": [["a", "cat"]], "min_count": 0}, "min_count=0 is out of range."),
        ({"corpus": [["a", "cat"]], "l2": 0}, "l2=0 is out of range"),
        ({"corpus": [["a", "cat"]], "l2": float("nan")}, "l2=nan is out of range"),
        ({"corpus": [["a", "cat"]], "most_contexts": 0}, "most_contexts=0 is out of range."),
        ({"corpus": [["a", "cat"]], "side": "both"}, "side='both' is not a choice."),
        ({"corpus": [["a", "cat"]], "window": 0}, "window=0 is out of range."),
        ({"corpus": [["a", "cat"]], "ws": 3}, "did you mean 'window'"),
        ({"corpus": [["a", "cat"]], "dim": 3}, "There is no option 'dim'"),
    ],
)
def test_bad_input_is_answered_with_what_is_wrong(without, options, message):
    with pytest.raises(InputError, match=message):
        without.fold_in(**options)


def test_a_model_without_contexts_cannot_have_words_folded_in(without):
    with pytest.raises(InputError, match="these vectors hold no contexts"):
        Embedding.of_words(without.words).fold_in([["cat", "new"]], words=["new"])


def test_nor_can_one_without_counts_or_with_nan(without):
    def with_contexts(contexts):
        return Embedding(words=without.words, contexts=contexts)

    plain = with_contexts(Vectors(without.contexts.words, without.contexts.vectors))
    with pytest.raises(InputError, match="does not know how often its words occur"):
        plain.fold_in([["cat", "new"]], words=["new"])
    broken = without.contexts.vectors.copy()
    broken[3, 2] = np.nan
    with pytest.raises(InputError, match="holds NaN or infinity"):
        with_contexts(Vectors(without.contexts.words, broken, without.contexts.counts)).fold_in([["cat", "new"]])


@pytest.mark.parametrize("trained", [{"objective": "hs"}, {"model": "cbow"}])
def test_nor_can_one_of_another_objective(without, trained):
    other = Embedding(words=without.words, contexts=without.contexts, record={"config": trained})
    with pytest.raises(InputError, match="This model was trained with"):
        other.fold_in([["cat", "new"]])


# --- The command


@pytest.fixture
def loom(without, tmp_path):
    without.save(tmp_path / "m.loom")
    return tmp_path / "m.loom"


def ran(capsys, *args):
    code = main(["fold-in", *map(str, args)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_command_writes_the_model_with_the_new_words(loom, corpus, tmp_path, capsys, without, two_topics):
    out = tmp_path / "more.loom"
    code, printed, said = ran(capsys, loom, corpus, "-o", out)
    assert (
        code == 0 and printed.startswith(f"{out}: 2 new words, ") and "computing the vectors of new words 100%" in said
    )
    whole = pairloom.load(out)
    expected = without.with_words(without.fold_in(two_topics))
    assert len(whole) == 20
    np.testing.assert_array_equal(whole.words.vectors, expected.words.vectors)


def test_the_command_takes_words_and_gives_json_and_new_words_alone(loom, corpus, tmp_path, capsys):
    (tmp_path / "words.txt").write_text("duck\nzebra\n")
    options = ["--words", tmp_path / "words.txt", "--only-new", "--json", "--quiet"]
    code, printed, said = ran(capsys, loom, corpus, "-o", tmp_path / "new.vec", *options)
    facts = json.loads(printed)
    assert (code, facts["new"], facts["left_out"], said) == (0, 1, ["zebra"], "")
    assert pairloom.load(tmp_path / "new.vec").words.words == ["duck"]
    code, printed, _ = ran(capsys, loom, corpus, "-o", tmp_path / "new.loom", *options[:2])
    assert "1 new words (1 left out for lack of a known context: zebra)" in printed


def test_the_command_reads_pairs(loom, tmp_path, capsys, without):
    (tmp_path / "pairs.txt").write_text("new cat 2\nnew\tdog\n\nother red 0.5\n")
    assert ran(capsys, loom, tmp_path / "pairs.txt", "--pairs", "-o", tmp_path / "o.loom")[0] == 0
    expected = without.fold_in(pairs=[("new", "cat", 2), ("new", "dog"), ("other", "red", 0.5)]).vectors
    np.testing.assert_array_equal(pairloom.load(tmp_path / "o.loom").words.vectors[-2:], expected.vectors)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("new\n", ["--pairs"], ", line 1: 'new' has no context."),
        ("new cat\nnew cat 1 2\n", ["--pairs"], ", line 2: 'new cat 1 2' has 4 fields."),
        ("new cat nan\n", ["--pairs"], ", line 1: a pair cannot have the weight nan."),
        ("new cat -2\n", ["--pairs"], ", line 1: a pair cannot have the weight -2."),
        ("new cat x\n", ["--pairs"], ", line 1: the weight 'x' is no number."),
        ("", ["--pairs"], "None of the new words was seen with a context"),
        ("", [], "has no words"),
        ("cat dog\n", [], "has no word that occurs 1 times"),
        ("new cat\n", ["--l2", "0"], "--l2 0.0 is out of range"),
        ("new cat\n", ["--min-count", "0"], "--min-count 0 is out of range"),
        ("new cat\n", ["--threads", "0"], "--threads 0 is out of range"),
    ],
)
def test_the_command_says_what_is_wrong_and_writes_nothing(content, options, message, loom, tmp_path, capsys):
    (tmp_path / "c.txt").write_text(content)
    code, printed, said = ran(capsys, loom, tmp_path / "c.txt", "-o", tmp_path / "o.loom", "--quiet", *options)
    assert (code, printed, said.count("\n")) == (2, "", 1)
    assert said.startswith("pairloom fold-in: ") and message in said
    assert not (tmp_path / "o.loom").exists()


def test_the_command_does_not_write_over_what_it_reads_nor_from_a_file_without_contexts(loom, corpus, tmp_path, capsys):
    assert "among, the files to be read" in ran(capsys, loom, corpus, "-o", loom)[2]
    pairloom.load(loom).save(tmp_path / "m.vec")
    code, _, said = ran(capsys, tmp_path / "m.vec", corpus, "-o", tmp_path / "o.loom")
    assert code == 2 and "these vectors hold no contexts" in said


def test_help_has_the_defaults_of_the_library(capsys):
    with pytest.raises(SystemExit):
        main(["fold-in", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert f"use N that represent them all (default: {MOST_CONTEXTS})" in said
    assert f"penalty on the length of a vector (default: {L2:g})" in said


def test_config_errors_are_of_the_options(without):
    with pytest.raises(ConfigError):
        without.fold_in([["a", "cat"]], l2=-1)

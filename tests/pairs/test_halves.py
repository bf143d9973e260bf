"""The paths of a tree in halves: together they are the paths, and the parts of lower halves share no node."""

import numpy as np
import pytest

from pairloom.config import TrainConfig
from pairloom.corpus.prepared import prepare
from pairloom.corpus.sentences import open_corpus
from pairloom.corpus.vocabulary import WordSelection
from pairloom.method.contexts import sentence_pairs
from pairloom.method.draws import Purpose, key
from pairloom.method.hierarchical import huffman
from pairloom.pairs.from_text import TextSource
from pairloom.pairs.halves import HalfDealings, Halves
from pairloom.pairs.hubs import hubs_of
from pairloom.pairs.parts import deal
from pairloom.system.threads import workers

COUNTS = np.maximum(5, np.rint(1e6 / np.arange(1, 3001) ** 1.05)).astype(np.int64)
TREE = huffman(COUNTS)


def halves_for(parts):
    return Halves.of(TREE, COUNTS / COUNTS.sum(), parts)


def nodes_of(halves, half):
    begin = halves.begin[half]
    return halves.tree.nodes[begin : begin + halves.turns[half]].tolist()


@pytest.mark.parametrize("parts", [1, 2, 16, 64])
def test_the_upper_and_the_lower_half_of_a_context_are_its_path(parts):
    halves = halves_for(parts)
    for c, subtree in enumerate(halves.subtree.tolist()):
        upper, lower = nodes_of(halves, halves.n_contexts + subtree), nodes_of(halves, c)
        assert upper + lower == TREE.nodes[TREE.path(c)].tolist()
        assert all(node < halves.n_top for node in upper) and all(node >= halves.n_top for node in lower)
        begin = halves.begin[halves.n_contexts + subtree]
        assert TREE.bits[begin : begin + len(upper)].tolist() == TREE.bits[TREE.path(c)][: len(upper)].tolist()


def test_a_node_with_a_large_share_of_the_pairs_of_a_part_is_in_the_top():
    assert halves_for(1).n_top == 0
    for parts in (2, 8, 16):
        halves = halves_for(parts)
        assert parts * halves.node_share[halves.n_top :].max() <= 0.1 < parts * halves.node_share[halves.n_top - 1]
        assert halves.n_subtrees == halves.n_top + 1  # a binary tree has one leaf more than inner nodes
    assert halves_for(16).mean_turns == pytest.approx(np.diff(TREE.starts) @ COUNTS / COUNTS.sum())


def test_few_contexts_that_are_alike_have_no_deeper_top_than_256_nodes():
    tree = huffman(np.full(4096, 7))
    assert Halves.of(tree, np.full(4096, 1 / 4096), 1024).n_top == 256


@pytest.mark.parametrize("parts", [1, 2, 16, 64])
def test_parts_of_lower_halves_share_no_node_and_no_slot(parts):
    halves = halves_for(parts)
    lower, upper = halves.deal(parts, key(3))
    owner, seen = {}, set()
    for c, label in enumerate(lower.labels.tolist()):
        assert (label < 0) == (halves.turns[c] == 0)
        if label >= 0:
            assert label < lower.first_hub and label not in seen
            seen.add(label)
            assert all(owner.setdefault(node, label % parts) == label % parts for node in nodes_of(halves, c))
    if parts == 1:
        assert set(upper.tolist()) == {-1}
    else:
        assert upper.tolist() == [lower.first_hub + parts * subtree for subtree in halves.subtree.tolist()]
    sizes = np.bincount(lower.labels[lower.labels >= 0] % parts, minlength=parts)
    assert sizes.max() == lower.slots


@pytest.mark.parametrize("parts", [1, 2, 16])
def test_the_slots_of_a_part_and_the_subtrees_follow_the_tree_from_left_to_right(parts):
    halves = halves_for(parts)
    labels = halves.deal(parts, key(3)).lower.labels
    turns = [TREE.bits[TREE.path(c)].tolist() for c in range(halves.n_contexts)]
    for part in range(parts):
        of_part = np.flatnonzero((labels >= 0) & (labels % parts == part))
        by_slot = of_part[np.argsort(labels[of_part])].tolist()
        assert by_slot == sorted(by_slot, key=turns.__getitem__)
    from_the_left = sorted(range(halves.n_contexts), key=turns.__getitem__)
    assert (np.diff(halves.subtree[from_the_left]) >= 0).all()


def test_every_round_deals_subtrees_to_other_parts():
    halves = halves_for(16)
    part = [halves.deal(16, key(i)).lower.labels % 16 for i in range(200)]
    with_lower = np.flatnonzero(halves.turns[: halves.n_contexts])
    one, other = with_lower[0], with_lower[halves.subtree[with_lower] != halves.subtree[with_lower[0]]][0]
    together = sum(p[one] == p[other] for p in part)
    assert 2 <= together <= 30  # 200 / 16 = 12.5 expected


@pytest.fixture(scope="module")
def source(zipf_text):
    config = TrainConfig(objective="hs", min_count=2, sample=1e-2, heldout=0.0)
    with open_corpus(zipf_text) as corpus, prepare(corpus, WordSelection(min_count=2)) as encoded:
        yield TextSource(encoded, config)


@pytest.mark.parametrize("threads", [1, 3])
def test_every_pair_of_the_text_is_dealt_as_its_two_halves(source, threads):
    """Each to the block of its word's part and its half's part; upper halves to all parts alike."""
    parts, n = 4, len(source.words.names)
    halves = Halves.of(huffman(source.contexts.counts), source.context_share, parts)
    words = deal(n, hubs_of(source.word_share, parts), parts, key(5))
    dealings = HalfDealings(words, halves.deal(parts, key(6)), key(5))
    (a_round,) = source.rounds([0.0, 1.0])
    with workers(threads) as pool:
        dealt = source.deal(0, a_round, dealings, pool)
    word_of = {int(label): w for w, label in enumerate(words.labels)}
    lower_of = {int(label): c for c, label in enumerate(dealings.contexts.labels) if label >= 0}
    first_upper, uppers, lowers, in_part = dealings.contexts.first_hub, {}, {}, np.zeros(parts)
    for block in range(parts**2):
        for pair in dealt.pairs[dealt.starts[block] : dealt.starts[block + 1]].tolist():
            w_label, half = pair >> 32, pair & 0xFFFFFFFF
            assert (w_label % parts, half % parts) == divmod(block, parts)
            w = word_of[w_label if w_label < words.first_hub else w_label // parts * parts]
            if half >= first_upper:
                at = w, (half - first_upper) // parts
                uppers[at] = uppers.get(at, 0) + 1
                in_part[half % parts] += 1
            else:
                lowers[w, lower_of[half]] = lowers.get((w, lower_of[half]), 0) + 1
    expected_uppers, expected_lowers = {}, {}
    for w, c in all_pairs(source):
        at = w, int(halves.subtree[c])
        expected_uppers[at] = expected_uppers.get(at, 0) + 1
        if halves.turns[c]:
            expected_lowers[w, c] = expected_lowers.get((w, c), 0) + 1
    assert uppers == expected_uppers
    assert lowers == expected_lowers
    assert in_part / in_part.sum() == pytest.approx(np.full(parts, 1 / parts), abs=0.02)


def all_pairs(source):
    """The pairs of the first epoch, by the definition."""
    for begin, end in zip(source.encoded.starts[:-1].tolist(), source.encoded.starts[1:].tolist(), strict=True):
        yield from sentence_pairs(
            source.encoded.ids[begin:end],
            begin,
            windows=source.windows,
            limit=source.limit,
            keep_key=key(source.config.seed, Purpose.KEEP, 0),
            window_key=key(source.config.seed, Purpose.WINDOW, 0),
        )

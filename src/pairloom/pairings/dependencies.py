"""Dependency contexts (Levy & Goldberg 2014, *Dependency-Based Word Embeddings*, section 2.2).

A modifier m that depends on a head h by the relation r makes two pairs:
    (h, r_m)    the head with its modifier and the relation
    (m, rI_h)   the modifier with its head and the inverse relation, I
written as word2vecf writes them. Prepositions are collapsed, as in the paper: `discovers star with telescope` makes
(discovers, prep_with_telescope) and (telescope, prep_withI_discovers), and no pairs of `with` itself.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

from pairloom.corpus.lines import LineFiles, is_path, reading_options
from pairloom.errors import CorpusTypeError
from pairloom.pairings.conllu import ParsedWord, sentences
from pairloom.pairings.pairs import Pair, Pairs, ReadingKeywords
from pairloom.types import PathName


def dependency_pairs(
    path: PathName | Sequence[PathName],
    *,
    collapse: bool = True,
    lemmas: bool = False,
    **text: Unpack[ReadingKeywords],
) -> Pairs:
    """Pairs from one or more files in CoNLL-U. Punctuation makes no pairs, and neither does the head of the root.

    collapse: make prepositions part of the relation. lemmas: use LEMMA instead of FORM.
    text: lowercase (of words; prepositions in relations are always in lower case), encoding and errors.
    """
    paths: Any = list(path) if isinstance(path, tuple) else path  # is_path checks the type
    if not is_path(paths):
        raise CorpusTypeError(f"Parses cannot be of type {type(path).__name__}. Give the path of a CoNLL-U file.")
    options = reading_options(dict(text))
    files = LineFiles(paths, replace(options, lowercase=False))

    def make() -> Iterator[Pair]:
        for sentence in sentences(files, lemmas, options.lowercase):
            yield from sentence_pairs(sentence, collapse)

    return Pairs(files.name, make)


def sentence_pairs(sentence: list[ParsedWord], collapse: bool = True) -> Iterator[Pair]:
    """The pairs of one sentence.

    >>> list(sentence_pairs([ParsedWord("dogs", "NOUN", 2, "nsubj"), ParsedWord("bark", "VERB", 0, "root")]))
    [('bark', 'nsubj_dogs'), ('dogs', 'nsubjI_bark')]
    """
    prepositions = _prepositions(sentence) if collapse else {}
    collapsed = {position for found in prepositions.values() for position in found}
    for position, token in enumerate(sentence, 1):
        head, relation = token.head, token.relation
        if position in prepositions:
            names = [sentence[at - 1].word.lower() for at in prepositions[position]]
            relation = f"prep_{'_'.join(names)}"
            head = sentence[head - 1].head if head in prepositions[position] else head
        if head == 0 or position in collapsed or _is_punctuation(token) or _is_punctuation(sentence[head - 1]):
            continue
        yield sentence[head - 1].word, f"{relation}_{token.word}"
        yield token.word, f"{relation}I_{sentence[head - 1].word}"


def _prepositions(sentence: list[ParsedWord]) -> dict[int, list[int]]:
    """The positions of the prepositions between a word and its head, for each word that has some.

    In Universal Dependencies the preposition depends on its noun (`case`, and `fixed` for those of several words). In
    Stanford's older scheme the noun depends on its preposition (`pobj`, `prep`; Google calls them `adpobj`, `adpmod`).
    Words whose preposition leads to no head are left out.
    """
    found: dict[int, list[int]] = defaultdict(list)
    for position, token in enumerate(sentence, 1):
        head = sentence[token.head - 1] if token.head else token
        if _kind(token) == "case" and token.tag == "ADP" and head.head:
            found[token.head].append(position)
        elif _kind(token) == "fixed" and _kind(head) == "case" and token.head in found.get(head.head, ()):
            found[head.head].append(position)
        elif _kind(token) in ("pobj", "adpobj") and _kind(head) in ("prep", "adpmod") and head.head:
            found[position].append(token.head)
    return dict(found)


def _kind(token: ParsedWord) -> str:
    """The relation without its subtype: nmod for nmod:poss."""
    return token.relation.partition(":")[0]


def _is_punctuation(token: ParsedWord) -> bool:
    return token.tag == "PUNCT" or _kind(token) == "punct"

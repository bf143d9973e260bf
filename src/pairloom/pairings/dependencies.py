"""Dependency contexts (Levy & Goldberg 2014, *Dependency-Based Word Embeddings*, section 2.2).

A modifier m that depends on a head h by the relation r makes two pairs:
    (h, r_m)    the head's context is what modifies it, and how
    (m, rI_h)   I is for inverse
as word2vecf writes them. Prepositions are collapsed, as in the paper: `discovers star with telescope` has
(discovers, prep_with_telescope) and (telescope, prep_withI_discovers), and with is no context by itself.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from pairloom.corpus.lines import LineFiles, is_path, reading_options
from pairloom.errors import CorpusTypeError
from pairloom.pairings.conllu import Token, sentences
from pairloom.pairings.pairs import Pair, Pairs


def dependency_pairs(
    path: Any, *, collapse: bool = True, lemmas: bool = False, lowercase: bool = False, **text: Any
) -> Pairs:
    """Pairs from a file of CoNLL-U (or several). Punctuation makes none, and the root's missing head makes none.

    collapse: whether prepositions become part of the relation. lemmas: take LEMMA instead of FORM. lowercase: fold the
    words (prepositions in relations are folded anyway). text: encoding, errors.
    """
    if not is_path(path):
        raise CorpusTypeError(f"Parses cannot be of type {type(path).__name__}. Give the path of a CoNLL-U file.")
    files = LineFiles(path, reading_options(text))

    def make() -> Iterator[Pair]:
        for sentence in sentences(files, lemmas, lowercase):
            yield from sentence_pairs(sentence, collapse)

    return Pairs(files.name, make)


def sentence_pairs(sentence: list[Token], collapse: bool = True) -> Iterator[Pair]:
    """The pairs of one sentence.

    >>> list(sentence_pairs([Token("dogs", "NOUN", 2, "nsubj"), Token("bark", "VERB", 0, "root")]))
    [('bark', 'nsubj_dogs'), ('dogs', 'nsubjI_bark')]
    """
    prepositions = _prepositions(sentence) if collapse else {}
    collapsed = {place for places in prepositions.values() for place in places}
    for place, token in enumerate(sentence, 1):
        head, relation = token.head, token.relation
        if place in prepositions:
            names = [sentence[at - 1].word.lower() for at in prepositions[place]]
            relation = f"prep_{'_'.join(names)}"
            head = sentence[head - 1].head if head in prepositions[place] else head
        if head == 0 or place in collapsed or _is_punctuation(token) or _is_punctuation(sentence[head - 1]):
            continue
        yield sentence[head - 1].word, f"{relation}_{token.word}"
        yield token.word, f"{relation}I_{sentence[head - 1].word}"


def _prepositions(sentence: list[Token]) -> dict[int, list[int]]:
    """For words that hang on their head by prepositions, the places of these.

    In Universal Dependencies the preposition hangs on its noun (`case`, of more words `fixed`), in Stanford's older
    scheme the noun on its preposition (`pobj`, `prep`; Google's names are `adpobj`, `adpmod`). A word whose
    preposition has no head to lead to is none of them.
    """
    found: dict[int, list[int]] = defaultdict(list)
    for place, token in enumerate(sentence, 1):
        head = sentence[token.head - 1] if token.head else token
        if _kind(token) == "case" and token.tag == "ADP" and head.head:
            found[token.head].append(place)
        elif _kind(token) == "fixed" and _kind(head) == "case" and token.head in found.get(head.head, ()):
            found[head.head].append(place)
        elif _kind(token) in ("pobj", "adpobj") and _kind(head) in ("prep", "adpmod") and head.head:
            found[place].append(token.head)
    return dict(found)


def _kind(token: Token) -> str:
    """The relation without its subtype: nmod of nmod:poss."""
    return token.relation.partition(":")[0]


def _is_punctuation(token: Token) -> bool:
    return token.tag == "PUNCT" or _kind(token) == "punct"

"""Words that belong together become one: new york -> new_york.

Two words that follow each other much more often than chance predicts make a phrase (Mikolov et al. 2013, section 4).
Learn phrases from a text, join them in this text or in another, and train on the result.

    scores.py       the options, and the scores: how much more often than chance
    pair_counts.py  a corpus -> how often each pair of words occurs, exact, in bounded memory
    memory_need.py  how much memory that takes; stops early if there is not enough
    choosing.py     counts and a score -> the pairs that are phrases
    joining.py      a text and phrases -> the text with its phrases joined: the rule, and the same for blocks of bytes
    model.py        `Phrases`: learn, apply, transform, wrap, save, load
    files.py        phrases as lines of JSON
"""

from pairloom.preparing.phrases.model import Phrases

__all__ = ["Phrases"]

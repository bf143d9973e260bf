"""Words that belong together become one: new york -> new_york.

Words that follow each other much oftener than their counts lead to expect make a phrase (Mikolov et al. 2013, section
4). Learn phrases from a text, join them in this text or in another, and train on what comes out.

    scores.py    how much oftener: the scores, as definitions to read, and the options
    pairs.py     a corpus -> how often each pair of words occurs, exactly, in bounded memory
    needs.py     how much memory that takes, and the refusal of what does not fit
    choosing.py  pairs and a score -> those that are phrases
    joining.py   a text and phrases -> the text with the phrases joined; the rule, and the same on blocks of bytes
    model.py     `Phrases`: learn, apply, transform, wrap
    files.py     phrases as lines of JSON
"""

from pairloom.phrases.model import Phrases

__all__ = ["Phrases"]

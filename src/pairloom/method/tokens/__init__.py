"""From a line of text to its words, by the three rules of `--tokenize`.

    spaces   what white space separates: `str.split()`. The kernels of `kernel/text/words.py` do the same on bytes.
    words    Unicode's words, folded, without punctuation: `words.py`, and `kernel/text/separate.py` on bytes.
    icu      the same, but words of scripts without spaces are found by ICU's dictionaries: `icu.py`.

`characters.py` reads what is known about characters, and `choosing.py` has the function for each rule.
"""

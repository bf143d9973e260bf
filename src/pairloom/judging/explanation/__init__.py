"""Why it works: a model compared with the exact pair counts of the corpus that it was trained on.

*word2vec Explained* ends with "We'd really like to see something more formal". Levy and Goldberg's answer ("Neural Word
Embedding as Implicit Matrix Factorization", 2014): where every v_w·v_c is free, each reaches the optimum of

    n log σ(v_w·v_c) + m log σ(-v_w·v_c),    n = #(w, c),  m = k #(w) noise(c)

    v_w·v_c = log(n / m), which is PMI(w, c) - log k if contexts are drawn as often as they occur (noise_power 1)

(word2vec.c leaves out draws that equal the pair's own context, so its m is k (#(w) - n) noise(c). Training here draws
D' as the paper states it, and m is the paper's.)

The modules measure how close a model came to that optimum:

fit.py              v_w·v_c against the optimum, over all observed pairs
all_pairs.py        the objective and the probabilities, over all possible pairs
windows.py          how far apart in the text the trained pairs are
geometry.py         lengths of the vectors, and the directions that they have in common
shared_contexts.py  why two words are similar
counted_model.py    a model with the pair counts of its corpus, which the others start from
report.py           everything in one report; tables.py, charts.py, svg.py and page.py present it
"""

from pairloom.judging.explanation.report import Explanation, count_corpus, explain
from pairloom.judging.explanation.shared_contexts import ContextSpace, SharedContexts, context_space, explain_similarity

__all__ = [
    "ContextSpace",
    "Explanation",
    "SharedContexts",
    "context_space",
    "count_corpus",
    "explain",
    "explain_similarity",
]

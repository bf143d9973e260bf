"""Why it works: a model beside the exact counts of the corpus that it was trained on.

*word2vec Explained* ends with "We'd really like to see something more formal". Levy and Goldberg's answer ("Neural Word
Embedding as Implicit Matrix Factorization", 2014): where every v_w·v_c is free, each reaches the optimum of

    n log σ(v_w·v_c) + m log σ(-v_w·v_c),    n = #(w, c),  m = k #(w) noise(c)

    v_w·v_c = log(n / m), which is PMI(w, c) - log k if contexts are drawn as often as they occur (noise_power 1)

(Training leaves out draws that are the pair's own context, as word2vec.c does, so its m is k (#(w) - n) noise(c). The
report keeps to the paper's; the two optima differ by -log(1 - p(c|w)), which shows only where words are few.)

The files here ask how far a model got: `fit` (v_w·v_c against these), `whole` (the objective, and the probabilities),
`windows` (which pairs were trained), `geometry` (what the vectors look like), `shared` (why two words are alike).
"""

from pairloom.explanation.report import Explanation, explain
from pairloom.explanation.shared import SharedContexts, explain_similarity

__all__ = ["Explanation", "SharedContexts", "explain", "explain_similarity"]

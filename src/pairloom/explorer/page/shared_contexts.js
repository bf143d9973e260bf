// Why two words are similar, as src/pairloom/judging/explanation/shared_contexts.py defines it:
//     a_c(w) = √noise(c) v_c · G^(-1/2) (v_w - μ)      cos(w1, w2) = common + Σ_c a_c(w1) a_c(w2) / (|v_w1| |v_w2|) + unexplained
// μ, G and noise are those of the whole model; contexts that the file leaves out are part of `unexplained`.
import { dot, largest } from './algebra.js';

export function sharedContexts({ W, C, mean, root, noise_root }, rows, cosine, n) {
  const v = rows.map((row) => W.vector(row));
  const u = v.map((vector) => vector.map((x, i) => x - mean[i]));
  const lengths = W.lengths[rows[0]] * W.lengths[rows[1]] || 1;
  const strengths = u.map((vector) => C.products(times(root, vector)).map((x, c) => x * noise_root[c]));
  const products = u.map((vector) => C.products(vector));
  const contributions = strengths[0].map((x, c) => (x * strengths[1][c]) / lengths);
  const common = (dot(v[0], v[1]) - dot(u[0], u[1])) / lengths;
  const pick = (sign, chosen) =>
    largest(
      contributions.map((x) => sign * x),
      50 * n,
    )
      .filter((c) => sign * contributions[c] > 0 && chosen(c))
      .slice(0, n)
      .map((c) => ({
        context: C.names[c],
        contribution: contributions[c],
        products: [products[0][c], products[1][c]],
        counts: null,
      }));
  return {
    words: rows.map((row) => W.names[row]),
    cosine,
    common,
    unexplained: cosine - common - contributions.reduce((sum, x) => sum + x, 0),
    sought: pick(1, (c) => strengths[0][c] > 0),
    avoided: pick(1, (c) => strengths[0][c] < 0),
    apart: pick(-1, () => true),
    half: half(contributions),
  };
}

// The product of a d x d matrix with a vector.
function times(matrix, vector) {
  const d = vector.length;
  return vector.map((_, i) => dot(matrix.subarray(i * d, (i + 1) * d), vector));
}

// The smallest number of contexts that make up half of all positive contributions.
function half(contributions) {
  const positive = contributions
    .filter((x) => x > 0)
    .sort()
    .reverse();
  const total = positive.reduce((sum, x) => sum + x, 0);
  let sum = 0;
  return positive.findIndex((x) => (sum += x) >= total / 2) + 1;
}

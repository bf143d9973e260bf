// The answers of the server, computed in the browser from the vectors inside the file (`pairloom explore --export`).
import { Rows, combine, decode, dot, largest, mean, sigmoid } from './algebra.js';
import { sharedContexts } from './shared_contexts.js';
import { whole } from './dom.js';

export class EmbeddedSource {
  exact = false;

  constructor({ version, models }) {
    this.described = { version, models: models.map(({ data, ...model }) => model) };
    this.opened = models.map(open);
  }

  async models() {
    return this.described;
  }

  async map(model) {
    return this.opened[model].coordinates;
  }

  async words(model, n, onPiece) {
    const { W, counts } = this.opened[model];
    onPiece({ start: 0, words: W.names, counts });
  }

  async classes(model) {
    const { classes } = this.opened[model];
    if (!classes) throw new Error('This file has no classes. Install pairloom[sklearn] and export it again.');
    return classes;
  }

  async similarityTo(model, word) {
    const { W } = this.opened[model];
    return W.cosines(W.vector(find(W, word)));
  }

  async complete(model, prefix, n) {
    const { W, counts } = this.opened[model];
    const start = prefix.toLowerCase();
    const rows = [];
    for (let row = 0; row < W.names.length && rows.length < n; row++) {
      if (W.names[row].toLowerCase().startsWith(start)) rows.push(row);
    }
    return { words: rows.map((row) => ({ word: W.names[row], row, count: counts?.[row] ?? null })) };
  }

  async near(model, word, { n = 10, against = null } = {}) {
    const { W, C } = this.opened[model];
    const rows = word.map((one) => find(W, one));
    if (against === 'contexts') {
      const products = C.products(mean(rows.map((row) => W.vector(row))));
      const near = largest(products, n).map((row) => ({
        word: C.names[row],
        row,
        probability: sigmoid(products[row]),
        product: products[row],
      }));
      return { word, row: rows, near };
    }
    const cosines = W.cosines(mean(rows.map((row) => W.unit(row))));
    return { word, row: rows, near: ranked(W, cosines, n, rows, 'cosine') };
  }

  // add: the cosine to b - a + c. mul: cos(d, b) cos(d, c) / cos(d, a), cosines moved to [0, 1] (Levy & Goldberg 2014).
  async analogy(model, a, b, c, method, n) {
    const { W } = this.opened[model];
    const rows = [a, b, c].map((word) => find(W, word));
    const units = rows.map((row) => W.unit(row));
    if (method === 'add') return { near: ranked(W, W.cosines(combine(units, [-1, 1, 1])), n, rows, 'cosine') };
    const [to_a, to_b, to_c] = units.map((unit) => W.cosines(unit).map((x) => (x + 1) / 2));
    const scores = to_a.map((x, row) => (to_b[row] * to_c[row]) / (x + 0.001));
    return { near: ranked(W, scores, n, rows, 'score') };
  }

  async odd(model, word) {
    const { W } = this.opened[model];
    if (word.length < 3) throw new Error('Odd one out needs at least three words. Add another.');
    const units = word.map((one) => W.unit(find(W, one)));
    const middle = mean(units);
    const length = Math.sqrt(dot(middle, middle)) || 1;
    const words = word.map((one, i) => ({ word: one, cosine: dot(units[i], middle) / length }));
    return { odd: words.reduce((least, one) => (one.cosine < least.cosine ? one : least)).word, words };
  }

  // The nearest distinct words to points on the great circle between two words.
  async path(model, from, to, n) {
    const { W } = this.opened[model];
    const ends = [find(W, from), find(W, to)];
    const [u, v] = ends.map((row) => W.unit(row));
    const angle = Math.acos(Math.max(-1, Math.min(1, dot(u, v))));
    const rows = [ends[0]];
    for (let i = 1; i <= n; i++) {
      const t = i / (n + 1);
      const point = combine([u, v], [Math.sin((1 - t) * angle), Math.sin(t * angle)]);
      rows.push(...largest(W.cosines(point), 1, [...rows, ends[1]]));
    }
    rows.push(ends[1]);
    const [from_cosines, to_cosines] = [W.cosines(u), W.cosines(v)];
    return {
      path: rows.map((row) => ({
        word: W.names[row],
        row,
        cosine_from: from_cosines[row],
        cosine_to: to_cosines[row],
      })),
    };
  }

  async pair(model, a, b, n) {
    const { W, C, ...rest } = this.opened[model];
    const rows = [a, b].map((word) => find(W, word));
    const cosine = dot(W.unit(rows[0]), W.unit(rows[1]));
    const reason = 'This model has no contexts, so its similarities cannot be split among them.';
    if (!C) return { cosine, probability: null, explanation: null, reason };
    const p = (w, c) => (C.row.has(c) ? sigmoid(dot(W.vector(find(W, w)), C.vector(find(C, c)))) : null);
    const explanation = rest.root ? sharedContexts({ W, C, ...rest }, rows, cosine, n) : null;
    return { cosine, probability: { a_b: p(a, b), b_a: p(b, a) }, explanation, reason: explanation ? null : reason };
  }

  async probability(model, w, c) {
    const { W, C } = this.opened[model];
    const product = dot(W.vector(find(W, w)), C.vector(find(C, c)));
    return { probability: sigmoid(product), product };
  }

  async compare(a, b, word, n) {
    const [in_a, in_b] = [this.opened[a].W, this.opened[b].W];
    const tables = [in_a, in_b].map((W) => {
      const cosines = W.cosines(W.vector(find(W, word)));
      return new Map(W.names.map((name, row) => [name, cosines[row]]));
    });
    const common = in_a.names.filter((name) => in_b.row.has(name) && name !== word);
    const nearest = tables.map((table) => common.toSorted((x, y) => table.get(y) - table.get(x)).slice(0, n));
    const rows = (names) =>
      names.map((name) => ({ word: name, cosine_a: tables[0].get(name), cosine_b: tables[1].get(name) }));
    const [first, second] = nearest.map((names) => new Set(names));
    return {
      kept: rows(nearest[0].filter((name) => second.has(name))),
      gained: rows(nearest[1].filter((name) => !first.has(name))),
      lost: rows(nearest[0].filter((name) => !second.has(name))),
    };
  }
}

function open({ dim, data }) {
  const rows = (names, integers, scales) =>
    new Rows(names, decode(integers, Int8Array), decode(scales, Float32Array), dim);
  const floats = (text) => (text ? decode(text, Float32Array) : null);
  return {
    W: rows(data.words, data.W, data.W_scale),
    C: data.C ? rows(data.contexts, data.C, data.C_scale) : null,
    counts: data.counts,
    coordinates: floats(data.coordinates),
    classes: data.classes ? decode(data.classes, Uint8Array) : null,
    mean: floats(data.mean),
    root: floats(data.root),
    noise_root: floats(data.noise_root),
  };
}

function find(rows, word) {
  const row = rows.row.get(word);
  if (row !== undefined) return row;
  throw new Error(
    `'${word}' is not among the ${whole(rows.names.length)} words in this file. Export with a larger --export-words, or try another word.`,
  );
}

function ranked(W, scores, n, except, name) {
  return largest(scores, n, except).map((row) => ({ word: W.names[row], row, [name]: scores[row] }));
}

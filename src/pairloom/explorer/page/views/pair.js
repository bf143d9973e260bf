// Two words beside each other: how similar, why, and how probable they are as a pair.
import { barList, group, quoted, sideBySide } from '../bars.js';
import { decimal, h, named, percent, plural, visible } from '../dom.js';

export const pair = {
  name: 'pair',
  title: 'Compare',
  take: ([a = '', b = '']) => ({ a, b }),
  sections: [
    {
      fields: [
        { name: 'a', label: 'One word' },
        { name: 'b', label: 'Another' },
      ],
      button: 'Compare',
      empty: 'Choose two words to see which contexts make them similar.',
      answer,
    },
    {
      title: 'Probability of a pair',
      needsContexts: true,
      fields: [
        { name: 'w', label: 'Word w' },
        { name: 'c', label: 'Context c' },
      ],
      button: 'Compute',
      empty: 'p(D = 1 | w, c): how sure the model is that c was seen near w.',
      answer: probability,
    },
  ],
};

async function answer({ source, model, mark }, { a: [a], b: [b] }) {
  const [found, near_a, near_b] = await Promise.all([
    source.pair(model, a, b, 10),
    source.near(model, [a], { n: 8 }),
    source.near(model, [b], { n: 8 }),
  ]);
  mark({ chosen: [...near_a.row, ...near_b.row], found: [...near_a.near, ...near_b.near].map(({ row }) => row) });
  const { cosine, probability: p, explanation, reason } = found;
  return {
    said: `The cosine of ${visible(a)} and ${visible(b)} is ${decimal(cosine)}.`,
    nodes: [
      h('header', { class: 'answer-title' }, h('h2', {}, named(a), ' and ', named(b))),
      h('dl', { class: 'figures' }, figure('cosine', decimal(cosine)), p ? directions(a, b, p) : null),
      explanation ? why(explanation, a, b) : h('p', { class: 'hint' }, reason ?? 'This model cannot say why.'),
      sideBySide(neighbours(a, near_a, near_b), neighbours(b, near_b, near_a)),
    ],
  };
}

function figure(name, value) {
  return h('div', {}, h('dt', {}, name), h('dd', {}, value));
}

function directions(a, b, { a_b, b_a }) {
  const one = (w, c, p) =>
    p == null ? null : figure(h('span', {}, 'p(D=1 | ', named(w), ', ', named(c), ')'), percent(p));
  return [one(a, b, a_b), one(b, a, b_a)];
}

function why({ common, unexplained, half, sought, avoided, apart }, a, b) {
  const top = Math.max(...[...sought, ...avoided, ...apart].map(({ contribution }) => Math.abs(contribution)), 1e-9);
  const list = (rows) =>
    barList(
      rows.map(({ context, contribution }) => ({ word: context, value: contribution })),
      { top, link: false },
    );
  const part = (title, hint, rows) => (rows.length ? group(title, hint, list(rows)) : null);
  return h(
    'div',
    {},
    h('h3', { class: 'question' }, 'Why are these two similar?'),
    h(
      'p',
      { class: 'hint' },
      `Their cosine is a sum over contexts: ${plural(half, 'context')} make up half of what speaks for it. `,
      `${decimal(common)} is common to all words`,
      Math.abs(unexplained) > 0.0005 ? `, ${decimal(unexplained)} comes from contexts that are not listed here.` : '.',
    ),
    part('Both prefer', 'contexts that both words like more than the average word does', sought),
    part('Both avoid', null, avoided),
    part('Speaks against', `contexts that only one of ${quoted(a)} and ${quoted(b)} prefers`, apart),
  );
}

function neighbours(word, own, other) {
  const shared = new Set(other.near.map((row) => row.word));
  const rows = own.near.map((row) => ({ word: row.word, value: row.cosine, marked: shared.has(row.word) }));
  return h('section', { class: 'group-of' }, h('h3', {}, 'Near ', named(word)), barList(rows, { top: 1 }));
}

async function probability({ source, model }, { w: [w], c: [c] }) {
  const { probability: p, product } = await source.probability(model, w, c);
  return {
    said: `The probability of ${visible(c)} near ${visible(w)} is ${percent(p)}.`,
    nodes: [
      h('dl', { class: 'figures' }, directions(w, c, { a_b: p, b_a: null }), figure('v_w · v_c', decimal(product, 2))),
    ],
  };
}

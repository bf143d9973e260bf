// Lists of words with a number and a bar each.
import { to } from './address.js';
import { decimal, h, named, visible } from './dom.js';

// A link to the neighbours of a word.
export function wordLink(word) {
  return h('a', { href: to('near', { word }), class: 'word-link' }, named(word));
}

// A bar of a length between 0 and 1.
export function bar(part, against = false) {
  const fill = h('span', { class: against ? 'fill against' : 'fill' });
  fill.style.width = `${100 * Math.max(0.01, Math.min(1, part))}%`;
  return h('span', { class: 'track', 'aria-hidden': 'true' }, fill);
}

// `rows` are {word, value}; `show` writes the value, `more(row)` adds an element at the end of a row.
export function barList(rows, { show = decimal, top = null, more = null, link = true } = {}) {
  const longest = top ?? Math.max(...rows.map(({ value }) => Math.abs(value)), 1e-9);
  return h(
    'ol',
    { class: `bars${more ? ' has-more' : ''}` },
    rows.map((row) =>
      h(
        'li',
        { class: row.marked ? 'marked' : null },
        link ? wordLink(row.word) : named(row.word),
        bar(Math.abs(row.value) / longest, row.value < 0),
        h('span', { class: 'number' }, show(row.value)),
        more?.(row),
      ),
    ),
  );
}

// Words with two cosines each, under `names`; `rows` are {word, cosines}.
export function cosineTable(names, rows) {
  const cell = (cosine) =>
    h('td', {}, h('span', { class: 'number' }, decimal(cosine)), bar(Math.abs(cosine), cosine < 0));
  return h(
    'table',
    { class: 'steps' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ['Word', ...names].map((name) => h('th', { scope: 'col' }, name)),
      ),
    ),
    h(
      'tbody',
      {},
      rows.map(({ word, cosines }) => h('tr', {}, h('th', { scope: 'row' }, wordLink(word)), cosines.map(cell))),
    ),
  );
}

export function group(title, explanation, ...content) {
  return h(
    'section',
    { class: 'group-of' },
    h('h3', {}, title),
    explanation ? h('p', { class: 'hint' }, explanation) : null,
    content,
  );
}

// Two lists beside each other, below each other on a narrow screen.
export function sideBySide(...columns) {
  return h('div', { class: 'columns' }, columns);
}

export const quoted = (word) => `“${visible(word)}”`;

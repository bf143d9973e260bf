// The words on the way from one word to another.
import { bar, wordLink } from '../bars.js';
import { decimal, h, named, visible } from '../dom.js';

export const path = {
  name: 'path',
  title: 'Path',
  take: ([from = '', to = '']) => ({ from, to }),
  sections: [
    {
      fields: [
        { name: 'from', label: 'From' },
        { name: 'to', label: 'To' },
      ],
      button: 'Go',
      empty: 'The nearest words to points on the great circle between two words, drawn on the map as a line.',
      answer,
    },
  ],
};

async function answer({ source, model, mark }, { from: [from], to: [to] }) {
  const found = await source.path(model, from, to, 6);
  const rows = found.path.map(({ row }) => row);
  mark({ chosen: [rows[0], rows.at(-1)], line: rows });
  return {
    said: `From ${found.path.map(({ word }) => visible(word)).join(' to ')}.`,
    nodes: [
      h('header', { class: 'answer-title' }, h('h2', {}, named(from), ' → ', named(to))),
      h(
        'table',
        { class: 'steps' },
        h('thead', {}, h('tr', {}, ['Word', 'cosine to the first', 'to the last'].map((text) => h('th', { scope: 'col' }, text)))),
        h('tbody', {}, found.path.map(step)),
      ),
    ],
  };
}

function step({ word, cosine_from, cosine_to }) {
  const cell = (cosine) => h('td', {}, h('span', { class: 'number' }, decimal(cosine)), bar(Math.abs(cosine), cosine < 0));
  return h('tr', {}, h('th', { scope: 'row' }, wordLink(word)), cell(cosine_from), cell(cosine_to));
}

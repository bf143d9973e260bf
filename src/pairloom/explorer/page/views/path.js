// The words on the way from one word to another.
import { cosineTable } from '../bars.js';
import { h, named, visible } from '../dom.js';

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
      cosineTable(
        ['cosine to the first', 'to the last'],
        found.path.map(({ word, cosine_from, cosine_to }) => ({ word, cosines: [cosine_from, cosine_to] })),
      ),
    ],
  };
}

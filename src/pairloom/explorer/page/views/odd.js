// Which of several words does not belong to the others.
import { barList, group } from '../bars.js';
import { h, named, visible } from '../dom.js';

export const odd = {
  name: 'odd',
  title: 'Odd one out',
  take: (words) => ({ word: words }),
  sections: [
    {
      fields: [{ name: 'word', label: 'Add at least three words', many: true }],
      least: 3,
      button: 'Find',
      empty: 'Add three words or more. The odd one is the farthest from their mean.',
      answer,
    },
  ],
};

async function answer({ source, model, mark }, { word }) {
  const found = await source.odd(model, word);
  mark({ chosen: [found.odd], found: word });
  const rows = found.words.map((one) => ({ word: one.word, value: one.cosine, marked: one.word === found.odd }));
  return {
    said: `The odd one out is ${visible(found.odd)}.`,
    nodes: [
      h('header', { class: 'answer-title' }, h('h2', {}, h('em', {}, named(found.odd)), ' is the odd one out')),
      group(
        'Closeness to the others',
        'cosine to the mean of all',
        barList(
          rows.toSorted((x, y) => y.value - x.value),
          { top: 1 },
        ),
      ),
    ],
  };
}

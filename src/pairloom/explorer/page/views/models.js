// One word in two models: which neighbours it keeps, gains and loses.
import { cosineTable, group } from '../bars.js';
import { h, named, plural, visible } from '../dom.js';

export const models = {
  name: 'models',
  title: 'Models',
  needsModels: 2,
  take: ([word = '']) => ({ word }),
  sections: [
    {
      fields: [{ name: 'word', label: 'A word of both models' }],
      button: 'Compare',
      empty: 'The same word in both models: neighbours kept, gained and lost.',
      answer,
    },
  ],
};

// The model on the map and the next one on the command line.
async function answer({ source, model, infos, mark }, { word: [word] }) {
  const other = (model + 1) % infos.length;
  const { kept, gained, lost } = await source.compare(model, other, word, 20);
  mark({ chosen: [word], found: kept.map((row) => row.word) });
  const names = [infos[model].name, infos[other].name];
  const [first, second] = names[0] === names[1] ? ['the first', 'the second'] : names;
  const part = (title, hint, rows) =>
    group(`${title} (${rows.length})`, hint, rows.length ? table(rows, first, second) : h('p', {}, 'none'));
  return {
    said: `${plural(kept.length, 'neighbour')} of ${visible(word)} kept, ${gained.length} gained, ${lost.length} lost.`,
    nodes: [
      h(
        'header',
        { class: 'answer-title' },
        h('h2', {}, named(word)),
        h('p', { class: 'hint' }, `${first} and ${second}, words that both know`),
      ),
      part('Kept', 'among the 20 nearest in both', kept),
      part('Gained', `near in ${second} only`, gained),
      part('Lost', `near in ${first} only`, lost),
    ],
  };
}

function table(rows, first, second) {
  return cosineTable(
    [first, second],
    rows.map(({ word, cosine_a, cosine_b }) => ({ word, cosines: [cosine_a, cosine_b] })),
  );
}

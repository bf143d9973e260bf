// The neighbours of a word, or of the mean of several: among words, and among contexts.
import { to } from '../address.js';
import { barList, group } from '../bars.js';
import { h, named, percent, visible, whole } from '../dom.js';

const N = 12;

export const near = {
  name: 'near',
  title: 'Near',
  sections: [
    {
      fields: [{ name: 'word', label: 'Search a word', many: true }],
      button: 'Show',
      empty: 'Type a word, or click a point on the map. Add more words to see what is nearest to their mean.',
      answer,
    },
  ],
};

async function answer({ source, model, info, counts, named: loaded, mark }, { word }) {
  const [words, contexts] = await Promise.all([
    source.near(model, word, { n: N }),
    info.contexts ? source.near(model, word, { n: N, against: 'contexts' }) : null,
  ]);
  mark({ chosen: words.row, found: words.near.map(({ row }) => row) });
  return {
    said: `Nearest to ${word.map(visible).join(', ')}: ${words.near
      .slice(0, 5)
      .map((row) => visible(row.word))
      .join(', ')}`,
    nodes: [
      title(word, words.row, counts, loaded),
      group('Similar words', 'by the cosine of their vectors', similar(words.near, word)),
      contexts ? group('Contexts', 'that the model expects near it: p(D = 1 | w, c)', expected(contexts.near)) : null,
    ],
  };
}

function title(word, rows, counts, loaded) {
  const about = h('p', { class: 'hint' });
  const say = () => {
    const count = rows.length === 1 ? counts(rows[0]) : null;
    about.textContent = count == null ? '' : `seen ${whole(count)} times, rank ${whole(rows[0] + 1)}`;
  };
  say();
  loaded.then(say); // counts come with the names of the map
  const names = word.flatMap((one, i) => (i ? [' + ', named(one)] : [named(one)]));
  return h('header', { class: 'answer-title' }, h('h2', {}, names), about);
}

function similar(rows, [first]) {
  const why = ({ word }) =>
    h(
      'a',
      { class: 'why', href: to('pair', { a: first, b: word }), 'aria-label': `Why is it similar to ${visible(word)}?` },
      'why',
    );
  return barList(
    rows.map(({ word, cosine }) => ({ word, value: cosine })),
    { top: 1, more: why },
  );
}

function expected(rows) {
  const shown = rows.map(({ word, probability }) => ({ word, value: probability }));
  return barList(shown, { top: 1, show: percent });
}

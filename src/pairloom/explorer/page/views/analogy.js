// a is to b as c is to ...: by addition of vectors, and by multiplication of cosines.
import { barList, group, sideBySide } from '../bars.js';
import { h, named, visible } from '../dom.js';

export const analogy = {
  name: 'analogy',
  title: 'Analogy',
  take: ([a = '']) => ({ a }),
  sections: [
    {
      fields: [
        { name: 'a', label: 'A word' },
        { name: 'b', label: 'is to' },
        { name: 'c', label: 'as' },
      ],
      button: 'Find what',
      empty: 'For example: man is to king as woman is to what?',
      answer,
    },
  ],
};

async function answer({ source, model, mark }, { a: [a], b: [b], c: [c] }) {
  const methods = ['add', 'mul'].map((method) => source.analogy(model, a, b, c, method, 10));
  const [added, multiplied] = await Promise.all(methods);
  mark({ found: added.near.slice(0, 3).map(({ row }) => row) });
  const rows = ({ near }) => near.map((row) => ({ word: row.word, value: row.cosine ?? row.score }));
  const [best] = added.near;
  return {
    said: best
      ? `${visible(a)} is to ${visible(b)} as ${visible(c)} is to ${visible(best.word)}.`
      : 'No word was found.',
    nodes: [
      h(
        'header',
        { class: 'answer-title' },
        h('h2', {}, named(a), ' : ', named(b), ' = ', named(c), ' : ', best ? h('em', {}, named(best.word)) : '?'),
      ),
      sideBySide(
        group('By addition', 'cosine to b − a + c', barList(rows(added), { top: 1 })),
        group('By multiplication', 'cos b · cos c / cos a', barList(rows(multiplied))),
      ),
    ],
  };
}

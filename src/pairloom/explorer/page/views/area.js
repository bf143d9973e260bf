// The words inside an area of the map, most frequent first.
import { wordLink } from '../bars.js';
import { h, plural, whole } from '../dom.js';

const CORNERS = 48; // of the polygon in the address
const SHOWN = 300;

export const area = { name: 'area', title: 'Lasso', hidden: true, sections: [] };

// A polygon as an address has it: "0.12,-0.3;0.2,0.4".
export function writeArea(polygon) {
  const every = Math.max(1, Math.ceil(polygon.length / CORNERS));
  return polygon
    .filter((_, i) => i % every === 0)
    .map((point) => point.map((x) => x.toFixed(3)).join(','))
    .join(';');
}

export function readArea(text) {
  const polygon = text.split(';').map((point) => point.split(',').map(Number));
  return polygon.every((point) => point.length === 2 && point.every(Number.isFinite)) ? polygon : [];
}

export function showArea({ coordinates, names, counts, mark }, text) {
  const polygon = readArea(text);
  const rows = [];
  for (let row = 0; row < coordinates.length / 2; row++) {
    if (contains(polygon, coordinates[2 * row], coordinates[2 * row + 1])) rows.push(row);
  }
  mark({ area: polygon });
  const listed = rows.slice(0, SHOWN).filter((row) => names[row] !== undefined);
  const line = (row) =>
    h('li', {}, wordLink(names[row]), h('span', { class: 'number' }, counts(row) == null ? '' : whole(counts(row))));
  return {
    said: `${plural(rows.length, 'word')} in the lasso.`,
    nodes: [
      h(
        'header',
        { class: 'answer-title' },
        h('h2', {}, `${plural(rows.length, 'word')} in the lasso`),
        h('p', { class: 'hint' }, 'most frequent first'),
      ),
      h('ol', { class: 'plain' }, listed.map(line)),
      rows.length > SHOWN ? h('p', { class: 'hint' }, `and ${whole(rows.length - SHOWN)} less frequent ones`) : null,
      rows.length ? null : h('p', {}, 'No word is inside. Draw a larger area, or zoom in first.'),
    ],
  };
}

// Even-odd rule: a ray from inside crosses the outline an odd number of times.
function contains(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [[xi, yi], [xj, yj]] = [polygon[i], polygon[j]];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

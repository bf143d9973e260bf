// The map as a file: PNG from the two canvases, SVG drawn anew from the points and labels in view.
import { inks } from './overlay.js';
import { rowsInView } from './labels.js';
import { step } from './colours.js';

const SVG = 'http://www.w3.org/2000/svg';

export async function savePng(map, name) {
  const { width, height } = map.canvas;
  const picture = Object.assign(document.createElement('canvas'), { width, height });
  const context = picture.getContext('2d');
  context.fillStyle = inks().paper;
  context.fillRect(0, 0, width, height);
  context.drawImage(map.canvas, 0, 0);
  context.drawImage(map.overlay.canvas, 0, 0, width, height);
  const blob = await new Promise((resolve) => picture.toBlob(resolve, 'image/png'));
  save(blob, `${name}.png`);
}

export function saveSvg(map, colouring, name) {
  const text = new XMLSerializer().serializeToString(draw(map, colouring));
  save(new Blob([text], { type: 'image/svg+xml' }), `${name}.svg`);
}

function draw(map, { mode, values, sizes, colours, title }) {
  const { width, height } = map.box.getBoundingClientRect();
  const { ink, paper, accent } = inks();
  const svg = element('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'font-family': 'sans-serif',
  });
  svg.append(withText(element('title', {}), title));
  svg.append(element('rect', { width, height, fill: paper }));
  // Points of one colour and size are one path of dots: 100,000 circles would be ten times the file.
  const dots = new Map();
  for (const { row, x, y } of rowsInView(map.coordinates, map.place(), width, height)) {
    const key = `${step(mode, values[row], colours.length)} ${(3 + 4 * sizes[row]).toFixed(0)}`;
    if (!dots.has(key)) dots.set(key, []);
    dots.get(key).push(`M${x.toFixed(1)} ${y.toFixed(1)}h0`);
  }
  const points = element('g', { fill: 'none', 'stroke-linecap': 'round', 'stroke-opacity': 0.8 });
  for (const [key, moves] of dots) {
    const [colour, size] = key.split(' ');
    points.append(element('path', { d: moves.join(''), stroke: colours[colour], 'stroke-width': size }));
  }
  svg.append(points, marks(map.overlay, accent), texts(map.overlay, { ink, paper, accent }));
  return svg;
}

function marks({ area, line, rings }, accent) {
  const group = element('g', { fill: 'none', stroke: accent, 'stroke-width': 2, 'stroke-linejoin': 'round' });
  const list = (points) => points.map((point) => point.map((x) => x.toFixed(1)).join(',')).join(' ');
  if (area.length) group.append(element('polygon', { points: list(area) }));
  if (line.length) group.append(element('polyline', { points: list(line) }));
  for (const [x, y, radius] of rings)
    group.append(element('circle', { cx: x.toFixed(1), cy: y.toFixed(1), r: radius }));
  return group;
}

function texts({ labels }, { ink, paper, accent }) {
  const group = element('g', { 'text-anchor': 'middle', stroke: paper, 'stroke-width': 3, 'paint-order': 'stroke' });
  for (const { text, x, y, strong } of labels) {
    const style = { fill: strong ? accent : ink, 'font-size': strong ? 14 : 12, 'font-weight': strong ? 600 : 500 };
    group.append(withText(element('text', { x: x.toFixed(1), y: y.toFixed(1), ...style }), text));
  }
  return group;
}

function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function withText(made, text) {
  made.textContent = text;
  return made;
}

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

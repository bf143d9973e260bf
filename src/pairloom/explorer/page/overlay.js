// What is drawn over the points: labels, rings round the words of the answer, the line of a path.
import { fontOf, placeLabels } from './labels.js';
import { visible } from './dom.js';

export class Overlay {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    Object.assign(this, { labels: [], rings: [], line: [], area: [] }); // in pixels, as last drawn
    this.mark({});
  }

  // What is highlighted: rows of the question, rows of the answer, rows joined by a line, a polygon round an area.
  mark({ chosen = [], found = [], line = [], area = [] }) {
    Object.assign(this, { chosen, found, path: line, polygon: area });
  }

  markedRows(n) {
    return [...new Set([...this.chosen, ...this.path, ...this.found])].filter((row) => row < n);
  }

  draw({ coordinates, names, place, width, height }) {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const n = coordinates.length / 2;
    const mapped = (rows) => rows.filter((row) => row < n);
    const at = (row) => toScreen(place, coordinates[2 * row], coordinates[2 * row + 1]);
    const [chosen, found] = [mapped(this.chosen), mapped(this.found)];
    const nameOf = (row) => (names[row] === undefined ? undefined : visible(names[row]));
    this.labels = placeLabels(this.context, {
      coordinates,
      nameOf,
      place,
      width,
      height,
      sure: chosen,
      strong: [...mapped(this.path), ...found],
    });
    this.rings = [...found.map((row) => [...at(row), 5]), ...chosen.map((row) => [...at(row), 8])];
    this.line = mapped(this.path).map(at);
    this.area = this.polygon.map(([x, y]) => toScreen(place, x, y));
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.paint(this.context);
  }

  paint(context) {
    const { ink, paper, accent } = inks();
    Object.assign(context, { lineJoin: 'round', lineCap: 'round', textAlign: 'center', textBaseline: 'alphabetic' });
    Object.assign(context, { strokeStyle: accent, fillStyle: accent, lineWidth: 2 });
    stroke(context, this.area, true);
    stroke(context, this.line, false);
    for (const [x, y, radius] of this.rings) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.stroke();
    }
    for (const { text, x, y, strong } of this.labels) {
      Object.assign(context, {
        font: fontOf(strong),
        strokeStyle: paper,
        lineWidth: 3.5,
        fillStyle: strong ? accent : ink,
      });
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
    }
  }
}

export function toScreen({ ax, bx, ay, by }, x, y) {
  return [ax * x + bx, ay * y + by];
}

// The colours of style.css in the current theme, as a canvas and WebGL take them.
export function inks() {
  const { color, backgroundColor } = getComputedStyle(document.body);
  const accent = getComputedStyle(document.querySelector('.mark')).backgroundColor;
  return { ink: hex(color), paper: hex(backgroundColor), accent: hex(accent) };
}

function hex(rgb) {
  return `#${rgb
    .match(/\d+/g)
    .slice(0, 3)
    .map((x) => Number(x).toString(16).padStart(2, '0'))
    .join('')}`;
}

function stroke(context, points, closed) {
  if (points.length < 2) return;
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  if (closed) context.closePath();
  context.stroke();
}

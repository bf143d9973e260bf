// The map: points by regl-scatterplot, and an overlay that follows them.
import createScatterplot from './vendor/regl-scatterplot.js';
import { Overlay, inks } from './overlay.js';
import { forwardTouches } from './touch.js';

const SIZES = [
  // at most so many points: smallest and largest size, opacity
  [5000, 5, 11, 0.85],
  [30000, 3, 8, 0.75],
  [150000, 2, 5, 0.6],
  [Infinity, 1.4, 3, 0.45],
];

// Where the camera starts: the map with a margin, a little lower than the middle to leave room for the tools.
const MARGIN = 1.16;
const CENTRE = [0, 0.05];

export class WordMap {
  constructor(box, canvas, overlay, { onClick, onArea, onHover }) {
    Object.assign(this, { box, canvas, names: [], coordinates: new Float32Array(0) });
    this.overlay = new Overlay(overlay);
    this.drawing = Promise.resolve();
    const { width, height } = box.getBoundingClientRect();
    this.plot = createScatterplot({
      canvas,
      width,
      height,
      cameraDistance: far(width, height),
      cameraTarget: CENTRE,
      backgroundColor: inks().paper,
      colorBy: 'valueA',
      sizeBy: 'valueB',
      pointOutlineWidth: 0,
      pointSizeSelected: 0,
      lassoColor: inks().accent,
      lassoOnLongPress: false,
      deselectOnEscape: false,
      deselectOnDblClick: false,
      actionKeyMap: { lasso: 'shift' }, // no rotation: words stay where one remembers them
    });
    this.#listen({ onClick, onArea, onHover });
    forwardTouches(canvas);
    new ResizeObserver(() => this.#fit()).observe(box);
  }

  #listen({ onClick, onArea, onHover }) {
    let lasso = false;
    this.plot.subscribe('lassoStart', () => (lasso = true));
    this.plot.subscribe('lassoEnd', ({ coordinates }) => {
      lasso = false;
      this.#forget();
      if (coordinates.length > 2) onArea(coordinates);
    });
    this.plot.subscribe('select', ({ points }) => {
      if (lasso || points.length !== 1) return;
      this.#forget();
      onClick(points[0]);
    });
    this.plot.subscribe('pointover', (row) => onHover(row, this.plot.getScreenPosition(row)));
    this.plot.subscribe('pointout', () => onHover(null));
    this.plot.subscribe('view', () => this.redraw());
  }

  // A selection is shown by the overlay. regl-scatterplot says nothing when the same point is selected twice.
  #forget() {
    queueMicrotask(() => this.plot.deselect({ preventEvent: true }));
  }

  #fit() {
    const { width, height } = this.box.getBoundingClientRect();
    if (!width || !height) return;
    this.plot.set({ width, height });
    this.redraw();
  }

  // Draw points: `values` colour them (numbers of classes, or 0 to 1), `sizes` are 0 to 1.
  draw({ coordinates, values, sizes, categorical, colours }) {
    const same = coordinates === this.coordinates;
    this.drawing = this.drawing.then(async () => {
      const [, small, large, opacity] = SIZES.find(([most]) => coordinates.length / 2 <= most);
      this.plot.set({
        pointColor: colours,
        opacity,
        pointSize: Array.from({ length: 8 }, (_, i) => small + ((large - small) * i) / 7),
      });
      const n = coordinates.length / 2;
      const column = (offset) => Float32Array.from({ length: n }, (_, row) => coordinates[2 * row + offset]);
      const points = { x: column(0), y: column(1), valueA: values, valueB: sizes };
      await this.plot.draw(points, {
        zDataType: categorical ? 'categorical' : 'continuous',
        wDataType: 'continuous',
        preventFilterReset: true,
        spatialIndex: same ? this.plot.get('spatialIndex') : undefined,
      });
      Object.assign(this, { coordinates, extremes: extremes(coordinates) });
      this.canvas.dataset.drawn = n; // how many points are there, for tests and the curious
      this.redraw();
    });
    return this.drawing;
  }

  setNames(names) {
    this.names = names;
    this.redraw();
  }

  mark(marks) {
    this.overlay.mark(marks);
    this.redraw();
  }

  // Draw the overlay at the next frame.
  redraw() {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.#paint());
  }

  #paint() {
    this.frame = 0;
    if (!this.coordinates.length) return;
    const { width, height } = this.box.getBoundingClientRect();
    this.overlay.draw({ coordinates: this.coordinates, names: this.names, place: this.place(), width, height });
  }

  // How coordinates become pixels, x -> ax x + bx: seen from the points at the edges, whose pixels the plot knows.
  place() {
    const { left, right, bottom, top } = this.extremes;
    const at = (row) => this.plot.getScreenPosition(row);
    const ax = slope(this.coordinates, left, right, 0, at);
    const ay = slope(this.coordinates, bottom, top, 1, at);
    const [x, y] = at(left);
    const [sx, sy] = [ax ?? -(ay ?? -1), ay ?? -(ax ?? 1)];
    return { ax: sx, bx: x - sx * this.coordinates[2 * left], ay: sy, by: y - sy * this.coordinates[2 * left + 1] };
  }

  setInks() {
    this.plot.set({ backgroundColor: inks().paper, lassoColor: inks().accent });
  }

  setLasso(on) {
    this.plot.set({ mouseMode: on ? 'lasso' : 'panZoom' });
  }

  // Zoom by a factor and move by parts of what is visible.
  move(factor, right = 0, up = 0) {
    const distance = this.plot.get('cameraDistance');
    const [x, y] = this.plot.get('cameraTarget');
    const target = [x + right * distance, y + up * distance];
    this.plot.zoomToLocation(target, distance / factor, { transition: isMotionWelcome(), transitionDuration: 180 });
  }

  showAll() {
    const { width, height } = this.box.getBoundingClientRect();
    this.plot.zoomToLocation(CENTRE, far(width, height), { transition: isMotionWelcome(), transitionDuration: 250 });
  }

  // Zoom to all highlighted words.
  showMarked() {
    const rows = this.overlay.markedRows(this.coordinates.length / 2);
    if (rows.length === 1) return this.#near(rows[0]);
    if (rows.length)
      this.plot.zoomToPoints(rows, { padding: 0.4, transition: isMotionWelcome(), transitionDuration: 350 });
  }

  #near(row) {
    const target = [this.coordinates[2 * row], this.coordinates[2 * row + 1]];
    this.plot.zoomToLocation(target, 0.2, { transition: isMotionWelcome(), transitionDuration: 350 });
  }

  // Show all if one of these words is outside of what is visible.
  reveal(rows) {
    const { width, height } = this.box.getBoundingClientRect();
    const isSeen = ([x, y]) => x >= 0 && y >= 0 && x <= width && y <= height;
    const known = rows.filter((row) => row < this.coordinates.length / 2);
    if (!known.every((row) => isSeen(this.plot.getScreenPosition(row)))) this.showAll();
  }
}

// Coordinates from -1 to 1 fill the height; a map that is higher than wide needs more distance.
const far = (width, height) => MARGIN * Math.max(1, height / width);
const isMotionWelcome = () => !matchMedia('(prefers-reduced-motion: reduce)').matches;

function extremes(coordinates) {
  const found = { left: 0, right: 0, bottom: 0, top: 0 };
  for (let row = 0; row < coordinates.length / 2; row++) {
    if (coordinates[2 * row] < coordinates[2 * found.left]) found.left = row;
    if (coordinates[2 * row] > coordinates[2 * found.right]) found.right = row;
    if (coordinates[2 * row + 1] < coordinates[2 * found.bottom + 1]) found.bottom = row;
    if (coordinates[2 * row + 1] > coordinates[2 * found.top + 1]) found.top = row;
  }
  return found;
}

// Pixels for each unit along an axis; undefined if all points are at one place.
function slope(coordinates, low, high, axis, at) {
  const distance = coordinates[2 * high + axis] - coordinates[2 * low + axis];
  return distance > 0 ? (at(high)[axis] - at(low)[axis]) / distance : undefined;
}

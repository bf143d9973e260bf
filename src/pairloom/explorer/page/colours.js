// Colours of points, for light and dark. Text and chrome have theirs in style.css.

const RAMPS = {
  light: {
    frequency: ['#bccbd6', '#7fa1ba', '#3f769c', '#0f4c78'],
    similarity: ['#d5d8da', '#d9b7a3', '#d07f55', '#a63d17'],
  },
  dark: {
    frequency: ['#33414d', '#4b6a83', '#6fa0c6', '#b5dcfb'],
    similarity: ['#2e343b', '#6b4a3a', '#c26f45', '#ffae82'],
  },
};

// Twelve that differ in hue and in lightness (Paul Tol's muted set and four of its neighbours).
const CLASSES = {
  light: [
    '#332288',
    '#b5762a',
    '#117733',
    '#cc6677',
    '#1f8fc4',
    '#882255',
    '#6f7d16',
    '#aa4499',
    '#2c9c8c',
    '#7a4b1e',
    '#5b6cc9',
    '#6b6b6b',
  ],
  dark: [
    '#9d8df1',
    '#e6b86a',
    '#5fc77d',
    '#f08c9c',
    '#6cc5f0',
    '#d96ba0',
    '#b9c74a',
    '#dd86d0',
    '#5fd3c2',
    '#c79a6b',
    '#93a4ff',
    '#b4b4b4',
  ],
};
const NO_CLASS = { light: '#c4c4c0', dark: '#44484e' };
export const N_CLASSES = CLASSES.light.length;

// 32 steps between the given colours.
function ramp(stops, steps = 32) {
  const rgb = stops.map((hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  return Array.from({ length: steps }, (_, i) => {
    const at = (i / (steps - 1)) * (rgb.length - 1);
    const [low, part] = [Math.min(Math.floor(at), rgb.length - 2), at - Math.min(Math.floor(at), rgb.length - 2)];
    const mixed = rgb[low].map((x, j) => Math.round(x + part * (rgb[low + 1][j] - x)));
    return `#${mixed.map((x) => x.toString(16).padStart(2, '0')).join('')}`;
  });
}

export function palette(mode, theme) {
  return mode === 'class' ? [...CLASSES[theme], NO_CLASS[theme]] : ramp(RAMPS[theme][mode]);
}

// Words without a class (255: their vector is zero) come after the last class.
export function byClass(classes) {
  return classes.map((number) => Math.min(number, N_CLASSES));
}

// 1 for the most frequent word, 0 for the last: rows are in order of frequency, and so need no counts.
export function byFrequency(n) {
  const last = Math.log(n + 1) || 1;
  return Float32Array.from({ length: n }, (_, row) => 1 - Math.log(row + 1) / last);
}

// 0 at cosine 0 and below, 1 at the largest cosine of another word; squared, so that the few similar words stand out.
export function bySimilarity(cosines) {
  let top = 0.05;
  for (const x of cosines) if (x > top && x < 0.9999) top = x;
  return { values: cosines.map((x) => (x > 0 ? Math.min(1, x / top) ** 2 : 0)), top };
}

// The index into the palette for a value, as the shader of the map computes it.
export function step(mode, value, length) {
  return mode === 'class' ? value : Math.min(length - 1, Math.floor(value * length));
}

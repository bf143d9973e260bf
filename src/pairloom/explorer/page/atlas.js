// The map of one model: loads its points and names, colours them, and explains the colours.
import { N_CLASSES, byClass, byFrequency, bySimilarity, palette } from './colours.js';
import { $, decimal, h, named, whole } from './dom.js';
import { WordMap } from './map.js';
import { savePng, saveSvg } from './pictures.js';
import { currentTheme } from './theme.js';

export class Atlas {
  constructor(source, { onWord, onArea }) {
    Object.assign(this, {
      source,
      onWord,
      onArea,
      model: null,
      names: [],
      counts: [],
      rows: new Map(),
      mode: 'frequency',
      word: null,
    });
    this.coordinates = new Float32Array(0);
  }

  // Load the map of a model. The names follow in pieces, most frequent first; `onNames` is called after each, and
  // `named` is kept after the first.
  async load(model, info, onNames) {
    Object.assign(this, { model, info, names: [], counts: [], rows: new Map(), coordinates: new Float32Array(0) });
    const { promise, resolve } = Promise.withResolvers();
    this.named = promise;
    this.#say('Loading the map …');
    const coordinates = await this.source.map(model);
    if (this.model !== model) return;
    this.map ??= this.#open();
    Object.assign(this, { coordinates, sizes: byFrequency(coordinates.length / 2) });
    this.map.setNames([]);
    await this.colour(this.mode, this.word).catch((error) => this.#plain(error));
    this.#say(coordinates.length ? '' : 'This model has no words to show.');
    await this.source.words(model, coordinates.length / 2, (piece) => {
      if (this.model !== model) return;
      this.#add(piece);
      resolve();
      onNames();
    });
    this.map.canvas.dataset.named = this.names.length;
  }

  #open() {
    return new WordMap($('map'), $('points'), $('labels'), {
      onClick: (row) => this.names[row] !== undefined && this.onWord(this.names[row]),
      onArea: this.onArea,
      onHover: (row, at) => this.#hover(row, at),
    });
  }

  #add({ start, words, counts }) {
    words.forEach((word, i) => {
      this.names[start + i] = word;
      this.rows.set(word, start + i);
      if (counts) this.counts[start + i] = counts[i];
    });
    this.map.setNames(this.names);
    this.#applyMarks();
  }

  // Colour the points by frequency, class, or similarity to a word.
  async colour(mode, word) {
    const { source, model } = this;
    Object.assign(this, { mode, word });
    if (!this.coordinates.length) return;
    const slow = setTimeout(() => $('legend').replaceChildren('Computing the colours …'), 150);
    const { values, top } = await this.#values(mode, word).finally(() => clearTimeout(slow));
    if (this.model !== model || this.mode !== mode || this.word !== word) return; // something else was asked meanwhile
    const shown = mode === 'similarity' && !word ? 'frequency' : mode;
    this.colouring = { mode: shown, values, sizes: this.sizes, colours: palette(shown, currentTheme()), top };
    await this.map.draw({ ...this.colouring, coordinates: this.coordinates, categorical: shown === 'class' });
    this.#explain(word, top);
  }

  async #values(mode, word) {
    if (mode === 'class') return { values: byClass(await this.source.classes(this.model, N_CLASSES)) };
    if (mode === 'similarity' && word) return bySimilarity(await this.source.similarityTo(this.model, word));
    return { values: this.sizes };
  }

  #explain(word, top) {
    const { mode, colours } = this.colouring;
    const scale = h(
      'span',
      { class: 'scale', 'aria-hidden': 'true' },
      colours.filter((_, i) => (mode === 'class' ? i < N_CLASSES : i % 4 === 3)).map(swatch),
    );
    const texts = {
      frequency: [this.mode === 'similarity' ? 'choose a word; until then: rare' : 'rare', scale, 'frequent'],
      class: [scale, `${N_CLASSES} classes of similar words (k-means)`],
      similarity: ['cosine to ', named(word ?? ''), ' 0', scale, decimal(top ?? 1, 2)],
    };
    $('legend').replaceChildren(...texts[mode]);
    $('legend').dataset.mode = this.mode;
  }

  // Draw the points by frequency, since they cannot be coloured as the address asks.
  async #plain(error) {
    await this.colour('frequency', null);
    this.colourFailed(error);
  }

  // Say in place of the legend why the points keep their colours.
  colourFailed(error) {
    $('legend').replaceChildren(error.message);
  }

  // Repaint in the colours of the theme.
  restyle() {
    if (!this.map) return;
    this.map.setInks();
    return this.colour(this.mode, this.word);
  }

  #hover(row, at) {
    const tip = $('tip');
    tip.hidden = row == null || this.names[row] === undefined;
    if (tip.hidden) return;
    const count = this.counts[row];
    tip.replaceChildren(named(this.names[row]), count == null ? '' : h('span', { class: 'count' }, whole(count)));
    const { width } = $('map').getBoundingClientRect();
    tip.style.left = `${Math.min(at[0] + 12, width - tip.offsetWidth - 8)}px`;
    tip.style.top = `${at[1] + 14}px`;
  }

  countOf(row) {
    return this.counts[row] ?? null;
  }

  // Highlight words, given as rows or by name, now or when the map has come.
  mark(marks) {
    this.marks = marks;
    this.#applyMarks();
  }

  #applyMarks() {
    const { chosen, found, line, area } = this.marks ?? {};
    const rowsOf = (words = []) =>
      words.map((word) => (typeof word === 'number' ? word : this.rows.get(word))).filter((row) => row !== undefined);
    const [asked, answered, way] = [chosen, found, line].map(rowsOf);
    $('zoom-marked').disabled = !(asked.length || answered.length || way.length);
    this.map?.mark({ chosen: asked, found: answered, line: way, area });
    this.map?.reveal([...asked, ...way]);
  }

  savePng() {
    return savePng(this.map, this.#fileName());
  }

  saveSvg() {
    saveSvg(this.map, { ...this.colouring, title: `Map of ${this.info.name}` }, this.#fileName());
  }

  #fileName() {
    return this.info.name.replace(/\.[a-z]+$/i, '').replace(/[^\p{L}\p{N}_-]+/gu, '-') || 'map';
  }

  #say(text) {
    $('map-state').textContent = text;
    $('map-state').hidden = !text;
  }

  fail(error) {
    this.#say(error.message);
    $('map-state').classList.add('error');
  }
}

function swatch(colour) {
  const square = h('i', {});
  square.style.background = colour;
  return square;
}

// The page of `pairloom explore`: puts the map, the panel and the address together.
import { amend, go, read, words } from './address.js';
import { Atlas } from './atlas.js';
import { $, h, plural, whole } from './dom.js';
import { startKeys, startMapKeys } from './keys.js';
import { Panel } from './panel.js';
import { openSource } from './source.js';
import { startTheme } from './theme.js';
import { writeArea } from './views/area.js';

const source = openSource();
const atlas = new Atlas(source, {
  onWord: (word) => go('near', { word }),
  onArea: (polygon) => go('area', { polygon: writeArea(polygon) }),
});
let infos = [];
const panel = new Panel(() => ({
  source,
  infos,
  model: modelOf(read()),
  info: infos[modelOf(read())],
  names: atlas.names,
  coordinates: atlas.coordinates,
  counts: (row) => atlas.countOf(row),
  named: atlas.named,
  mark: (marks) => atlas.mark(marks),
  complete: async (prefix) => (await source.complete(modelOf(read()), prefix, 8)).words,
}));

function modelOf({ query }) {
  const model = Number(query.get('model') ?? 0);
  return Number.isInteger(model) && model >= 0 && model < infos.length ? model : 0;
}

// Show what the address says.
async function show() {
  const address = read();
  const model = modelOf(address);
  const colour = ['class', 'similarity'].includes(address.query.get('colour'))
    ? address.query.get('colour')
    : 'frequency';
  const [word = null] = words(address);
  $('colour').querySelector(`[value=${colour}]`).checked = true;
  $('model').value = String(model);
  if (atlas.model !== model) {
    Object.assign(atlas, { mode: colour, word: colour === 'similarity' ? word : null });
    describe(infos[model]);
    atlas.load(model, infos[model], () => panel.refresh()).catch((error) => atlas.fail(error));
  } else if (atlas.mode !== colour || (colour === 'similarity' && atlas.word !== word)) {
    atlas.colour(colour, colour === 'similarity' ? word : null).catch((error) => atlas.colourFailed(error));
  }
  await panel.show();
}

function describe(info) {
  const mapped = info.mapped < info.words ? `, ${whole(info.mapped)} on the map` : '';
  $('about').textContent =
    `${infos.length > 1 ? '' : `${info.name} · `}${plural(info.words, 'word')} × ${info.dim}${mapped}`;
}

function startTools(toggleTheme) {
  const lasso = (on) => {
    $('lasso').setAttribute('aria-pressed', String(on));
    $('map').classList.toggle('lassoing', on);
    atlas.map?.setLasso(on);
  };
  const isLasso = () => $('lasso').getAttribute('aria-pressed') === 'true';
  $('lasso').addEventListener('click', () => lasso(!isLasso()));
  $('zoom-in').addEventListener('click', () => atlas.map?.move(1.5));
  $('zoom-out').addEventListener('click', () => atlas.map?.move(1 / 1.5));
  $('reset').addEventListener('click', () => atlas.map?.showAll());
  $('zoom-marked').addEventListener('click', () => atlas.map?.showMarked());
  $('png').addEventListener('click', () => atlas.colouring && atlas.savePng());
  $('svg').addEventListener('click', () => atlas.colouring && atlas.saveSvg());
  $('colour').addEventListener('change', (event) => amend({ colour: event.target.value }));
  $('model').addEventListener('change', (event) => amend({ model: event.target.value }));
  $('skip').addEventListener('click', (event) => {
    event.preventDefault(); // the address belongs to the views
    $('panel').focus();
  });
  startKeys({
    search: () => panel.focus(),
    open: (n) => panel.open(n),
    showMarked: () => atlas.map?.showMarked(),
    toggleTheme,
    toggleLasso: () => lasso(!isLasso()),
    leaveLasso: () => lasso(false),
  });
  startMapKeys($('points'), () => atlas.map);
}

async function start() {
  startTools(startTheme(() => atlas.restyle()));
  try {
    const answer = await source.models();
    infos = answer.models;
    $('model').replaceChildren(...infos.map(({ name }, i) => h('option', { value: i }, name)));
    $('model').hidden = infos.length < 2;
    $('note').textContent = source.exact
      ? `pairloom ${answer.version}`
      : `pairloom ${answer.version}. This file holds the most frequent words, with vectors rounded to 8 bits: numbers are right to about 0.01.`;
    window.addEventListener('hashchange', show);
    await show();
  } catch (error) {
    atlas.fail(error);
  }
}

start();

// Keys of the whole page. Where text is typed, they are text.
import { $ } from './dom.js';

export function startKeys({ search, open, showMarked, toggleTheme, toggleLasso, leaveLasso }) {
  const help = $('help');
  $('help-open').addEventListener('click', () => help.showModal());
  const keys = {
    '/': search,
    '?': () => help.showModal(),
    z: showMarked,
    l: toggleLasso,
    d: toggleTheme,
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.key === 'Escape') {
      leaveLasso();
      if (isText(event.target)) event.target.blur();
      return;
    }
    if (isText(event.target)) return;
    const act = keys[event.key.toLowerCase()] ?? (/^[1-7]$/.test(event.key) ? () => open(Number(event.key)) : null);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

export function startMapKeys(canvas, map) {
  const moves = {
    '+': [1.5],
    '=': [1.5],
    '-': [1 / 1.5],
    ArrowLeft: [1, -0.3, 0],
    ArrowRight: [1, 0.3, 0],
    ArrowUp: [1, 0, 0.3],
    ArrowDown: [1, 0, -0.3],
  };
  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in moves) map()?.move(...moves[event.key]);
    else if (event.key === '0') map()?.showAll();
    else return;
    event.preventDefault();
  });
}

const isText = (element) => element.matches?.('input[type="text"], select, textarea');

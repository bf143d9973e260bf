// Light or dark: what the system prefers, until the switch is used. The choice lasts as long as the tab.
import { $ } from './dom.js';

const dark = matchMedia('(prefers-color-scheme: dark)');
const NAME = 'pairloom-theme';

export function currentTheme() {
  return document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light');
}

export function startTheme(onChange) {
  const chosen = remembered();
  if (chosen) document.documentElement.dataset.theme = chosen;
  const show = () => {
    const other = currentTheme() === 'dark' ? 'Light' : 'Dark';
    $('theme').textContent = other;
    $('theme').setAttribute('aria-label', `Switch to ${other.toLowerCase()} colours`);
  };
  const toggle = () => {
    document.documentElement.dataset.theme = currentTheme() === 'dark' ? 'light' : 'dark';
    remember(document.documentElement.dataset.theme);
    show();
    onChange();
  };
  dark.addEventListener('change', () => (show(), onChange()));
  $('theme').addEventListener('click', toggle);
  show();
  return toggle;
}

// A browser may forbid storage, for example for files on disk.
function remembered() {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return null;
  }
}

function remember(theme) {
  try {
    sessionStorage.setItem(NAME, theme);
  } catch {
    // the choice lasts until the page is left
  }
}

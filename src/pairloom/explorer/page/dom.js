// Elements of the page. Words are hostile text: they enter only as text nodes and attributes of the DOM, never as HTML.

export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null));
  return element;
}

export const $ = (id) => document.getElementById(id);

// Characters that steer the direction of text or show nothing: a word of them would be invisible, or reorder a line.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const JOINERS = new Set(['\u200c', '\u200d']); // parts of ordinary words in Persian and Hindi

// A word as it can be shown: unseen characters as U+XXXX.
export function visible(word) {
  return word.replace(UNSEEN, (c) =>
    JOINERS.has(c) ? c : `‹U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}›`,
  );
}

// A word in its own direction, apart from the text around it.
export function named(word) {
  return h('bdi', { class: 'word' }, visible(word));
}

// Say an answer to those who do not see the page change.
export function announce(sentence) {
  $('announcer').textContent = sentence;
}

export const whole = (n) => n.toLocaleString('en');
export const decimal = (x, digits = 3) => (x < 0 ? '−' : '') + Math.abs(x).toFixed(digits);
export const percent = (p) => (p > 0.9995 ? '> 99.9 %' : p < 0.0005 ? '< 0.1 %' : `${(100 * p).toFixed(1)} %`);
export const plural = (n, noun) => `${whole(n)} ${noun}${n === 1 ? '' : 's'}`;

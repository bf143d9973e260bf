// A text field that completes words: the combobox pattern of WAI-ARIA, with the list below the field.
import { announce, h, named, plural, visible, whole } from './dom.js';

const WAIT = 60; // ms without a key before the source is asked
let fields = 0;

// `complete(prefix)` returns words; `onPick(word)` is called when one is chosen, or when text is entered as it is.
export function completingField({ label, name, complete, onPick }) {
  const id = `field-${(fields += 1)}`;
  const list = h('ul', {
    role: 'listbox',
    id: `${id}-list`,
    class: 'options',
    'aria-label': `${label}: completions`,
    hidden: true,
  });
  const input = h('input', {
    id,
    name,
    type: 'text',
    role: 'combobox',
    dir: 'auto',
    maxlength: 1000,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': list.id,
  });
  const element = h(
    'div',
    { class: 'field' },
    h('label', { for: id }, label),
    h('div', { class: 'combo' }, input, list),
  );
  const options = new Options(input, list, onPick);
  let timer = 0;
  let asked = 0;

  async function ask() {
    const prefix = input.value.trim();
    const turn = (asked += 1);
    const found = prefix ? await complete(prefix).catch(() => []) : [];
    if (turn === asked && document.activeElement === input) options.show(found);
  }

  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(ask, WAIT);
  });
  input.addEventListener('keydown', (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves) {
      if (list.hidden) ask();
      else options.move(moves[event.key]);
      event.preventDefault();
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      asked += 1;
      clearTimeout(timer);
      options.enter();
    } else if (event.key === 'Escape' && !list.hidden) {
      options.close();
      event.stopPropagation();
    }
  });
  input.addEventListener('blur', () => setTimeout(() => options.close(), 120));
  return { element, input };
}

class Options {
  constructor(input, list, onPick) {
    Object.assign(this, { input, list, onPick, words: [], active: -1 });
  }

  show(words) {
    Object.assign(this, { words, active: -1 });
    this.input.removeAttribute('aria-activedescendant');
    this.list.replaceChildren(...words.map((word, i) => this.#option(word, i)));
    this.list.hidden = words.length === 0;
    this.input.setAttribute('aria-expanded', String(words.length > 0));
    announce(
      words.length ? `${plural(words.length, 'completion')}, first ${visible(words[0].word)}` : 'No completions',
    );
  }

  #option({ word, count }, i) {
    return h(
      'li',
      {
        role: 'option',
        id: `${this.list.id}-${i}`,
        'aria-selected': 'false',
        onmousedown: (event) => {
          event.preventDefault();
          this.#pick(word);
        },
      },
      named(word),
      count == null ? null : h('span', { class: 'count' }, whole(count)),
    );
  }

  move(by) {
    const n = this.words.length;
    this.list.children[this.active]?.setAttribute('aria-selected', 'false');
    this.active = (this.active + by + n + (this.active < 0 && by < 0 ? 1 : 0)) % n;
    const option = this.list.children[this.active];
    option.setAttribute('aria-selected', 'true');
    option.scrollIntoView({ block: 'nearest' });
    this.input.setAttribute('aria-activedescendant', option.id);
  }

  enter() {
    const word = this.words[this.active]?.word ?? this.input.value.trim();
    if (word) this.#pick(word);
  }

  #pick(word) {
    this.close();
    this.input.value = word;
    this.onPick(word);
  }

  close() {
    Object.assign(this, { words: [], active: -1 });
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
    this.input.removeAttribute('aria-activedescendant');
  }
}

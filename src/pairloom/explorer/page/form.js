// The form of a view: fields for one word each, or a field that gathers several words as chips.
import { completingField } from './completion.js';
import { h, named, visible } from './dom.js';

// `section.fields` are {name, label, many}. `onAsk(values)` is called when every field has a word.
export function buildForm(section, complete, onAsk) {
  const fields = section.fields.map((field) => (field.many ? new Chips(field) : new Single(field)));
  for (const field of fields) field.build(complete, () => ask(field));
  const button = h('button', { class: 'primary' }, section.button);
  const form = h(
    'form',
    { class: `ask${fields.length > 1 ? ' wide' : ''}` },
    fields.map((field) => field.element),
    button,
    fields.map((field) => field.chips),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    for (const field of fields) field.take();
    ask(null);
  });

  // Ask if all fields have a word; otherwise go on to the first that has none.
  function ask(from) {
    const empty = fields.find((field) => !field.values.length);
    if (empty) empty.input.focus();
    else onAsk(Object.fromEntries(fields.map((field) => [field.name, field.values])));
    if (!empty && from instanceof Chips) from.input.focus();
  }

  const fill = (query) => fields.forEach((field) => field.fill(query.getAll(field.name)));
  return { element: form, fill, focus: () => fields[0].input.focus() };
}

class Single {
  constructor({ name, label }) {
    Object.assign(this, { name, label });
  }

  build(complete, onChange) {
    Object.assign(this, completingField({ label: this.label, name: this.name, complete, onPick: onChange }));
  }

  get values() {
    const word = this.input.value.trim();
    return word ? [word] : [];
  }

  take() {}

  fill([word = '']) {
    this.input.value = word;
  }
}

class Chips {
  values = [];

  constructor({ name, label }) {
    Object.assign(this, { name, label });
  }

  build(complete, onChange) {
    this.onChange = onChange;
    this.chips = h('ul', { class: 'chips', 'aria-label': 'Chosen words' });
    const { element, input } = completingField({
      label: this.label,
      name: this.name,
      complete,
      onPick: () => this.#add(),
    });
    input.addEventListener('keydown', (event) => {
      if (event.key === 'Backspace' && !input.value && this.values.length) this.#remove(this.values.length - 1);
    });
    Object.assign(this, { element, input });
  }

  take() {
    const word = this.input.value.trim();
    if (word && !this.values.includes(word)) this.values = [...this.values, word];
    this.input.value = '';
    this.#show();
  }

  #add() {
    this.take();
    this.onChange();
  }

  #remove(at) {
    this.values = this.values.filter((_, i) => i !== at);
    this.#show();
    this.onChange();
    this.input.focus();
  }

  fill(words) {
    this.values = [...new Set(words)];
    this.input.value = '';
    this.#show();
  }

  #show() {
    this.chips.replaceChildren(
      ...this.values.map((word, i) =>
        h(
          'li',
          {},
          named(word),
          h('button', { type: 'button', 'aria-label': `Remove ${visible(word)}`, onclick: () => this.#remove(i) }, '×'),
        ),
      ),
    );
  }
}

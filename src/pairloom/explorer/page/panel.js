// The panel: links to the views, the form of the view in the address, and its answer.
import { go, read, to, valuesOf, words } from './address.js';
import { $, announce, h, visible } from './dom.js';
import { buildForm } from './form.js';
import { analogy } from './views/analogy.js';
import { area, showArea } from './views/area.js';
import { models } from './views/models.js';
import { near } from './views/near.js';
import { odd } from './views/odd.js';
import { pair } from './views/pair.js';
import { path } from './views/path.js';

const VIEWS = [near, pair, analogy, odd, path, models, area];
const PATIENCE = 150; // ms before "Looking" is shown

export class Panel {
  constructor(context) {
    Object.assign(this, { context, shown: null, sections: [], turn: 0 });
  }

  // Show the view of the address.
  async show() {
    const address = read();
    const view = VIEWS.find(({ name }) => name === address.view) ?? near;
    this.#links(view, address);
    if (this.shown !== view) this.#build(view);
    this.turn += 1;
    document.title = titleOf(view, address);
    if (view === area)
      return this.#answer(this.sections[0], () => showArea(this.context(), address.query.get('polygon') ?? ''));
    this.context().mark({});
    await Promise.all(this.sections.map((section) => this.#ask(section, address)));
  }

  // Show a view again whose answer waited for names.
  refresh() {
    if (this.shown === area) return this.show();
  }

  focus() {
    this.sections[0]?.form?.focus();
  }

  open(number) {
    $('views').querySelectorAll('a')[number - 1]?.click();
  }

  #links(current, address) {
    const chosen = words(address);
    const link = (view) => {
      const same = view === current;
      const values = same ? valuesOf(address.query) : (view.take ?? first)(chosen);
      return h('a', { href: to(view.name, values), 'aria-current': same ? 'page' : null }, view.title);
    };
    const { infos } = this.context();
    const offered = VIEWS.filter(
      (view) => (view.needsModels ?? 1) <= infos.length && (!view.hidden || view === current),
    );
    $('views').replaceChildren(...offered.map(link));
  }

  #build(view) {
    const { infos, model, complete } = this.context();
    const offered = view.sections.filter((section) => !section.needsContexts || infos[model].contexts);
    this.sections = offered.map((section) => {
      const form = buildForm(section, complete, (values) => go(view.name, { ...this.#others(section), ...values }));
      return { section, form, answer: h('div', { class: 'answer' }) };
    });
    if (view === area) this.sections = [{ answer: h('div', { class: 'answer' }) }];
    $('view').replaceChildren(
      ...this.sections.map(({ section, form, answer }) =>
        h('section', { class: 'part' }, section?.title ? h('h3', {}, section.title) : null, form?.element, answer),
      ),
    );
    this.shown = view;
  }

  // What the other sections of the view were asked stays in the address.
  #others(section) {
    const { query } = read();
    const fields = this.sections.filter((other) => other.section !== section).flatMap((other) => other.section.fields);
    return Object.fromEntries(fields.map(({ name }) => [name, query.getAll(name)]));
  }

  async #ask({ section, form, answer }, { query }) {
    form.fill(query);
    const values = Object.fromEntries(section.fields.map(({ name }) => [name, query.getAll(name)]));
    const isComplete = section.fields.every(({ name }) => values[name].length >= (section.least ?? 1));
    if (isComplete) return this.#answer({ answer }, () => section.answer(this.context(), values));
    answer.replaceChildren(h('p', { class: 'hint empty' }, section.empty));
  }

  async #answer({ answer }, compute) {
    const { turn } = this;
    answer.setAttribute('aria-busy', 'true');
    const slow = setTimeout(() => answer.replaceChildren(h('p', { class: 'hint looking' }, 'Looking …')), PATIENCE);
    try {
      const { said, nodes } = await compute();
      if (turn !== this.turn) return;
      answer.replaceChildren(...nodes.flat().filter((node) => node != null));
      announce(said);
    } catch (error) {
      if (turn === this.turn) answer.replaceChildren(h('p', { class: 'error', role: 'alert' }, visible(error.message)));
    } finally {
      clearTimeout(slow);
      if (turn === this.turn) answer.setAttribute('aria-busy', 'false');
    }
  }
}

const first = (chosen) => ({ word: chosen.slice(0, 1) });

function titleOf(view, address) {
  const chosen = words(address).slice(0, 3).map(visible).join(', ');
  return `${chosen ? `${chosen} – ` : ''}${view.title} – pairloom`;
}

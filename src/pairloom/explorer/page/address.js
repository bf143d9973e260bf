// What is shown is a function of the address: #near?word=king&word=queen&colour=class. So every view can be bookmarked,
// and back and forward work.

const ALWAYS = ['model', 'colour']; // kept when the view changes

export function read() {
  const [view, query = ''] = location.hash.replace(/^#/, '').split(/\?(.*)/s);
  return { view: view || 'near', query: new URLSearchParams(query) };
}

// The address of a view. `values` maps names to a text or to several; those of ALWAYS are taken over from here.
export function to(view, values = {}) {
  const { query } = read();
  const kept = Object.fromEntries(ALWAYS.filter((name) => query.has(name)).map((name) => [name, query.get(name)]));
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...values, ...kept, ...pick(values, ALWAYS) })) {
    for (const one of [value].flat()) if (one != null && one !== '') next.append(name, one);
  }
  const text = next.toString();
  return `#${view}${text ? `?${text}` : ''}`;
}

export function go(view, values) {
  location.hash = to(view, values);
}

// The same view with some values changed, without a new entry in the history.
export function amend(values) {
  const { view, query } = read();
  location.replace(to(view, { ...valuesOf(query), ...values }));
}

// Name to list of values.
export function valuesOf(query) {
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name)]));
}

// The word that a view is most about: it colours the map and is taken along to another view.
export function words({ query }) {
  const found = ['word', 'a', 'from', 'w'].flatMap((name) => query.getAll(name));
  return [...new Set([...found, ...['b', 'to'].flatMap((name) => query.getAll(name))])];
}

function pick(values, names) {
  return Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]));
}

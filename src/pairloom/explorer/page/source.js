// Where answers come from: the server, or the data inside this very file. Both have the same methods.
import { EmbeddedSource } from './embedded.js';
import { $ } from './dom.js';

const PIECE = 50000; // words a call

export function openSource() {
  const embedded = $('embedded');
  return embedded ? new EmbeddedSource(JSON.parse(embedded.textContent)) : new ServerSource();
}

class ServerSource {
  exact = true;

  models() {
    return this.#json('models', {});
  }

  async map(model) {
    return new Float32Array(await this.#bytes('map', { model }));
  }

  async words(model, n, onPiece) {
    for (let start = 0; start < n; start += PIECE) {
      onPiece(await this.#json('words', { model, start, n: Math.min(PIECE, n - start) }));
    }
  }

  async classes(model, k) {
    return new Uint8Array(await this.#bytes('classes', { model, k }));
  }

  async similarityTo(model, word) {
    return new Float32Array(await this.#bytes('similarity-to', { model, word }));
  }

  complete(model, prefix, n) {
    return this.#json('complete', { model, prefix, n });
  }

  near(model, word, { n = 10, of = 'words', against = null } = {}) {
    return this.#json('near', { model, word, n, of, against });
  }

  analogy(model, a, b, c, method, n) {
    return this.#json('analogy', { model, a, b, c, n, method });
  }

  odd(model, word) {
    return this.#json('odd', { model, word });
  }

  path(model, from, to, n) {
    return this.#json('path', { model, from, to, n });
  }

  pair(model, a, b, n) {
    return this.#json('pair', { model, a, b, n });
  }

  probability(model, w, c) {
    return this.#json('probability', { model, w, c });
  }

  compare(a, b, word, n) {
    return this.#json('compare', { a, b, word, n });
  }

  async #json(name, values) {
    return (await this.#ask(name, values)).json();
  }

  async #bytes(name, values) {
    return (await this.#ask(name, values)).arrayBuffer();
  }

  async #ask(name, values) {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(values)) {
      for (const one of [value].flat()) if (one != null) query.append(key, one);
    }
    const answer = await reach(`api/${name}?${query}`);
    if (!answer.ok) throw new Error(await sentence(answer));
    return answer;
  }
}

async function reach(url) {
  try {
    return await fetch(url, { credentials: 'same-origin' });
  } catch {
    throw new Error('pairloom no longer answers. Start `pairloom explore` again and open the address that it prints.');
  }
}

// The server's own sentence, which says what to do.
async function sentence(answer) {
  const body = await answer.json().catch(() => ({}));
  return body.error ?? `The server answered with status ${answer.status}. Look at what it prints in its terminal.`;
}

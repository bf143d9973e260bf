// Vectors kept as int8 with one scale a row, v = scale * q: a quarter of float32, and cosines right to about 0.003.

export function decode(text, Type) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Type(bytes.buffer);
}

export class Rows {
  constructor(names, integers, scales, dim) {
    Object.assign(this, { names, integers, scales, dim });
    this.row = new Map(names.map((name, row) => [name, row]));
    this.lengths = scales.map((_, row) => Math.sqrt(dot(this.vector(row), this.vector(row))));
  }

  vector(row) {
    const integers = this.integers.subarray(row * this.dim, (row + 1) * this.dim);
    return Float32Array.from(integers, (q) => q * this.scales[row]);
  }

  unit(row) {
    return this.vector(row).map((x) => x / (this.lengths[row] || 1));
  }

  // The product of v with every row.
  products(v) {
    return this.scales.map((scale, row) => {
      let sum = 0;
      for (let i = 0, at = row * this.dim; i < this.dim; i++) sum += this.integers[at + i] * v[i];
      return sum * scale;
    });
  }

  cosines(v) {
    const length = Math.sqrt(dot(v, v)) || 1;
    return this.products(v).map((product, row) => product / (length * (this.lengths[row] || 1)));
  }
}

export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

// Σ weight * vector
export function combine(vectors, weights) {
  const sum = new Float32Array(vectors[0].length);
  vectors.forEach((vector, j) => vector.forEach((x, i) => (sum[i] += weights[j] * x)));
  return sum;
}

export const mean = (vectors) =>
  combine(
    vectors,
    vectors.map(() => 1 / vectors.length),
  );
export const sigmoid = (x) => 1 / (1 + Math.exp(-x));

// The rows of the n largest scores, without those of `except`. Of equal scores the more frequent word comes first.
export function largest(scores, n, except = []) {
  const left_out = new Set(except);
  const rows = Array.from(scores.keys()).filter((row) => !left_out.has(row));
  return rows.sort((a, b) => scores[b] - scores[a] || a - b).slice(0, n);
}

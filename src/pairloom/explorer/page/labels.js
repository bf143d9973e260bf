// Which words are written on the map and where: those of the question in any case, then those of the answer and then
// the most frequent ones, as long as there is room.

const AREA = 5200; // pixels of the map for each label
const TRIES = 6000; // words looked at before the map counts as full
const MARGIN = 4;
const widths = new Map();

// Rows on the screen, most frequent first. `place` maps coordinates to pixels: x -> ax x + bx, y -> ay y + by.
export function* rowsInView(coordinates, place, width, height) {
  const { ax, bx, ay, by } = place;
  for (let row = 0; row < coordinates.length / 2; row++) {
    const x = ax * coordinates[2 * row] + bx;
    const y = ay * coordinates[2 * row + 1] + by;
    if (x >= 0 && y >= 0 && x <= width && y <= height) yield { row, x, y };
  }
}

export function placeLabels(context, { coordinates, nameOf, place, width, height, sure, strong }) {
  const room = new Room();
  const labels = [];
  const add = ({ row, x, y }, isStrong, isSure = false) => {
    const text = nameOf(row);
    if (text === undefined) return false;
    const box = boxOf(context, text, x, y, width, isStrong);
    if (!isSure && !room.isFree(box)) return false;
    room.take(box);
    labels.push({ row, text, x: box.middle, y: box.bottom - MARGIN, strong: isStrong });
    return true;
  };
  const { ax, bx, ay, by } = place;
  const chosen = new Set([...sure, ...strong]);
  for (const row of chosen) {
    const [x, y] = [ax * coordinates[2 * row] + bx, ay * coordinates[2 * row + 1] + by];
    if (x >= 0 && y >= 0 && x <= width && y <= height) add({ row, x, y }, true, sure.includes(row));
  }
  let left = Math.min(160, (width * height) / AREA);
  let tries = TRIES;
  for (const point of rowsInView(coordinates, place, width, height)) {
    if (left < 1 || tries-- === 0) break;
    if (!chosen.has(point.row) && add(point, false)) left -= 1;
  }
  return labels;
}

export function fontOf(strong) {
  return `${strong ? '600 14px' : '500 12px'} ui-sans-serif, system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`;
}

// A label sits above its point, and is moved sideways where the map ends.
function boxOf(context, text, x, y, width, strong) {
  const key = `${strong}${text}`;
  if (!widths.has(key)) {
    context.font = fontOf(strong);
    if (widths.size > 20000) widths.clear();
    widths.set(key, context.measureText(text).width);
  }
  const half = widths.get(key) / 2 + MARGIN;
  const middle = Math.max(half, Math.min(width - half, x));
  const up = y < 24 ? -30 : 0;
  return { middle, left: middle - half, right: middle + half, top: y - 22 - up, bottom: y - 2 - up };
}

// The taken boxes, in a grid so that only boxes nearby are compared.
class Room {
  #cells = new Map();

  *#around({ left, right, top, bottom }) {
    for (let i = Math.floor(left / 64); i <= Math.floor(right / 64); i++) {
      for (let j = Math.floor(top / 64); j <= Math.floor(bottom / 64); j++) yield `${i},${j}`;
    }
  }

  isFree(box) {
    for (const cell of this.#around(box)) {
      for (const other of this.#cells.get(cell) ?? []) {
        if (box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom)
          return false;
      }
    }
    return true;
  }

  take(box) {
    for (const cell of this.#around(box)) this.#cells.set(cell, [...(this.#cells.get(cell) ?? []), box]);
  }
}

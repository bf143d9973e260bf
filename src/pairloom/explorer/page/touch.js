// Fingers on the map. regl-scatterplot listens to a mouse only: one finger becomes a drag, two become the wheel.

export function forwardTouches(canvas) {
  const fingers = new Map();
  let spread = 0;

  canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') return;
    fingers.set(event.pointerId, event);
    if (fingers.size === 1) send(canvas, 'mousedown', event);
    else send(window, 'mouseup', event);
    spread = distance(fingers);
  });

  canvas.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event);
    if (fingers.size === 1) send(window, 'mousemove', event);
    if (fingers.size === 2 && spread) {
      const now = distance(fingers);
      const [x, y] = middle(fingers);
      const deltaY = (spread - now) * 2;
      canvas.dispatchEvent(
        new WheelEvent('wheel', { clientX: x, clientY: y, deltaY, bubbles: true, cancelable: true }),
      );
      spread = now;
    }
  });

  for (const name of ['pointerup', 'pointercancel']) {
    canvas.addEventListener(name, (event) => {
      if (fingers.delete(event.pointerId)) send(window, 'mouseup', event);
    });
  }
}

function send(target, type, { clientX, clientY }) {
  target.dispatchEvent(
    new MouseEvent(type, { clientX, clientY, bubbles: true, cancelable: true, buttons: 1, view: window }),
  );
}

function distance(fingers) {
  const [a, b] = [...fingers.values()];
  return b ? Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) : 0;
}

function middle(fingers) {
  const [a, b] = [...fingers.values()];
  return [(a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2];
}

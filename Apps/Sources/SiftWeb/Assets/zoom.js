// @ts-check
/** Views of a photo at full size that scroll, one alone or several in step. */

/**
 * Returns the place of a view as shares of what can be scrolled, so that photos of other sizes can follow.
 *
 * @param {{scrollLeft: number, scrollTop: number, scrollWidth: number, scrollHeight: number, clientWidth: number,
 *   clientHeight: number}} view
 */
export function placeOf(view) {
  const across = view.scrollWidth - view.clientWidth;
  const down = view.scrollHeight - view.clientHeight;
  return { x: across > 0 ? view.scrollLeft / across : 0.5, y: down > 0 ? view.scrollTop / down : 0.5 };
}

/**
 * Returns the pixels to move for an action of the keys: a quarter of the view.
 *
 * @param {string} action
 * @param {{clientWidth: number, clientHeight: number}} view
 * @returns {[number, number]}
 */
export function panStep(action, view) {
  const across = Math.round(view.clientWidth / 4);
  const down = Math.round(view.clientHeight / 4);
  /** @type {Record<string, [number, number]>} */
  const steps = {
    'pan-left': [-across, 0], 'pan-right': [across, 0], 'pan-up': [0, -down], 'pan-down': [0, down],
  };
  return steps[action] ?? [0, 0];
}

/**
 * @param {Element} view
 * @param {[number, number]} step
 */
export function panBy(view, [x, y]) {
  view.scrollLeft += x;
  view.scrollTop += y;
}

/**
 * Scrolls a view to a place.
 *
 * @param {Element} view
 * @param {number} x
 * @param {number} y
 */
export function showAt(view, x, y) {
  const left = (view.scrollWidth - view.clientWidth) * x;
  const top = (view.scrollHeight - view.clientHeight) * y;
  if (Math.abs(view.scrollLeft - left) >= 1 || Math.abs(view.scrollTop - top) >= 1) {
    view.scrollLeft = left;
    view.scrollTop = top;
  }
}

/**
 * Returns the place of a point in a picture as shares of its size, from 0 to 1.
 *
 * @param {{clientX: number, clientY: number}} point
 * @param {{left: number, top: number, width: number, height: number}} box
 */
export function placeIn({ clientX, clientY }, { left, top, width, height }) {
  const inside = (/** @type {number} */ share) => (Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0.5);
  return { x: inside((clientX - left) / width), y: inside((clientY - top) / height) };
}

/**
 * Lets a mouse drag a view. Fingers scroll it by themselves.
 *
 * @param {HTMLElement} view
 * @param {AbortSignal} signal
 */
export function dragToPan(view, signal) {
  view.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'mouse' || event.button !== 0) return;
    if (view.scrollWidth <= view.clientWidth && view.scrollHeight <= view.clientHeight) return;
    view.setPointerCapture(event.pointerId);
    view.classList.add('is-dragged');
  }, { signal });
  view.addEventListener('pointermove', (event) => {
    if (view.classList.contains('is-dragged')) panBy(view, [-event.movementX, -event.movementY]);
  }, { signal });
  for (const kind of ['pointerup', 'pointercancel', 'lostpointercapture']) {
    view.addEventListener(kind, () => view.classList.remove('is-dragged'), { signal });
  }
}

/**
 * Makes views scroll together.
 *
 * @param {Element[]} views
 * @param {AbortSignal} signal
 */
export function scrollInStep(views, signal) {
  /** @type {Element | null} */
  let leader = null;
  let frame = 0;
  for (const view of views) {
    view.addEventListener('scroll', () => {
      if (leader !== null && leader !== view) return;
      leader = view;
      const { x, y } = placeOf(view);
      for (const other of views) if (other !== view) showAt(other, x, y);
      cancelAnimationFrame(frame);
      // The others report their own scrolling in the next frame. It must not lead back.
      frame = requestAnimationFrame(() => requestAnimationFrame(() => { leader = null; }));
    }, { signal, passive: true });
  }
}

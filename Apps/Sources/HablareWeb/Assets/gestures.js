// @ts-check
/**
 * Dragging a card. The pure part decides from points and times; the other part moves an element by custom properties.
 *
 * @typedef {'left' | 'right' | 'up'} Direction
 * @typedef {{x: number, y: number, time: number}} Point
 * @typedef {{start: Point, last: Point, recent: Point[], width: number, height: number}} Drag
 *
 * How the card stands: offset in pixels, tilt in degrees, the share of the way (1 is a whole width), the mark that was
 * passed (0 to 3 for 25, 50 and 75 %), and where it is going.
 * @typedef {{dx: number, dy: number, tilt: number, share: number, mark: 0 | 1 | 2 | 3, direction: Direction | null}} Stand
 */

/** The numbers of the gesture. */
export const limits = {
  /** The share of the width past which a release decides. */
  commit: 0.5,
  /** The largest tilt, in degrees. */
  tilt: 15,
  /** The least speed of a fling, in pixels per millisecond. */
  fling: 0.6,
  /** The least share of the way for a fling, so that a twitch decides nothing. */
  flingShare: 0.08,
  /** The span over which the speed is measured, in milliseconds. */
  window: 80,
  /** Within this many pixels a press is a tap, not a drag. */
  slack: 8,
};

/**
 * Begins a drag.
 *
 * @param {Point} point
 * @param {{width: number, height: number}} size The size of the card.
 * @returns {Drag}
 */
export function beginDrag(point, { width, height }) {
  return { start: point, last: point, recent: [point], width: Math.max(width, 1), height: Math.max(height, 1) };
}

/**
 * Returns the drag after a move.
 *
 * @param {Drag} drag
 * @param {Point} point
 * @returns {Drag}
 */
export function moveDrag(drag, point) {
  const recent = [...drag.recent.filter((each) => point.time - each.time <= limits.window), point];
  return { ...drag, last: point, recent };
}

/**
 * Returns where a drag of these offsets goes. Down goes nowhere.
 *
 * @param {number} dx
 * @param {number} dy
 * @returns {Direction | null}
 */
export function directionOf(dx, dy) {
  if (Math.hypot(dx, dy) < limits.slack) return null;
  if (Math.abs(dx) >= Math.abs(dy)) return dx < 0 ? 'left' : 'right';
  return dy < 0 ? 'up' : null;
}

/**
 * Returns how the card stands.
 *
 * @param {Drag} drag
 * @returns {Stand}
 */
export function standOf(drag) {
  const dx = drag.last.x - drag.start.x;
  const dy = drag.last.y - drag.start.y;
  const direction = directionOf(dx, dy);
  const share = direction === null ? 0 : direction === 'up' ? -dy / drag.height : Math.abs(dx) / drag.width;
  const tilt = Math.max(-1, Math.min(1, dx / drag.width)) * limits.tilt;
  const mark = share >= 0.75 ? 3 : share >= 0.5 ? 2 : share >= 0.25 ? 1 : 0;
  return { dx, dy, tilt, share, mark, direction };
}

/**
 * Returns what a release decides: past half of the width, or a fling in the direction of the drag. A drag that turns
 * back before the release decides nothing.
 *
 * @param {Drag} drag
 * @param {number} time The time of the release. A pause before it ends the fling.
 * @returns {Direction | null}
 */
export function endDrag(drag, time) {
  const { direction, share } = standOf(drag);
  if (direction === null) return null;
  const recent = drag.recent.filter((each) => time - each.time <= limits.window);
  const first = recent[0];
  const elapsed = first === undefined ? 0 : drag.last.time - first.time;
  const speed =
    first === undefined || elapsed <= 0
      ? 0
      : direction === 'up'
        ? (first.y - drag.last.y) / elapsed
        : ((drag.last.x - first.x) / elapsed) * (direction === 'left' ? -1 : 1);
  if (speed <= -limits.fling) return null;
  if (share >= limits.commit) return direction;
  return speed >= limits.fling && share >= limits.flingShare ? direction : null;
}

/**
 * Lets a person drag an element. The element carries `--dx`, `--dy`, `--tilt` and `--share` and the attributes
 * `data-drag` and `data-mark` while it is dragged; CSS shows them. `pointercancel`, a second finger and the Escape key
 * put it back.
 *
 * @param {HTMLElement} element
 * @param {{
 *   mayBegin: (event: PointerEvent) => boolean,
 *   decide: (direction: Direction) => void,
 *   tap?: (event: PointerEvent) => void,
 *   signal: AbortSignal,
 * }} options
 */
export function makeDraggable(element, { mayBegin, decide, tap, signal }) {
  /** @type {Drag | null} */
  let drag = null;
  let pointer = -1;
  let frame = 0;

  const draw = () => {
    frame = 0;
    if (drag === null) return;
    const stand = standOf(drag);
    element.style.setProperty('--dx', `${stand.dx}px`);
    element.style.setProperty('--dy', `${stand.dy}px`);
    element.style.setProperty('--tilt', `${stand.tilt.toFixed(2)}deg`);
    element.style.setProperty('--share', String(Math.min(1, stand.share).toFixed(3)));
    element.dataset['drag'] = stand.direction ?? 'none';
    element.dataset['mark'] = String(stand.mark);
  };
  const end = () => {
    drag = null;
    if (frame !== 0) cancelAnimationFrame(frame);
    frame = 0;
    if (element.hasPointerCapture(pointer)) element.releasePointerCapture(pointer);
    pointer = -1;
    putBack(element);
  };
  /** @param {PointerEvent} event @returns {Point} */
  const pointOf = (event) => ({ x: event.clientX, y: event.clientY, time: event.timeStamp });

  element.addEventListener('dragstart', (event) => event.preventDefault(), { signal });
  element.addEventListener(
    'pointerdown',
    (event) => {
      if (drag !== null) {
        end();
        return;
      }
      if (event.button !== 0 || !event.isPrimary || !mayBegin(event)) return;
      pointer = event.pointerId;
      element.setPointerCapture(pointer);
      drag = beginDrag(pointOf(event), element.getBoundingClientRect());
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      if (drag === null || event.pointerId !== pointer) return;
      drag = moveDrag(drag, pointOf(event));
      if (frame === 0) frame = requestAnimationFrame(draw);
    },
    { signal },
  );
  element.addEventListener(
    'pointerup',
    (event) => {
      if (drag === null || event.pointerId !== pointer) return;
      drag = moveDrag(drag, pointOf(event));
      const isTap = Math.hypot(drag.last.x - drag.start.x, drag.last.y - drag.start.y) < limits.slack;
      const direction = endDrag(drag, event.timeStamp);
      if (direction !== null) draw();
      end();
      if (direction !== null) decide(direction);
      else if (isTap) tap?.(event);
    },
    { signal },
  );
  for (const kind of /** @type {const} */ (['pointercancel', 'lostpointercapture'])) {
    element.addEventListener(kind, (event) => {
      if (drag !== null && event.pointerId === pointer) end();
    }, { signal });
  }
  document.addEventListener('keydown', (event) => {
    if (drag === null || event.key !== 'Escape') return;
    event.preventDefault();
    end();
  }, { signal });
}

/**
 * Puts a card back where it belongs. CSS lets it spring, or not, if a person prefers less motion.
 *
 * @param {HTMLElement} element
 */
export function putBack(element) {
  for (const name of ['--dx', '--dy', '--tilt', '--share']) element.style.removeProperty(name);
  delete element.dataset['drag'];
  delete element.dataset['mark'];
}

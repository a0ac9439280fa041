// @ts-check
/** The page with the card: shows the photo, drags it, zooms, and keeps the photos ahead ready. */
import { makeDraggable, putBack } from './gestures.js';
import { PhotoShelf } from './photo-shelf.js';
import { dragToPan, panBy, panStep, placeIn, showAt } from './zoom.js';

/** @typedef {import('./gestures.js').Direction} Direction */

/**
 * @param {import('./sift.js').Shared} shared
 * @returns {import('./sift.js').Page}
 */
export function startDeck({ state, press, showState, signal, element, stream, sender }) {
  const card = element('card');
  const link = element('card-link');
  const zoom = /** @type {HTMLDialogElement} */ (element('zoom'));
  const help = /** @type {HTMLDialogElement} */ (element('help'));
  const zoomScroll = element('zoom-scroll');
  const zoomImage = /** @type {HTMLImageElement} */ (element('zoom-image'));
  const shelf = new PhotoShelf(10);
  /** The photo whose decision the server has not answered. */
  let deciding = /** @type {string | null} */ (null);
  let shown = card.dataset['photo'] ?? '';
  /** Whether the decision that is being sent is that of a drag. */
  let isDragged = false;
  let leaving = 0;
  /** The number of decisions that were marked for the Performance API. */
  let marks = 0;
  /** The milliseconds after which the card of a key or a button leaves, if the next photo is not there yet. */
  const patience = 90;

  /** @param {string} action */
  const decide = (action) => {
    const button = document.querySelector(`#decide button[value="${CSS.escape(action)}"]`);
    if (button instanceof HTMLButtonElement && deciding === null) button.click();
  };
  /** @param {string} direction */
  const decideDirection = (direction) => {
    const found = directions().find((/** @type {any} */ each) => each.direction === direction);
    if (found !== undefined) decide(found.action);
  };
  const directions = () =>
    state()['deck']?.directions ??
    Array.from(document.querySelectorAll('#decide button'), (button) => ({
      direction: /** @type {HTMLElement} */ (button).dataset['direction'],
      action: /** @type {HTMLButtonElement} */ (button).value,
    }));

  /** @param {string} stars From 0, which removes the rating, to 5. */
  const rate = (stars) => {
    const found = document.querySelector(
      stars === '0' ? '#rate [aria-pressed="true"]' : `#rate [data-rate="${CSS.escape(stars)}"][aria-pressed="false"]`,
    );
    if (found instanceof HTMLButtonElement) found.click();
  };

  /** @param {string} colour */
  const label = (colour) => {
    const found = document.querySelector(`#label [data-label="${CSS.escape(colour)}"]`);
    if (found instanceof HTMLButtonElement) found.click();
  };

  /** @param {PointerEvent} [at] The tap that opens the zoom: what was under it stays in view. */
  const openZoom = (at) => {
    const photo = state()['deck']?.photo;
    if (photo === undefined || photo.broken || zoom.open) return;
    element('zoom-label').textContent = `${photo.name} · full size`;
    zoomImage.alt = photo.alt;
    const place = at === undefined ? { x: 0.5, y: 0.5 } : placeIn(at, element('card-image').getBoundingClientRect());
    // Until the whole picture is there, the one of the card stands in its place.
    zoomImage.style.backgroundImage = /^[\w/.-]+$/.test(photo.source) ? `url("${photo.source}")` : '';
    zoomImage.src = photo.full;
    zoomImage.width = photo.fullWidth / devicePixelRatio;
    zoomImage.height = photo.fullHeight / devicePixelRatio;
    zoom.showModal();
    zoomScroll.focus();
    showAt(zoomScroll, place.x, place.y);
  };
  dragToPan(zoomScroll, signal);
  zoom.addEventListener('close', () => {
    // The full image is large. Leaving it cancels its load and frees its memory.
    zoomImage.removeAttribute('src');
    showState();
  }, { signal });

  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    // A drag ends with a click as well. Only the keyboard opens the zoom here; a tap does it below.
    if (event.detail === 0) openZoom();
  }, { signal });
  makeDraggable(card, {
    mayBegin: () => deciding === null && state()['deck']?.photo !== undefined,
    decide: (direction) => {
      isDragged = true;
      decideDirection(direction);
      isDragged = false;
    },
    tap: openZoom,
    signal,
  });

  /** The room for a photo. Asking the card itself while the page changes would lay the page out several times. */
  let room = { width: card.clientWidth, height: card.clientHeight };
  const watch = new ResizeObserver(() => {
    room = { width: card.clientWidth, height: card.clientHeight };
  });
  watch.observe(card);
  signal.addEventListener('abort', () => watch.disconnect(), { once: true });

  /**
   * Returns the photo with the picture that has enough pixels for the card as it is now: fewer are decoded and painted
   * sooner.
   *
   * @param {any} photo
   */
  const sized = (photo) => {
    const scale = Math.min(room.width / photo.width, room.height / photo.height) * devicePixelRatio;
    const isEnough = scale * Math.max(photo.width, photo.height) <= 1024;
    // The picture that came with the page is there already.
    const isHere = element('card-image').getAttribute('src') === photo.source;
    return isEnough && !isHere ? { ...photo, source: photo.half } : photo;
  };

  /** @param {HTMLImageElement} image */
  const place = (image) => {
    const old = element('card-image');
    if (old === image) return;
    image.id = 'card-image';
    old.removeAttribute('id');
    old.replaceWith(image);
  };

  const release = () => {
    deciding = null;
    clearTimeout(leaving);
    delete card.dataset['leaves'];
    card.classList.remove('is-waiting');
  };
  sender.addEventListener('change', () => {
    // While the server is away the photo stays visible: its decision is kept, but not committed.
    if (deciding === null || (sender.state !== 'waiting' && sender.state !== 'locked')) return;
    clearTimeout(leaving);
    delete card.dataset['leaves'];
    card.classList.add('is-waiting');
  }, { signal });
  /**
   * Asks for the state if the stream has not brought the next photo although the decision is committed.
   *
   * @param {string} photo
   */
  const catchUp = async (photo) => {
    if (deciding !== photo) return;
    await stream.refresh();
    if (deciding === photo) release();
  };

  return {
    context: () => (zoom.open ? 'zoom' : help.open ? 'dialog' : 'card'),
    act: (action) => {
      if (action === 'left' || action === 'right' || action === 'up') decideDirection(action);
      else if (action === 'trash' || action === 'favourite' || action === 'keep') decide(action);
      else if (action === 'zoom') zoom.open ? zoom.close() : openZoom();
      else if (action === 'close') zoom.close();
      else if (action === 'compare') {
        const compare = element('compare-link');
        if (compare.offsetParent !== null) compare.click();
      } else if (action === 'help') help.showModal();
      else if (action.startsWith('rate-')) rate(action.slice(5));
      else if (action.startsWith('label-')) label(action.slice(6));
      else if (action.startsWith('pan-')) panBy(zoomScroll, panStep(action, zoomScroll));
      else press(action);
    },
    // What a person zooms into stays until the zoom is closed.
    mayShow: () => !zoom.open,
    sent: (form, body) => {
      if (form.getAttribute('id') !== 'decide') return;
      deciding = String(body['photo']);
      const going = directions().find((/** @type {any} */ each) => each.action === body['action']);
      const leave = () => {
        if (going !== undefined) card.dataset['leaves'] = going.direction;
      };
      // A dragged card goes on its way. Another one would only flicker before the next photo takes its place.
      if (isDragged) leave();
      else leaving = setTimeout(leave, patience);
      marks += 1;
      if (marks % 500 === 0) performance.clearMarks();
      performance.mark('decided', { detail: deciding });
    },
    answered: (form, answer, body) => {
      if (form.getAttribute('id') !== 'decide' || deciding !== body['photo']) return;
      if (answer.outcome === 'refused') release();
      else setTimeout(() => void catchUp(String(body['photo'])), 300);
    },
    stateChanged: (all) => {
      const photo = all['deck']?.photo;
      const ahead = /** @type {any[]} */ (all['deck']?.ahead ?? []);
      const id = photo?.id ?? '';
      if (id !== shown) {
        shown = id;
        // The next photo shows only after the commit, also if the answer to the command comes later.
        if (card.dataset['drag'] !== undefined || card.dataset['leaves'] !== undefined) {
          putBack(card);
          // The next card stands in its place at once. Only the one that leaves moves.
          card.style.transition = 'none';
          requestAnimationFrame(() => card.style.removeProperty('transition'));
        }
        release();
        if (photo !== undefined) element('said').textContent = photo.announcement ?? photo.name;
      }
      if (photo !== undefined && !photo.broken) {
        card.style.setProperty('--ratio', String(photo.width / photo.height));
        card.style.setProperty('--own', `${photo.fullWidth / devicePixelRatio}px`);
        card.classList.add('has-ratio');
        place(shelf.image(sized(photo)));
        requestAnimationFrame(() => performance.mark('shown', { detail: id }));
      }
      const wanted = [photo, ...ahead].filter((each) => each !== undefined && each !== null && !each.broken);
      // First the photo is painted. A load would take the processor from it.
      requestAnimationFrame(() => setTimeout(() => {
        if (shown === id) shelf.keep(wanted.map(sized));
      }));
    },
  };
}

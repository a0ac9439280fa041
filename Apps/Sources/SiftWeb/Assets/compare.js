// @ts-check
/** The page that compares two to four photos. An action touches only the marked one. */
import { dragToPan, panBy, panStep, scrollInStep, showAt } from './zoom.js';

/**
 * @param {import('./sift.js').Shared} shared
 * @returns {import('./sift.js').Page}
 */
export function startCompare({ signal, element, state, press }) {
  const panes = /** @type {HTMLElement[]} */ (Array.from(document.querySelectorAll('.pane')));
  const views = panes.map((pane) => /** @type {HTMLElement} */ (pane.querySelector('.pane-scroll')));
  const list = element('panes');
  const zoomButton = element('compare-zoom');

  const marked = () => panes.find((pane) => pane.getAttribute('aria-current') === 'true') ?? panes[0];
  /** @param {HTMLElement | undefined} pane */
  const mark = (pane) => {
    if (pane === undefined) return;
    for (const each of panes) {
      if (each === pane) each.setAttribute('aria-current', 'true');
      else each.removeAttribute('aria-current');
    }
  };
  /** @param {number} step */
  const markNext = (step) => {
    const at = panes.indexOf(/** @type {HTMLElement} */ (marked()));
    const next = (at + step + panes.length) % panes.length;
    mark(panes[next]);
    views[next]?.focus({ preventScroll: true });
  };
  const toggleZoom = () => {
    const isZoomed = list.classList.toggle('is-zoomed');
    zoomButton.setAttribute('aria-pressed', String(isZoomed));
    for (const view of views) {
      const image = /** @type {HTMLImageElement} */ (view.querySelector('img'));
      if (isZoomed && image.dataset['full'] !== undefined) {
        image.src = image.dataset['full'];
        image.width = Number(image.dataset['fullWidth'] ?? image.width) / devicePixelRatio;
        image.height = Number(image.dataset['fullHeight'] ?? image.height) / devicePixelRatio;
      }
    }
    if (isZoomed) for (const view of views) showAt(view, 0.5, 0.5);
  };

  panes.forEach((pane, index) => {
    for (const kind of ['focusin', 'pointerdown']) pane.addEventListener(kind, () => mark(pane), { signal });
    views[index]?.addEventListener('dblclick', toggleZoom, { signal });
  });
  zoomButton.addEventListener('click', toggleZoom, { signal });
  for (const view of views) dragToPan(view, signal);
  scrollInStep(views, signal);

  return {
    context: () => 'compare',
    act: (action) => {
      const pane = marked();
      if (action.startsWith('pan-')) {
        const view = pane?.querySelector('.pane-scroll');
        if (view instanceof Element && list.classList.contains('is-zoomed')) panBy(view, panStep(action, view));
        else if (action === 'pan-left' || action === 'pan-right') markNext(action === 'pan-left' ? -1 : 1);
      } else if (action === 'zoom') toggleZoom();
      else if (action === 'close' || action === 'compare') location.assign('/');
      else if (/^mark-[1-4]$/.test(action)) mark(panes[Number(action.slice(5)) - 1]);
      else if (action === 'undo' || action === 'redo') press(action);
      else {
        const button = pane?.querySelector(`button[value="${CSS.escape(action)}"]`);
        if (button instanceof HTMLButtonElement) button.click();
      }
    },
    answered: (form, answer) => {
      if (form.closest('.history-buttons') !== null) {
        if (answer.outcome === 'done') location.reload();
        return;
      }
      const pane = form.closest('.pane');
      if (!(pane instanceof HTMLElement) || answer.outcome !== 'done') return;
      const action = String(answer.body['action'] ?? '');
      pane.dataset['choice'] = action;
      for (const field of pane.querySelectorAll('input[name="shown"]')) {
        if (field instanceof HTMLInputElement) field.value = action;
      }
      const name = state()['deck']?.directions?.find((/** @type {any} */ each) => each.action === action)?.name;
      const note = pane.querySelector('.pane-choice');
      if (note !== null) note.textContent = name ?? action;
    },
  };
}

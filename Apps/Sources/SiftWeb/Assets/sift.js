// @ts-check
/** The pages of Sift: connects state, commands, keys and gestures. The server decides; the page shows. */
import { listenToKeys } from './keymap.js';
import { connectPage, element } from './page.js';
import { show } from './slots.js';
import { startCompare } from './compare.js';
import { startDeck } from './deck.js';
import { startKeySettings } from './key-settings.js';

/**
 * @typedef {import('./keymap.js').Binding} Binding
 *
 * What one kind of page adds to the rest.
 * @typedef {{
 *   context: () => string,
 *   act: (action: string) => void,
 *   stateChanged?: (state: Record<string, any>) => void,
 *   mayShow?: () => boolean,
 *   sent?: (form: HTMLFormElement, body: Record<string, unknown>) => void,
 *   answered?: (form: HTMLFormElement, answer: import('./commands.js').Answer, body: Record<string, unknown>) => void,
 * }} Page
 */

const { signal, stream, sender, submit, start } = connectPage({
  name: 'sift',
  app: 'Sift',
  unit: ['decision', 'decisions'],
  sent: (form, body) => page.sent?.(form, body),
  answered: (form, answer, body) => {
    page.answered?.(form, answer, body);
    if (answer.outcome === 'refused') return;
    if (form.dataset['then'] !== undefined) location.assign(form.dataset['then']);
    else if (form.dataset['reload'] !== undefined) location.reload();
  },
});

/** @returns {Record<string, any>} */
const state = () => stream.held?.state ?? {};

function showState() {
  if (stream.held === null || page.mayShow?.() === false) return;
  show(document.documentElement, stream.held.state);
  page.stateChanged?.(stream.held.state);
  // The page follows the server from now on.
  document.body.dataset['live'] = 'true';
}

/**
 * Presses the button of an action on this page, if there is one that can be pressed.
 *
 * @param {string} action
 */
function press(action) {
  const button = document.querySelector(`[data-action="${CSS.escape(action)}"]`);
  if (button instanceof HTMLButtonElement && !button.disabled && button.offsetParent !== null) button.click();
}

/** @type {Record<string, string>} */
const links = { review: '/review', history: '/history', settings: '/settings', photos: '/' };

const shared = { state, press, submit, showState, signal, element, stream, sender };
/** @typedef {typeof shared} Shared */

/** @type {Page} */
const page =
  document.body.dataset['page'] === 'deck'
    ? startDeck(shared)
    : document.body.dataset['page'] === 'compare'
      ? startCompare(shared)
      : { context: () => 'list', act: press };
if (document.body.dataset['page'] === 'settings') startKeySettings(shared);

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[data-action="close"]') : null;
  button?.closest('dialog')?.close();
}, { signal });

listenToKeys({
  bindings: () => /** @type {Binding[]} */ (state()['settings']?.['bindings'] ?? []),
  context: page.context,
  act: (action) => {
    const link = links[action];
    if (link !== undefined) location.assign(link);
    else page.act(action);
  },
  signal,
});

stream.addEventListener('state', showState);
start();

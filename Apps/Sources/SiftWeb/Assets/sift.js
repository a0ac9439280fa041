// @ts-check
/** The pages of Sift: connects state, commands, keys and gestures. The server decides; the page shows. */
import { CommandSender, formCommand } from './commands.js';
import { listenToKeys } from './keymap.js';
import { show } from './slots.js';
import { StateStream } from './stream.js';
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

const life = new AbortController();
const stream = new StateStream('sift', { events: '/events', state: '/state' });
const sender = new CommandSender('sift', localStorage, {}, stream);

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element '${id}'.`);
  return found;
}

/** @returns {Record<string, any>} */
const state = () => stream.held?.state ?? {};

/**
 * The commands of forms that the server has not answered. A second press of a button sends nothing.
 *
 * @type {Set<string>}
 */
const underWay = new Set();

/**
 * Sends the command of a form.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
async function submit(form, submitter) {
  const { url, body } = formCommand(form, submitter);
  const command = JSON.stringify([url, body]);
  if (underWay.has(command)) return;
  underWay.add(command);
  page.sent?.(form, body);
  const answer = await sender.send(url, body);
  underWay.delete(command);
  page.answered?.(form, answer, body);
  if (answer.outcome === 'refused') showRefusal(answer);
  else if (form.dataset['then'] !== undefined) location.assign(form.dataset['then']);
  else if (form.dataset['reload'] !== undefined) location.reload();
}

/** @param {import('./commands.js').Answer} answer */
function showRefusal({ body, status }) {
  element('refusal-title').textContent = String(body['title'] ?? 'That did not work.');
  element('refusal-detail').textContent = String(body['detail'] ?? `The server answered ${status}.`);
  element('refusal').hidden = false;
  void stream.refresh();
}

function showConnection() {
  const isStopped = stream.connection === 'stopped' || sender.state === 'waiting' || sender.state === 'locked';
  element('connection').hidden = !isStopped;
  if (!isStopped) return;
  const waiting = sender.waiting;
  const kept = sender.keeps ? 'kept and will be sent' : 'kept in this tab only. Leave it open';
  element('connection-detail').textContent =
    sender.state === 'locked'
      ? 'This tab is not signed in any more. Open the link that Sift printed.'
      : waiting === 0
        ? 'Nothing is lost. This page recovers when Sift runs again.'
        : `${waiting} ${waiting === 1 ? 'decision is' : 'decisions are'} ${kept}.`;
}

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

const shared = { state, press, submit, showState, signal: life.signal, element, stream, sender };
/** @typedef {typeof shared} Shared */

/** @type {Page} */
const page =
  document.body.dataset['page'] === 'deck'
    ? startDeck(shared)
    : document.body.dataset['page'] === 'compare'
      ? startCompare(shared)
      : { context: () => 'list', act: press };
if (document.body.dataset['page'] === 'settings') startKeySettings(shared);

document.addEventListener(
  'submit',
  (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset['command'] === undefined) return;
    event.preventDefault();
    void submit(form, event.submitter);
  },
  { signal: life.signal },
);

document.addEventListener(
  'click',
  (event) => {
    const button = event.target instanceof Element ? event.target.closest('button[data-action]') : null;
    const action = button instanceof HTMLElement ? button.dataset['action'] : undefined;
    if (action === 'close-refusal') {
      element('refusal').hidden = true;
      element('main').focus();
    } else if (action === 'close') {
      button?.closest('dialog')?.close();
    }
  },
  { signal: life.signal },
);

listenToKeys({
  bindings: () => /** @type {Binding[]} */ (state()['settings']?.['bindings'] ?? []),
  context: page.context,
  act: (action) => {
    const link = links[action];
    if (link !== undefined) location.assign(link);
    else page.act(action);
  },
  signal: life.signal,
});

stream.addEventListener('state', showState);
stream.addEventListener('connection', () => {
  showConnection();
  if (stream.connection === 'live') sender.hurry();
});
sender.addEventListener('change', showConnection);
sender.addEventListener('answer', (event) => {
  const answer = /** @type {CustomEvent<import('./commands.js').Answer>} */ (event).detail;
  if (answer.outcome === 'refused') showRefusal(answer);
});
for (const [target, kind] of /** @type {const} */ ([[document, 'visibilitychange'], [window, 'online']])) {
  target.addEventListener(kind, () => {
    if (document.visibilityState === 'visible') stream.hurry();
  }, { signal: life.signal });
}
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
window.addEventListener('pagehide', () => {
  life.abort();
  sender.stop();
  stream.stop();
});

sender.start();
void stream.start();

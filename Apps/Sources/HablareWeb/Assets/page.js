// @ts-check
/** Connects a page with its server: state, commands of forms, refusals, and a lost connection. */
import { CommandSender, formCommand } from './commands.js';
import { StateStream } from './stream.js';

/** @typedef {import('./commands.js').Answer} Answer */

/**
 * What an app adds. `idle` is a sentence for the notice of a lost connection, and `count` tells a person's changes from
 * other commands. By default every command counts.
 * @typedef {{
 *   name: string,
 *   app: string,
 *   unit: [one: string, many: string],
 *   idle?: string,
 *   count?: (commands: import('./outbox.js').Command[]) => number,
 *   sent?: (form: HTMLFormElement, body: Record<string, unknown>) => void,
 *   answered: (form: HTMLFormElement, answer: Answer, body: Record<string, unknown>) => void,
 * }} PageOptions
 */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element '${id}'.`);
  return found;
}

/**
 * Shows why the server refused a command.
 *
 * @param {Answer} answer
 */
export function showRefusal({ body, status }) {
  element('refusal-title').textContent = String(body['title'] ?? 'That did not work.');
  element('refusal-detail').textContent = String(body['detail'] ?? `The server answered ${status}.`);
  element('refusal').hidden = false;
}

/**
 * Returns the sentence below the notice of a lost connection.
 *
 * @param {Pick<CommandSender, 'state' | 'waiting' | 'keeps'>} sender
 * @param {Pick<PageOptions, 'app' | 'unit' | 'idle'>} options
 */
export function connectionDetail({ state, waiting, keeps }, { app, unit: [one, many], idle }) {
  if (state === 'locked') return `This tab is not signed in any more. Open the link that ${app} printed.`;
  if (waiting === 0) return idle ?? `Nothing is lost. This page recovers when ${app} runs again.`;
  const kept = keeps ? 'kept and will be sent' : 'kept in this tab only. Leave it open';
  return `${idle === undefined ? '' : `${idle} `}${waiting} ${waiting === 1 ? `${one} is` : `${many} are`} ${kept}.`;
}

/**
 * Makes the page's stream and sender, and sends the commands of its forms. Call `start` when the page has added its own
 * listeners.
 *
 * @param {PageOptions} options
 */
export function connectPage(options) {
  const life = new AbortController();
  const { signal } = life;
  const stream = new StateStream(options.name, { events: '/events', state: '/state' });
  const sender = new CommandSender(options.name, localStorage, {}, stream);

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
    options.sent?.(form, body);
    const answer = await sender.send(url, body);
    underWay.delete(command);
    options.answered(form, answer, body);
    if (answer.outcome === 'refused') refuse(answer);
  }

  /** @param {Answer} answer */
  function refuse(answer) {
    showRefusal(answer);
    // The page may have shown something old.
    void stream.refresh();
  }

  function showConnection() {
    const isStopped = stream.connection === 'stopped' || sender.state === 'waiting' || sender.state === 'locked';
    const notice = element('connection');
    if (notice.hidden === isStopped) notice.hidden = !isStopped;
    if (!isStopped) return;
    const { state, keeps, commands } = sender;
    const waiting = options.count?.(commands) ?? commands.length;
    element('connection-detail').textContent = connectionDetail({ state, waiting, keeps }, options);
  }

  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset['command'] === undefined) return;
    event.preventDefault();
    void submit(form, event.submitter);
  }, { signal });
  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-action="close-refusal"]') : null;
    if (button === null) return;
    element('refusal').hidden = true;
    element('main').focus();
  }, { signal });
  stream.addEventListener('connection', () => {
    showConnection();
    if (stream.connection === 'live') sender.hurry();
  });
  sender.addEventListener('change', showConnection);
  sender.addEventListener('answer', (event) => {
    const answer = /** @type {CustomEvent<Answer>} */ (event).detail;
    if (answer.outcome === 'refused') refuse(answer);
  });
  for (const [target, kind] of /** @type {const} */ ([[document, 'visibilitychange'], [window, 'online']])) {
    target.addEventListener(kind, () => {
      if (document.visibilityState === 'visible') stream.hurry();
    }, { signal });
  }
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });
  window.addEventListener('pagehide', () => {
    life.abort();
    sender.stop();
    stream.stop();
  });
  const start = () => {
    sender.start();
    void stream.start();
  };
  return { signal, stream, sender, submit, start };
}

// @ts-check
/**
 * Sends commands to the server, one after another and in the order in which they were made, until each is answered.
 * A command carries the id that the page made for it. The server treats the same id twice as one act, so sending again
 * after a lost answer is safe.
 */
import { idMaker } from './ids.js';
import { meaning, Outbox, resendDelay, retryAfterSeconds } from './outbox.js';

/**
 * @typedef {import('./outbox.js').Command} Command
 *
 * The answer to a command: the server's JSON, or the problem with advice.
 * @typedef {{id: string, outcome: 'done' | 'refused', status: number, body: Record<string, unknown>}} Answer
 *
 * @typedef {'idle' | 'sending' | 'waiting' | 'locked'} SenderState
 *
 * @typedef {{
 *   post: (url: string, body: string, signal: AbortSignal, base: string | null) =>
 *     Promise<{status: number, retryAfter: string | null, text: string}>,
 *   lock: (name: string, signal: AbortSignal, held: () => Promise<void>) => Promise<unknown>,
 *   channel: (name: string) => BroadcastChannel,
 *   wait: (milliseconds: number, then: () => void) => () => void,
 *   random: () => number,
 *   makeID: () => string,
 * }} SenderSeams
 *
 * The state of the page, which the answer to a command brings up to date: a `StateStream`.
 * @typedef {{base: string | null, takeChange: (change: unknown) => void}} States
 */

/** @returns {SenderSeams} */
function browser() {
  return {
    post: async (url, body, signal, base) => {
      const answer = await fetch(url, {
        method: 'POST',
        body,
        signal,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(base === null ? {} : { 'state-base': base }),
        },
      });
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
    },
    lock: (name, signal, held) =>
      'locks' in navigator ? navigator.locks.request(name, { signal }, held) : held(),
    channel: (name) => new BroadcastChannel(name),
    wait: (milliseconds, then) => {
      const timer = setTimeout(then, milliseconds);
      return () => clearTimeout(timer);
    },
    random: Math.random,
    makeID: idMaker(),
  };
}

/**
 * Sends the event `change` when its state or the number of waiting commands changes. Sends `refused` with the command when
 * the server refuses one that has waited or is of an earlier page: no form has what the person typed any more. The
 * command leaves the outbox afterwards.
 */
export class CommandSender extends EventTarget {
  /** @type {SenderState} */ state = 'idle';
  /** Whether every waiting command survives a reload. */
  keeps = true;

  #name;
  #outbox;
  #seams;
  #states;
  #closed = new AbortController();
  #channel;
  #drains = false;
  /** @type {Map<string, (answer: Answer) => void>} */ #waiters = new Map();
  /** @type {(() => void) | null} */ #hurry = null;

  /**
   * @param {string} name The name of lock, channel and outbox: one per application.
   * @param {import('./outbox.js').KeyValueStore} store
   * @param {Partial<SenderSeams>} [seams]
   * @param {States | null} [states] Gets the new state with each answer, so that it need not wait for the stream.
   */
  constructor(name, store, seams = {}, states = null) {
    super();
    this.#name = `${name}.commands`;
    this.#outbox = new Outbox(store, name);
    this.#seams = { ...browser(), ...seams };
    this.#states = states;
    this.#channel = this.#seams.channel(this.#name);
    this.#channel.onmessage = (event) => this.#answered(event.data);
  }

  /** The number of commands that the server has not answered. */
  get waiting() {
    return this.#outbox.commands().length;
  }

  /** The commands that the server has not answered, in the order in which they were made. */
  get commands() {
    return this.#outbox.commands();
  }

  /** Sends what an earlier page left behind. */
  start() {
    if (this.waiting > 0) void this.#drain();
  }

  /** Stops sending. Commands without an answer stay for the next page. */
  stop() {
    this.#closed.abort();
    this.#hurry?.();
    this.#channel.close();
  }

  /** Sends now what waits for its next attempt, for example because the connection is back. */
  hurry() {
    if (this.#hurry !== null) this.#hurry();
    else if (this.waiting > 0) void this.#drain();
  }

  /**
   * Makes a command, keeps it and sends it.
   *
   * @param {string} url
   * @param {Record<string, unknown>} body
   * @returns {Promise<Answer>} The answer, however long it takes.
   */
  send(url, body) {
    const id = this.#seams.makeID();
    this.keeps = this.#outbox.keep({ id, url, body, attempts: 0 });
    const answer = /** @type {Promise<Answer>} */ (new Promise((resolve) => this.#waiters.set(id, resolve)));
    this.dispatchEvent(new Event('change'));
    void this.#drain();
    return answer;
  }

  async #drain() {
    if (this.#drains || this.#closed.signal.aborted) return;
    this.#drains = true;
    try {
      const [next, another] = this.#outbox.commands();
      // A command alone needs no lock, which takes longer to get than some answers. If another tab sends it too, the
      // server treats both as one act.
      if (next !== undefined && another === undefined && next.attempts === 0) await this.#attempt(next);
      if (this.waiting === 0) return;
      // Another tab that holds the lock sends the commands of this one too. Afterwards nothing is left here.
      await this.#seams.lock(this.#name, this.#closed.signal, async () => {
        for (;;) {
          const [next] = this.#outbox.commands();
          if (next === undefined || this.#closed.signal.aborted) return;
          await this.#attempt(next);
        }
      });
    } catch (error) {
      if (!this.#closed.signal.aborted) throw error;
    } finally {
      this.#drains = false;
      if (!this.#closed.signal.aborted) this.#becomes('idle');
    }
    if (this.waiting > 0 && !this.#closed.signal.aborted) void this.#drain();
  }

  /** @param {Command} command */
  async #attempt(command) {
    if (this.state !== 'waiting') this.#becomes('sending');
    const attempts = command.attempts + 1;
    const { status, retryAfter, text } = await this.#seams
      .post(
        command.url,
        JSON.stringify({ ...command.body, id: command.id }),
        this.#closed.signal,
        this.#states?.base ?? null,
      )
      .catch(() => ({ status: 0, retryAfter: null, text: '' }));
    if (this.#closed.signal.aborted) return;
    const means = meaning(status, attempts);
    if (means === 'done' || means === 'refused') {
      const { stateChange, ...body } = readBody(text);
      const answer = { id: command.id, outcome: means, status, body };
      if (means === 'refused' && (command.attempts > 0 || !this.#waiters.has(command.id))) {
        this.dispatchEvent(new CustomEvent('refused', { detail: { command, answer } }));
      }
      this.#outbox.forget(command.id);
      if (stateChange !== undefined) this.#states?.takeChange(stateChange);
      this.#channel.postMessage(answer);
      this.#answered(answer);
      this.#becomes('sending');
      return;
    }
    this.#outbox.keep({ ...command, attempts });
    this.#becomes(means === 'locked' ? 'locked' : 'waiting');
    await this.#pause(resendDelay(attempts, retryAfterSeconds(retryAfter), this.#seams.random()));
  }

  /** @param {number} milliseconds */
  #pause(milliseconds) {
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const end = () => {
          cancel();
          this.#hurry = null;
          resolve();
        };
        const cancel = this.#seams.wait(milliseconds, end);
        this.#hurry = end;
      })
    );
  }

  /** @param {Answer} answer */
  #answered(answer) {
    const waiter = this.#waiters.get(answer.id);
    this.#waiters.delete(answer.id);
    waiter?.(answer);
    if (waiter === undefined) this.dispatchEvent(new CustomEvent('answer', { detail: answer }));
    this.dispatchEvent(new Event('change'));
  }

  /** @param {SenderState} state */
  #becomes(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new Event('change'));
  }
}

/**
 * @param {string} text
 * @returns {Record<string, unknown>}
 */
function readBody(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/**
 * Returns the command of a form: its action and its fields. The field `id` of the form is for browsers without scripts
 * and is left out. Fields whose name ends in `[]` become lists.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
export function formCommand(form, submitter) {
  /** @type {Record<string, unknown>} */
  const body = {};
  const data = new FormData(form);
  if (submitter instanceof HTMLButtonElement && submitter.name !== '') data.append(submitter.name, submitter.value);
  for (const [name, value] of data) {
    if (name === 'id' || typeof value !== 'string') continue;
    if (name.endsWith('[]')) {
      const list = /** @type {unknown[]} */ (body[name.slice(0, -2)] ??= []);
      list.push(value);
    } else {
      body[name] = value;
    }
  }
  // A field named `action` hides the property of the form, but not the attribute.
  return { url: new URL(form.getAttribute('action') ?? '', location.href).pathname, body };
}

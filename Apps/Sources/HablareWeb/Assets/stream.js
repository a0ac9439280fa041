// @ts-check
/**
 * One event stream per browser. The tab that holds a Web Lock listens to the server and rebroadcasts on a
 * BroadcastChannel. Every tab keeps the state by revision and fetches the whole state after a gap.
 */
import { parseMessage, readMessage, receive, reconnectDelay } from './revisions.js';

/**
 * @typedef {import('./revisions.js').Held} Held
 * @typedef {import('./revisions.js').StateMessage} StateMessage
 * @typedef {'connecting' | 'live' | 'stopped'} Connection
 *
 * What the stream needs from a browser. Tests pass their own.
 * @typedef {{
 *   lock: (name: string, signal: AbortSignal, held: () => Promise<void>) => Promise<unknown>,
 *   channel: (name: string) => BroadcastChannel,
 *   source: (url: string) => EventSource,
 *   fetch: (url: string, signal: AbortSignal) => Promise<string>,
 *   wait: (milliseconds: number, then: () => void) => () => void,
 *   random: () => number,
 * }} StreamSeams
 */

/** @type {StreamSeams} */
const browser = {
  lock: (name, signal, held) =>
    'locks' in navigator ? navigator.locks.request(name, { signal }, held) : held(),
  channel: (name) => new BroadcastChannel(name),
  source: (url) => new EventSource(url),
  fetch: async (url, signal) => {
    const answer = await fetch(url, { signal, headers: { accept: 'application/json' }, cache: 'no-store' });
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    return answer.text();
  },
  wait: (milliseconds, then) => {
    const timer = setTimeout(then, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/**
 * The state of the server as this tab knows it. Sends the event `state` after every change, and `connection` when the
 * connection was lost or came back.
 */
export class StateStream extends EventTarget {
  /** @type {Held | null} */ held = null;
  /** @type {Connection} */ connection = 'connecting';
  /** Whether this tab listens for the whole browser. */
  leads = false;

  #name;
  #urls;
  #seams;
  #stopped = new AbortController();
  /** @type {BroadcastChannel} */ #channel;
  /** @type {EventSource | null} */ #source = null;
  /** @type {(() => void) | null} */ #cancelWait = null;
  /** @type {Promise<void> | null} */ #fetching = null;
  #failures = 0;

  /**
   * @param {string} name The name of lock and channel: one per application.
   * @param {{events: string, state: string}} urls The stream, and the whole state as JSON.
   * @param {Partial<StreamSeams>} [seams]
   */
  constructor(name, urls, seams = {}) {
    super();
    this.#name = name;
    this.#urls = urls;
    this.#seams = { ...browser, ...seams };
    this.#channel = this.#seams.channel(name);
    this.#channel.onmessage = (event) => this.#heard(event.data);
  }

  /** Begins to listen, as the leader or behind one. Returns when the stream is stopped. */
  async start() {
    this.#channel.postMessage({ kind: 'hello' });
    try {
      await this.#seams.lock(this.#name, this.#stopped.signal, () => this.#lead());
    } catch (error) {
      if (!this.#stopped.signal.aborted) throw error;
    }
  }

  /** Ends the stream. Another tab takes the lead. */
  stop() {
    this.#stopped.abort();
    this.#cancelWait?.();
    this.#source?.close();
    this.#channel.close();
  }

  /** Tries to connect now, for example because the tab became visible. */
  hurry() {
    if (!this.leads || this.#source !== null || this.#stopped.signal.aborted) return;
    this.#cancelWait?.();
    this.#connect();
  }

  /** What this tab has, as the header `State-Base` of a command says it; null for nothing. */
  get base() {
    return this.held === null ? null : `${this.held.epoch} ${this.held.revision}`;
  }

  /**
   * Takes the change of the state that came with the answer to a command.
   *
   * @param {unknown} change
   */
  takeChange(change) {
    const message = readMessage(change);
    if (message !== null) this.take(message);
  }

  /**
   * Takes a message from the stream, from another tab, or from the answer to a command.
   *
   * @param {StateMessage} message
   */
  take(message) {
    const { held, outcome } = receive(this.held, message);
    if (outcome === 'gap') {
      void this.refresh();
    } else if (outcome === 'applied') {
      this.held = held;
      this.dispatchEvent(new Event('state'));
    }
  }

  /** Fetches the whole state. Calls at the same time share one fetch. */
  refresh() {
    this.#fetching ??= this.#fetchWhole().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fetchWhole() {
    try {
      const message = parseMessage(await this.#seams.fetch(this.#urls.state, this.#stopped.signal));
      if (message !== null) this.take({ ...message, base: null });
    } catch {
      // The server is gone or the tab closes. The leader's reconnect brings the whole state.
    }
  }

  #lead() {
    this.leads = true;
    this.#connect();
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        this.#stopped.signal.addEventListener('abort', () => resolve(), { once: true });
      })
    );
  }

  #connect() {
    const source = this.#seams.source(this.#urls.events);
    this.#source = source;
    source.onopen = () => {
      this.#failures = 0;
      this.#becomes('live');
    };
    source.addEventListener('state', (event) => {
      const message = parseMessage(/** @type {MessageEvent} */ (event).data);
      if (message === null) return;
      this.#channel.postMessage({ kind: 'state', message });
      this.take(message);
    });
    source.onerror = () => this.#lost(source);
    // The server says that it ends, so that pages need not wait for the connection to break.
    source.addEventListener('stopping', () => this.#lost(source));
  }

  /** @param {EventSource} source */
  #lost(source) {
    source.close();
    if (this.#source !== source || this.#stopped.signal.aborted) return;
    this.#source = null;
    this.#failures += 1;
    this.#becomes('stopped');
    this.#cancelWait = this.#seams.wait(reconnectDelay(this.#failures, this.#seams.random()), () => this.#connect());
  }

  /** @param {Connection} connection */
  #becomes(connection) {
    if (this.leads) this.#channel.postMessage({ kind: 'connection', connection });
    if (this.connection === connection) return;
    this.connection = connection;
    this.dispatchEvent(new Event('connection'));
  }

  /** @param {{kind: 'hello'} | {kind: 'state', message: StateMessage} | {kind: 'connection', connection: Connection}} said */
  #heard(said) {
    if (said.kind === 'state') {
      this.take(said.message);
    } else if (said.kind === 'connection') {
      if (!this.leads) this.#becomes(said.connection);
    } else if (this.leads) {
      this.#channel.postMessage({ kind: 'connection', connection: this.connection });
      if (this.held !== null) this.#channel.postMessage({ kind: 'state', message: { ...this.held } });
    }
  }
}

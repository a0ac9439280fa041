// @ts-check
/**
 * The commands that the page has made and the server has not answered. They are kept over a reload, so a decision made
 * while the server was away is not lost. No DOM: tests pass a storage of their own.
 *
 * @typedef {{id: string, url: string, body: Record<string, unknown>, attempts: number}} Command
 *
 * @typedef {Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>} KeyValueStore
 *
 * What an answer means for the command:
 * - `done`: the server committed it.
 * - `refused`: the server will never take it; it leaves the outbox and the page shows why.
 * - `again`: send the same command again after a while.
 * - `locked`: the tab is not signed in any more; the command stays.
 * @typedef {'done' | 'refused' | 'again' | 'locked'} Meaning
 */

/**
 * Returns what a status means. A failure of the server is tried again a few times only, so that one command that always
 * fails does not hold up those behind it.
 *
 * @param {number} status The status of the answer, or 0 if there was none.
 * @param {number} attempts The number of attempts so far, this one included.
 * @returns {Meaning}
 */
export function meaning(status, attempts) {
  if (status >= 200 && status < 300) return 'done';
  if (status === 401) return 'locked';
  if (status === 0 || status === 408 || status === 425 || status === 429) return 'again';
  if (status === 502 || status === 503 || status === 504) return 'again';
  if (status >= 500) return attempts < 5 ? 'again' : 'refused';
  return 'refused';
}

/**
 * Returns the milliseconds to wait before a command is sent again.
 *
 * @param {number} attempts The number of failed attempts, at least 1.
 * @param {number | null} retryAfter The seconds that the server asked for.
 * @param {number} random A number in [0, 1).
 */
export function resendDelay(attempts, retryAfter, random) {
  const delay = Math.min(5000, 200 * 2 ** Math.min(attempts - 1, 10)) * (1 - random / 4);
  return Math.round(Math.max(delay, (retryAfter ?? 0) * 1000));
}

/**
 * Reads the seconds of a `Retry-After` header.
 *
 * @param {string | null} header
 */
export function retryAfterSeconds(header) {
  if (header === null || !/^\d{1,6}$/.test(header.trim())) return null;
  return Number(header.trim());
}

/** Keeps commands in a key-value store of the browser: one entry each, so that tabs never overwrite one another. */
export class Outbox {
  #store;
  #prefix;
  /** Commands that the store could not keep, for example because it is full. They live as long as the tab. */
  #unkept = /** @type {Map<string, Command>} */ (new Map());

  /**
   * @param {KeyValueStore} store
   * @param {string} name One per application.
   */
  constructor(store, name) {
    this.#store = store;
    this.#prefix = `${name}.outbox.`;
  }

  /**
   * Keeps a command.
   *
   * @param {Command} command
   * @returns {boolean} Whether the command survives a reload.
   */
  keep(command) {
    try {
      this.#store.setItem(this.#prefix + command.id, JSON.stringify(command));
      this.#unkept.delete(command.id);
      return true;
    } catch {
      this.#unkept.set(command.id, command);
      return false;
    }
  }

  /**
   * Forgets a command that was answered.
   *
   * @param {string} id
   */
  forget(id) {
    this.#unkept.delete(id);
    this.#store.removeItem(this.#prefix + id);
  }

  /** Returns the commands, in the order in which they were made. Entries that cannot be read are removed. */
  commands() {
    /** @type {Map<string, Command>} */
    const found = new Map(this.#unkept);
    const damaged = [];
    for (let index = 0; index < this.#store.length; index += 1) {
      const key = this.#store.key(index);
      if (key === null || !key.startsWith(this.#prefix)) continue;
      const command = readCommand(this.#store.getItem(key));
      if (command === null || this.#prefix + command.id !== key) damaged.push(key);
      else found.set(command.id, command);
    }
    for (const key of damaged) this.#store.removeItem(key);
    return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  }
}

/**
 * @param {string | null} text
 * @returns {Command | null}
 */
function readCommand(text) {
  try {
    const value = JSON.parse(text ?? '');
    const { id, url, body, attempts } = value;
    if (typeof id !== 'string' || typeof url !== 'string' || !url.startsWith('/')) return null;
    if (typeof body !== 'object' || body === null || !Number.isSafeInteger(attempts)) return null;
    return { id, url, body, attempts };
  } catch {
    return null;
  }
}

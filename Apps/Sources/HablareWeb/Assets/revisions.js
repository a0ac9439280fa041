// @ts-check
/**
 * The state that a page holds, and how messages of the server change it. No DOM and no network: tests run it directly.
 *
 * @typedef {Record<string, unknown>} State
 *
 * A message of the stream, or of the answer to a command. Without `base` it carries the whole state. With `base` it
 * carries the top-level fields that changed since that revision, each as it is now.
 * @typedef {{epoch: string, revision: number, base?: number | null, state: State}} StateMessage
 *
 * What a page holds. The epoch names one run of the server; revisions of different epochs are not comparable.
 * @typedef {{epoch: string, revision: number, state: State}} Held
 *
 * @typedef {'applied' | 'stale' | 'gap'} Outcome
 */

/**
 * Applies a message.
 *
 * @param {Held | null} held
 * @param {StateMessage} message
 * @returns {{held: Held | null, outcome: Outcome}} `gap` means: ask for the whole state.
 */
export function receive(held, message) {
  const { epoch, revision, state } = message;
  const whole = message.base === undefined || message.base === null;
  const sameRun = held !== null && held.epoch === epoch;
  if (sameRun && revision <= held.revision) return { held, outcome: 'stale' };
  if (whole) return { held: { epoch, revision, state }, outcome: 'applied' };
  // A page that is ahead of the base misses nothing: what changed since the base includes what changed since then.
  if (!sameRun || held.revision < Number(message.base)) return { held, outcome: 'gap' };
  return { held: { epoch, revision, state: { ...held.state, ...state } }, outcome: 'applied' };
}

/**
 * Reads a message from text. Returns null for anything else, so that a damaged line cannot stop a page.
 *
 * @param {string} text
 * @returns {StateMessage | null}
 */
export function parseMessage(text) {
  /** @type {unknown} */
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return readMessage(value);
}

/**
 * Returns a value as a message, or null if it is none.
 *
 * @param {unknown} value
 * @returns {StateMessage | null}
 */
export function readMessage(value) {
  if (typeof value !== 'object' || value === null) return null;
  const message = /** @type {Record<string, unknown>} */ (value);
  const base = message['base'];
  const wellFormed =
    typeof message['epoch'] === 'string' &&
    Number.isSafeInteger(message['revision']) &&
    typeof message['state'] === 'object' &&
    message['state'] !== null &&
    (base === undefined || base === null || Number.isSafeInteger(base));
  return wellFormed ? /** @type {StateMessage} */ (/** @type {unknown} */ (message)) : null;
}

/**
 * Returns the milliseconds to wait before the next attempt to connect: 250 ms, doubled up to 5 s, with up to a quarter
 * of jitter.
 *
 * @param {number} failures The number of failures since the last success, at least 1.
 * @param {number} random A number in [0, 1).
 */
export function reconnectDelay(failures, random) {
  const delay = Math.min(5000, 250 * 2 ** Math.min(failures - 1, 10));
  return Math.round(delay * (1 - random / 4));
}

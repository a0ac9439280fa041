// @ts-check
/** Changes that waited and were refused by the server. They are kept until the person sends them again or removes them. */

/** @typedef {import('./outbox.js').Command} Command */

export class RefusedChanges {
  #kept;

  /** @param {import('./outbox.js').Outbox} kept An outbox of their own, which nothing sends. */
  constructor(kept) {
    this.#kept = kept;
  }

  /**
   * Keeps a change.
   *
   * @param {Command} command
   * @param {string} reason The sentence of the server.
   * @returns {boolean} Whether it survives a reload.
   */
  keep(command, reason) {
    return this.#kept.keep({ ...command, body: { body: command.body, reason } });
  }

  /** @returns {{command: Command, reason: string}[]} In the order in which they were made. */
  all() {
    return this.#kept.commands().map((kept) => ({
      command: { ...kept, body: /** @type {Record<string, unknown>} */ (kept.body['body']) },
      reason: String(kept.body['reason']),
    }));
  }

  /** @param {string} id */
  remove(id) {
    this.#kept.forget(id);
  }
}

/** The part of `Storage` that the outbox uses, in memory. */
export class MemoryStore {
  #entries = new Map();
  get length() { return this.#entries.size; }
  key(index) { return [...this.#entries.keys()][index] ?? null; }
  getItem(key) { return this.#entries.get(key) ?? null; }
  setItem(key, value) { this.#entries.set(key, value); }
  removeItem(key) { this.#entries.delete(key); }
}

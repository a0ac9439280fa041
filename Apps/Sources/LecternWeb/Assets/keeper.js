// @ts-check
/**
 * Fetches what a person keeps in this browser. One tab at a time does; another one goes on when it is closed.
 *
 * The list of downloads is in the tab-shared storage, so that each tab shows it. The bytes are in the worker's cache.
 */
import { audioDownload, audioID, isComplete, next, refreshed, textDownload, textID } from './downloads.js';
import { addresses, names, sheetOf } from './shelf.js';

/**
 * @typedef {import('./downloads.js').Download} Download
 * @typedef {import('./shelf.js').KeptText} KeptText
 * @typedef {Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>} Store
 *
 * What the keeper needs of a browser. Tests pass their own.
 * @typedef {{
 *   store: Store,
 *   cache: () => Promise<Pick<Cache, 'match' | 'put' | 'delete' | 'keys'>>,
 *   fetch: (path: string, signal: AbortSignal) => Promise<Response>,
 *   lock: (signal: AbortSignal, held: () => Promise<void>) => Promise<unknown>,
 *   wait: (milliseconds: number, signal: AbortSignal) => Promise<void>,
 *   now: () => number,
 * }} Seams
 */

const key = 'lectern.downloads';
/** How many pages are fetched at a time. */
const atOnce = 4;
const full = 'The browser has no room for more. Remove something here, then resume.';
const away = 'Lectern does not answer. The download goes on when a page is opened while Lectern runs.';
/** The pause after a failure, and the number of failures in a row after which a person must ask again. */
const pauses = [1000, 4000, 15_000];

/** @returns {Seams} */
export function browserSeams() {
  return {
    store: localStorage,
    cache: () => caches.open(names.kept),
    // Not as a page: the worker would keep it once more.
    fetch: (path, signal) => fetch(path, { signal, headers: { accept: '*/*' }, cache: 'no-store' }),
    lock: (signal, held) => navigator.locks.request('lectern.downloads', { signal }, held),
    wait: (milliseconds, signal) => new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, { once: true });
    }),
    now: () => Date.now(),
  };
}

/** Sends the event `change` when a download has changed here or in another tab. */
export class Keeper extends EventTarget {
  #seams;
  #life;
  #runs = false;
  /** @type {{id: string, abort: AbortController} | null} */ #current = null;

  /** @param {AbortSignal} life @param {Seams} seams */
  constructor(life, seams) {
    super();
    this.#life = life;
    this.#seams = seams;
    life.addEventListener('abort', () => this.#current?.abort.abort());
  }

  /** The downloads, the oldest first. @returns {Download[]} */
  get downloads() {
    try {
      const value = JSON.parse(this.#seams.store.getItem(key) ?? '[]');
      return Array.isArray(value) ? value : [];
    } catch {
      return [];
    }
  }

  /** @param {string} id */
  download(id) {
    return this.downloads.find((each) => each.id === id);
  }

  /** @param {Download[]} downloads */
  #write(downloads) {
    this.#seams.store.setItem(key, JSON.stringify(downloads));
    this.dispatchEvent(new Event('change'));
  }

  /** @param {string} id @param {(download: Download) => Download} change */
  #change(id, change) {
    this.#write(this.downloads.map((each) => (each.id === id ? change(each) : each)));
  }

  /** @param {Download} download */
  #add(download) {
    this.#write([...this.downloads.filter((each) => each.id !== download.id), download]);
    void this.run();
  }

  /** Another tab has changed the downloads. */
  changed() {
    if (this.#current !== null && this.download(this.#current.id)?.paused !== false) this.#current.abort.abort();
    this.dispatchEvent(new Event('change'));
    void this.run();
  }

  /** Returns what the server says of a text, or what is kept of that. @param {string} text @returns {Promise<KeptText>} */
  async manifest(text) {
    const answer = await this.#seams.fetch(addresses.text(text), this.#life).catch(() => null);
    if (answer !== null && answer.ok) return answer.json();
    const kept = await (await this.#seams.cache()).match(addresses.text(text));
    if (kept === undefined) throw new Error('Lectern does not answer. Try again when it runs.');
    return kept.json();
  }

  // MARK: What a person asks for

  /** Keeps a text. @param {string} text */
  async keepText(text) {
    this.#add(textDownload(await this.manifest(text), this.#seams.now()));
  }

  /** Keeps the audio of a book, or of some of its chapters. @param {string} text @param {string} book @param {number[]} [chapters] */
  async keepAudio(text, book, chapters) {
    const manifest = await this.manifest(text);
    this.#add(audioDownload(manifest, book, chapters ?? null, this.download(audioID(text, book)), this.#seams.now()));
  }

  /** @param {string} id */
  pause(id) {
    this.#change(id, (download) => ({ ...download, paused: true }));
    if (this.#current?.id === id) this.#current.abort.abort();
  }

  /** The server answers again: goes on with what failed because it did not. */
  again() {
    if (this.downloads.some((each) => each.failed === away)) {
      this.#write(this.downloads.map((each) => (each.failed === away ? { ...each, failed: '' } : each)));
    }
    void this.run();
  }

  /** @param {string} id */
  resume(id) {
    this.#change(id, (download) => ({ ...download, paused: false, failed: '' }));
    void this.run();
  }

  /** Removes a download and its bytes. @param {string} id */
  async remove(id) {
    const download = this.download(id);
    this.#write(this.downloads.filter((each) => each.id !== id));
    if (this.#current?.id === id) this.#current.abort.abort();
    if (download !== undefined) await this.#erase(download);
    if (download !== undefined && !this.downloads.some((each) => each.text === download.text)) {
      await (await this.#seams.cache()).delete(addresses.text(download.text));
    }
    this.dispatchEvent(new Event('change'));
  }

  /** Erases the pages of all texts, which show marks and notes. Those that are not paused are fetched again. */
  async erasePages() {
    for (const download of this.downloads.filter((each) => each.kind === 'text')) {
      await this.#erase(download);
      this.#change(download.id, (each) => ({ ...each, done: {} }));
    }
    void this.run();
  }

  /** @param {Download} download */
  async #erase({ kind, text, book }) {
    const cache = await this.#seams.cache();
    for (const request of await cache.keys()) {
      const path = new URL(request.url).pathname;
      // The list of the books stays for the audio.
      const isOf = kind === 'text'
        ? [addresses.words(text), addresses.grid(text)].includes(path) || path.startsWith(`${addresses.grid(text)}/`)
        : path.startsWith(`/keep/${text}/audio/${book}/`) || path.startsWith(`/keep/${text}/spoken/${book}/`);
      if (isOf) await cache.delete(request);
    }
  }

  /**
   * Compares what is kept with the server: texts that were removed or imported again, and marks that have changed.
   *
   * @param {string[]} present The texts that the server has.
   */
  async refresh(present) {
    for (const download of this.downloads) {
      if (!present.includes(download.text)) {
        await this.remove(download.id);
      } else if (download.kind === 'audio') {
        const manifest = await this.manifest(download.text);
        const now = refreshed(download, manifest);
        // The old sound must not be heard beside the new text.
        if (now.done !== download.done) await this.#erase(download);
        this.#change(download.id, () => now);
      } else {
        const manifest = await this.manifest(download.text);
        const cache = await this.#seams.cache();
        if ((await cache.match(addresses.words(download.text))) === undefined && Object.keys(download.done).length > 0) {
          // The browser has removed it.
          this.#change(download.id, (each) => ({ ...each, done: {} }));
        }
        this.#change(download.id, (each) => refreshed(each, manifest));
      }
    }
    void this.run();
  }

  // MARK: Fetching

  /** Fetches what is missing. Does nothing if nothing is, or if it runs already. */
  async run() {
    if (this.#runs || this.#life.aborted || next(this.downloads) === null) return;
    this.#runs = true;
    try {
      await this.#seams.lock(this.#life, () => this.#fetchAll());
    } catch (error) {
      if (!this.#life.aborted) throw error;
    } finally {
      this.#runs = false;
    }
  }

  async #fetchAll() {
    let failures = 0;
    for (;;) {
      const found = next(this.downloads);
      if (found === null || this.#life.aborted) return;
      const { download, part } = found;
      const abort = new AbortController();
      this.#current = { id: download.id, abort };
      try {
        const done = download.kind === 'text'
          ? await this.#fetchPages(download, part, abort.signal)
          : await this.#fetchAudio(download, part, abort.signal);
        failures = 0;
        const present = this.download(download.id);
        // A person may have removed it meanwhile, and a part of an earlier version is fetched again.
        if (present === undefined) await this.#erase(download);
        else if (present.version === download.version) this.#change(download.id, (each) => ({ ...each, done: { ...each.done, [part]: done } }));
      } catch (error) {
        if (this.#life.aborted) return;
        if (abort.signal.aborted) continue;
        const pause = pauses[failures];
        failures += 1;
        const isFull = error instanceof DOMException && error.name === 'QuotaExceededError';
        const message = error instanceof Refusal ? error.message : isFull ? full : null;
        if (message !== null || pause === undefined) {
          failures = 0;
          this.#change(download.id, (each) => ({ ...each, failed: message ?? away }));
        } else {
          await this.#seams.wait(pause, abort.signal);
        }
      } finally {
        this.#current = null;
      }
    }
  }

  /** @param {string} path @param {AbortSignal} signal */
  async #get(path, signal) {
    const answer = await this.#seams.fetch(path, signal);
    if (answer.ok) return answer;
    if (answer.status >= 500 || [409, 429].includes(answer.status)) throw new Error(`The server answered ${answer.status}.`);
    const body = await answer.json().catch(() => ({}));
    throw new Refusal(String(body.detail ?? `The server answered ${answer.status}.`));
  }

  /** @param {Download} download @param {string} part @param {AbortSignal} signal */
  async #fetchPages({ text, version }, part, signal) {
    const cache = await this.#seams.cache();
    const manifest = /** @type {KeptText} */ (await (await this.#get(addresses.text(text), signal)).json());
    if (manifest.version !== version) {
      this.#change(textID(text), (each) => refreshed(each, manifest));
      throw new Error('The text was imported again.');
    }
    if (part === 'words') {
      const words = await (await this.#get(addresses.words(text), signal)).text();
      await cache.put(addresses.words(text), new Response(words, { headers: { 'content-type': 'application/json' } }));
      await cache.put(addresses.text(text), Response.json(manifest));
      return { bytes: words.length };
    }
    const book = manifest.books.find((each) => each.id === part);
    const paths = part === 'grid'
      ? [`/${text}`]
      : [`/${text}/${book?.address}`, ...(book?.chapters ?? []).map((chapter) => `/${text}/${book?.address}/${chapter}`)];
    /** @type {Record<string, import('./shelf.js').Sheet>} */ const pages = {};
    const at = this.#seams.now();
    const waiting = paths.entries();
    await Promise.all(Array.from({ length: atOnce }, async () => {
      for (const [, path] of waiting) {
        const sheet = sheetOf(await (await this.#get(path, signal)).text());
        if (sheet !== null) pages[path] = sheet;
      }
    }));
    const bundle = JSON.stringify({ at, pages });
    const address = part === 'grid' ? addresses.grid(text) : addresses.book(text, book?.address ?? '');
    await cache.put(address, new Response(bundle, { headers: { 'content-type': 'application/json' } }));
    return { bytes: bundle.length, marks: book?.marks ?? '' };
  }

  /** @param {Download} download @param {string} part @param {AbortSignal} signal */
  async #fetchAudio({ text, book }, part, signal) {
    const cache = await this.#seams.cache();
    const chapter = Number(part);
    if ((await cache.match(addresses.text(text))) === undefined) {
      await cache.put(addresses.text(text), await this.#get(addresses.text(text), signal));
    }
    // The server makes the audio before it answers.
    const spoken = await (await this.#get(addresses.spoken(text, book, chapter), signal)).text();
    // The times are those of one voice. If another one was chosen since, both are asked for again.
    const { voice } = JSON.parse(spoken);
    const address = `${addresses.audio(text, book, chapter)}?voice=${encodeURIComponent(voice)}`;
    const audio = await (await this.#get(address, signal)).blob();
    await cache.put(addresses.audio(text, book, chapter), new Response(audio, { headers: { 'content-type': 'audio/ogg' } }));
    await cache.put(addresses.spoken(text, book, chapter), new Response(spoken, { headers: { 'content-type': 'application/json' } }));
    return { bytes: audio.size + spoken.length };
  }

  /**
   * Returns when the verses of a kept chapter are heard; null if its audio is not kept.
   *
   * @param {string} text @param {string} book @param {number} chapter
   * @returns {Promise<{milliseconds: number, voice: string, verses: {verse: number, start: number, end: number}[]} | null>}
   */
  async spoken(text, book, chapter) {
    const kept = await (await this.#seams.cache()).match(addresses.spoken(text, book, chapter));
    return kept === undefined ? null : kept.json();
  }

  /** Whether all of a text is kept. @param {string} text */
  hasText(text) {
    const download = this.download(textID(text));
    return download !== undefined && isComplete(download);
  }
}

/** An answer of the server that a later attempt does not change. */
class Refusal extends Error {}

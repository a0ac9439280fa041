// @ts-check
/**
 * Turns pages: the neighbours of a chapter are fetched ahead, and a turn swaps the contents of the page. The address, the
 * title and the focus are those of a page that the browser has loaded.
 */

/**
 * @typedef {{title: string, lang: string, main: HTMLElement}} Sheet
 */

/** The most chapters that are kept. */
const kept = 8;

/**
 * Returns what a turn needs of a page, or null if the page is no chapter.
 *
 * @param {string} html
 * @returns {Sheet | null}
 */
function sheetOf(html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  const main = page.getElementById('main');
  if (main === null || page.body.dataset['page'] !== 'chapter') return null;
  return { title: page.title, lang: page.documentElement.lang, main };
}

export class Turner {
  /** @type {Map<string, Promise<Sheet | null>>} */ #sheets = new Map();
  /** @type {Map<string, Sheet>} */ #ready = new Map();
  #signal;
  #turned;

  /**
   * @param {AbortSignal} signal
   * @param {() => void} turned Is called after the contents were swapped.
   */
  constructor(signal, turned) {
    this.#signal = signal;
    this.#turned = turned;
    history.replaceState({ ...history.state, chapter: true }, '');
    window.addEventListener('popstate', () => void this.#show(location.pathname + location.search, location.hash), { signal });
    document.addEventListener(
      'click',
      (event) => {
        const link = event.target instanceof Element ? event.target.closest('.turn a') : null;
        if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.turn(link.rel === 'next' ? 'next' : 'prev', event.timeStamp);
      },
      { signal },
    );
    this.prefetch();
  }

  /** @param {'next' | 'prev'} direction @returns {string | null} */
  #address(direction) {
    const link = document.querySelector(`.turn a[rel="${direction}"]`);
    return link instanceof HTMLAnchorElement ? link.pathname + link.search : null;
  }

  /** Fetches the neighbours of the shown chapter, the next one first. */
  prefetch() {
    for (const direction of /** @type {const} */ (['next', 'prev'])) {
      const address = this.#address(direction);
      if (address !== null) void this.#sheet(address);
    }
  }

  /** Forgets what was fetched, for example because a mark was changed. */
  forget() {
    this.#sheets.clear();
    this.#ready.clear();
    this.prefetch();
  }

  /** @param {string} address @returns {Promise<Sheet | null>} */
  #sheet(address) {
    const known = this.#sheets.get(address);
    if (known !== undefined) return known;
    const sheet = fetch(address, { signal: this.#signal, headers: { accept: 'text/html' } })
      .then(async (answer) => (answer.ok ? sheetOf(await answer.text()) : null))
      .catch(() => null)
      .then((found) => {
        if (this.#sheets.get(address) !== sheet) return found;
        if (found === null) this.#sheets.delete(address);
        else this.#ready.set(address, found);
        return found;
      });
    this.#sheets.set(address, sheet);
    for (const old of this.#sheets.keys()) {
      if (this.#sheets.size <= kept) break;
      this.#sheets.delete(old);
      this.#ready.delete(old);
    }
    return sheet;
  }

  /**
   * Turns to the next or the previous chapter.
   *
   * @param {'next' | 'prev'} direction
   * @param {number} began The time of the key or the click.
   */
  turn(direction, began) {
    const address = this.#address(direction);
    if (address === null) return;
    const sheet = this.#ready.get(address);
    if (sheet === undefined) {
      void this.#sheet(address).then((found) => {
        if (found === null) location.assign(address);
        else if (this.#address(direction) === address) this.#swap(found, address, began);
      });
      return;
    }
    this.#swap(sheet, address, began);
  }

  /** @param {Sheet} sheet @param {string} address @param {number} began */
  #swap(sheet, address, began) {
    history.pushState({ chapter: true }, '', address);
    this.#put(sheet);
    window.scrollTo({ top: 0, behavior: 'instant' });
    document.getElementById('main')?.focus({ preventScroll: true });
    this.#turned();
    // The task after the next frame begins when the frame is painted.
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        performance.measure('turn', { start: began, end: performance.now() });
        this.prefetch();
      };
      port2.postMessage(null);
    });
  }

  /** @param {Sheet} sheet */
  #put(sheet) {
    document.title = sheet.title;
    // A copy, because the chapter may be shown again.
    const copy = /** @type {HTMLElement} */ (document.importNode(sheet.main, true));
    document.getElementById('main')?.replaceChildren(...copy.childNodes);
    const field = document.querySelector('.go input[name="at"]');
    const chapter = document.querySelector('article.chapter');
    if (field instanceof HTMLInputElement && chapter instanceof HTMLElement) field.value = chapter.dataset['osis'] ?? '';
  }

  /** @param {string} address @param {string} hash */
  async #show(address, hash) {
    if (document.querySelector('article.chapter') === null) return location.reload();
    const sheet = await this.#sheet(address);
    if (sheet === null) return location.reload();
    if (location.pathname + location.search !== address) return;
    this.#put(sheet);
    this.#turned();
    if (hash !== '') document.getElementById(hash.slice(1))?.scrollIntoView();
    this.prefetch();
  }

  /** Shows the present chapter as it is now. The place on the screen stays. */
  async refresh() {
    this.forget();
    const address = location.pathname + location.search;
    const sheet = await this.#sheet(address);
    if (sheet === null || location.pathname + location.search !== address) return;
    const top = window.scrollY;
    this.#put(sheet);
    window.scrollTo({ top, behavior: 'instant' });
    this.#turned();
  }
}

// @ts-check
/**
 * Answers requests when the server does not: files of the program first from the cache, pages first from the server, and
 * then from what is kept.
 */
import { askedOf, messageSheet, searchSheet } from './kept-pages.js';
import {
  addresses, addressOf, bytesResponse, compose, find, isOld, isWorthKeeping, keptAt, kindOf, mostPages, names, placeOf, sheetOf,
} from './shelf.js';
import { WordIndex } from './words.js';

/**
 * @typedef {import('./shelf.js').KeptText} KeptText
 * @typedef {import('./shelf.js').Sheet} Sheet
 * @typedef {import('./shelf.js').Bundle} Bundle
 *
 * What the worker needs of a browser. Tests pass their own.
 * @typedef {{
 *   caches: CacheStorage,
 *   fetch: (request: RequestInfo | URL, init?: RequestInit) => Promise<Response>,
 *   now: () => number,
 *   wait: (milliseconds: number) => Promise<void>,
 *   origin: string,
 * }} Seams
 */

/** The time that the server has before a kept page is shown instead, in milliseconds. */
const patience = 1000;
/** The same for a search and a reference, in milliseconds. */
const longPatience = 10_000;
/** The time after a missed answer in which kept pages are shown at once, in milliseconds. */
const distrust = 5000;
/** The two pages of the server that surround kept sheets. */
const shells = ['/offline', '/offline/chapter'];

export class Librarian {
  #root;
  #seams;
  #awayUntil = 0;
  /** @type {{text: string, version: string, index: WordIndex} | null} */ #index = null;
  #refreshed = 0;

  /** @param {string} root The directory of the program's files. @param {Seams} seams */
  constructor(root, seams) {
    this.#root = root;
    this.#seams = seams;
  }

  /** @returns {Promise<Cache>} */
  #code() {
    return this.#seams.caches.open(names.code + this.#root);
  }

  /** Fetches the files of the program. @param {string[]} assets */
  async install(assets) {
    const code = await this.#code();
    await code.addAll(assets);
    await this.refreshShells();
  }

  /** Fetches the pages that surround kept sheets: they have the person's settings. */
  async refreshShells() {
    const code = await this.#code();
    for (const path of shells) {
      const answer = await this.#seams.fetch(path, { headers: { accept: 'text/html' }, cache: 'no-store' });
      if (answer.ok && !answer.redirected) await code.put(path, answer);
    }
  }

  /** Removes the files of other versions, and pages that need them. */
  async activate() {
    const own = names.code + this.#root;
    let isUpdate = false;
    for (const name of await this.#seams.caches.keys()) {
      if (!name.startsWith(names.code) || name === own) continue;
      isUpdate = true;
      await this.#seams.caches.delete(name);
    }
    if (isUpdate) await this.#seams.caches.delete(names.pages);
    await this.prune();
  }

  /** Removes pages that are too old or too many. */
  async prune() {
    const pages = await this.#seams.caches.open(names.pages);
    const found = await Promise.all((await pages.keys()).map(async (request) => {
      const answer = await pages.match(request);
      return { request, at: Number(answer?.headers.get(keptAt) ?? 0) };
    }));
    found.sort((one, other) => other.at - one.at);
    for (const [place, { request, at }] of found.entries()) {
      if (place >= mostPages || isOld(at, this.#seams.now())) await pages.delete(request);
    }
  }

  /**
   * Answers a request, or returns null if only the server does.
   *
   * @param {Request} request
   * @param {(work: Promise<unknown>) => void} later Takes work that outlives the answer.
   * @returns {Promise<Response> | null}
   */
  answer(request, later) {
    const url = new URL(request.url);
    const { method, mode } = request;
    const own = { origin: this.#seams.origin, root: this.#root };
    switch (kindOf({ method, mode, accept: request.headers.get('accept'), url }, own)) {
      case 'code': return this.#file(request);
      case 'audio': return this.#audio(request, url);
      case 'page': return this.#page(request, url, later);
      case null: return null;
    }
  }

  /** @param {Request} request */
  async #file(request) {
    const code = await this.#code();
    return (await code.match(request)) ?? this.#seams.fetch(request);
  }

  /** @param {Request} request @param {URL} url */
  async #audio(request, url) {
    const kept = await (await this.#seams.caches.open(names.kept)).match(url.pathname);
    if (kept === undefined) return this.#seams.fetch(request);
    return bytesResponse(request.headers.get('range'), await kept.blob(), 'audio/ogg');
  }

  /** @param {Request} request @param {URL} url @param {(work: Promise<unknown>) => void} later */
  async #page(request, url, later) {
    const asked = this.#seams.fetch(request).then(
      (answer) => {
        this.#awayUntil = 0;
        if (isFromServer(answer) && isWorthKeeping(url.pathname)) later(this.#keep(url, answer.clone()));
        if (request.mode === 'navigate') later(this.#refresh());
        return answer;
      },
      () => null,
    );
    later(asked);
    const isAway = this.#seams.now() < this.#awayUntil;
    // A search and a reference have no kept copy that would do as well.
    const bound = isWorthKeeping(url.pathname) ? patience : longPatience;
    const first = await Promise.race([asked, this.#seams.wait(isAway ? 0 : bound)]);
    if (first) return first;
    this.#awayUntil = this.#seams.now() + distrust;
    const kept = await this.#kept(url);
    // Without a kept copy there is nothing better than to wait.
    return kept ?? (await asked) ?? this.#lacking();
  }

  /** Fetches the surrounding pages again, at most once a minute. */
  async #refresh() {
    const now = this.#seams.now();
    if (now - this.#refreshed < 60_000) return;
    this.#refreshed = now;
    await this.refreshShells().catch(() => undefined);
  }

  /** @param {URL} url @param {Response} answer */
  async #keep(url, answer) {
    const html = await answer.text();
    if (sheetOf(html) === null) return;
    const pages = await this.#seams.caches.open(names.pages);
    await pages.put(url.pathname + url.search, new Response(html, { headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': answer.headers.get('content-security-policy') ?? "default-src 'self'",
      [keptAt]: String(this.#seams.now()),
    } }));
  }

  // MARK: What is kept

  /** @template T @param {string} address @returns {Promise<T | null>} */
  async #json(address) {
    const kept = await (await this.#seams.caches.open(names.kept)).match(address);
    return kept === undefined ? null : kept.json();
  }

  /** @returns {Promise<KeptText[]>} */
  async #texts() {
    const kept = await this.#seams.caches.open(names.kept);
    const paths = (await kept.keys()).map((request) => new URL(request.url).pathname);
    const texts = paths.filter((path) => /^\/keep\/[^/]+$/.test(path) && paths.includes(`${path}/words`));
    return Promise.all(texts.map(async (path) => /** @type {Promise<KeptText>} */ ((await kept.match(path))?.json())));
  }

  /** @param {URL} url @returns {Promise<Response | null>} */
  async #kept(url) {
    if (url.pathname === '/go') return this.#go(url);
    if (url.pathname === '/search') return this.#search(url);
    const pages = await this.#seams.caches.open(names.pages);
    const place = placeOf(url.pathname);
    const exact = (await pages.match(url.pathname + url.search)) ?? (place === null ? undefined : await pages.match(url.pathname));
    if (place === null) return exact ?? null;
    const { text, book } = place;
    /** @type {Bundle | null} */
    const bundle = await this.#json(book === null ? addresses.grid(text) : addresses.book(text, book));
    const path = url.pathname.replace(/\/$/, '');
    const sheet = bundle?.pages[path];
    // The newer one has the newer marks.
    if (exact !== undefined && (bundle == null || sheet === undefined || Number(exact.headers.get(keptAt) ?? 0) >= bundle.at)) return exact;
    if (sheet === undefined) return null;
    const osis = /data-osis="([^"]*)"/.exec(sheet.main)?.[1] ?? '';
    return place.chapter === null
      ? this.#written(sheet, { page: 'page', text })
      : this.#written(sheet, { page: 'chapter', text, at: osis });
  }

  /** @param {Sheet} sheet @param {{page: string, text?: string, at?: string, typed?: string}} facts */
  async #written(sheet, facts) {
    const shell = await (await this.#code()).match(facts.page === 'chapter' ? '/offline/chapter' : '/offline');
    const headers = new Headers({ 'content-type': 'text/html; charset=utf-8' });
    headers.set('content-security-policy', shell?.headers.get('content-security-policy') ?? "default-src 'self'");
    return new Response(compose((await shell?.text()) ?? '', sheet, facts), { headers });
  }

  async #lacking() {
    const shell = await (await this.#code()).match('/offline');
    if (shell === undefined) return Response.error();
    return new Response(await shell.text(), { status: 503, headers: shell.headers });
  }

  /** @param {URL} url */
  async #go(url) {
    const typed = url.searchParams.get('q') ?? '';
    const texts = await this.#texts();
    const text = texts.find(({ id }) => id === url.searchParams.get('in')) ?? texts[0];
    if (text === undefined) {
      return this.#written(
        messageSheet('References need a kept text', 'Lectern does not answer. Keep a text on this device while Lectern runs; then references and searches work without it.', [{ href: '/device', text: 'What is kept here' }]),
        { page: 'page', typed });
    }
    const found = find(typed, text, url.searchParams.get('at') ?? '');
    const [first, another] = found;
    const search = `/search?${new URLSearchParams({ q: typed, in: text.id })}`;
    if (first !== undefined && another === undefined) return Response.redirect(this.#seams.origin + addressOf(text.id, first), 302);
    if (first === undefined && !/\d/.test(typed)) return Response.redirect(this.#seams.origin + search, 302);
    const links = found.map((each) => ({
      href: addressOf(text.id, each),
      text: [each.book.name, each.chapter === null ? '' : ` ${each.chapter}`, each.verses === null ? '' : `:${each.verses}`].join(''),
    }));
    const sheet = first === undefined
      ? messageSheet('That is not understood without Lectern', `Write a book, a chapter and a verse, such as John 3:16. Lists of references, and offers of the nearest one, need Lectern.`, [{ href: search, text: `Search for ${typed}` }])
      : messageSheet('Which one?', `“${typed}” can be read in several ways.`, [...links, { href: search, text: `Search for ${typed}` }]);
    return this.#written(sheet, { page: 'page', text: text.id, typed });
  }

  /** @param {URL} url */
  async #search(url) {
    const texts = await this.#texts();
    const text = texts.find(({ id }) => id === url.searchParams.get('in')) ?? texts[0];
    if (text === undefined) {
      return this.#written(
        messageSheet('No text is kept on this device', 'Lectern does not answer. Keep a text on this device while Lectern runs; then it can be searched without it.', [{ href: '/device', text: 'What is kept here' }]),
        { page: 'page' });
    }
    const asked = askedOf(url, text.id);
    const index = asked.typed.trim() === '' ? null : await this.#words(text);
    return this.#written(searchSheet(asked, text, texts, index === null ? null : index.search(asked)), { page: 'search', text: text.id });
  }

  /** @param {KeptText} text */
  async #words({ id, version }) {
    if (this.#index?.text === id && this.#index.version === version) return this.#index.index;
    const words = /** @type {{books: import('./words.js').Book[]} | null} */ (await this.#json(addresses.words(id)));
    const index = new WordIndex(words ?? { books: [] });
    this.#index = { text: id, version, index };
    return index;
  }
}

/** @param {Response} answer */
function isFromServer(answer) {
  return answer.ok && !answer.redirected && (answer.headers.get('content-type') ?? '').startsWith('text/html');
}

/**
 * Connects the worker with its events.
 *
 * @param {any} scope The global object of the worker.
 * @param {{root: string, assets: string[]}} options
 */
export function startWorker(scope, { root, assets }) {
  const librarian = new Librarian(root, {
    caches: scope.caches,
    fetch: (request, init) => scope.fetch(request, init),
    now: () => Date.now(),
    wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    origin: scope.location.origin,
  });
  scope.addEventListener('install', (/** @type {any} */ event) => {
    event.waitUntil(librarian.install(assets).then(() => scope.skipWaiting()));
  });
  scope.addEventListener('activate', (/** @type {any} */ event) => {
    event.waitUntil(librarian.activate().then(() => scope.clients.claim()));
  });
  scope.addEventListener('fetch', (/** @type {any} */ event) => {
    const answer = librarian.answer(event.request, (work) => event.waitUntil(work));
    if (answer !== null) event.respondWith(answer);
  });
  scope.addEventListener('message', (/** @type {any} */ event) => {
    if (event.data === 'claim') event.waitUntil(scope.clients.claim());
    if (event.data === 'settings') event.waitUntil(librarian.refreshShells().catch(() => undefined));
  });
}

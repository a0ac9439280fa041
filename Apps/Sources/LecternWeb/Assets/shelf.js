// @ts-check
/**
 * What is kept in the browser, and how a request is answered from it. No storage and no events: tests call these functions.
 *
 * A page without what surrounds it.
 * @typedef {{title: string, main: string}} Sheet
 *
 * The pages of a book, by address.
 * @typedef {{at: number, pages: Record<string, Sheet>}} Bundle
 *
 * @typedef {{id: string, address: string, name: string, abbreviation: string, aliases: string[], testament: string | null,
 *   chapters: number[], marks: string, seconds: number}} KeptBook
 * @typedef {{id: string, title: string, abbreviation: string, language: string, direction: string, kind: string,
 *   version: string, books: KeptBook[], bytes: number}} KeptText
 */

/** The caches. That of the code has the version of the program in its name. */
export const names = { code: 'lectern-code ', pages: 'lectern-pages', kept: 'lectern-kept' };

/** The time for which a page that was not asked for is kept, in milliseconds: 30 days. */
export const keptFor = 30 * 86_400_000;
/** The most pages that are kept without being asked for. */
export const mostPages = 300;
/** The header of a kept page that says when it was kept. */
export const keptAt = 'lectern-kept-at';

/** Addresses in the cache of what was asked for. */
export const addresses = {
  /** @param {string} text */ text: (text) => `/keep/${text}`,
  /** @param {string} text */ words: (text) => `/keep/${text}/words`,
  /** @param {string} text */ grid: (text) => `/keep/${text}/pages`,
  /** @param {string} text @param {string} book */ book: (text, book) => `/keep/${text}/pages/${book}`,
  /** @param {string} text @param {string} book @param {number} chapter */
  spoken: (text, book, chapter) => `/keep/${text}/spoken/${book}/${chapter}`,
  /** @param {string} text @param {string} book @param {number} chapter */
  audio: (text, book, chapter) => `/keep/${text}/audio/${book}/${chapter}`,
};

/** First parts of addresses that are no texts. */
const others = new Set([
  'go', 'search', 'suggest', 'voices', 'marks', 'mark', 'plans', 'history', 'texts', 'settings', 'data', 'device',
  'offline', 'keep', 'media', 'assets', 'commands', 'events', 'state', 'healthz', 'start', 'sw.js', 'export', 'exports',
]);

/**
 * Returns how a request is answered:
 * - `code`: from the cache of the program's files.
 * - `audio`: from the kept audio, else by the server.
 * - `page`: by the server, else from what is kept.
 * - null: by the server only.
 *
 * @param {{method: string, mode: string, accept: string | null, url: URL}} request
 * @param {{origin: string, root: string}} own
 * @returns {'code' | 'audio' | 'page' | null}
 */
export function kindOf({ method, mode, accept, url }, { origin, root }) {
  if (method !== 'GET' || url.origin !== origin) return null;
  const path = url.pathname;
  if (path.startsWith(`${root}/`)) return 'code';
  if (/^\/keep\/[^/]+\/audio\//.test(path)) return 'audio';
  if (/^\/(assets|keep|media|commands|start|healthz|sw\.js|events|state|exports?)(\/|$)|^\/(data|handouts)\//.test(path)) return null;
  return mode === 'navigate' || (accept ?? '').includes('text/html') ? 'page' : null;
}

/**
 * Returns whether a page that the server sent is kept without being asked for. There are too many addresses of searches.
 *
 * @param {string} path
 */
export function isWorthKeeping(path) {
  return !/^\/(go|search|mark|offline)$/.test(path);
}

/**
 * Reads the address of a page of a text: `/kjv`, `/kjv/john` or `/kjv/john/3`.
 *
 * @param {string} path
 * @returns {{text: string, book: string | null, chapter: number | null} | null}
 */
export function placeOf(path) {
  const found = /^\/([^/]+)(?:\/([^/]+)(?:\/(\d{1,6}))?)?\/?$/.exec(path);
  if (found === null || others.has(found[1] ?? '')) return null;
  const [, text, book, chapter] = found;
  return { text: text ?? '', book: book ?? null, chapter: chapter === undefined ? null : Number(chapter) };
}

const mainStart = '<main id="main" tabindex="-1">';

/**
 * Returns what is kept of a page that the server sent, or null if it is none of Lectern's pages.
 *
 * @param {string} html
 * @returns {Sheet | null}
 */
export function sheetOf(html) {
  const start = html.indexOf(mainStart);
  const end = html.lastIndexOf('</main>');
  const title = /<title>([^<]*)<\/title>/.exec(html)?.[1];
  if (start < 0 || end < start || title === undefined || !html.includes('data-app="lectern"')) return null;
  return { title, main: html.slice(start + mainStart.length, end).trim() };
}

/**
 * Puts a kept sheet into the page that surrounds it.
 *
 * @param {string} shell The page of the server that has an empty or another sheet.
 * @param {Sheet} sheet
 * @param {{page: string, text?: string, at?: string, typed?: string}} facts
 */
export function compose(shell, { title, main }, { page, text = '', at = '', typed = '' }) {
  const start = shell.indexOf(mainStart);
  const end = shell.lastIndexOf('</main>');
  if (start < 0 || end < start) return `<!doctype html><title>${title}</title><body>${main}`;
  const head = shell
    .slice(0, start)
    .replace(/<title>[^<]*<\/title>/, () => `<title>${title}</title>`)
    .replace(/data-page="[^"]*"/, () => `data-page="${page}" data-kept="true"`)
    .replace('name="in" value=""', () => `name="in" value="${escaped(text)}"`)
    .replace('name="at" value=""', () => `name="at" value="${escaped(at)}"`)
    .replace('type="search" value=""', () => `type="search" value="${escaped(typed)}"`);
  return `${head}${mainStart}\n${main}\n${shell.slice(end)}`;
}

/** @param {string} text */
export function escaped(text) {
  return text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);
}

/**
 * Returns whether a page that was kept at a time is too old.
 *
 * @param {number} at
 * @param {number} now
 */
export function isOld(at, now) {
  return !(now - at < keptFor);
}

/**
 * Returns the bytes that a `Range` header asks for: the first and the one after the last, or null for all, or `none` for a
 * range outside of the bytes.
 *
 * @param {string | null} header
 * @param {number} length
 * @returns {[number, number] | 'none' | null}
 */
export function byteRange(header, length) {
  const found = /^bytes=(\d*)-(\d*)$/.exec((header ?? '').trim());
  if (found === null || (found[1] === '' && found[2] === '')) return null;
  const [, first = '', last = ''] = found;
  if (first === '') {
    const count = Number(last);
    return count === 0 || length === 0 ? 'none' : [Math.max(0, length - count), length];
  }
  const start = Number(first);
  const end = last === '' ? length : Math.min(length, Number(last) + 1);
  if (start >= length) return 'none';
  return end <= start ? null : [start, end];
}

/**
 * Answers a request for kept bytes, as a server does: 206 for a part.
 *
 * @param {string | null} range
 * @param {Blob} blob
 * @param {string} type
 */
export function bytesResponse(range, blob, type) {
  const part = byteRange(range, blob.size);
  const headers = { 'content-type': type, 'accept-ranges': 'bytes', 'cache-control': 'no-store' };
  if (part === 'none') {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${blob.size}` } });
  }
  if (part === null) return new Response(blob, { headers: { ...headers, 'content-length': `${blob.size}` } });
  const [start, end] = part;
  return new Response(blob.slice(start, end, type), {
    status: 206,
    headers: {
      ...headers,
      'content-length': `${end - start}`,
      'content-range': `bytes ${start}-${end - 1}/${blob.size}`,
    },
  });
}

/** @param {string} text */
const key = (text) => text.toLowerCase().normalize('NFD').replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Finds a reference in a kept text: the name of a book, a chapter, and a verse. The server knows more forms.
 *
 * @param {string} typed
 * @param {KeptText} text
 * @param {string} at The shown chapter, such as `John.3`, to which numbers alone refer.
 * @returns {{book: KeptBook, chapter: number | null, verses: string | null}[]} More than one if the name is ambiguous; none
 *   if it is no reference.
 */
export function find(typed, text, at) {
  const found = /^\s*((?:[1-4]\s*(?=\p{L}))?[^\d:.,]*?)[\s.]*(?:(\d+)(?:\s*[:.,\s]\s*(\d+)(?:\s*[-–]\s*(\d+))?)?)?\s*$/iu.exec(typed);
  if (found === null) return [];
  const [, name = '', chapter, verse, last] = found;
  const wanted = key(name.replace(/^\s*(i{1,3}|iv)\s+/i, (roman) => `${['', 'i', 'ii', 'iii', 'iv'].indexOf(roman.trim().toLowerCase())} `));
  let books;
  if (wanted === '') {
    if (chapter === undefined) return [];
    books = text.books.filter((book) => book.id === at.split('.')[0]);
  } else {
    /** @param {KeptBook} book */
    const keys = (book) => [book.name, book.abbreviation, book.id, ...book.aliases].map(key);
    books = text.books.filter((book) => keys(book).includes(wanted));
    if (books.length === 0) books = text.books.filter((book) => key(book.name).startsWith(wanted));
  }
  return books.flatMap((book) => {
    const only = book.chapters.filter((each) => each > 0);
    const isOnly = only.length === 1;
    // A single number after the name of a book with one chapter is a verse.
    if (isOnly && chapter !== undefined && verse === undefined && Number(chapter) !== only[0]) {
      return [{ book, chapter: only[0] ?? 1, verses: chapter }];
    }
    // Numbers alone are `verse`, or `chapter:verse`.
    if (wanted === '' && verse === undefined) {
      return [{ book, chapter: Number(at.split('.')[1] ?? '1'), verses: chapter ?? null }];
    }
    if (chapter === undefined) return [{ book, chapter: isOnly ? (only[0] ?? null) : null, verses: null }];
    if (!book.chapters.includes(Number(chapter))) return [];
    return [{ book, chapter: Number(chapter), verses: verse === undefined ? null : last === undefined ? verse : `${verse}-${last}` }];
  });
}

/**
 * Returns the address of what was found.
 *
 * @param {string} text
 * @param {{book: KeptBook, chapter: number | null, verses: string | null}} place
 */
export function addressOf(text, { book, chapter, verses }) {
  const path = `/${text}/${book.address}${chapter === null ? '' : `/${chapter}`}`;
  if (verses === null) return path;
  const first = verses.split('-')[0];
  return verses.includes('-') ? `${path}?verses=${verses}#${first}` : `${path}#${first}`;
}

// @ts-check
/**
 * The downloads of this browser as values. No storage and no network: the `Keeper` carries out what these functions decide.
 *
 * A download has parts, which are fetched one after another. What was fetched stays during a pause and after a reload.
 * - A text has the parts `words`, `grid` and the ids of its books.
 * - Audio of a book has its chapters as parts.
 *
 * @typedef {{id: string, kind: 'text' | 'audio', text: string, book: string, title: string, version: string,
 *   parts: string[], done: Record<string, {bytes: number, marks?: string}>, estimate: number, paused: boolean,
 *   failed: string, startedAt: number}} Download
 */

/** @param {string} text */
export const textID = (text) => `text/${text}`;
/** @param {string} text @param {string} book */
export const audioID = (text, book) => `audio/${text}/${book}`;

/** @param {import('./shelf.js').KeptText} manifest @param {number} now @returns {Download} */
export function textDownload({ id, title, version, books, bytes }, now) {
  return {
    id: textID(id), kind: 'text', text: id, book: '', title, version, estimate: bytes,
    parts: ['words', 'grid', ...books.map((book) => book.id)], done: {}, paused: false, failed: '', startedAt: now,
  };
}

/** The bytes of a second of audio: about 32 kbit/s. */
const bytesPerSecond = 4130;

/**
 * Returns a download of chapters of a book. Chapters that an earlier download of the book has stay.
 *
 * @param {import('./shelf.js').KeptText} manifest
 * @param {string} bookID
 * @param {number[] | null} chapters null for all.
 * @param {Download | undefined} earlier
 * @param {number} now
 * @returns {Download}
 */
export function audioDownload({ id, version, books }, bookID, chapters, earlier, now) {
  const book = books.find((each) => each.id === bookID);
  if (book === undefined) throw new Error(`The text has no book '${bookID}'.`);
  const wanted = new Set([...(earlier?.parts ?? []), ...(chapters ?? book.chapters).map(String)]);
  const parts = book.chapters.map(String).filter((chapter) => wanted.has(chapter));
  return {
    id: audioID(id, bookID), kind: 'audio', text: id, book: bookID, title: book.name, version, parts,
    done: earlier?.done ?? {}, estimate: (book.seconds * bytesPerSecond * parts.length) / Math.max(1, book.chapters.length),
    paused: false, failed: '', startedAt: earlier?.startedAt ?? now,
  };
}

/** @param {Download} download */
export function isComplete(download) {
  return download.parts.every((part) => download.done[part] !== undefined);
}

/**
 * Returns the state of a download for a person.
 *
 * @param {Download} download
 * @returns {{phase: 'complete' | 'paused' | 'failed' | 'under way', done: number, parts: number, bytes: number}}
 */
export function progress(download) {
  const done = download.parts.filter((part) => download.done[part] !== undefined).length;
  const bytes = Object.values(download.done).reduce((sum, each) => sum + each.bytes, 0);
  const phase = done === download.parts.length ? 'complete' : download.paused ? 'paused' : download.failed !== '' ? 'failed' : 'under way';
  return { phase, done, parts: download.parts.length, bytes };
}

/**
 * Returns what to fetch next: the first missing part of the oldest download that is not paused and has not failed.
 *
 * @param {Download[]} downloads
 * @returns {{download: Download, part: string} | null}
 */
export function next(downloads) {
  const ready = downloads.filter((each) => !each.paused && each.failed === '').sort((one, other) => one.startedAt - other.startedAt);
  for (const download of ready) {
    const part = download.parts.find((each) => download.done[each] === undefined);
    if (part !== undefined) return { download, part };
  }
  return null;
}

/**
 * Compares a download with the server's text of now. Books whose marks have changed are fetched again, and all of a text
 * that was imported again. A new version of the program has other pages, but the same audio.
 *
 * @param {Download} download
 * @param {import('./shelf.js').KeptText} manifest
 * @returns {Download}
 */
export function refreshed(download, manifest) {
  if (download.kind === 'audio') {
    const isSame = textVersion(download.version) === textVersion(manifest.version);
    return { ...download, version: manifest.version, done: isSame ? download.done : {} };
  }
  if (download.version !== manifest.version) {
    return { ...textDownload(manifest, download.startedAt), paused: download.paused };
  }
  const done = { ...download.done };
  for (const { id, marks } of manifest.books) {
    if (done[id] !== undefined && done[id].marks !== marks) delete done[id];
  }
  return { ...download, done };
}

/** Returns the part of a version that is the text's, without that of the program's pages. @param {string} version */
function textVersion(version) {
  return version.split(' ')[0];
}

/** @param {number} bytes */
export function sizeText(bytes) {
  if (bytes < 950_000) return `${Math.max(1, Math.round(bytes / 1000))} kB`;
  if (bytes >= 950_000_000) return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
  return bytes < 9_500_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${Math.round(bytes / 1_000_000)} MB`;
}

/** @param {number} seconds */
export function lengthText(seconds) {
  const minutes = Math.max(1, Math.round(seconds / 60));
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

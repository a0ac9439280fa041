// @ts-check
/**
 * Searches a kept text without the server: the same words, the same folding and the same totals as the server's search.
 * No DOM and no storage, so the worker uses it, and tests do.
 *
 * A verse as the server sends it: chapter, number, label (null for the number), words.
 * @typedef {[number, number, string | null, string]} Row
 * @typedef {{id: string, name: string, testament: string, verses: Row[]}} Book
 *
 * A word or phrase to search for, folded.
 * @typedef {{words: string[], isPrefix: boolean}} Term
 *
 * @typedef {{typed: string, match: string, part: string, page: number, context: number}} Search
 *
 * @typedef {{book: Book, row: Row, matches: [number, number][], before: Row[], after: Row[]}} Hit
 * @typedef {{hits: Hit[], total: number, all: number, counts: {book: Book, count: number}[], hasMore: boolean}} Results
 */

/** The number of hits of a page. */
export const pageSize = 20;

const longestWord = 64;
const mostTerms = 16;
const mostWords = 64;

/** Accents, points, cantillation marks and invisible joiners, which folding drops. */
const dropped =
  '\\u0300-\\u036F\\u0483-\\u0489\\u0591-\\u05BD\\u05BF\\u05C1-\\u05C2\\u05C4-\\u05C5\\u05C7' +
  '\\u0610-\\u061A\\u0640\\u064B-\\u065F\\u0670\\u06D6-\\u06DC\\u06DF-\\u06E8\\u06EA-\\u06ED\\u0711\\u0730-\\u074A' +
  '\\u1AB0-\\u1AFF\\u1DC0-\\u1DFF\\u20D0-\\u20FF\\uFE20-\\uFE2F\\u00AD\\u034F\\u200B-\\u200F\\u2060\\uFEFF';
const dropping = new RegExp(`[${dropped}]`, 'gu');
/** Scripts without spaces between words: each character is a word. */
const single =
  '\\u0E01-\\u0E30\\u0E32-\\u0E33\\u0E40-\\u0E46\\u0E81-\\u0EB0\\u1000-\\u102A\\u1780-\\u17B3' +
  '\\u3041-\\u3096\\u30A1-\\u30FA\\p{Ideographic}';
const letters = `(?![\\u2010-\\u205E${single}])[\\p{Alphabetic}\\p{N}\\p{M}${dropped}]`;
const wordPattern = new RegExp(`[${single}]|(?:${letters})+`, 'gu');
const isPlain = /^[\0-\x7f\u2010-\u205e]*$/;
const longRun = /[a-z0-9]{65}/i;

/** @param {string} word */
function foldWord(word) {
  const folded = [...word.normalize('NFD')]
    .slice(0, 4 * longestWord)
    .join('')
    .replace(dropping, '')
    .replace(/[ßẞ]/g, 'ss')
    .toLowerCase()
    .replace(/ς/g, 'σ')
    .replace(dropping, '');
  return [...folded.normalize('NFC')].slice(0, longestWord).join('');
}

/**
 * Returns the words of a text with their places in UTF-16 units.
 *
 * @param {string} text
 * @returns {{folded: string, start: number, end: number}[]}
 */
export function wordsOf(text) {
  const words = [];
  for (const found of text.matchAll(wordPattern)) {
    const folded = foldWord(found[0]);
    if (folded !== '') words.push({ folded, start: found.index, end: found.index + found[0].length });
  }
  return words;
}

/**
 * Returns a text folded, with a space before, between and after its words.
 *
 * @param {string} text
 */
export function fold(text) {
  if (isPlain.test(text) && !longRun.test(text)) {
    return ` ${text.toLowerCase().replace(/[^a-z0-9]+/g, ' ').trim()} `;
  }
  return ` ${wordsOf(text).map((word) => word.folded).join(' ')} `;
}

/**
 * Returns what is searched for: words, and phrases in double quotes. An asterisk after a word completes it.
 *
 * @param {string} typed
 * @param {string} match `all`, `any`, `phrase` or `prefix`.
 * @returns {Term[]}
 */
export function termsOf(typed, match) {
  /** @type {Term[]} */ const terms = [];
  let room = mostWords;
  const completes = match === 'prefix';
  /** @param {string} text @param {boolean} isLast */
  function add(text, isLast) {
    const words = wordsOf(text).map((word) => word.folded).slice(0, room);
    if (words.length === 0 || terms.length >= mostTerms) return;
    const term = { words, isPrefix: text.endsWith('*') || (isLast && completes) };
    const key = JSON.stringify(term);
    if (terms.some((other) => JSON.stringify(other) === key)) return;
    room -= words.length;
    terms.push(term);
  }
  const text = typed.slice(0, 4096);
  /** @param {string} text */
  const trimmed = (text) => text.replace(/^[\s"]+|[\s"]+$/g, '');
  if (match === 'phrase') {
    add(trimmed(text), true);
    return terms;
  }
  const pieces = text.split('"');
  pieces.forEach((piece, index) => {
    const isQuoted = index % 2 === 1 && index < pieces.length - 1;
    const parts = isQuoted ? [trimmed(piece)] : piece.split(/\s+/).filter((part) => part !== '');
    parts.forEach((part, number) => add(part, index === pieces.length - 1 && number === parts.length - 1));
  });
  return terms;
}

/**
 * Returns the places of terms in a verse. A phrase is one place.
 *
 * @param {Term[]} terms
 * @param {string} text
 * @returns {[number, number][]}
 */
export function matchesIn(terms, text) {
  const words = wordsOf(text);
  /** @type {[number, number][]} */ const matches = [];
  for (let index = 0; index < words.length; ) {
    let length = 0;
    for (const term of terms) {
      if (term.words.length <= length || index + term.words.length > words.length) continue;
      const fits = term.words.every((wanted, offset) => {
        const found = words[index + offset]?.folded ?? '';
        return found === wanted || (term.isPrefix && offset === term.words.length - 1 && found.startsWith(wanted));
      });
      if (fits) length = term.words.length;
    }
    if (length > 0) matches.push([words[index]?.start ?? 0, words[index + length - 1]?.end ?? 0]);
    index += Math.max(1, length);
  }
  return matches;
}

/** The verses of a text, folded once. */
export class WordIndex {
  /** @type {{book: Book, folded: string[]}[]} */ #books;

  /** @param {{books: Book[]}} words As the server sends them. */
  constructor({ books }) {
    this.#books = books.map((book) => ({ book, folded: book.verses.map((row) => fold(row[3])) }));
  }

  /** The books. */
  get books() {
    return this.#books.map(({ book }) => book);
  }

  /**
   * Finds verses, in the order of the text. The totals are exact, and count the books that were not chosen, too.
   *
   * @param {Search} search
   * @returns {Results}
   */
  search({ typed, match, part, page, context }) {
    const terms = termsOf(typed, match);
    const needles = terms.map((term) => ` ${term.words.join(' ')}${term.isPrefix ? '' : ' '}`);
    const isAny = match === 'any';
    /** @type {Hit[]} */ const hits = [];
    /** @type {Results['counts']} */ const counts = [];
    let [total, all] = [0, 0];
    const first = page * pageSize;
    for (const { book, folded } of this.#books) {
      const isChosen = part === '' || part === book.id || part === book.testament;
      let count = 0;
      for (let index = 0; index < folded.length; index += 1) {
        const verse = /** @type {string} */ (folded[index]);
        let found = needles.length > 0 && !isAny;
        for (const needle of needles) {
          if (verse.includes(needle) !== isAny) continue;
          found = isAny;
          break;
        }
        if (!found) continue;
        count += 1;
        if (!isChosen) continue;
        total += 1;
        if (total <= first || hits.length >= pageSize) continue;
        const row = /** @type {Row} */ (book.verses[index]);
        hits.push({
          book,
          row,
          matches: matchesIn(terms, row[3]),
          before: book.verses.slice(Math.max(0, index - context), index),
          after: book.verses.slice(index + 1, index + 1 + context),
        });
      }
      if (count > 0) counts.push({ book, count });
      all += count;
    }
    return { hits, total, all, counts, hasMore: first + hits.length < total };
  }
}

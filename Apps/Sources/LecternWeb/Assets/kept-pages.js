// @ts-check
/** The pages that the worker writes itself: a search, and passages to choose from. Everything from a person is escaped. */
import { addressOf, escaped } from './shelf.js';
import { pageSize } from './words.js';

/**
 * @typedef {import('./shelf.js').KeptText} KeptText
 * @typedef {import('./shelf.js').Sheet} Sheet
 * @typedef {import('./words.js').Results} Results
 * @typedef {import('./words.js').Row} Row
 *
 * @typedef {{typed: string, text: string, match: string, part: string, page: number, context: number}} Asked
 */

const matches = [
  ['all', 'All words'], ['any', 'Any word'], ['phrase', 'This phrase'], ['prefix', 'Beginnings of words'],
];

/** @param {number} value */
const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ',');

/** @param {URL} url @param {string} text @returns {Asked} */
export function askedOf(url, text) {
  /** @param {string} name */
  const value = (name) => url.searchParams.get(name) ?? '';
  const match = matches.some(([each]) => each === value('match')) ? value('match') : 'all';
  const page = Math.max(0, (Number.parseInt(value('page'), 10) || 1) - 1);
  const context = Math.min(2, Math.max(0, Number.parseInt(value('context'), 10) || 0));
  return { typed: value('q').slice(0, 500), text, match, part: value('part'), page, context };
}

/** @param {Asked} asked @param {Partial<Asked>} [change] */
function hrefOf(asked, change = {}) {
  const all = { ...asked, page: 0, ...change };
  const query = new URLSearchParams({ q: all.typed, in: all.text });
  if (all.match !== 'all') query.set('match', all.match);
  if (all.part !== '') query.set('part', all.part);
  if (all.context > 0) query.set('context', String(all.context));
  if (all.page > 0) query.set('page', String(all.page + 1));
  return escaped(`/search?${query}`);
}

/** @param {[string, string][]} values @param {string} chosen */
function options(values, chosen) {
  return values
    .map(([value, text]) => `<option value="${escaped(value)}"${value === chosen ? ' selected' : ''}>${escaped(text)}</option>`)
    .join('');
}

/** @param {Asked} asked @param {KeptText[]} texts @param {KeptText} text */
function form(asked, texts, text) {
  /** @type {[string, string][]} */
  const parts = [['', 'Everywhere'], ['old', 'Old Testament'], ['new', 'New Testament']];
  if (text.books.some((book) => book.testament === 'deuterocanon')) parts.push(['deuterocanon', 'Deuterocanon']);
  for (const book of text.books) parts.push([book.id, book.name]);
  return `<form class="search-form" method="get" action="/search" aria-label="Search the text">
<label class="field grow"><span>Words</span><input type="search" name="q" value="${escaped(asked.typed)}" autocomplete="off" spellcheck="false"></label>
<label class="field"><span>Match</span><select name="match">${options(/** @type {[string, string][]} */ (matches), asked.match)}</select></label>
<label class="field"><span>Text</span><select name="in">${options(texts.map((each) => [each.id, each.title]), text.id)}</select></label>
<label class="field"><span>Where</span><select name="part">${options(parts, asked.part)}</select></label>
<button type="submit" class="primary">Search</button>
</form>`;
}

/** @param {string} text @param {[number, number][]} places */
function marked(text, places) {
  let [html, end] = ['', 0];
  for (const [from, to] of places) {
    html += `${escaped(text.slice(end, from))}<mark class="match">${escaped(text.slice(from, to))}</mark>`;
    end = to;
  }
  return html + escaped(text.slice(end));
}

/** @param {Row[]} rows */
function around(rows) {
  return rows
    .map((row) => `<span class="around"><span class="n">${escaped(row[2] ?? String(row[1]))}</span>${escaped(row[3])}</span> `)
    .join('');
}

/**
 * Writes the page of a search.
 *
 * @param {Asked} asked
 * @param {KeptText} text
 * @param {KeptText[]} texts The kept texts.
 * @param {Results | null} results null if nothing was typed.
 * @returns {Sheet}
 */
export function searchSheet(asked, text, texts, results) {
  const note = '<p class="muted kept-note">Searches the texts on this device, in their order. Your notes and “best first” need Lectern.</p>';
  let body = '';
  if (results !== null) {
    const { hits, total, all, counts, hasMore } = results;
    const summary = `${number(total)} ${total === 1 ? 'verse' : 'verses'}` +
      (asked.part === '' ? ` in ${counts.length} ${counts.length === 1 ? 'book' : 'books'}` : ` of ${number(all)}`);
    const whole = asked.part === '' ? '' : `<li><a href="${hrefOf(asked, { part: '' })}">Everywhere <span class="number">${number(all)}</span></a></li>`;
    const facets = counts
      .map(({ book, count }) => `<li><a href="${hrefOf(asked, { part: book.id })}"${asked.part === book.id ? ' aria-current="true"' : ''}>${escaped(book.name)} <span class="number">${number(count)}</span></a></li>`)
      .join('');
    const list = hits
      .map(({ book, row, matches: places, before, after }) => {
        const kept = text.books.find((each) => each.id === book.id);
        const href = kept === undefined ? '/' : addressOf(text.id, { book: kept, chapter: row[0], verses: String(row[1]) });
        const place = text.kind === 'scripture' ? `${book.name} ${row[0]}:${row[2] ?? row[1]}` : `${text.title}, chapter ${row[0]}`;
        return `<li class="hit" data-osis="${escaped(`${book.id}.${row[0]}.${row[1]}`)}"><a class="hit-place" href="${escaped(href)}">${escaped(place)}</a><p lang="${escaped(text.language)}" dir="${escaped(text.direction)}" class="hit-text">${around(before)}<span class="found">${marked(row[3], places)}</span> ${around(after)}</p></li>`;
      })
      .join('');
    const advice = all > 0
      ? `Other books have it ${number(all)} times. Search everywhere to see these verses.`
      : 'Check the spelling, search for any of the words, or search for beginnings of words.';
    const pages = Math.ceil(total / pageSize);
    const context = hits.length === 0 ? '' : `<p class="context-link"><a href="${hrefOf(asked, { context: asked.context > 0 ? 0 : 2, page: asked.page })}">${asked.context > 0 ? 'Hide the verses around' : 'Show two verses around each'}</a></p>`;
    const found = hits.length > 0
      ? `<ol class="hits">${list}</ol>`
      : `<div class="message"><h2>No verse has that</h2><p class="muted">${advice}</p></div>`;
    const turns = [
      asked.page > 0 ? `<a class="button" rel="prev" href="${hrefOf(asked, { page: asked.page - 1 })}">Previous page</a>` : '',
      pages > 1 ? `<span class="muted number">Page ${asked.page + 1} of ${number(pages)}</span>` : '',
      hasMore ? `<a class="button" rel="next" href="${hrefOf(asked, { page: asked.page + 1 })}">Next page</a>` : '',
    ].join(' ');
    body = `<div class="results">
<div class="facets"><h2 class="number">${summary}</h2>
<nav aria-label="Books with hits"><ul>${whole}${facets}</ul></nav></div>
<div class="found-list">${context}${found}<nav class="pages" aria-label="Pages of results">${turns}</nav></div>
</div>`;
  }
  return {
    title: 'Search · Lectern',
    main: `<section class="sheet wide search">\n<h1>Search</h1>\n${form(asked, texts, text)}\n${note}\n${body}\n</section>`,
  };
}

/**
 * Writes a page that says what is not possible without Lectern, or offers links.
 *
 * @param {string} heading
 * @param {string} advice
 * @param {{href: string, text: string}[]} links
 * @returns {Sheet}
 */
export function messageSheet(heading, advice, links) {
  const list = links.map(({ href, text }) => `<a class="button" href="${escaped(href)}">${escaped(text)}</a>`).join(' ');
  return {
    title: `${escaped(heading)} · Lectern`,
    main: `<div class="message"><h1>${escaped(heading)}</h1><p class="muted">${escaped(advice)}</p><p class="message-links">${list}</p></div>`,
  };
}

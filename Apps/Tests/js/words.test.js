import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold, matchesIn, termsOf, WordIndex, wordsOf } from '../../Sources/LecternWeb/Assets/words.js';

const books = [
  { id: 'Gen', name: 'Genesis', testament: 'old', verses: [
    [1, 1, null, 'In the beginning God created the heaven and the earth.'],
    [1, 2, null, 'And the earth was without form, and void.'],
    [1, 3, null, 'And God said, Let there be light: and there was light.'],
  ] },
  { id: 'John', name: 'John', testament: 'new', verses: [
    [1, 1, null, 'In the beginning was the Word, and the Word was with God.'],
    [1, 5, '5–6', 'The light shines in the darkness, and God’s light'],
  ] },
];
const index = new WordIndex({ books });
const search = (typed, options = {}) => index.search({ typed, match: 'all', part: '', page: 0, context: 0, ...options });
const places = (results) => results.hits.map(({ book, row }) => `${book.id}.${row[0]}.${row[1]}`);

test('Folding drops case, accents, points and the final sigma', () => {
  assert.equal(fold('Λόγος, Ἐν ἀρχῇ'), ' λογοσ εν αρχη ');
  assert.equal(fold('בְּרֵאשִׁ֖ית בָּרָ֣א'), ' בראשית ברא ');
  assert.equal(fold('Straße Übel'), ' strasse ubel ');
  assert.equal(fold('don’t — “stop”'), ' don t stop ');
  assert.equal(fold('太初有道'), ' 太 初 有 道 ');
});

test('The quick way and the exact way of folding agree', () => {
  for (const text of ['In the beginning, 3:16', 'a‐b “c” d…', `${'x'.repeat(70)} y`, '', '  ', 'God’s']) {
    assert.equal(fold(text), ` ${wordsOf(text).map((word) => word.folded).join(' ')} `.replace('   ', '  '), text);
  }
});

test('All words, any word, phrases and beginnings are found in the order of the text', () => {
  assert.deepEqual(places(search('god light')), ['Gen.1.3', 'John.1.5']);
  assert.deepEqual(places(search('void darkness', { match: 'any' })), ['Gen.1.2', 'John.1.5']);
  assert.deepEqual(places(search('the Word was', { match: 'phrase' })), ['John.1.1']);
  assert.deepEqual(places(search('"in the beginning" word')), ['John.1.1']);
  assert.deepEqual(places(search('begin', { match: 'prefix' })), ['Gen.1.1', 'John.1.1']);
  assert.deepEqual(places(search('creat*')), ['Gen.1.1']);
  assert.deepEqual(places(search('begin')), []);
  assert.deepEqual(places(search('...')), []);
});

test('Totals are exact, and books that were not chosen are counted', () => {
  const results = search('light', { part: 'new' });
  assert.deepEqual([results.total, results.all], [1, 2]);
  assert.deepEqual(results.counts.map(({ book, count }) => [book.id, count]), [['Gen', 1], ['John', 1]]);
  assert.deepEqual(search('light', { part: 'Gen' }).total, 1);
});

test('Context stays within the book', () => {
  const [hit] = search('void', { context: 2 }).hits;
  assert.deepEqual([hit.before.length, hit.after.length], [1, 1]);
});

test('Pages have twenty hits', () => {
  const many = new WordIndex({ books: [{ ...books[0], verses: Array.from({ length: 45 }, (_, place) => [1, place + 1, null, 'light']) }] });
  const page = (number) => many.search({ typed: 'light', match: 'all', part: '', page: number, context: 0 });
  assert.deepEqual([0, 1, 2, 3].map((each) => page(each).hits.length), [20, 20, 5, 0]);
  assert.deepEqual([0, 1, 2, 3].map((each) => page(each).hasMore), [true, true, false, false]);
  assert.equal(page(2).hits[0].row[1], 41);
});

test('The words that were found are marked, a phrase as one place', () => {
  const text = 'The light — the LIGHT shines.';
  assert.deepEqual(matchesIn(termsOf('light', 'all'), text).map(([from, to]) => text.slice(from, to)), ['light', 'LIGHT']);
  assert.deepEqual(matchesIn(termsOf('light shines', 'phrase'), text).map(([from, to]) => text.slice(from, to)), ['LIGHT shines']);
  assert.deepEqual(matchesIn(termsOf('shi*', 'all'), text).map(([from, to]) => text.slice(from, to)), ['shines']);
});

test('A whole Bible is searched, and every verse is counted', () => {
  const verses = Array.from({ length: 31_102 }, (_, place) => [1, place, null, `And the LORD spake unto Moses in the wilderness of Sinai, saying ${place}, and all the people heard the word that day.`]);
  const big = new WordIndex({ books: [{ id: 'Num', name: 'Numbers', testament: 'old', verses }] });
  const begin = performance.now();
  const found = big.search({ typed: 'the lord', match: 'all', part: '', page: 0, context: 2 });
  const time = performance.now() - begin;
  assert.equal(found.total, 31_102);
  console.log(`search over 31,102 verses: ${time.toFixed(1)} ms`);
});

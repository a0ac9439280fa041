import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchSheet } from '../../Sources/LecternWeb/Assets/kept-pages.js';
import { addressOf, byteRange, bytesResponse, compose, find, isOld, keptFor, kindOf, placeOf, sheetOf } from '../../Sources/LecternWeb/Assets/shelf.js';

const own = { origin: 'http://127.0.0.1:8000', root: '/assets/abc' };
const kind = (path, { method = 'GET', mode = 'navigate', accept = 'text/html' } = {}) =>
  kindOf({ method, mode, accept, url: new URL(path, own.origin) }, own);

test('Only pages, files of the program and kept audio are answered without the server', () => {
  assert.equal(kind('/kjv/john/3'), 'page');
  assert.equal(kind('/kjv/john/3', { mode: 'cors' }), 'page');
  assert.equal(kind('/kjv/john/3', { mode: 'cors', accept: '*/*' }), null);
  assert.equal(kind('/assets/abc/page.js', { mode: 'cors', accept: '*/*' }), 'code');
  assert.equal(kind('/assets/old/page.js', { mode: 'cors', accept: '*/*' }), null);
  assert.equal(kind('/keep/kjv/audio/John/3', { mode: 'no-cors', accept: '*/*' }), 'audio');
  for (const path of ['/events', '/state', '/media/x/1', '/data/lectern.json', '/start?token=x', '/keep/kjv', '/handouts/x/file', '/exports']) {
    assert.equal(kind(path), null, path);
  }
  for (const path of ['/media-bible/john/3', '/statenvertaling', '/keepsake', '/start-here/a/1']) assert.equal(kind(path), 'page', path);
  assert.equal(kind('/commands/mark', { method: 'POST' }), null);
  assert.equal(kind('http://example.org/kjv'), null);
});

test('Addresses of texts are told from other pages', () => {
  assert.deepEqual(placeOf('/kjv/john/3'), { text: 'kjv', book: 'john', chapter: 3 });
  assert.deepEqual(placeOf('/kjv'), { text: 'kjv', book: null, chapter: null });
  assert.equal(placeOf('/marks'), null);
  assert.equal(placeOf('/'), null);
});

test('A sheet is cut out of a page and put into another one, whatever it contains', () => {
  const page = (main, title) => `<html><title>${title}</title><body data-app="lectern" data-page="chapter"><input name="in" value=""><main id="main" tabindex="-1">\n${main}\n</main><footer></footer></body></html>`;
  const sheet = sheetOf(page('<p>$& $1 &amp;</p>', 'John 3'));
  assert.deepEqual(sheet, { title: 'John 3', main: '<p>$& $1 &amp;</p>' });
  const html = compose(page('', ''), { ...sheet, title: 'John $& 3' }, { page: 'chapter', text: 'k"v' });
  assert.ok(html.includes('<p>$& $1 &amp;</p>\n</main><footer>'));
  assert.ok(html.includes('<title>John $& 3</title>'));
  assert.ok(html.includes('value="k&#34;v"'));
  assert.ok(html.includes('data-kept="true"'));
  assert.equal(sheetOf('<title>Other</title><main id="main" tabindex="-1"></main>'), null);
});

test('Ranges are answered as a server does', async () => {
  assert.equal(byteRange(null, 10), null);
  assert.deepEqual(byteRange('bytes=0-', 10), [0, 10]);
  assert.deepEqual(byteRange('bytes=2-4', 10), [2, 5]);
  assert.deepEqual(byteRange('bytes=2-400', 10), [2, 10]);
  assert.deepEqual(byteRange('bytes=-3', 10), [7, 10]);
  assert.equal(byteRange('bytes=10-', 10), 'none');
  assert.equal(byteRange('bytes=5-2', 10), null);
  assert.equal(byteRange('items=1-2', 10), null);
  const part = bytesResponse('bytes=2-4', new Blob(['0123456789']), 'audio/ogg');
  assert.equal(part.status, 206);
  assert.equal(part.headers.get('content-range'), 'bytes 2-4/10');
  assert.equal(await part.text(), '234');
  assert.equal(bytesResponse('bytes=99-', new Blob(['0']), 'audio/ogg').status, 416);
  assert.equal(bytesResponse(null, new Blob(['0']), 'audio/ogg').status, 200);
});

const book = (id, name, chapters, aliases = []) => ({ id, address: id.toLowerCase(), name, abbreviation: name.slice(0, 4), aliases, testament: 'new', chapters: Array.from({ length: chapters }, (_, place) => place + 1), marks: '', seconds: 60 });
const text = { id: 'kjv', title: 'King James Version', abbreviation: 'KJV', language: 'en', direction: 'ltr', kind: 'scripture', version: '1', bytes: 1, books: [book('Judg', 'Judges', 21), book('John', 'John', 21, ['jn']), book('1John', '1 John', 5, ['1jn']), book('Jude', 'Jude', 1)] };
const go = (typed, at = 'John.3') => find(typed, text, at).map((place) => addressOf('kjv', place));

test('References are found by book, chapter and verse', () => {
  assert.deepEqual(go('John 4'), ['/kjv/john/4']);
  assert.deepEqual(go('jn 3 16'), ['/kjv/john/3#16']);
  assert.deepEqual(go('1 John 4:19'), ['/kjv/1john/4#19']);
  assert.deepEqual(go('I John 4:19'), ['/kjv/1john/4#19']);
  assert.deepEqual(go('1jn4.19'), ['/kjv/1john/4#19']);
  assert.deepEqual(go('John 3:16-18'), ['/kjv/john/3?verses=16-18#16']);
  assert.deepEqual(go('John'), ['/kjv/john']);
  assert.deepEqual(go('Jude 5'), ['/kjv/jude/1#5']);
  assert.deepEqual(go('jud'), ['/kjv/judg', '/kjv/jude/1']);
  assert.deepEqual(go('4:2'), ['/kjv/john/4#2']);
  assert.deepEqual(go('16'), ['/kjv/john/3#16']);
  assert.deepEqual(go('John 99'), []);
  assert.deepEqual(go('living water'), []);
});

test('What was typed is never markup', () => {
  const asked = { typed: '"><script>', text: 'kjv', match: 'all', part: '', page: 0, context: 0 };
  const row = [3, 16, null, '<b>loved</b> & gave'];
  const results = { hits: [{ book: { id: 'John', name: 'John', testament: 'new', verses: [] }, row, matches: [[3, 8]], before: [], after: [] }], total: 1, all: 1, counts: [], hasMore: false };
  const { main } = searchSheet(asked, text, [text], results);
  assert.ok(!main.includes('<script>') && !main.includes('<b>'));
  assert.ok(main.includes('<mark class="match">loved</mark>'));
});

test('Pages are kept for thirty days', () => {
  assert.equal(isOld(0, keptFor - 1), false);
  assert.equal(isOld(0, keptFor), true);
  assert.equal(isOld(NaN, 5), true);
});

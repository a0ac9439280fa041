import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addresses, keptAt, keptFor, names } from '../../Sources/LecternWeb/Assets/shelf.js';
import { Librarian } from '../../Sources/LecternWeb/Assets/worker.js';
import { MemoryCaches } from './memory-caches.js';

const origin = 'http://127.0.0.1:8000';
const html = (main, title = 'T') => `<title>${title}</title><body data-app="lectern" data-page="x"><input name="in" value=""><main id="main" tabindex="-1">${main}</main><footer>tools</footer>`;
const page = (main) => new Response(html(main), { headers: { 'content-type': 'text/html; charset=utf-8' } });

/** A librarian over caches in memory, a clock, and a server that can be stopped or made slow. */
async function library() {
  const caches = new MemoryCaches(origin);
  const world = { caches, now: 1_000_000, server: async (path) => page(`served ${path}`), asked: [], waits: [] };
  const librarian = new Librarian('/assets/new', {
    caches, origin, now: () => world.now,
    fetch: async (request) => {
      const path = typeof request === 'string' ? request : new URL(request.url).pathname;
      world.asked.push(path);
      return world.server(path);
    },
    wait: (milliseconds) => new Promise((resolve) => { world.waits.push({ milliseconds, resolve }); if (milliseconds === 0) resolve(); }),
  });
  await librarian.install(['/assets/new/page.js']);
  const get = async (path, options = {}) => {
    const work = [];
    const request = new Request(origin + path, { headers: { accept: 'text/html', ...options.headers } });
    const answer = await librarian.answer(request, (each) => work.push(each));
    if (options.settles !== false) await Promise.all(work);
    return answer;
  };
  const stop = () => { world.server = async () => { throw new TypeError('refused'); }; };
  return { world, librarian, get, stop };
}

async function keep(world, address, value) {
  await (await world.caches.open(names.kept)).put(address, Response.json(value));
}

test('Files of the program come from the cache', async () => {
  const { get, stop } = await library();
  stop();
  assert.equal(await (await get('/assets/new/page.js')).text(), 'file /assets/new/page.js');
});

test('A page that was opened is shown when the server is stopped', async () => {
  const { get, stop } = await library();
  assert.match(await (await get('/kjv/john/3')).text(), /served \/kjv\/john\/3/);
  stop();
  const answer = await get('/kjv/john/3');
  assert.match(await answer.text(), /served \/kjv\/john\/3/);
  assert.match(answer.headers.get('content-security-policy'), /default-src/);
});

test('A page that was never kept says so in the design of the app', async () => {
  const { get, stop } = await library();
  stop();
  const answer = await get('/kjv/john/9');
  assert.equal(answer.status, 503);
  assert.match(await answer.text(), /served \/offline/);
});

test('A slow server is waited for a second, and then only if nothing is kept', async () => {
  const { world, get } = await library();
  await get('/kjv/john/3');
  let answerLate;
  world.server = () => new Promise((resolve) => { answerLate = () => resolve(page('late')); });
  const kept = get('/kjv/john/3', { settles: false });
  await new Promise(setImmediate);
  assert.equal(world.waits.at(-1).milliseconds, 1000);
  world.waits.at(-1).resolve();
  assert.match(await (await kept).text(), /served/);
  // The next page does not wait again.
  const next = get('/kjv/john/4', { settles: false });
  await new Promise(setImmediate);
  assert.equal(world.waits.at(-1).milliseconds, 0);
  await new Promise(setImmediate);
  answerLate();
  assert.match(await (await next).text(), /late/);
});

test('A slow search has more time, because no kept page does as well', async () => {
  const { world, get } = await library();
  let answerLate;
  world.server = () => new Promise((resolve) => { answerLate = () => resolve(page('late')); });
  const search = get('/search?q=light', { settles: false });
  await new Promise(setImmediate);
  assert.equal(world.waits.at(-1).milliseconds, 10_000);
  answerLate();
  assert.match(await (await search).text(), /late/);
});

test('A chapter of a kept text is put into the page that has the tools', async () => {
  const { world, get, stop } = await library();
  await keep(world, addresses.book('kjv', 'john'), { at: 1, pages: { '/kjv/john/3': { title: 'John 3 · KJV', main: '<article data-osis="John.3">loved</article>' } } });
  stop();
  const text = await (await get('/kjv/john/3?verses=16-18')).text();
  assert.match(text, /<article data-osis="John.3">loved<\/article>/);
  assert.match(text, /<footer>tools/);
  assert.match(text, /data-page="chapter" data-kept="true"/);
});

test('The newer one of an opened page and a kept text is shown', async () => {
  const { world, get, stop } = await library();
  await get('/kjv/john/3');
  const sheet = { title: 'John 3', main: 'from the text' };
  await keep(world, addresses.book('kjv', 'john'), { at: world.now - 1, pages: { '/kjv/john/3': sheet } });
  stop();
  assert.match(await (await get('/kjv/john/3')).text(), /served/);
  await keep(world, addresses.book('kjv', 'john'), { at: world.now + 1, pages: { '/kjv/john/3': sheet } });
  assert.match(await (await get('/kjv/john/3')).text(), /from the text/);
});

test('References and searches are answered from a kept text', async () => {
  const { world, get, stop } = await library();
  const book = { id: 'John', address: 'john', name: 'John', abbreviation: 'Jn', aliases: [], testament: 'new', chapters: [1, 2, 3], marks: '', seconds: 1 };
  await keep(world, addresses.text('kjv'), { id: 'kjv', title: 'King James', abbreviation: 'KJV', language: 'en', direction: 'ltr', kind: 'scripture', version: '1', bytes: 1, books: [book] });
  await keep(world, addresses.words('kjv'), { books: [{ id: 'John', name: 'John', testament: 'new', verses: [[3, 16, null, 'For God so loved the world']] }] });
  stop();
  const go = await get('/go?q=john+3%3A16&in=kjv');
  assert.equal(go.headers.get('location'), `${origin}/kjv/john/3#16`);
  const words = await get('/go?q=loved+world&in=kjv');
  assert.equal(words.headers.get('location'), `${origin}/search?q=loved+world&in=kjv`);
  const found = await (await get('/search?q=loved+world&in=kjv')).text();
  assert.match(found, /1 verse in 1 book/);
  assert.match(found, /href="\/kjv\/john\/3#16"|href="&#47;|#16/);
  assert.match(await (await get('/search?q=nothing&in=kjv')).text(), /No verse has that/);
});

test('Pages of other programs, redirects and errors are not kept', async () => {
  const { world, get, stop } = await library();
  world.server = async () => new Response('<title>Other</title>', { headers: { 'content-type': 'text/html' } });
  await get('/kjv/john/3');
  world.server = async () => new Response(html('gone'), { status: 404, headers: { 'content-type': 'text/html' } });
  await get('/kjv/john/4');
  stop();
  assert.equal((await get('/kjv/john/3')).status, 503);
  assert.equal((await get('/kjv/john/4')).status, 503);
});

test('Kept audio answers ranges, and other audio is the server’s', async () => {
  const { world, get } = await library();
  await (await world.caches.open(names.kept)).put(addresses.audio('kjv', 'John', 3), new Response('OggS567'));
  const part = await get('/keep/kjv/audio/John/3', { headers: { accept: '*/*', range: 'bytes=0-3' } });
  assert.equal(part.status, 206);
  assert.equal(await part.text(), 'OggS');
  await get('/keep/kjv/audio/John/4', { headers: { accept: '*/*', range: 'bytes=0-3' } });
  assert.equal(world.asked.at(-1), '/keep/kjv/audio/John/4');
});

test('A new version removes the files and pages of the old one, and leaves what was asked for', async () => {
  const { world, librarian } = await library();
  await (await world.caches.open(`${names.code}/assets/old`)).put('/x', new Response(''));
  await (await world.caches.open(names.pages)).put('/kjv/john/3', page('old'));
  await keep(world, addresses.text('kjv'), {});
  await librarian.activate();
  assert.deepEqual((await world.caches.keys()).sort(), [`${names.code}/assets/new`, names.kept, names.pages].sort());
  assert.equal((await (await world.caches.open(names.pages)).keys()).length, 0);
  assert.equal((await (await world.caches.open(names.kept)).keys()).length, 1);
});

test('Old pages go after thirty days', async () => {
  const { world, librarian } = await library();
  const pages = await world.caches.open(names.pages);
  const made = (at) => new Response('', { headers: { [keptAt]: String(at) } });
  await pages.put('/new', made(world.now));
  await pages.put('/old', made(world.now - keptFor));
  await librarian.prune();
  assert.deepEqual((await pages.keys()).map((request) => new URL(request.url).pathname), ['/new']);
});

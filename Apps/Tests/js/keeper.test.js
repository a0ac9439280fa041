import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audioDownload, next, progress, refreshed, sizeText, textDownload } from '../../Sources/LecternWeb/Assets/downloads.js';
import { Keeper } from '../../Sources/LecternWeb/Assets/keeper.js';
import { addresses, names } from '../../Sources/LecternWeb/Assets/shelf.js';
import { MemoryCaches } from './memory-caches.js';
import { MemoryStore } from './memory-store.js';

const book = (id, count) => ({ id, address: id.toLowerCase(), name: id, abbreviation: id, aliases: [], testament: 'new', chapters: Array.from({ length: count }, (_, place) => place + 1), marks: '', seconds: 100 });
const manifest = () => ({ id: 'kjv', title: 'King James', abbreviation: 'KJV', language: 'en', direction: 'ltr', kind: 'scripture', version: '1', bytes: 5000, books: [book('Jude', 1), book('John', 3)] });
const html = (path) => `<title>${path}</title><body data-app="lectern"><main id="main" tabindex="-1">main of ${path}</main>`;

function world(seams = {}) {
  const life = new AbortController();
  const all = { asked: [], manifest: manifest(), store: new MemoryStore(), caches: new MemoryCaches(), answer: null };
  const fetch = async (path, signal) => {
    all.asked.push(path);
    const special = await all.answer?.(path, signal);
    if (special) return special;
    if (path === '/keep/kjv') return Response.json(all.manifest);
    if (path.endsWith('/words')) return Response.json({ books: [] });
    if (path.includes('/spoken/')) return Response.json({ milliseconds: 1000, voice: 'v', verses: [] });
    if (path.includes('/audio/')) return new Response('OggS');
    return new Response(html(path));
  };
  const make = () => new Keeper(life.signal, {
    store: all.store, cache: () => all.caches.open(names.kept), fetch, lock: (_, held) => held(), wait: async () => undefined, now: () => 7, ...seams,
  });
  return { ...all, all, keeper: make(), make, life };
}

/** Waits until a keeper has nothing to do. */
async function settled(keeper) {
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
  return keeper;
}

test('A text is kept with its words, its lists and its chapters', async () => {
  const { all, keeper } = world();
  await keeper.keepText('kjv');
  await settled(keeper);
  assert.equal(progress(keeper.download('text/kjv')).phase, 'complete');
  const kept = await all.caches.open(names.kept);
  const john = await (await kept.match(addresses.book('kjv', 'john'))).json();
  assert.deepEqual(Object.keys(john.pages).sort(), ['/kjv/john', '/kjv/john/1', '/kjv/john/2', '/kjv/john/3']);
  assert.deepEqual(john.pages['/kjv/john/2'], { title: '/kjv/john/2', main: 'main of /kjv/john/2' });
  assert.ok(keeper.hasText('kjv'));
});

test('A pause stops at once, and a reload goes on with what is missing', async () => {
  const { all, keeper, make } = world();
  let wasStopped = false;
  all.answer = (path, signal) => path !== '/kjv/john/2' ? null : new Promise((_, reject) => signal.addEventListener('abort', () => { wasStopped = true; reject(signal.reason); }));
  await keeper.keepText('kjv');
  await settled(keeper);
  assert.deepEqual(progress(keeper.download('text/kjv')), { phase: 'under way', done: 3, parts: 4, bytes: progress(keeper.download('text/kjv')).bytes });
  keeper.pause('text/kjv');
  await settled(keeper);
  assert.equal(progress(keeper.download('text/kjv')).phase, 'paused');
  assert.ok(wasStopped);
  // After a reload it is still paused.
  const another = make();
  all.answer = null;
  all.asked.length = 0;
  await another.run();
  assert.deepEqual(all.asked, []);
  another.resume('text/kjv');
  await settled(another);
  assert.equal(progress(another.download('text/kjv')).phase, 'complete');
  assert.ok(!all.asked.includes('/kjv/jude/1'), 'what was fetched is not fetched again');
});

test('Removal frees the bytes, also of a part that is under way', async () => {
  const { all, keeper } = world();
  await keeper.keepText('kjv');
  await settled(keeper);
  await keeper.keepAudio('kjv', 'Jude');
  await settled(keeper);
  await keeper.remove('text/kjv');
  const kept = await all.caches.open(names.kept);
  const paths = (await kept.keys()).map((request) => new URL(request.url).pathname).sort();
  assert.deepEqual(paths, ['/keep/kjv', '/keep/kjv/audio/Jude/1', '/keep/kjv/spoken/Jude/1']);
  await keeper.remove('audio/kjv/Jude');
  assert.deepEqual(await kept.keys(), []);
  assert.deepEqual(keeper.downloads, []);
});

test('A server that does not answer is tried again, and then a person is asked', async () => {
  const { all, keeper } = world();
  let refused = 0;
  await keeper.keepAudio('kjv', 'John', [2]);
  await settled(keeper);
  all.answer = (path) => { if (path.includes('/spoken/John/3') && (refused += 1) <= 2) throw new TypeError('refused'); return null; };
  await keeper.keepAudio('kjv', 'John', [3]);
  await settled(keeper);
  assert.equal(progress(keeper.download('audio/kjv/John')).phase, 'complete');
  assert.deepEqual(keeper.download('audio/kjv/John').parts, ['2', '3']);
  all.answer = (path) => { if (path.includes('/spoken/')) throw new TypeError('refused'); return null; };
  await keeper.keepAudio('kjv', 'Jude');
  await settled(keeper);
  assert.equal(progress(keeper.download('audio/kjv/Jude')).phase, 'failed');
  // It answers again, and a page says so.
  all.answer = null;
  keeper.again();
  await settled(keeper);
  assert.equal(progress(keeper.download('audio/kjv/Jude')).phase, 'complete');
});

test('A browser without room says what to do, and is not asked again', async () => {
  const full = () => { throw new DOMException('x', 'QuotaExceededError'); };
  const { all, keeper } = world({ cache: async () => ({ match: async () => undefined, put: full, delete: async () => true, keys: async () => [] }) });
  await keeper.keepText('kjv');
  await settled(keeper);
  assert.match(keeper.download('text/kjv').failed, /no room/);
  assert.equal(all.asked.filter((path) => path.endsWith('/words')).length, 1);
});

test('What the server refuses is not tried again', async () => {
  const { all, keeper } = world();
  all.answer = (path) => path.includes('/spoken/') ? Response.json({ detail: 'The voice is gone.' }, { status: 422 }) : null;
  await keeper.keepAudio('kjv', 'Jude');
  await settled(keeper);
  assert.equal(keeper.download('audio/kjv/Jude').failed, 'The voice is gone.');
  assert.equal(all.asked.filter((path) => path.includes('/spoken/')).length, 1);
});

test('Books with changed marks are fetched again, and all of a text that was imported again', async () => {
  const { all, keeper } = world();
  await keeper.keepText('kjv');
  await settled(keeper);
  all.asked.length = 0;
  all.manifest.books[1].marks = '1.1.0.5';
  await keeper.refresh(['kjv']);
  await settled(keeper);
  assert.ok(all.asked.includes('/kjv/john/3') && !all.asked.includes('/kjv/jude/1'));
  assert.equal(progress(keeper.download('text/kjv')).phase, 'complete');
  all.asked.length = 0;
  all.manifest.version = '2';
  await keeper.refresh(['kjv']);
  await settled(keeper);
  assert.ok(all.asked.includes('/kjv/jude/1'));
  // A text that was removed from Lectern goes here, too.
  await keeper.refresh([]);
  assert.deepEqual(keeper.downloads, []);
});

test('Audio of a text that was imported again is erased and fetched again, and a new program has the same audio', async () => {
  const { all, keeper } = world();
  all.manifest.version = 'text1 program1';
  await keeper.keepAudio('kjv', 'Jude');
  await settled(keeper);
  all.asked.length = 0;
  all.manifest.version = 'text1 program2';
  await keeper.refresh(['kjv']);
  await settled(keeper);
  assert.ok(!all.asked.some((path) => path.includes('/audio/')));
  keeper.pause('audio/kjv/Jude');
  all.manifest.version = 'text2 program2';
  await keeper.refresh(['kjv']);
  await settled(keeper);
  assert.equal(await keeper.spoken('kjv', 'Jude', 1), null, 'the old sound is not heard beside the new text');
  keeper.resume('audio/kjv/Jude');
  await settled(keeper);
  assert.equal(progress(keeper.download('audio/kjv/Jude')).phase, 'complete');
});

test('The times and the sound are of one voice', async () => {
  const { all, keeper } = world();
  const voices = ['one', 'two', 'two'];
  all.answer = (path) => {
    if (path.includes('/spoken/')) return Response.json({ milliseconds: 1, voice: voices.shift(), verses: [] });
    if (path.endsWith('?voice=one')) return Response.json({ detail: 'Another voice was chosen.' }, { status: 409 });
    return null;
  };
  await keeper.keepAudio('kjv', 'Jude');
  await settled(keeper);
  assert.equal((await keeper.spoken('kjv', 'Jude', 1)).voice, 'two');
});

test('A part of a text that is imported again meanwhile does not count', async () => {
  const { all, keeper } = world();
  all.answer = async (path) => {
    if (path !== '/kjv/jude/1' || all.manifest.version === '2') return null;
    all.manifest.version = '2';
    await keeper.refresh(['kjv']);
    return null;
  };
  await keeper.keepText('kjv');
  await settled(keeper);
  assert.equal(all.asked.filter((path) => path === '/kjv/jude/1').length, 2);
});

test('Erased pages are fetched again, but not those of a paused download', async () => {
  const { all, keeper } = world();
  await keeper.keepText('kjv');
  await settled(keeper);
  keeper.pause('text/kjv');
  all.asked.length = 0;
  await keeper.erasePages();
  await settled(keeper);
  const kept = await all.caches.open(names.kept);
  assert.equal(await kept.match(addresses.book('kjv', 'john')), undefined);
  assert.deepEqual(all.asked, []);
  keeper.resume('text/kjv');
  await settled(keeper);
  assert.equal(progress(keeper.download('text/kjv')).phase, 'complete');
});

test('The oldest download that is not paused goes first', () => {
  const first = { ...textDownload(manifest(), 1), paused: true };
  const second = audioDownload(manifest(), 'John', [2], undefined, 2);
  assert.deepEqual(next([second, first]).part, '2');
  assert.equal(next([first]), null);
  assert.equal(next([{ ...second, failed: 'x' }]), null);
});

test('A newer text keeps the pause', () => {
  const paused = { ...textDownload(manifest(), 1), paused: true, done: { words: { bytes: 1 } } };
  assert.deepEqual(refreshed(paused, { ...manifest(), version: '2' }).done, {});
  assert.equal(refreshed(paused, { ...manifest(), version: '2' }).paused, true);
  assert.deepEqual(refreshed(paused, manifest()).done, { words: { bytes: 1 } });
});

test('Sizes are short', () => {
  assert.deepEqual([300, 45_000, 1_250_000, 14_400_000].map(sizeText), ['1 kB', '45 kB', '1.3 MB', '14 MB']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

/** An audio element that plays nothing. */
class FakeAudio extends EventTarget {
  src = '';
  currentTime = 0;
  paused = true;
  playbackRate = 1;
  error = null;
  play() {
    this.paused = false;
    return Promise.resolve();
  }
  pause() {
    this.paused = true;
  }
}

/** @type {FakeAudio[]} */
let made = [];
globalThis.Audio = /** @type {any} */ (class extends FakeAudio {
  constructor() {
    super();
    made.push(this);
  }
});
globalThis.document = /** @type {any} */ ({ querySelectorAll: () => [], querySelector: () => null });
globalThis.navigator ??= /** @type {any} */ ({});
globalThis.HTMLElement ??= /** @type {any} */ (class {});
const { Player } = await import('../../Sources/LecternWeb/Assets/player.js');

function bench() {
  made = [];
  /** @type {number[]} */ const ended = [];
  /** @type {[number, number][]} */ const heard = [];
  const player = new Player({
    page: 'me',
    send: () => {},
    ended: (sound) => ended.push(sound),
    heard: (sound, milliseconds) => heard.push([sound, milliseconds]),
    blocked: () => {},
    signal: new AbortController().signal,
  });
  return { player, ended, heard, audio: made };
}

/** @param {number} number @param {string} address */
const sound = (number, address, from = 0) => ({ number, address, from, chapter: 'John.3', verse: number });

/** @param {Record<string, unknown>} fields */
const state = (fields) => /** @type {any} */ ({
  phase: 'playing', page: 'me', text: 'web', place: '', address: '', chapter: 'John.3', speed: 1, problems: [], ...fields,
});

const playing = (/** @type {FakeAudio[]} */ audio) => audio.filter((each) => !each.paused).map((each) => each.src);

test('The next verse starts at once when one ends, and its own command does not start it again', () => {
  const { player, ended, audio } = bench();
  player.show(state({ sound: sound(1, '/a'), next: sound(2, '/b') }));
  assert.deepEqual(playing(audio), ['/a']);
  const first = /** @type {FakeAudio} */ (audio.find((each) => each.src === '/a'));
  const second = /** @type {FakeAudio} */ (audio.find((each) => each.src === '/b'));
  first.paused = true;
  first.dispatchEvent(new Event('ended'));
  assert.deepEqual(playing(audio), ['/b']);
  assert.deepEqual(ended, [1]);
  second.currentTime = 1.5;
  // An old state arrives, then the new one.
  player.show(state({ sound: sound(1, '/a'), next: sound(2, '/b') }));
  player.show(state({ sound: sound(2, '/b'), next: sound(3, '/c') }));
  assert.deepEqual(playing(audio), ['/b']);
  assert.equal(second.currentTime, 1.5);
});

test('A verse that ends without a successor waits for the server', () => {
  const { player, ended, audio } = bench();
  player.show(state({ sound: sound(4, '/a') }));
  const first = /** @type {FakeAudio} */ (audio.find((each) => each.src === '/a'));
  first.paused = true;
  first.dispatchEvent(new Event('ended'));
  assert.deepEqual(playing(audio), []);
  player.show(state({ sound: sound(5, '/b') }));
  assert.deepEqual(playing(audio), ['/b']);
  assert.deepEqual(ended, [4]);
});

test('A pause, and another page that plays, silence this one', () => {
  const { player, audio } = bench();
  player.show(state({ sound: sound(1, '/a') }));
  player.show(state({ phase: 'paused' }));
  assert.deepEqual(playing(audio), []);
  player.show(state({ sound: sound(2, '/a', 700) }));
  assert.deepEqual(playing(audio), ['/a']);
  assert.equal(audio.find((each) => !each.paused)?.currentTime, 0.7);
  player.show(state({ page: 'other', sound: sound(3, '/b') }));
  assert.deepEqual(playing(audio), []);
});

test('The speed is that of the server, also for the verse that is loaded ahead', () => {
  const { player, audio } = bench();
  player.show(state({ sound: sound(1, '/a'), next: sound(2, '/b'), speed: 1.5 }));
  assert.deepEqual(audio.map((each) => each.playbackRate), [1.5, 1.5]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heardAt, LocalPlayer } from '../../Sources/LecternWeb/Assets/local-player.js';

class Sound extends EventTarget {
  src = ''; currentTime = 0; paused = true; playbackRate = 1;
  async play() { this.paused = false; }
  pause() { this.paused = true; }
  to(seconds) { this.currentTime = seconds; this.dispatchEvent(new Event('timeupdate')); }
  end() { this.dispatchEvent(new Event('ended')); }
}

const place = (chapter, book = 'John') => ({ text: 'kjv', book, name: book, chapter });
const spoken = { milliseconds: 6000, voice: 'v', verses: [{ verse: 1, start: 0, end: 2000 }, { verse: 2, start: 2000, end: 4000 }, { verse: 4, start: 4000, end: 6000 }] };

function world({ kept = [3, 4], after = (each) => place(each.chapter + 1) } = {}) {
  const sound = new Sound();
  const heard = [];
  const player = new LocalPlayer(sound, {
    spoken: async (each) => (kept.includes(each.chapter) ? spoken : null), next: async (each) => after(each),
    heard: (each, verse) => heard.push(`${each.chapter}:${verse}`), frame: () => 0, cancelFrame: () => undefined,
  }, new AbortController().signal);
  return { sound, player, heard };
}
const turn = () => new Promise(setImmediate);

test('The mark is at the verse that has begun', () => {
  assert.deepEqual([0, 1999, 2000, 3999, 5999, 9000].map((time) => spoken.verses[heardAt(spoken.verses, time)].verse), [1, 2, 2, 4, 4, 4]);
});

test('A kept chapter is played from a verse, and the place is reported', async () => {
  const { sound, player, heard } = world();
  assert.equal(await player.play(place(3), 2), true);
  assert.deepEqual([player.phase, player.verse, sound.currentTime, sound.src], ['playing', 2, 2, '/keep/kjv/audio/John/3']);
  sound.to(4.5);
  assert.equal(player.verse, 4);
  assert.deepEqual(heard, ['3:4']);
  player.moveVerse(-1);
  assert.equal(player.verse, 2);
  player.pause();
  assert.deepEqual([player.phase, sound.paused, heard.at(-1)], ['paused', true, '3:2']);
});

test('A chapter without kept audio is not played', async () => {
  const { player } = world({ kept: [] });
  assert.equal(await player.play(place(3), null), false);
  assert.equal(player.phase, 'idle');
});

test('The next kept chapter follows, and the page says which one is missing', async () => {
  const { sound, player } = world();
  await player.play(place(3), null);
  sound.end();
  await turn();
  assert.deepEqual([player.place.chapter, player.verse, player.phase], [4, 1, 'playing']);
  sound.end();
  await turn();
  assert.deepEqual([player.phase, player.message], ['ended', 'The audio of John 5 is not on this device.']);
});

test('Listening ends with the book, or with the chapter, if that was asked for', async () => {
  const { sound, player } = world({ after: () => place(4, 'Acts') });
  player.stopsAtBookEnd = true;
  await player.play(place(3), null);
  sound.end();
  await turn();
  assert.equal(player.phase, 'ended');
  const other = world();
  await other.player.play(place(3), null);
  other.player.setSleep(null);
  other.sound.end();
  await turn();
  assert.deepEqual([other.player.phase, other.player.place.chapter], ['paused', 3]);
});

test('A skip stays within the chapter', async () => {
  const { sound, player } = world();
  await player.play(place(3), null);
  player.skip(-10);
  assert.equal(sound.currentTime, 0);
  player.skip(100);
  assert.equal(sound.currentTime, 5.9);
  assert.equal(player.verse, 4);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meaning, Outbox, resendDelay, retryAfterSeconds } from '../../Sources/HablareWeb/Assets/outbox.js';
import { MemoryStore } from './memory-store.js';

const command = (id) => ({ id, url: '/act/decide', body: { photo: 'p' + id }, attempts: 0 });

test('Commands are kept in the order of their ids until they are answered', () => {
  const store = new MemoryStore();
  const outbox = new Outbox(store, 'app');
  for (const id of ['2', '1', '3']) assert.equal(outbox.keep(command(id)), true);
  outbox.forget('1');
  assert.deepEqual(new Outbox(store, 'app').commands().map((each) => each.id), ['2', '3']);
});

test('Two applications on one origin do not read one another', () => {
  const store = new MemoryStore();
  new Outbox(store, 'sift').keep(command('1'));
  assert.deepEqual(new Outbox(store, 'lectern').commands(), []);
});

test('A full store keeps the command for the life of the tab and says so', () => {
  const store = new MemoryStore();
  store.setItem = () => { throw new Error('QuotaExceededError'); };
  const outbox = new Outbox(store, 'app');
  assert.equal(outbox.keep(command('1')), false);
  assert.deepEqual(outbox.commands().map((each) => each.id), ['1']);
});

test('Damaged entries are removed and stop nothing', () => {
  const store = new MemoryStore();
  const outbox = new Outbox(store, 'app');
  outbox.keep(command('2'));
  store.setItem('app.outbox.1', '{"id":"1","url":"https://elsewhere.example/","body":{},"attempts":0}');
  store.setItem('app.outbox.3', 'not json');
  store.setItem('app.outbox.4', JSON.stringify(command('5')));
  assert.deepEqual(outbox.commands().map((each) => each.id), ['2']);
  assert.equal(store.length, 1);
});

test('Each status has one meaning', () => {
  const table = [[200, 'done'], [204, 'done'], [0, 'again'], [503, 'again'], [429, 'again'], [408, 'again'],
    [401, 'locked'], [400, 'refused'], [403, 'refused'], [404, 'refused'], [409, 'refused'], [422, 'refused'],
    [500, 'again']];
  for (const [status, expected] of table) assert.equal(meaning(status, 1), expected, String(status));
  assert.equal(meaning(500, 5), 'refused');
  assert.equal(meaning(0, 5000), 'again');
});

test('The wait doubles up to five seconds, and the server may ask for more', () => {
  assert.deepEqual([1, 2, 9].map((count) => resendDelay(count, null, 0)), [200, 400, 5000]);
  assert.equal(resendDelay(1, 7, 0), 7000);
  assert.equal(retryAfterSeconds('12'), 12);
  assert.equal(retryAfterSeconds('Fri, 27 Nov 2026 00:00:00 GMT'), null);
  assert.equal(retryAfterSeconds(null), null);
});

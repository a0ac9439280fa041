import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionDetail } from '../../Sources/HablareWeb/Assets/page.js';
import { changesOf, versesIn, waitingOf } from '../../Sources/LecternWeb/Assets/waiting.js';
import { Outbox } from '../../Sources/HablareWeb/Assets/outbox.js';
import { RefusedChanges } from '../../Sources/LecternWeb/Assets/refused.js';
import { MemoryStore } from './memory-store.js';

const command = (url, body) => ({ id: url, url, body, attempts: 1 });
const note = command('/commands/mark', { change: { addNote: { mark: 'm', place: { space: 'versification:KJV', osis: 'John.3.16' }, text: 'Deep' } } });

test('Places of reading are no changes of a person', () => {
  assert.deepEqual(changesOf([command('/commands/read', {}), note, command('/commands/setDone', {})]).map((each) => each.url), ['/commands/mark', '/commands/setDone']);
});

test('A note that waits has its text and its place', () => {
  assert.deepEqual(waitingOf([note]), [{ id: '/commands/mark', kind: 'note', osis: 'John.3.16', space: 'versification:KJV', text: 'Deep', colour: '', words: null }]);
  assert.equal(waitingOf([command('/commands/undo', {})])[0].kind, 'other');
});

test('Verses of a place are those of the chapter', () => {
  assert.deepEqual(versesIn('John.3.16', 'John.3'), [16]);
  assert.deepEqual(versesIn('John.3.16-John.3.18', 'John.3'), [16, 17, 18]);
  assert.deepEqual(versesIn('John.3.16', 'John.4'), []);
  assert.deepEqual(versesIn('', 'John.3'), []);
});

test('The notice says what is possible without the server', () => {
  const options = { app: 'Lectern', unit: ['change', 'changes'], idle: 'Kept pages are shown.' };
  const detail = (waiting) => connectionDetail({ state: 'waiting', waiting, keeps: true }, options);
  assert.equal(detail(0), 'Kept pages are shown.');
  assert.equal(detail(1), 'Kept pages are shown. 1 change is kept and will be sent.');
});

test('A refused change is kept over a reload with its reason, until it is removed', () => {
  const store = new MemoryStore();
  const open = () => new RefusedChanges(new Outbox(store, 'app.refused'));
  const command = { id: '1', url: '/commands/mark', body: { change: { addNote: { text: 'mine', place: { osis: 'John.3.16' } } } }, attempts: 2 };
  assert.ok(open().keep(command, 'The disk is full.'));
  const refused = open();
  assert.deepEqual(refused.all(), [{ command, reason: 'The disk is full.' }]);
  refused.remove('1');
  assert.deepEqual(open().all(), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { difference } from '../../Sources/LecternWeb/Assets/handouts.js';

// A file that is not ready has no address.
const item = (id, href) =>
  href === undefined
    ? { id, title: id, form: 'Book', phase: 'making', percent: 5, facts: '' }
    : { id, title: id, form: 'Book', phase: 'ready', percent: 100, facts: '', href };

test('progress of the files that are shown needs no new page', () => {
  const { isOther, finished, changed } = difference(['a', 'b'], ['b'], [item('a'), item('b', '/handouts/b/file')]);
  assert.equal(isOther, false);
  assert.deepEqual(finished, []);
  assert.deepEqual(
    changed.map((each) => each.id),
    ['a'],
  );
});

test('a file that is ready gets its link, once', () => {
  const items = [item('a', '/handouts/a/file')];
  assert.deepEqual(difference(['a'], [], items).finished, items);
  assert.deepEqual(difference(['a'], ['a'], items).finished, []);
});

test('a file that another tab added or removed is seen', () => {
  assert.equal(difference(['a'], [], [item('b'), item('a')]).isOther, true);
  assert.equal(difference(['a', 'b'], [], [item('a')]).isOther, true);
  assert.equal(difference([], [], []).isOther, false);
});

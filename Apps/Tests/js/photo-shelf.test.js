import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evicted } from '../../Sources/SiftWeb/Assets/photo-shelf.js';
import { panStep, placeOf } from '../../Sources/SiftWeb/Assets/zoom.js';

test('What is wanted stays, and the rest goes, oldest first, when there are too many', () => {
  assert.deepEqual(evicted(['a', 'b', 'c', 'd'], ['d'], 3), ['a']);
  assert.deepEqual(evicted(['a', 'b'], ['c'], 10), []);
  assert.deepEqual(evicted(['a', 'b', 'c'], ['a', 'b', 'c'], 2), ['c']);
  assert.deepEqual(evicted([], [], 5), []);
});

test('The place of a view is a share, so that photos of other sizes follow', () => {
  const view = { scrollLeft: 50, scrollTop: 0, scrollWidth: 300, scrollHeight: 100, clientWidth: 200, clientHeight: 100 };
  assert.deepEqual(placeOf(view), { x: 0.5, y: 0.5 });
});

test('A key moves a view by a quarter', () => {
  assert.deepEqual(panStep('pan-left', { clientWidth: 400, clientHeight: 200 }), [-100, 0]);
  assert.deepEqual(panStep('pan-down', { clientWidth: 400, clientHeight: 200 }), [0, 50]);
  assert.deepEqual(panStep('zoom', { clientWidth: 400, clientHeight: 200 }), [0, 0]);
});

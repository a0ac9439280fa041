// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { panStep, placeIn, placeOf } from '../../Sources/SiftWeb/Assets/zoom.js';

test('a tap on a picture is a place in it, and a tap beside it is at its edge', () => {
  const box = { left: 100, top: 50, width: 400, height: 200 };
  assert.deepEqual(placeIn({ clientX: 200, clientY: 150 }, box), { x: 0.25, y: 0.5 });
  assert.deepEqual(placeIn({ clientX: 0, clientY: 900 }, box), { x: 0, y: 1 });
  assert.deepEqual(placeIn({ clientX: 0, clientY: 0 }, { left: 0, top: 0, width: 0, height: 0 }), { x: 0.5, y: 0.5 });
});

test('the place of a view does not depend on the size of its picture', () => {
  const view = { scrollLeft: 300, scrollTop: 0, scrollWidth: 1000, scrollHeight: 400, clientWidth: 400, clientHeight: 400 };
  assert.deepEqual(placeOf(view), { x: 0.5, y: 0.5 });
  assert.deepEqual(placeOf({ ...view, scrollLeft: 600 }), { x: 1, y: 0.5 });
});

test('an arrow key moves the view by a quarter', () => {
  const view = { clientWidth: 400, clientHeight: 300 };
  assert.deepEqual(panStep('pan-left', view), [-100, 0]);
  assert.deepEqual(panStep('pan-down', view), [0, 75]);
  assert.deepEqual(panStep('trash', view), [0, 0]);
});

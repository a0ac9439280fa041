import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beginDrag, directionOf, endDrag, moveDrag, standOf } from '../../Sources/HablareWeb/Assets/gestures.js';

const size = { width: 400, height: 600 };

/** Drags along points of [x, y, time], beginning at the origin. */
function drag(...points) {
  return points.reduce((now, [x, y, time]) => moveDrag(now, { x, y, time }), beginDrag({ x: 0, y: 0, time: 0 }, size));
}

test('A slow drag decides past half of the width, not before', () => {
  assert.equal(endDrag(drag([-199, 0, 1000], [-199, 0, 2000]), 2000), null);
  assert.equal(endDrag(drag([-200, 0, 1000], [-200, 0, 2000]), 2000), 'left');
  assert.equal(endDrag(drag([260, 40, 1000], [260, 40, 2000]), 2000), 'right');
  assert.equal(endDrag(drag([10, -310, 1000], [10, -310, 2000]), 2000), 'up');
});

test('A fling decides before half of the width', () => {
  assert.equal(endDrag(drag([-20, 0, 20], [-80, 0, 60]), 60), 'left');
  assert.equal(endDrag(drag([0, -30, 20], [4, -90, 60]), 60), 'up');
});

test('A pause before the release ends the fling', () => {
  assert.equal(endDrag(drag([80, 0, 40]), 400), null);
});

test('A twitch is not a fling', () => {
  assert.equal(endDrag(drag([24, 0, 20]), 20), null);
});

test('A drag that turns back at speed decides nothing', () => {
  assert.equal(endDrag(drag([-300, 0, 300], [-260, 0, 330], [-210, 0, 350]), 350), null);
});

test('Down decides nothing, however far or fast', () => {
  assert.equal(directionOf(0, 500), null);
  assert.equal(endDrag(drag([0, 200, 50], [0, 500, 100]), 100), null);
});

test('The marks are at 25, 50 and 75 %', () => {
  const marks = [99, 100, 199, 200, 299, 300].map((x) => standOf(drag([x, 0, 1000])).mark);
  assert.deepEqual(marks, [0, 1, 1, 2, 2, 3]);
});

test('The tilt follows the hand and never passes 15 degrees', () => {
  assert.equal(standOf(drag([-200, 0, 1])).tilt, -7.5);
  assert.equal(standOf(drag([4000, 0, 1])).tilt, 15);
  assert.equal(standOf(drag([-4000, 900, 1])).tilt, -15);
});

test('Over random drags the stand is bounded and a short slow drag decides nothing', () => {
  let seed = 3;
  const random = (below) => ((seed = (seed * 1103515245 + 12345) % 2147483648) % below);
  for (let round = 0; round < 2000; round += 1) {
    let now = beginDrag({ x: 0, y: 0, time: 0 }, size);
    for (let step = 1; step < 20; step += 1) {
      now = moveDrag(now, { x: random(399) - 199, y: random(599) - 299, time: step * 100 });
      const stand = standOf(now);
      assert.ok(Math.abs(stand.tilt) <= 15 && stand.share >= 0 && stand.mark >= 0 && stand.mark <= 3);
    }
    assert.equal(endDrag(now, now.last.time + 200), null);
  }
});

test('A card without a size does not divide by zero', () => {
  const stand = standOf(moveDrag(beginDrag({ x: 0, y: 0, time: 0 }, { width: 0, height: 0 }), { x: 9, y: 0, time: 1 }));
  assert.ok(Number.isFinite(stand.share));
});

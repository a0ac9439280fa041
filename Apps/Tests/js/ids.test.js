import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idMaker } from '../../Sources/HablareWeb/Assets/ids.js';

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('An id is a UUID of version 7 and carries its time', () => {
  const id = idMaker({ now: () => 0x0192f00dcafe })();
  assert.match(id, shape);
  assert.ok(id.startsWith('0192f00d-cafe-7'));
});

test('Ten thousand ids of one millisecond are different and increase', () => {
  const make = idMaker({ now: () => 1_700_000_000_000 });
  const ids = Array.from({ length: 10_000 }, make);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual([...ids].sort(), ids);
  for (const id of ids) assert.match(id, shape);
});

test('Ids increase when the clock is set back', () => {
  const times = [5000, 4000, 1, 6000];
  const make = idMaker({ now: () => times.shift() });
  const ids = [make(), make(), make(), make()];
  assert.deepEqual([...ids].sort(), ids);
});

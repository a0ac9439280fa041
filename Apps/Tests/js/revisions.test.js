import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessage, receive, reconnectDelay } from '../../Sources/HablareWeb/Assets/revisions.js';

const held = { epoch: 'a', revision: 4, state: { photo: 'one', count: 1 } };

test('A whole state replaces the state, also over a gap', () => {
  const { held: after, outcome } = receive(held, { epoch: 'a', revision: 9, state: { photo: 'two' } });
  assert.equal(outcome, 'applied');
  assert.deepEqual(after, { epoch: 'a', revision: 9, state: { photo: 'two' } });
});

test('A change applies to a page that is ahead of its base, which misses nothing', () => {
  const change = { epoch: 'a', revision: 6, base: 2, state: { photo: 'three', count: 2 } };
  assert.deepEqual(receive(held, change).held, { epoch: 'a', revision: 6, state: { photo: 'three', count: 2 } });
  assert.equal(receive(held, { ...change, revision: 4 }).outcome, 'stale');
});

test('A change applies to the revision that it names, and not to an earlier one', () => {
  const change = { epoch: 'a', revision: 5, base: 4, state: { count: 2 } };
  assert.deepEqual(receive(held, change).held?.state, { photo: 'one', count: 2 });
  assert.equal(receive(held, { ...change, revision: 6, base: 5 }).outcome, 'gap');
  assert.equal(receive(null, change).outcome, 'gap');
});

test('A state that was already seen, or is older, is ignored', () => {
  for (const revision of [3, 4]) {
    const result = receive(held, { epoch: 'a', revision, state: {} });
    assert.equal(result.outcome, 'stale');
    assert.equal(result.held, held);
  }
});

test('After a restart of the server a lower revision counts', () => {
  const { held: after, outcome } = receive(held, { epoch: 'b', revision: 1, state: { photo: 'three' } });
  assert.equal(outcome, 'applied');
  assert.equal(after?.epoch, 'b');
  assert.equal(receive(held, { epoch: 'b', revision: 9, base: 8, state: {} }).outcome, 'gap');
});

test('A gap leaves the held state as it was', () => {
  assert.equal(receive(held, { epoch: 'a', revision: 9, base: 7, state: { count: 5 } }).held, held);
});

test('Text that is not a message is refused', () => {
  for (const text of ['', '{', 'null', '[]', '{"epoch":"a"}', '{"epoch":1,"revision":1,"state":{}}',
    '{"epoch":"a","revision":1.5,"state":{}}', '{"epoch":"a","revision":1,"base":"x","state":{}}']) {
    assert.equal(parseMessage(text), null, text);
  }
  assert.equal(parseMessage('{"epoch":"a","revision":1,"state":{}}')?.revision, 1);
});

test('The wait before a reconnect doubles up to five seconds, with jitter', () => {
  assert.deepEqual([1, 2, 3, 6, 40].map((count) => reconnectDelay(count, 0)), [250, 500, 1000, 5000, 5000]);
  assert.equal(reconnectDelay(1, 0.999), 188);
});

test('Random messages in random order end in the newest state', () => {
  let seed = 7;
  const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % below;
  };
  for (let round = 0; round < 500; round += 1) {
    const messages = Array.from({ length: 12 }, (_, index) => ({
      epoch: 'a', revision: index + 1, base: index === 0 ? null : index, state: { ['f' + (index % 4)]: index },
    }));
    const whole = Object.assign({}, ...messages.map((message) => message.state));
    let page = null;
    const order = [...messages];
    while (order.length > 0) {
      const [message] = order.splice(random(order.length), 1);
      const result = receive(page, message);
      page = result.held;
      // A gap is answered with the whole state of that moment.
      if (result.outcome === 'gap') page = receive(page, { epoch: 'a', revision: 12, state: whole }).held;
    }
    assert.deepEqual(page?.state, whole);
  }
});

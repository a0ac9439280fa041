import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandSender } from '../../Sources/HablareWeb/Assets/commands.js';
import { Outbox } from '../../Sources/HablareWeb/Assets/outbox.js';
import { MemoryStore } from './memory-store.js';

/** A server that commits each id once, and a network that loses requests and answers as told. */
class FakeServer {
  committed = [];
  calls = [];
  script = [];

  post = async (url, text) => {
    const body = JSON.parse(text);
    this.calls.push(body.id);
    const step = this.script.shift() ?? 'ok';
    if (step === 'lost request') throw new TypeError('network');
    if (typeof step === 'number') return { status: step, retryAfter: null, text: '{"title":"No"}' };
    if (!this.committed.some((each) => each.id === body.id)) this.committed.push(body);
    if (step === 'lost answer') throw new TypeError('network');
    return { status: 200, retryAfter: null, text: JSON.stringify({ url }) };
  };
}

/** The channels of the tabs that share a store. */
const channels = new WeakMap();

function makeChannel(store) {
  const all = channels.get(store) ?? new Set();
  channels.set(store, all);
  const channel = {
    onmessage: null,
    postMessage(data) {
      for (const each of all) if (each !== channel) setImmediate(() => each.onmessage?.({ data }));
    },
    close: () => all.delete(channel),
  };
  all.add(channel);
  return channel;
}

function makeSender(server, store, { locks = [], waits = [], states = null } = {}) {
  let count = store.length * 100;
  const sender = new CommandSender('app', store, {
    post: server.post,
    lock: async (_, __, held) => {
      const before = locks.at(-1) ?? Promise.resolve();
      const mine = before.then(held);
      locks.push(mine.catch(() => {}));
      return mine;
    },
    channel: () => makeChannel(store),
    wait: (milliseconds, then) => {
      waits.push(milliseconds);
      const handle = setImmediate(then);
      return () => clearImmediate(handle);
    },
    random: () => 0,
    makeID: () => String((count += 1)).padStart(6, '0'),
  }, states);
  return sender;
}

test('Commands are sent in order and answered one by one', async () => {
  const server = new FakeServer();
  const sender = makeSender(server, new MemoryStore());
  const answers = await Promise.all([1, 2, 3].map((n) => sender.send('/act', { n })));
  assert.deepEqual(server.committed.map((each) => each.n), [1, 2, 3]);
  assert.deepEqual(answers.map((each) => each.outcome), ['done', 'done', 'done']);
  assert.equal(sender.waiting, 0);
});

test('The answer brings the new state before the page hears of it', async () => {
  const server = new FakeServer();
  const bases = [];
  const post = server.post;
  server.post = async (url, text, signal, base) => {
    bases.push(base);
    await post(url, text);
    return { status: 200, retryAfter: null, text: '{"stateChange":{"revision":5},"action":"keep"}' };
  };
  const taken = [];
  const states = { base: 'a 4', takeChange: (change) => taken.push(change) };
  const sender = makeSender(server, new MemoryStore(), { states });
  const answer = await sender.send('/act', { n: 1 });
  assert.deepEqual(bases, ['a 4']);
  assert.deepEqual(taken, [{ revision: 5 }]);
  assert.deepEqual(answer.body, { action: 'keep' });
});

test('A lost answer makes the page send the same id again, which is one act', async () => {
  const server = new FakeServer();
  server.script = ['lost answer', 'lost request', 'ok'];
  const sender = makeSender(server, new MemoryStore());
  const answer = await sender.send('/act', { n: 1 });
  assert.equal(answer.outcome, 'done');
  assert.equal(server.calls.length, 3);
  assert.equal(new Set(server.calls).size, 1);
  assert.equal(server.committed.length, 1);
});

test('A later command waits behind an earlier one that is tried again', async () => {
  const server = new FakeServer();
  server.script = ['lost request', 503];
  const waits = [];
  const sender = makeSender(server, new MemoryStore(), { waits });
  await Promise.all([sender.send('/act', { n: 1 }), sender.send('/act', { n: 2 })]);
  assert.deepEqual(server.committed.map((each) => each.n), [1, 2]);
  assert.deepEqual(waits, [200, 400]);
});

test('A refused command leaves the outbox and does not stop those behind it', async () => {
  const server = new FakeServer();
  server.script = [409];
  const sender = makeSender(server, new MemoryStore());
  const [first, second] = await Promise.all([sender.send('/act', { n: 1 }), sender.send('/act', { n: 2 })]);
  assert.deepEqual([first.outcome, first.status, first.body['title']], ['refused', 409, 'No']);
  assert.equal(second.outcome, 'done');
  assert.equal(sender.waiting, 0);
});

test('A command that waited and is refused is announced before it leaves the outbox', async () => {
  const store = new MemoryStore();
  const server = new FakeServer();
  const sender = makeSender(server, store);
  const refused = [];
  sender.addEventListener('refused', ({ detail }) => refused.push([detail.command.body.text, detail.answer.status, sender.waiting]));
  server.script = [422];
  await sender.send('/commands/note', { text: 'in a form' });
  assert.deepEqual(refused, [], 'its form has the text');
  server.script = ['lost request', 422];
  await sender.send('/commands/note', { text: 'waited' });
  assert.deepEqual(refused, [['waited', 422, 1]]);
  // One that an earlier page has left.
  new Outbox(store, 'app').keep({ id: '000001', url: '/commands/note', body: { text: 'left' }, attempts: 0 });
  server.script = [422];
  sender.hurry();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(refused.at(-1), ['left', 422, 1]);
  assert.equal(sender.waiting, 0);
});

test('A command without an answer is sent by the next page, under the same id', async () => {
  const server = new FakeServer();
  const store = new MemoryStore();
  const asleep = makeSender({ post: () => new Promise(() => {}) }, store);
  void asleep.send('/act', { n: 1 });
  await new Promise((resolve) => setImmediate(resolve));
  asleep.stop();
  assert.equal(store.length, 1);
  const next = makeSender(server, store);
  const answered = new Promise((resolve) => next.addEventListener('answer', (event) => resolve(event.detail)));
  next.start();
  assert.equal((await answered).outcome, 'done');
  assert.deepEqual(server.committed.map((each) => each.n), [1]);
  assert.equal(store.length, 0);
});

test('While the server is away the sender says that it waits', async () => {
  const server = new FakeServer();
  server.script = ['lost request', 401, 'ok'];
  const sender = makeSender(server, new MemoryStore());
  const seen = [];
  sender.addEventListener('change', () => { if (seen.at(-1) !== sender.state) seen.push(sender.state); });
  await sender.send('/act', {});
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(seen, ['idle', 'sending', 'waiting', 'locked', 'sending', 'idle']);
});

test('Over random losses every command is committed once and in order', async () => {
  let seed = 11;
  const random = () => ((seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648);
  for (let round = 0; round < 50; round += 1) {
    const server = new FakeServer();
    server.script = Array.from({ length: 30 }, () =>
      ['ok', 'lost answer', 'lost request', 503][Math.floor(random() * 4)]);
    const store = new MemoryStore();
    const locks = [];
    const tabs = [makeSender(server, store, { locks }), makeSender(server, store, { locks })];
    const numbers = Array.from({ length: 10 }, (_, n) => n);
    await Promise.all(numbers.map((n) => tabs[0].send('/act', { n })).concat(tabs[1].start() ?? []));
    assert.deepEqual(server.committed.map((each) => each.n), numbers);
    assert.equal(store.length, 0);
  }
});

test('A command alone does not wait for the lock, and one behind another does', async () => {
  const server = new FakeServer();
  const store = new MemoryStore();
  let release = () => {};
  const locks = [new Promise((resolve) => { release = resolve; })];
  const sender = makeSender(server, store, { locks });
  await sender.send('/act', { n: 1 });
  assert.deepEqual(server.committed.map((each) => each.n), [1]);
  server.script = ['lost request'];
  const waiting = sender.send('/act', { n: 2 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const other = makeSender(server, store, { locks });
  const behind = other.send('/act', { n: 3 });
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(server.committed.map((each) => each.n), [1]);
  release();
  await Promise.all([waiting, behind]);
  assert.deepEqual(server.committed.map((each) => each.n), [1, 2, 3]);
});

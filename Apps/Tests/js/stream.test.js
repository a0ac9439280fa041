import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StateStream } from '../../Sources/HablareWeb/Assets/stream.js';

/** A browser with several tabs: one lock, channels that deliver at once, and a clock that tests move. */
class FakeBrowser {
  locks = [];
  channels = [];
  sources = [];
  waits = [];
  whole = { epoch: 'a', revision: 1, state: { n: 1 } };
  fetches = 0;

  seams() {
    return {
      lock: (_, signal, held) => new Promise((resolve, reject) => {
        const entry = { run: () => { entry.active = true; held().then(() => { this.locks.shift(); this.locks[0]?.run(); resolve(); }); } };
        signal.addEventListener('abort', () => {
          if (entry.active) return;
          this.locks = this.locks.filter((each) => each !== entry);
          reject(new Error('aborted'));
        });
        this.locks.push(entry);
        if (this.locks.length === 1) entry.run();
      }),
      channel: () => {
        const channel = {
          onmessage: null,
          postMessage: (data) => {
            for (const other of this.channels) if (other !== channel) other.onmessage?.({ data: structuredClone(data) });
          },
          close: () => { this.channels = this.channels.filter((other) => other !== channel); },
        };
        this.channels.push(channel);
        return channel;
      },
      source: () => {
        const source = new EventTarget();
        source.close = () => { source.closed = true; };
        this.sources.push(source);
        return source;
      },
      fetch: async () => {
        this.fetches += 1;
        if (this.whole === null) throw new Error('gone');
        return JSON.stringify(this.whole);
      },
      wait: (milliseconds, then) => {
        const entry = { milliseconds, then };
        this.waits.push(entry);
        return () => { this.waits = this.waits.filter((other) => other !== entry); };
      },
      random: () => 0,
    };
  }

  tab() {
    const stream = new StateStream('app', { events: '/events', state: '/state' }, this.seams());
    stream.ended = stream.start();
    return stream;
  }

  say(message) {
    const event = new Event('state');
    event.data = JSON.stringify(message);
    this.sources.at(-1).dispatchEvent(event);
  }
}

test('Of three tabs one listens, and all show the same state', () => {
  const browser = new FakeBrowser();
  const tabs = [browser.tab(), browser.tab(), browser.tab()];
  assert.equal(browser.sources.length, 1);
  assert.deepEqual(tabs.map((tab) => tab.leads), [true, false, false]);
  browser.sources[0].onopen();
  browser.say({ epoch: 'a', revision: 1, state: { n: 1 } });
  browser.say({ epoch: 'a', revision: 2, base: 1, state: { m: 2 } });
  for (const tab of tabs) {
    assert.deepEqual(tab.held?.state, { n: 1, m: 2 });
    assert.equal(tab.connection, 'live');
  }
});

test('When the listening tab closes, another takes over', async () => {
  const browser = new FakeBrowser();
  const [first, second] = [browser.tab(), browser.tab()];
  first.stop();
  await first.ended;
  assert.equal(browser.sources.length, 2);
  assert.equal(browser.sources[0].closed, true);
  assert.equal(second.leads, true);
});

test('A tab that opens later learns connection and state from the leader', () => {
  const browser = new FakeBrowser();
  browser.tab();
  browser.sources[0].onopen();
  browser.say({ epoch: 'a', revision: 3, state: { n: 3 } });
  const late = browser.tab();
  assert.equal(late.connection, 'live');
  assert.deepEqual(late.held?.state, { n: 3 });
});

test('A gap makes a tab fetch the whole state, once for calls at the same time', async () => {
  const browser = new FakeBrowser();
  const tab = browser.tab();
  browser.say({ epoch: 'a', revision: 1, state: { n: 1 } });
  browser.whole = { epoch: 'a', revision: 8, state: { n: 8 } };
  browser.say({ epoch: 'a', revision: 7, base: 6, state: { n: 7 } });
  browser.say({ epoch: 'a', revision: 8, base: 7, state: { n: 8 } });
  await tab.refresh();
  assert.equal(browser.fetches, 1);
  assert.deepEqual(tab.held, { epoch: 'a', revision: 8, state: { n: 8 } });
});

test('When the server stops, all tabs say so, and recover when it is back', () => {
  const browser = new FakeBrowser();
  const tabs = [browser.tab(), browser.tab()];
  browser.sources[0].onopen();
  browser.sources[0].onerror();
  assert.deepEqual(tabs.map((tab) => tab.connection), ['stopped', 'stopped']);
  assert.deepEqual(browser.waits.map((each) => each.milliseconds), [250]);
  browser.waits.shift().then();
  browser.sources[1].onerror();
  assert.deepEqual(browser.waits.map((each) => each.milliseconds), [500]);
  browser.waits.shift().then();
  browser.sources[2].onopen();
  browser.say({ epoch: 'b', revision: 1, state: { n: 'new run' } });
  assert.deepEqual(tabs.map((tab) => tab.connection), ['live', 'live']);
  assert.deepEqual(tabs.map((tab) => tab.held?.state['n']), ['new run', 'new run']);
});

test('A server that says that it stops is believed at once', () => {
  const browser = new FakeBrowser();
  const tab = browser.tab();
  browser.sources[0].onopen();
  browser.sources[0].dispatchEvent(new Event('stopping'));
  assert.equal(tab.connection, 'stopped');
  assert.equal(browser.sources[0].closed, true);
  browser.sources[0].onerror();
  assert.equal(browser.waits.length, 1);
});

test('A tab that becomes visible does not wait for the next attempt', () => {
  const browser = new FakeBrowser();
  const tab = browser.tab();
  browser.sources[0].onerror();
  tab.hurry();
  assert.equal(browser.sources.length, 2);
  assert.equal(browser.waits.length, 0);
  tab.hurry();
  assert.equal(browser.sources.length, 2);
});

test('A damaged message is ignored', () => {
  const browser = new FakeBrowser();
  const tab = browser.tab();
  const event = new Event('state');
  event.data = '{"epoch":';
  browser.sources[0].dispatchEvent(event);
  assert.equal(tab.held, null);
});

test('A tab takes the change that the answer to a command brings, and the stream may bring it again', async () => {
  const browser = new FakeBrowser();
  const tab = browser.tab();
  tab.take({ epoch: 'a', revision: 4, state: { n: 1, m: 1 } });
  assert.equal(tab.base, 'a 4');
  let states = 0;
  tab.addEventListener('state', () => { states += 1; });
  const change = { epoch: 'a', revision: 5, base: 4, state: { n: 2 } };
  tab.takeChange(change);
  tab.take(change);
  tab.takeChange('nonsense');
  assert.deepEqual(tab.held, { epoch: 'a', revision: 5, state: { n: 2, m: 1 } });
  assert.equal(states, 1);
  assert.equal(browser.fetches, 0);
  tab.stop();
});

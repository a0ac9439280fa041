import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isThere, parseBindings, planItems, safeAddress, valueAt } from '../../Sources/HablareWeb/Assets/slots.js';

test('Bindings are read', () => {
  assert.deepEqual(parseBindings('text: photo.name; hidden: !error ;class.is-busy: queue.busy'), [
    { target: 'text', path: 'photo.name', negated: false },
    { target: 'hidden', path: 'error', negated: true },
    { target: 'class.is-busy', path: 'queue.busy', negated: false },
  ]);
});

test('A binding cannot set a handler, markup or a whole style', () => {
  for (const target of ['onclick', 'innerHTML', 'outerHTML', 'srcdoc', 'style', 'style.color', 'formaction', 'on-x']) {
    assert.throws(() => parseBindings(`${target}: photo.name`), /Unknown binding/, target);
  }
  for (const text of ['text', 'text:', ': photo', 'text photo']) assert.throws(() => parseBindings(text));
});

test('A path reads own fields only', () => {
  const state = { photo: { name: 'a', burst: [{ id: 1 }] } };
  assert.equal(valueAt(state, 'photo.name'), 'a');
  assert.equal(valueAt(state, 'photo.burst.0.id'), 1);
  assert.equal(valueAt(state, '.id', { id: 7 }), 7);
  assert.equal(valueAt(state, '.', 'text'), 'text');
  for (const path of ['photo.constructor', '__proto__', 'photo.name.length', 'gone.name']) {
    assert.equal(valueAt(state, path), undefined, path);
  }
});

test('An address is a path of this server or nothing', () => {
  for (const good of ['/media/1', '#deck', '?page=2']) assert.equal(safeAddress(good), good);
  for (const bad of ['javascript:alert(1)', '//elsewhere.example', '/\\elsewhere.example', 'data:text/html,x', 'media']) {
    assert.equal(safeAddress(bad), null, bad);
  }
});

test('Empty lists, empty texts and zero are not there', () => {
  for (const value of [[], '', 0, null, undefined, false]) assert.equal(isThere(value), false);
  for (const value of [[0], 'a', 1, {}, true]) assert.equal(isThere(value), true);
});

test('A list keeps what stays, removes what goes and shows a key once', () => {
  const plan = planItems(['a', 'b', 'c', ''], ['c', 'd', 'a', 'd']);
  assert.deepEqual(plan.order, ['c', 'd', 'a']);
  assert.deepEqual([...plan.removed], ['b']);
});

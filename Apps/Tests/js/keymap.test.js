import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionFor, keyLabel, ownsKey, rebind, strokeName } from '../../Sources/HablareWeb/Assets/keymap.js';

const bindings = [
  { action: 'left', keys: ['ArrowLeft', 'X'], contexts: ['card'] },
  { action: 'undo', keys: ['U', 'Ctrl+Z'], contexts: ['card', 'zoom'] },
  { action: 'pan-left', keys: ['ArrowLeft'], contexts: ['zoom', 'compare'] },
  { action: 'help', keys: ['?'], contexts: ['card'] },
];

test('Strokes have names', () => {
  const table = [
    [{ key: 'p' }, 'P'], [{ key: 'P', shiftKey: true }, 'Shift+P'], [{ key: ' ' }, 'Space'],
    [{ key: 'z', ctrlKey: true }, 'Ctrl+Z'], [{ key: 'z', metaKey: true, shiftKey: true }, 'Ctrl+Shift+Z'],
    [{ key: '?', shiftKey: true }, '?'], [{ key: 'ArrowLeft', shiftKey: true }, 'Shift+ArrowLeft'],
    [{ key: 'Shift', shiftKey: true }, null], [{ key: '+', ctrlKey: true }, 'Ctrl++'], [{ key: 'ß' }, 'SS'],
  ];
  for (const [stroke, name] of table) assert.equal(strokeName(stroke), name);
});

test('An arrow decides on the card and pans elsewhere', () => {
  assert.equal(actionFor(bindings, { key: 'ArrowLeft' }, 'card'), 'left');
  assert.equal(actionFor(bindings, { key: 'ArrowLeft' }, 'zoom'), 'pan-left');
  assert.equal(actionFor(bindings, { key: 'ArrowLeft' }, 'dialog'), null);
});

test('A held key decides once, but pans on', () => {
  assert.equal(actionFor(bindings, { key: 'ArrowLeft', repeat: true }, 'card'), null);
  assert.equal(actionFor(bindings, { key: 'ArrowLeft', repeat: true }, 'zoom'), 'pan-left');
});

test('Composing text and keys of the browser do nothing', () => {
  assert.equal(actionFor(bindings, { key: 'x', isComposing: true }, 'card'), null);
  assert.equal(actionFor(bindings, { key: 'x', ctrlKey: true }, 'card'), null);
});

test('A key that is given to an action is taken from others of its contexts only', () => {
  const { bindings: changed, takenFrom } = rebind(bindings, 'undo', 'ArrowLeft');
  assert.deepEqual(takenFrom, ['left', 'pan-left']);
  assert.equal(actionFor(changed, { key: 'ArrowLeft' }, 'card'), 'undo');
  const help = rebind(bindings, 'help', 'ArrowLeft');
  assert.deepEqual(help.takenFrom, ['left']);
  assert.equal(actionFor(help.bindings, { key: 'ArrowLeft' }, 'zoom'), 'pan-left');
  assert.equal(rebind(bindings, 'unknown', 'Q').bindings, bindings);
});

test('Keys belong to the field in which a person types', () => {
  assert.equal(ownsKey({ tagName: 'INPUT', type: 'text' }, 'x'), true);
  assert.equal(ownsKey({ tagName: 'DIV', isContentEditable: true }, 'ArrowLeft'), true);
  assert.equal(ownsKey({ tagName: 'SELECT' }, 'ArrowDown'), true);
  assert.equal(ownsKey({ tagName: 'INPUT', type: 'radio' }, 'ArrowLeft'), true);
  assert.equal(ownsKey({ tagName: 'INPUT', type: 'checkbox' }, 'x'), false);
  assert.equal(ownsKey({ tagName: 'BUTTON' }, 'Enter'), true);
  assert.equal(ownsKey({ tagName: 'BUTTON' }, 'ArrowLeft'), false);
  assert.equal(ownsKey({ tagName: 'BODY' }, 'x'), false);
});

test('Keys are shown as people know them', () => {
  assert.deepEqual(['ArrowLeft', 'Shift+ArrowUp', 'Ctrl++', '+', 'P'].map(keyLabel), ['←', 'Shift+↑', 'Ctrl++', '+', 'P']);
});

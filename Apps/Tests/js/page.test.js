import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionDetail } from '../../Sources/HablareWeb/Assets/page.js';

const options = { app: 'Sift', unit: ['decision', 'decisions'] };

test('A lost connection says what is kept, and what to do', () => {
  const detail = (state, waiting, keeps = true) => connectionDetail({ state, waiting, keeps }, options);
  assert.equal(detail('idle', 0), 'Nothing is lost. This page recovers when Sift runs again.');
  assert.equal(detail('waiting', 1), '1 decision is kept and will be sent.');
  assert.equal(detail('waiting', 2), '2 decisions are kept and will be sent.');
  assert.equal(detail('waiting', 2, false), '2 decisions are kept in this tab only. Leave it open.');
  assert.equal(detail('locked', 2), 'This tab is not signed in any more. Open the link that Sift printed.');
});

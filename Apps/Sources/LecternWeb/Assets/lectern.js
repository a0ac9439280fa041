// @ts-check
/** The pages of Lectern: connects state, commands, keys and the tools of a page. The server decides; the page shows. */
import { reloadHandouts, startHandouts } from './handouts.js';
import { startDevice } from './device.js';
import { idMaker } from './ids.js';
import { browserSeams, Keeper } from './keeper.js';
import { startKeeping } from './keeping.js';
import { listenToKeys } from './keymap.js';
import { startListening } from './listening.js';
import { startMarking } from './marking.js';
import { startNotes } from './notes.js';
import { Outbox } from './outbox.js';
import { connectPage, element, showRefusal } from './page.js';
import { deviceName, startReading } from './reading.js';
import { RefusedChanges } from './refused.js';
import { Turner } from './turn.js';
import { changesOf, showRefused, showWaiting, waitingOf } from './waiting.js';

const { signal, stream, sender, start } = connectPage({
  name: 'lectern',
  app: 'Lectern',
  unit: ['change', 'changes'],
  idle: 'Lectern does not answer. You read what is kept on this device.',
  count: (commands) => changesOf(commands).length,
  answered: (form, answer) => {
    // A refused form keeps what a person typed.
    if (answer.outcome === 'refused') return;
    keeping.answered(form.getAttribute('action') ?? '');
    element('refusal').hidden = true;
    if (form.dataset['then']) location.assign(form.dataset['then']);
    else location.reload();
  },
});
const isChapter = document.body.dataset['page'] === 'chapter';

const device = deviceName(localStorage, idMaker());
/** @type {ReturnType<typeof setTimeout> | undefined} */ let toastTimer;
/** Says something that needs no answer. @param {string} text */
function say(text) {
  element('toast').textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (element('toast').textContent = ''), 4000);
}
const isAway = () => stream.connection === 'stopped' || (document.body.dataset['kept'] === 'true' && stream.connection !== 'live');
const keeper = new Keeper(signal, browserSeams());
const keeping = startKeeping({ keeper, signal, say });
const listening = startListening({ sender, keeper, device, isAway, say, signal, refused: showRefusal });
const reading = isChapter
  ? startReading({
      device,
      send: (body) => void sender.send('/commands/read', body),
      signal,
    })
  : null;
const turner = isChapter
  ? new Turner(signal, () => {
      marking?.prepare();
      reading?.turned();
      listening.turned();
      showWaiting(waitingOf(sender.commands));
    })
  : null;
const marking = turner === null ? null : startMarking({ sender, turner, listening, signal, say, refused: showRefusal });
if (isChapter) startNotes(signal);
if (document.getElementById('device') !== null) startDevice({ keeper, signal, say });
sender.addEventListener('change', () => showWaiting(waitingOf(sender.commands)));
const refusals = new RefusedChanges(new Outbox(localStorage, 'lectern.refused'));
sender.addEventListener('refused', (event) => {
  const { command, answer } = /** @type {CustomEvent} */ (event).detail;
  if (changesOf([command]).length === 0) return;
  refusals.keep(command, String(answer.body['detail'] ?? answer.body['title'] ?? `The server answered ${answer.status}.`));
  showRefused(refusals.all());
  say('A change was refused. It is kept on the page Offline.');
});
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button[data-refused]') : null;
  if (!(button instanceof HTMLElement)) return;
  const { refused = '', id = '' } = button.dataset;
  const found = refusals.all().find(({ command }) => command.id === id);
  if (found === undefined) return;
  // The new command is kept before the old one goes. If it is refused too, it comes back to this list.
  if (refused === 'again') void sender.send(found.command.url, found.command.body).then((answer) => {
    if (answer.outcome !== 'refused') return;
    refusals.keep({ ...found.command, id: answer.id }, String(answer.body['detail'] ?? ''));
    showRefused(refusals.all());
    showRefusal(answer);
  });
  refusals.remove(id);
  showRefused(refusals.all());
}, { signal });
showRefused(refusals.all());
showWaiting(waitingOf(sender.commands));
stream.addEventListener('connection', () => {
  if (stream.connection === 'stopped') listening.lost();
  if (stream.connection !== 'live') return;
  keeping.live();
  const heard = listening.heardAlone();
  if (heard !== null) void sender.send('/commands/read', { ...heard, device, kind: 'listening' });
});

const handouts = document.body.dataset['page'] === 'handouts' ? startHandouts(reloadHandouts) : null;

/** @type {number | null} */
let revision = null;
stream.addEventListener('state', () => {
  const heard = /** @type {import('./player.js').Listening | undefined} */ (stream.held?.state?.['listening']);
  if (heard !== undefined) listening.show(heard);
  const files = /** @type {Parameters<NonNullable<typeof handouts>>[0] | undefined} */ (
    stream.held?.state?.['handouts']
  );
  if (files !== undefined) handouts?.(files);
  const reader = /** @type {{revision: number, theme: string, erasures: number} | undefined} */ (stream.held?.state?.['reader']);
  if (reader === undefined) return;
  document.documentElement.dataset['theme'] = reader.theme;
  void keeping.erased(reader.erasures);
  const isOld = revision !== null && revision !== reader.revision;
  revision = reader.revision;
  document.body.dataset['live'] = 'true';
  if (isOld) keeping.changed();
  // Another tab has changed something. A verse that is chosen here stays chosen.
  if (isOld && turner !== null && marking?.isOpen() === false) void turner.refresh();
});

const everywhere = ['chapter', 'page'];
const bindings = [
  { action: 'next', keys: ['ArrowRight', 'J'], contexts: ['chapter'] },
  { action: 'previous', keys: ['ArrowLeft', 'K'], contexts: ['chapter'] },
  { action: 'verse', keys: ['V'], contexts: ['chapter'] },
  { action: 'go', keys: ['/'], contexts: everywhere },
  { action: 'listen', keys: ['P'], contexts: everywhere },
  { action: 'undo', keys: ['U'], contexts: everywhere },
];
listenToKeys({
  bindings: () => bindings,
  context: () => (isChapter ? 'chapter' : 'page'),
  act: (action, event) => {
    const isRightToLeft = document.querySelector('article.chapter')?.getAttribute('dir') === 'rtl';
    if (action === 'next' || action === 'previous') {
      const isArrow = event.key.startsWith('Arrow');
      turner?.turn((action === 'next') !== (isRightToLeft && isArrow) ? 'next' : 'prev', event.timeStamp);
    } else if (action === 'verse') marking?.focusVerse();
    else if (action === 'listen') listening.pressed();
    else if (action === 'go') {
      const field = document.querySelector('.go-field');
      if (field instanceof HTMLInputElement) {
        field.focus();
        field.select();
      }
    } else {
      void sender.send('/commands/undo', {}).then(async (answer) => {
        if (answer.outcome === 'refused') return showRefusal(answer);
        if (turner === null) return location.reload();
        await turner.refresh();
        say(`Undone: ${String(answer.body['name'] ?? '')}`);
      });
    }
  },
  signal,
});

// Suggestions for the last word of a search.
const words = document.querySelector('[data-suggest]');
if (words instanceof HTMLInputElement) {
  let asked = 0;
  words.addEventListener(
    'input',
    async () => {
      const turn = ++asked;
      const text = new FormData(words.form ?? undefined).get('in');
      const query = new URLSearchParams({ q: words.value, in: typeof text === 'string' ? text : '' });
      const answer = await fetch(`/suggest?${query}`, { signal }).catch(() => null);
      if (answer === null || !answer.ok || turn !== asked) return;
      const { words: found } = /** @type {{words: string[]}} */ (await answer.json());
      element('words').replaceChildren(
        ...found.map((word) => {
          const option = document.createElement('option');
          option.value = word;
          return option;
        }),
      );
    },
    { signal },
  );
}

// Settings are shown while they are chosen, and kept when they are saved.
const settings = document.getElementById('settings');
settings?.addEventListener('input', () => {
  const data = new FormData(/** @type {HTMLFormElement} */ (settings));
  const root = document.documentElement.dataset;
  const spacing = String(data.get('spacing'));
  root['theme'] = String(data.get('theme'));
  root['size'] = String(data.get('size'));
  root['spacing'] = spacing;
  const output = document.querySelector('[data-output="spacing"]');
  if (output !== null) output.textContent = (Number(spacing) / 10).toFixed(1);
});

const importing = document.getElementById('import-form');
importing?.addEventListener('submit', async (event) => {
  event.preventDefault();
  const file = /** @type {HTMLInputElement} */ (importing.querySelector('[name="file"]')).files?.[0];
  if (file === undefined) return;
  const answer = await sender.send('/commands/importData', { document: await file.text() });
  if (answer.outcome === 'refused') showRefusal(answer);
  else element('import-result').textContent = 'Imported.';
});

start();

// @ts-check
/** The pages of Lectern: connects state, commands, keys and the tools of a page. The server decides; the page shows. */
import { CommandSender, formCommand } from './commands.js';
import { idMaker } from './ids.js';
import { listenToKeys } from './keymap.js';
import { startListening } from './listening.js';
import { startMarking } from './marking.js';
import { startNotes } from './notes.js';
import { deviceName, startReading } from './reading.js';
import { StateStream } from './stream.js';
import { Turner } from './turn.js';

const life = new AbortController();
const { signal } = life;
const stream = new StateStream('lectern', { events: '/events', state: '/state' });
const sender = new CommandSender('lectern', localStorage, {}, stream);
const isChapter = document.body.dataset['page'] === 'chapter';

/** @param {string} id @returns {HTMLElement} */
function element(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element '${id}'.`);
  return found;
}

/** @param {import('./commands.js').Answer} answer */
function showRefusal({ body, status }) {
  element('refusal-title').textContent = String(body['title'] ?? 'That did not work.');
  element('refusal-detail').textContent = String(body['detail'] ?? `The server answered ${status}.`);
  element('refusal').hidden = false;
}

/** @type {Set<string>} */
const underWay = new Set();

/** @param {HTMLFormElement} form @param {HTMLElement | null} submitter */
async function submit(form, submitter) {
  const { url, body } = formCommand(form, submitter);
  const command = JSON.stringify([url, body]);
  if (underWay.has(command)) return;
  underWay.add(command);
  const answer = await sender.send(url, body);
  underWay.delete(command);
  // A refused form keeps what a person typed.
  if (answer.outcome === 'refused') return showRefusal(answer);
  element('refusal').hidden = true;
  if (form.dataset['then']) location.assign(form.dataset['then']);
  else location.reload();
}

function showConnection() {
  const isStopped = stream.connection === 'stopped' || sender.state === 'waiting' || sender.state === 'locked';
  element('connection').hidden = !isStopped;
  if (!isStopped) return;
  const waiting = sender.waiting;
  element('connection-detail').textContent =
    sender.state === 'locked'
      ? 'This tab is not signed in any more. Open the link that Lectern printed.'
      : waiting === 0
        ? 'Nothing is lost. This page recovers when Lectern runs again.'
        : `${waiting} ${waiting === 1 ? 'change is' : 'changes are'} kept and will be sent.`;
}

const device = deviceName(localStorage, idMaker());
const listening = startListening({ sender, device, signal, refused: showRefusal });
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
    })
  : null;
const marking = turner === null ? null : startMarking({ sender, turner, listening, signal, refused: showRefusal });
if (isChapter) startNotes(signal);

/** @type {number | null} */
let revision = null;
stream.addEventListener('state', () => {
  const heard = /** @type {import('./player.js').Listening | undefined} */ (stream.held?.state?.['listening']);
  if (heard !== undefined) listening.show(heard);
  const reader = /** @type {{revision: number, theme: string} | undefined} */ (stream.held?.state?.['reader']);
  if (reader === undefined) return;
  document.documentElement.dataset['theme'] = reader.theme;
  const isOld = revision !== null && revision !== reader.revision;
  revision = reader.revision;
  document.body.dataset['live'] = 'true';
  // Another tab has changed something. A verse that is chosen here stays chosen.
  if (isOld && turner !== null && marking?.isOpen() === false) void turner.refresh();
});

document.addEventListener(
  'submit',
  (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset['command'] === undefined) return;
    event.preventDefault();
    void submit(form, event.submitter);
  },
  { signal },
);

document.addEventListener(
  'click',
  (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-action="close-refusal"]') : null;
    if (button === null) return;
    element('refusal').hidden = true;
    element('main').focus();
  },
  { signal },
);

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
    else if (action === 'listen') listening.toggle();
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
        marking?.say(`Undone: ${String(answer.body['name'] ?? '')}`);
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

stream.addEventListener('connection', () => {
  showConnection();
  if (stream.connection === 'live') sender.hurry();
});
sender.addEventListener('change', showConnection);
sender.addEventListener('answer', (event) => {
  const answer = /** @type {CustomEvent<import('./commands.js').Answer>} */ (event).detail;
  if (answer.outcome === 'refused') showRefusal(answer);
});
for (const [target, kind] of /** @type {const} */ ([[document, 'visibilitychange'], [window, 'online']])) {
  target.addEventListener(kind, () => {
    if (document.visibilityState === 'visible') stream.hurry();
  }, { signal });
}
window.addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload();
});
window.addEventListener('pagehide', () => {
  life.abort();
  sender.stop();
  stream.stop();
});

sender.start();
void stream.start();

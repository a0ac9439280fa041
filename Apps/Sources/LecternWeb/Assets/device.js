// @ts-check
/** The page of what is kept on this device: sizes before, progress, pause, resume and removal. */
import { audioID, lengthText, progress, sizeText, textID } from './downloads.js';

/**
 * @param {{keeper: import('./keeper.js').Keeper, signal: AbortSignal, say: (text: string) => void}} shared
 */
export function startDevice({ keeper, signal, say }) {
  const page = /** @type {HTMLElement} */ (document.getElementById('device'));
  /** @type {Map<string, import('./shelf.js').KeptText>} */ const manifests = new Map();

  /** @param {string} text @param {string} act @param {string} id @param {string} name @param {string} [kind] */
  function button(text, act, id, name, kind = 'small') {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = kind;
    made.textContent = text;
    made.dataset['act'] = act;
    made.dataset['id'] = id;
    made.setAttribute('aria-label', name);
    return made;
  }

  /** @param {HTMLElement} row @param {string} id @param {string} name @param {number} estimate @param {string} size */
  function showRow(row, id, name, estimate, size) {
    const download = keeper.download(id);
    const state = /** @type {HTMLElement} */ (row.querySelector('.kept-state'));
    const bar = /** @type {HTMLProgressElement} */ (row.querySelector('.kept-bar'));
    const acts = /** @type {HTMLElement} */ (row.querySelector('.kept-acts'));
    /** @type {HTMLElement[]} */ let buttons;
    let text;
    if (download === undefined) {
      text = estimate > 0 ? `Not kept. ${size}` : 'Not kept';
      buttons = estimate > 0 ? [button('Keep on this device', 'keep', id, `Keep ${name} on this device`, 'small')] : [];
      bar.hidden = true;
    } else {
      const { phase, done, parts, bytes } = progress(download);
      const kind = download.kind === 'audio' ? 'chapters' : 'parts';
      const share = `${done} of ${parts} ${kind}${bytes > 0 ? ` · ${sizeText(bytes)}` : ''}`;
      text = phase === 'complete'
        ? `On this device · ${download.kind === 'audio' ? `${parts} ${parts === 1 ? 'chapter' : 'chapters'} · ` : ''}${sizeText(bytes)}`
        : phase === 'paused' ? `Paused · ${share}` : phase === 'failed' ? `${download.failed} ${share}` : `${share}${estimate > 0 ? `${bytes > 0 ? ' of' : ' ·'} about ${sizeText(estimate)}` : ''}`;
      bar.hidden = phase === 'complete';
      bar.max = Math.max(1, parts);
      bar.value = done;
      const remove = button('Remove', 'remove', id, `Remove ${name} from this device`, 'small quiet');
      buttons = phase === 'complete' ? [remove]
        : phase === 'under way' ? [button('Pause', 'pause', id, `Pause ${name}`), remove]
          : [button('Resume', 'resume', id, `Resume ${name}`), remove];
    }
    row.dataset['phase'] = download === undefined ? 'none' : progress(download).phase;
    if (state.textContent !== text) state.textContent = text;
    const wanted = buttons.map((each) => each.dataset['act']).join(' ');
    if (acts.dataset['shows'] === wanted) return;
    const hadFocus = acts.contains(document.activeElement);
    acts.dataset['shows'] = wanted;
    acts.replaceChildren(...buttons);
    if (hadFocus) /** @type {HTMLElement | null} */ (acts.querySelector('button'))?.focus();
  }

  /** @param {HTMLElement} list @param {import('./downloads.js').Download} download */
  function audioRow(list, download) {
    const known = list.querySelector(`[data-download="${CSS.escape(download.id)}"]`);
    if (known instanceof HTMLElement) return known;
    const row = document.createElement('li');
    row.className = 'kept-row';
    row.dataset['download'] = download.id;
    row.innerHTML = '<div class="kept-what"><p class="kept-name"></p><p class="kept-state muted number" role="status"></p><progress class="kept-bar" max="1" value="0" hidden></progress></div><div class="kept-acts"></div>';
    /** @type {HTMLElement} */ (row.querySelector('.kept-name')).textContent = `${download.title}, read aloud`;
    row.querySelector('progress')?.setAttribute('aria-label', `The audio of ${download.title}`);
    list.append(row);
    return row;
  }

  function show() {
    for (const panel of page.querySelectorAll('.kept-text')) {
      if (!(panel instanceof HTMLElement)) continue;
      const { text = '', title = '' } = panel.dataset;
      const manifest = manifests.get(text);
      const row = /** @type {HTMLElement} */ (panel.querySelector('.kept-row'));
      const estimate = manifest?.bytes ?? 0;
      showRow(row, textID(text), title, estimate, `About ${sizeText(estimate)}`);
      const list = /** @type {HTMLElement} */ (panel.querySelector('.kept-audio'));
      const audio = keeper.downloads.filter((each) => each.kind === 'audio' && each.text === text);
      for (const child of [...list.children]) {
        if (!audio.some((each) => each.id === /** @type {HTMLElement} */ (child).dataset['download'])) child.remove();
      }
      for (const each of audio) showRow(audioRow(list, each), each.id, `the audio of ${each.title}`, each.estimate, '');
      showSize(panel);
    }
    void showSpace();
  }

  /** @param {HTMLElement} panel */
  function showSize(panel) {
    const { text = '' } = panel.dataset;
    const select = /** @type {HTMLSelectElement} */ (panel.querySelector('select'));
    const submit = /** @type {HTMLButtonElement} */ (panel.querySelector('[type="submit"]'));
    const book = manifests.get(text)?.books.find((each) => each.id === select.value);
    const size = /** @type {HTMLElement} */ (panel.querySelector('[data-size]'));
    const download = keeper.download(audioID(text, select.value));
    const isKept = book !== undefined && download !== undefined && download.parts.length === book.chapters.length;
    size.textContent = book === undefined ? '' : isKept ? 'Kept, or under way' : `About ${lengthText(book.seconds)}, ${sizeText(book.seconds * 4130)}`;
    submit.disabled = book === undefined || isKept;
    // Without the list of the books there is nothing to choose.
    /** @type {HTMLElement} */ (panel.querySelector('.kept-add')).hidden = !manifests.has(text);
  }

  async function showSpace() {
    const space = /** @type {HTMLElement} */ (document.getElementById('device-space'));
    const kept = keeper.downloads.reduce((sum, each) => sum + progress(each).bytes, 0);
    const { quota = 0, usage = 0 } = (await navigator.storage?.estimate?.()) ?? {};
    const isSafe = (await navigator.storage?.persisted?.()) ?? false;
    space.hidden = kept === 0;
    space.textContent = `${sizeText(kept)} are kept. The browser has room for ${sizeText(Math.max(0, quota - usage))} more${isSafe ? ', and does not remove them by itself' : ''}.`;
  }

  page.addEventListener('click', (event) => {
    const pressed = event.target instanceof Element ? event.target.closest('button[data-act]') : null;
    if (!(pressed instanceof HTMLElement)) return;
    const { act, id = '' } = pressed.dataset;
    if (act === 'pause') keeper.pause(id);
    else if (act === 'resume') keeper.resume(id);
    else if (act === 'remove') void keeper.remove(id).then(() => say('Removed from this device'));
    else if (act === 'keep') void keep(() => keeper.keepText(id.slice(5)));
  }, { signal });
  page.addEventListener('submit', (event) => {
    const form = event.target;
    const panel = form instanceof HTMLFormElement ? form.closest('.kept-text') : null;
    if (!(panel instanceof HTMLElement)) return;
    event.preventDefault();
    const book = /** @type {HTMLSelectElement} */ (panel.querySelector('select')).value;
    void keep(() => keeper.keepAudio(panel.dataset['text'] ?? '', book));
  }, { signal });
  page.addEventListener('change', (event) => {
    const panel = event.target instanceof Element ? event.target.closest('.kept-text') : null;
    if (panel instanceof HTMLElement) showSize(panel);
  }, { signal });

  /** @param {() => Promise<void>} begin */
  async function keep(begin) {
    void navigator.storage?.persist?.();
    await begin().catch((error) => say(error instanceof Error ? error.message : String(error)));
  }

  keeper.addEventListener('change', show);
  show();
  for (const panel of page.querySelectorAll('.kept-text')) {
    const { text = '' } = /** @type {HTMLElement} */ (panel).dataset;
    void keeper.manifest(text).then((manifest) => {
      manifests.set(text, manifest);
      const select = /** @type {HTMLSelectElement} */ (panel.querySelector('select'));
      select.replaceChildren(...manifest.books.map((book) => new Option(book.name, book.id)));
      show();
    }, () => show());
  }
}

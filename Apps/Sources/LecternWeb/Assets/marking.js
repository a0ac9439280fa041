// @ts-check
/** The tools that a verse or a selection opens: highlight, bookmark, note, copy and share. The server keeps the marks. */
import { idMaker } from './ids.js';
import { fragmentOf, fragmentsOf, selectedWords, textOf } from './verses.js';

const keptText = 'Kept on this device. It will be sent.';

/**
 * @typedef {import('./commands.js').CommandSender} CommandSender
 * @typedef {import('./turn.js').Turner} Turner
 *
 * What is chosen: verses, or words of them.
 * @typedef {{first: number, last: number, words: {start: number, end: number} | null, text: string}} Chosen
 */

/**
 * @param {{sender: CommandSender, turner: Turner, listening: ReturnType<typeof import('./listening.js').startListening>, signal: AbortSignal, say: (text: string) => void, refused: (answer: import('./commands.js').Answer) => void}} shared
 */
export function startMarking({ sender, turner, listening, signal, say, refused }) {
  const makeID = idMaker();
  const tools = /** @type {HTMLElement} */ (document.getElementById('tools'));
  const form = /** @type {HTMLFormElement} */ (document.getElementById('tools-note'));
  const field = /** @type {HTMLTextAreaElement} */ (document.getElementById('tools-text'));
  const fault = /** @type {HTMLElement} */ (document.getElementById('tools-fault'));
  const remove = /** @type {HTMLButtonElement} */ (tools.querySelector('[data-act="remove"]'));
  /** @type {Chosen | null} */ let chosen = null;
  let style = 'marker';

  const share = tools.querySelector('[data-act="share"]');
  if (share instanceof HTMLElement) share.hidden = !('share' in navigator);

  /** @returns {HTMLElement | null} */
  const chapter = () => document.querySelector('article.chapter:not([data-parallel])');

  /** @param {Chosen} place */
  function reference(place) {
    const { book, chapter: number } = chapter()?.dataset ?? {};
    const verses = place.first === place.last ? `${place.first}` : `${place.first}–${place.last}`;
    return number === undefined || number === '' ? `${book}` : `${book} ${number}:${verses}`;
  }

  /** @param {Chosen} place */
  function placeOf(place) {
    const { osis, space, text } = chapter()?.dataset ?? {};
    const first = `${osis}.${place.first}`;
    const range = place.first === place.last ? first : `${first}-${osis}.${place.last}`;
    return place.words === null
      ? { space, osis: range }
      : { space: `text:${text}`, osis: range, words: place.words };
  }

  function paint() {
    for (const old of document.querySelectorAll('.v.chosen')) old.classList.remove('chosen');
    if (chosen === null || chosen.words !== null) return;
    for (let verse = chosen.first; verse <= chosen.last; verse += 1) {
      for (const fragment of fragmentsOf(verse)) fragment.classList.add('chosen');
    }
  }

  /** @param {Chosen | null} place */
  function choose(place) {
    chosen = place;
    paint();
    tools.hidden = place === null;
    if (place === null) {
      form.hidden = true;
      return;
    }
    /** @type {HTMLElement} */ (document.getElementById('tools-place')).textContent = reference(place);
    remove.hidden = marksUnder(place).length === 0;
  }

  /** @param {Chosen} place @returns {string[]} */
  function marksUnder(place) {
    const found = new Set();
    const selection = window.getSelection();
    for (let verse = place.first; verse <= place.last; verse += 1) {
      for (const fragment of fragmentsOf(verse)) {
        for (const mark of fragment.querySelectorAll('mark[data-mark]')) {
          if (place.words === null || selection?.getRangeAt(0).intersectsNode(mark)) {
            found.add(/** @type {HTMLElement} */ (mark).dataset['mark']);
          }
        }
      }
    }
    return [...found];
  }

  /**
   * Sends a change. Without the server it waits in this browser, and is sent once.
   *
   * @param {Record<string, unknown>} change
   * @returns {Promise<import('./commands.js').Answer | 'waits'>}
   */
  async function change(change) {
    const sent = sender.send('/commands/mark', { madeAt: Date.now(), change });
    const first = await Promise.race([sent, whenWaiting()]);
    if (first !== 'waits') {
      if (first.outcome === 'done') await turner.refresh();
      return first;
    }
    void sent.then((answer) => (answer.outcome === 'done' ? turner.refresh() : refused(answer)));
    return 'waits';
  }

  /** Waits until the server has not answered. @returns {Promise<'waits'>} */
  function whenWaiting() {
    return new Promise((resolve) => {
      const look = () => {
        if (sender.state !== 'waiting' || !sender.keeps) return;
        sender.removeEventListener('change', look);
        resolve('waits');
      };
      sender.addEventListener('change', look);
      look();
    });
  }

  /** @param {Record<string, unknown>[]} changes */
  async function apply(changes) {
    choose(null);
    window.getSelection()?.removeAllRanges();
    let waits = false;
    for (const each of changes) {
      const answer = await change(each);
      if (answer === 'waits') waits = true;
      else if (answer.outcome === 'refused') refused(answer);
    }
    return waits;
  }

  /** @param {string} act */
  function act(act) {
    if (chosen === null) return;
    const place = chosen;
    if (act === 'close') close();
    else if (act === 'bookmark') void apply([{ addBookmark: { mark: makeID(), place: placeOf(place), label: '' } }]).then((waits) => say(waits ? keptText : 'Bookmarked'));
    else if (act === 'listen' || act === 'repeat') {
      choose(null);
      if (act === 'listen') listening.play(place.first);
      else listening.repeat(place.first, place.last);
    } else if (act === 'remove') void apply(marksUnder(place).map((mark) => ({ remove: { mark } })));
    else if (act === 'note') {
      form.hidden = false;
      fault.textContent = '';
      field.focus();
    } else if (act === 'cancel-note') {
      form.hidden = true;
    } else {
      const text = `${place.text}\n— ${reference(place)} (${chapter()?.dataset['abbreviation'] ?? ''})`;
      if (act === 'share') void navigator.share({ text }).catch(() => undefined);
      else void navigator.clipboard.writeText(text).then(() => say('Copied'), () => say('The browser does not allow copying'));
    }
  }

  function close() {
    const verse = chosen?.first;
    choose(null);
    if (verse !== undefined) document.getElementById(String(verse))?.focus({ preventScroll: true });
  }

  /** @param {number} verse @param {boolean} extends_ */
  function chooseVerse(verse, extends_) {
    const from = extends_ && chosen !== null ? chosen : { first: verse, last: verse };
    const first = Math.min(from.first, verse);
    const last = Math.max(from.last, verse);
    /** @type {string[]} */
    const texts = [];
    for (let each = first; each <= last; each += 1) texts.push(textOf(fragmentsOf(each)));
    choose({ first, last, words: null, text: texts.filter((text) => text !== '').join(' ') });
  }

  tools.addEventListener(
    'click',
    (event) => {
      const button = event.target instanceof Element ? event.target.closest('button') : null;
      if (button === null) return;
      const { colour, styleName, act: name } = button.dataset;
      if (colour !== undefined && chosen !== null) {
        void apply([{ addHighlight: { mark: makeID(), place: placeOf(chosen), colour, style } }]);
      } else if (styleName !== undefined) {
        style = styleName;
        for (const each of tools.querySelectorAll('.style')) {
          each.setAttribute('aria-pressed', String(/** @type {HTMLElement} */ (each).dataset['styleName'] === style));
        }
      } else if (name !== undefined) act(name);
    },
    { signal },
  );
  // The selection stays while a tool is pressed.
  tools.addEventListener('pointerdown', (event) => {
    if (event.target instanceof Element && event.target.closest('button') !== null) event.preventDefault();
  }, { signal });

  form.addEventListener(
    'submit',
    async (event) => {
      event.preventDefault();
      const text = field.value;
      if (chosen === null || text.trim() === '') return;
      const answer = await change({ addNote: { mark: makeID(), place: placeOf({ ...chosen, words: null }), text } });
      if (answer !== 'waits' && answer.outcome === 'refused') {
        // The text stays in the form.
        fault.textContent = String(answer.body['detail'] ?? 'The note was not saved. Try again.');
        return;
      }
      field.value = '';
      form.hidden = true;
      choose(null);
      say(answer === 'waits' ? keptText : 'Note saved');
    },
    { signal },
  );

  document.addEventListener(
    'click',
    (event) => {
      const target = event.target;
      if (!(target instanceof Element) || event.ctrlKey || event.metaKey) return;
      if (target.closest('.tools, .note-card, .note') !== null) return;
      const fragment = fragmentOf(target);
      if (fragment === null || chapter() === null) {
        if (chosen !== null && form.hidden) choose(null);
        return;
      }
      const selection = window.getSelection();
      if (selection !== null && !selection.isCollapsed) return;
      event.preventDefault();
      const verse = Number(fragment.dataset['v']);
      // While the player is open, a tap plays the verse. Its number opens the tools.
      if (listening.isOpen() && !event.shiftKey && target.closest('a.n') === null && chosen === null) {
        listening.play(verse);
        return;
      }
      if (chosen !== null && !event.shiftKey && chosen.words === null && chosen.first === verse && chosen.last === verse) choose(null);
      else chooseVerse(verse, event.shiftKey);
    },
    { signal },
  );

  let pressed = false;
  document.addEventListener('pointerdown', () => (pressed = true), { signal });
  const settled = () => {
    pressed = false;
    selectionChanged();
  };
  document.addEventListener('pointerup', () => setTimeout(settled), { signal });
  document.addEventListener('pointercancel', settled, { signal });
  function selectionChanged() {
    if (pressed || !form.hidden || chapter() === null) return;
    const words = selectedWords(window.getSelection());
    if (words !== null) choose({ first: words.first, last: words.last, words: { start: words.start, end: words.end }, text: words.text });
    else if (chosen !== null && chosen.words !== null) choose(null);
  }
  document.addEventListener('selectionchange', selectionChanged, { signal });

  // Keys: one verse is in the order of the page; arrows move among them.
  function numbers() {
    return /** @type {HTMLElement[]} */ ([...document.querySelectorAll('article.chapter .v > a.n')]);
  }
  function prepare() {
    choose(null);
    for (const [place, number] of numbers().entries()) number.tabIndex = place === 0 ? 0 : -1;
  }
  /** @param {HTMLElement} number */
  function focus(number) {
    for (const each of numbers()) each.tabIndex = each === number ? 0 : -1;
    number.focus();
  }
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Escape' && chosen !== null) {
        event.preventDefault();
        return close();
      }
      const number = event.target instanceof Element ? event.target.closest('a.n') : null;
      if (!(number instanceof HTMLElement)) return;
      const all = numbers();
      const place = all.indexOf(number);
      const next = event.key === 'ArrowDown' ? all[place + 1] : event.key === 'ArrowUp' ? all[place - 1] : undefined;
      if (next !== undefined) {
        event.preventDefault();
        focus(next);
        if (event.shiftKey) chooseVerse(Number(next.closest('.v')?.getAttribute('data-v')), true);
      } else if (event.key === 'Enter') {
        event.preventDefault();
        chooseVerse(Number(number.closest('.v')?.getAttribute('data-v')), event.shiftKey);
        tools.querySelector('button')?.focus();
      }
    },
    { signal },
  );

  prepare();
  return {
    prepare,
    /** Puts the focus on the first verse that is on the screen. */
    focusVerse: () => {
      const all = numbers();
      const shown = all.find((number) => (number.closest('.v')?.getBoundingClientRect().bottom ?? 0) > 80);
      if (shown !== undefined) focus(shown);
    },
    isOpen: () => chosen !== null,
  };
}

// @ts-check
/** Shows the changes that wait for the server: on the verses of a chapter, and as a list. */

/**
 * @typedef {import('./outbox.js').Command} Command
 *
 * A change that waits.
 * @typedef {{id: string, kind: 'note' | 'highlight' | 'bookmark' | 'other', osis: string, space: string, text: string,
 *   colour: string, words: {start: number, end: number} | null}} Waiting
 */

/** Commands that are no changes of a person: where one has read. */
const silent = new Set(['/commands/read', '/commands/heard', '/commands/ended', '/commands/listen']);

/**
 * Returns the commands that are a person's changes.
 *
 * @param {Command[]} commands
 */
export function changesOf(commands) {
  return commands.filter((command) => !silent.has(command.url));
}

/**
 * Reads what waits. A change that is not shown by itself, such as a new colour, counts as `other`.
 *
 * @param {Command[]} commands
 * @returns {Waiting[]}
 */
export function waitingOf(commands) {
  return changesOf(commands).map(({ id, url, body }) => {
    const change = /** @type {Record<string, any>} */ (url === '/commands/mark' ? body['change'] ?? {} : {});
    const kind = change['addNote'] ? 'note' : change['addHighlight'] ? 'highlight' : change['addBookmark'] ? 'bookmark' : 'other';
    const added = change['addNote'] ?? change['addHighlight'] ?? change['addBookmark'] ?? {};
    return {
      id, kind, osis: added.place?.osis ?? '', space: added.place?.space ?? '', text: added.text ?? '', colour: added.colour ?? '',
      words: added.place?.words ?? null,
    };
  });
}

/**
 * Returns the verses of a chapter that a place has: `John.3.16` or `John.3.16-John.3.18`.
 *
 * @param {string} osis
 * @param {string} chapter
 * @returns {number[]}
 */
export function versesIn(osis, chapter) {
  const ends = osis.split('-').map((place) => {
    const [book, number, verse] = place.split('.');
    return `${book}.${number}` === chapter ? Number(verse) : NaN;
  });
  const [first = NaN, last = first] = ends;
  if (!(last >= first)) return [];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** @param {Waiting} waiting */
export function title(waiting) {
  return { note: 'Note', highlight: 'Highlight', bookmark: 'Bookmark', other: 'Change' }[waiting.kind];
}

/** @param {string} osis */
const placeText = (osis) => osis.split('-').map((place) => place.replace(/^(\w+)\.(\d+)\.(\d+)$/, '$1 $2:$3')).join('–');

/** @param {Waiting} waiting @param {string} [state] */
function item(waiting, state = 'waits') {
  const row = document.createElement('li');
  const parts = [['own-place', placeText(waiting.osis)], ['own-kind', `${title(waiting)} · ${state}`], ['own-text', waiting.text]];
  for (const [name, text] of parts) {
    if (text === '') continue;
    const part = document.createElement('span');
    part.className = String(name);
    part.textContent = String(text);
    row.append(part, ' ');
  }
  return row;
}

/**
 * Shows the refused changes on the page of what is kept.
 *
 * @param {{command: Command, reason: string}[]} all
 */
export function showRefused(all) {
  const section = document.getElementById('device-refused');
  if (section === null) return;
  section.hidden = all.length === 0;
  section.querySelector('ul')?.replaceChildren(...all.flatMap(({ command, reason }) => waitingOf([command]).map((change) => {
    const row = item(change, reason);
    for (const [act, text] of [['again', 'Send again'], ['forget', 'Remove']]) {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = act === 'again' ? 'small' : 'small quiet';
      button.textContent = String(text);
      button.dataset['refused'] = String(act);
      button.dataset['id'] = command.id;
      button.setAttribute('aria-label', `${text}: ${title(change)} ${placeText(change.osis)}`);
      row.append(' ', button);
    }
    return row;
  })));
}

/** Shows what waits on the page. @param {Waiting[]} all */
export function showWaiting(all) {
  const device = document.getElementById('device-waits');
  if (device !== null) {
    device.hidden = all.length === 0;
    device.querySelector('ul')?.replaceChildren(...all.map(item));
  }
  for (const old of document.querySelectorAll('.v.waits')) {
    old.classList.remove('waits');
    old.removeAttribute('data-colour');
  }
  document.getElementById('chapter-waits')?.remove();
  const article = document.querySelector('article.chapter:not([data-parallel])');
  if (!(article instanceof HTMLElement)) return;
  const { osis = '', space = '', text = '' } = article.dataset;
  const here = all.filter((each) => (each.space === space || each.space === `text:${text}`) && versesIn(each.osis, osis).length > 0);
  for (const each of here) {
    for (const verse of versesIn(each.osis, osis)) {
      for (const fragment of article.querySelectorAll(`.v[data-v="${verse}"]`)) {
        fragment.classList.add('waits');
        // Words are shown by the whole verse until the server has them.
        if (each.colour !== '') /** @type {HTMLElement} */ (fragment).dataset['colour'] = each.colour;
      }
    }
  }
  if (here.length === 0) return;
  const section = document.createElement('section');
  section.className = 'own waits';
  section.id = 'chapter-waits';
  const heading = document.createElement('h2');
  heading.id = 'chapter-waits-title';
  heading.textContent = 'Waiting to be sent';
  const list = document.createElement('ul');
  list.className = 'waiting-list';
  list.append(...here.map(item));
  section.setAttribute('aria-labelledby', heading.id);
  section.append(heading, list);
  document.querySelector('.turn')?.after(section);
}

// @ts-check
/**
 * Verses of the page and places in their text. A fragment of a verse says by `data-at` where its text begins in the verse;
 * numbers and the marks of notes are not part of it.
 */

/** @param {Element} fragment */
const start = (fragment) => Number(/** @type {HTMLElement} */ (fragment).dataset['at'] ?? '0');

/** @param {Node} node */
function isText(node) {
  return node.parentElement?.closest('.n, .note, .drop') === null;
}

/**
 * Returns the offset of a boundary of a selection in the text of its verse, in UTF-16 units.
 *
 * @param {Element} fragment
 * @param {Node} node
 * @param {number} offset
 */
export function offsetIn(fragment, node, offset) {
  let total = start(fragment);
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const boundary = document.createRange();
  boundary.setStart(node, offset);
  for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
    if (!isText(text)) continue;
    const length = text.nodeValue?.length ?? 0;
    if (text === node) return total + Math.min(offset, length);
    if (boundary.comparePoint(text, 0) >= 0) return total;
    total += length;
  }
  return total;
}

/**
 * Returns the text of a verse on the page, without numbers and notes.
 *
 * @param {Element[]} fragments
 */
export function textOf(fragments) {
  let result = '';
  for (const fragment of fragments) {
    const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
    if (result !== '' && !result.endsWith(' ')) result += ' ';
    for (let text = walker.nextNode(); text !== null; text = walker.nextNode()) {
      if (isText(text)) result += text.nodeValue ?? '';
    }
  }
  return result.trim();
}

/** @param {Node} node @returns {HTMLElement | null} */
export function fragmentOf(node) {
  const element = node instanceof Element ? node : node.parentElement;
  const found = element?.closest('article.chapter .v');
  return found instanceof HTMLElement ? found : null;
}

/** @param {number} verse @returns {HTMLElement[]} */
export function fragmentsOf(verse) {
  return [...document.querySelectorAll(`article.chapter .v[data-v="${verse}"]`)].filter(
    (found) => found instanceof HTMLElement,
  );
}

/**
 * Returns the part of the verses that is selected, or null if nothing of them is.
 *
 * @param {Selection | null} selection
 * @returns {{first: number, last: number, start: number, end: number, text: string} | null}
 */
export function selectedWords(selection) {
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const fragments = [...document.querySelectorAll('article.chapter:not([data-parallel]) .v')].filter((each) =>
    range.intersectsNode(each),
  );
  const first = fragments[0];
  const last = fragments.at(-1);
  if (!(first instanceof HTMLElement) || !(last instanceof HTMLElement)) return null;
  const begin = first.contains(range.startContainer) ? offsetIn(first, range.startContainer, range.startOffset) : start(first);
  const end = last.contains(range.endContainer)
    ? offsetIn(last, range.endContainer, range.endOffset)
    : start(last) + textOf([last]).length;
  const numbers = { first: Number(first.dataset['v']), last: Number(last.dataset['v']) };
  if (numbers.first === numbers.last && end <= begin) return null;
  if (end <= 0) return null;
  return { ...numbers, start: begin, end, text: selection.toString().replace(/\s+/g, ' ').trim() };
}

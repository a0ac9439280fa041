// @ts-check
/**
 * Shows a state in a page. Elements say by data attributes which part of the state they show:
 *
 * - `data-bind="text: photo.name; hidden: !photo; class.busy: queue.busy; style.--share: progress.share"`
 * - `data-each="burst" data-key="id"` on a list, whose `<template>` child shows one item. Inside an item a path that
 *   begins with a dot is relative to the item: `data-bind="text: .name"`.
 *
 * Text is only ever set as text, and addresses must be paths of this server, so nothing of a user's becomes markup.
 */

/** Attributes that a binding may set. Handlers, `srcdoc`, `style` and the like are not among them. */
const attributes = new Set([
  'src', 'srcset', 'href', 'alt', 'title', 'value', 'min', 'max', 'width', 'height', 'action', 'lang', 'dir', 'id',
  'for', 'name', 'role', 'tabindex', 'datetime', 'content',
]);
const properties = new Set(['hidden', 'disabled', 'checked', 'selected', 'open', 'inert', 'readOnly']);
const addresses = new Set(['src', 'href', 'action']);

/** @typedef {{target: string, path: string, negated: boolean}} Binding */

/** @type {Map<string, Binding[]>} */
const parsed = new Map();

/**
 * Reads a `data-bind` attribute.
 *
 * @param {string} text
 * @returns {Binding[]}
 * @throws {Error} If a target is not allowed, which is an error in a template.
 */
export function parseBindings(text) {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const bindings = text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const colon = part.indexOf(':');
      const target = part.slice(0, colon).trim();
      const value = part.slice(colon + 1).trim();
      if (colon < 1 || value === '' || !isAllowed(target)) throw new Error(`Unknown binding '${part}'.`);
      const negated = value.startsWith('!');
      return { target, path: negated ? value.slice(1) : value, negated };
    });
  parsed.set(text, bindings);
  return bindings;
}

/** @param {string} target */
function isAllowed(target) {
  return (
    target === 'text' ||
    properties.has(target) ||
    attributes.has(target) ||
    /^aria-[a-z]+$/.test(target) ||
    /^data-[a-z-]+$/.test(target) ||
    /^class\.[a-z-]+$/.test(target) ||
    /^style\.--[a-z-]+$/.test(target)
  );
}

/**
 * Returns the value at a path of names joined by dots, or undefined. A path that begins with a dot starts at the item.
 *
 * @param {unknown} state
 * @param {string} path
 * @param {unknown} [item]
 * @returns {unknown}
 */
export function valueAt(state, path, item) {
  let value = path.startsWith('.') ? item : state;
  for (const name of path.split('.')) {
    if (name === '') continue;
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = /** @type {Record<string, unknown>} */ (value)[name];
  }
  return value;
}

/**
 * Returns whether a value counts as there: not false, null, undefined, 0, the empty text or the empty list. The same
 * rule decides sections of the templates.
 *
 * @param {unknown} value
 */
export function isThere(value) {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/**
 * Returns an address if it is a path of this server, else null.
 *
 * @param {string} text
 */
export function safeAddress(text) {
  return /^\/(?![/\\])/.test(text) || text.startsWith('#') || text.startsWith('?') ? text : null;
}

/** @param {unknown} value */
function asText(value) {
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value);
}

/**
 * Shows the state in an element and everything below it. What did not change is not touched, so focus, selection and
 * scroll position stay.
 *
 * @param {Element} root
 * @param {unknown} state
 * @param {unknown} [item]
 */
export function show(root, state, item) {
  if (root instanceof HTMLTemplateElement) return;
  const binding = root.getAttribute('data-bind');
  if (binding !== null) for (const each of parseBindings(binding)) apply(root, each, valueAt(state, each.path, item));
  const list = root.getAttribute('data-each');
  if (list !== null) {
    showItems(root, state, valueAt(state, list, item));
    return;
  }
  for (const child of root.children) show(child, state, item);
}

/**
 * @param {Element} element
 * @param {Binding} binding
 * @param {unknown} raw
 */
function apply(element, { target, negated }, raw) {
  const value = negated ? !isThere(raw) : raw;
  if (target === 'text') {
    const text = asText(value);
    if (element.textContent !== text) element.textContent = text;
  } else if (properties.has(target)) {
    const wanted = isThere(value);
    const object = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (element));
    if (object[target] !== wanted) object[target] = wanted;
  } else if (target.startsWith('class.')) {
    element.classList.toggle(target.slice(6), isThere(value));
  } else if (target.startsWith('style.')) {
    const style = /** @type {HTMLElement} */ (element).style;
    const text = asText(value);
    if (style.getPropertyValue(target.slice(6)) !== text) style.setProperty(target.slice(6), text);
  } else {
    setAttribute(element, target, value);
  }
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {unknown} value
 */
function setAttribute(element, name, value) {
  const isState = name.startsWith('aria-') || name.startsWith('data-');
  let text = value === null || value === undefined ? null : isState ? asText(value) : asText(value);
  if (text !== null && addresses.has(name)) text = safeAddress(text);
  if (text === null || (value === false && !isState)) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  if (name === 'value' && element instanceof HTMLInputElement) {
    if (element.value !== text && element.ownerDocument.activeElement !== element) element.value = text;
  }
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/**
 * Shows a list: an element for each item, kept by key, in the order of the items.
 *
 * @param {Element} root
 * @param {unknown} state
 * @param {unknown} items
 */
function showItems(root, state, items) {
  const template = Array.from(root.children).find((child) => child instanceof HTMLTemplateElement);
  if (!(template instanceof HTMLTemplateElement)) throw new Error('A list needs a template.');
  const keyName = root.getAttribute('data-key') ?? 'id';
  const plan = planItems(
    Array.from(root.children, (child) => child.getAttribute('data-item') ?? ''),
    Array.isArray(items) ? items.map((item) => asText(valueAt(null, '.' + keyName, item))) : [],
  );
  /** @type {Map<string, Element>} */
  const present = new Map();
  for (const child of Array.from(root.children)) {
    const key = child.getAttribute('data-item');
    if (key === null) continue;
    if (plan.removed.has(key) || present.has(key)) child.remove();
    else present.set(key, child);
  }
  let at = template.nextElementSibling;
  plan.order.forEach((key, index) => {
    let element = present.get(key);
    if (element === undefined) {
      element = /** @type {Element} */ (template.content.firstElementChild?.cloneNode(true));
      element.setAttribute('data-item', key);
    }
    if (element === at) at = at.nextElementSibling;
    else root.insertBefore(element, at);
    show(element, state, /** @type {unknown[]} */ (items)[index]);
  });
}

/**
 * Returns the keys in their new order and the keys that go. A key that occurs twice is shown once.
 *
 * @param {string[]} present
 * @param {string[]} wanted
 */
export function planItems(present, wanted) {
  const order = [...new Set(wanted)];
  const kept = new Set(order);
  return { order, removed: new Set(present.filter((key) => key !== '' && !kept.has(key))) };
}

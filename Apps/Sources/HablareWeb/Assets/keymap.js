// @ts-check
/**
 * Which key does what, by context. A person can remap every key. The pure functions know no DOM.
 *
 * @typedef {{action: string, keys: string[], contexts: string[]}} Binding
 *
 * The part of a keyboard event that matters.
 * @typedef {{key: string, ctrlKey?: boolean, altKey?: boolean, shiftKey?: boolean, metaKey?: boolean,
 *   repeat?: boolean, isComposing?: boolean}} Stroke
 */

const modifiers = new Set(['Control', 'Alt', 'Shift', 'Meta', 'AltGraph', 'CapsLock', 'Dead', 'Process', 'Unidentified']);

/**
 * Returns the name of a stroke, such as `Ctrl+Z`, `Shift+ArrowLeft` or `P`. A letter is named in upper case; the shift
 * that makes another character (`?`) is not part of the name. Returns null for a modifier alone.
 *
 * @param {Stroke} stroke
 */
export function strokeName(stroke) {
  const { key } = stroke;
  if (key === '' || modifiers.has(key)) return null;
  const isCharacter = [...key].length === 1;
  const isLetter = isCharacter && key.toLowerCase() !== key.toUpperCase();
  const name = key === ' ' ? 'Space' : isLetter ? key.toUpperCase() : key;
  let prefix = '';
  if (stroke.ctrlKey || stroke.metaKey) prefix += 'Ctrl+';
  if (stroke.altKey) prefix += 'Alt+';
  if (stroke.shiftKey && (!isCharacter || isLetter)) prefix += 'Shift+';
  return prefix + name;
}

/**
 * Returns the action of a stroke in a context, or null. A repeated stroke never acts: a person who holds a key down
 * must not decide a hundred photos.
 *
 * @param {Binding[]} bindings
 * @param {Stroke} stroke
 * @param {string} context
 */
export function actionFor(bindings, stroke, context) {
  if (stroke.isComposing) return null;
  const name = strokeName(stroke);
  if (name === null) return null;
  const found = bindings.find((each) => each.keys.includes(name) && each.contexts.includes(context));
  if (found === undefined) return null;
  return stroke.repeat && !found.action.startsWith('pan-') ? null : found.action;
}

/**
 * Returns the bindings with a key given to an action. The key is taken from every other action of the same contexts.
 *
 * @param {Binding[]} bindings
 * @param {string} action
 * @param {string} key
 * @returns {{bindings: Binding[], takenFrom: string[]}}
 */
export function rebind(bindings, action, key) {
  const target = bindings.find((each) => each.action === action);
  if (target === undefined) return { bindings, takenFrom: [] };
  /** @type {string[]} */
  const takenFrom = [];
  const changed = bindings.map((each) => {
    if (each === target) return each.keys.includes(key) ? each : { ...each, keys: [...each.keys, key] };
    const shares = each.contexts.some((context) => target.contexts.includes(context));
    if (!shares || !each.keys.includes(key)) return each;
    takenFrom.push(each.action);
    return { ...each, keys: each.keys.filter((other) => other !== key) };
  });
  return { bindings: changed, takenFrom };
}

/**
 * Returns how a key is shown: arrows as arrows, the rest by name.
 *
 * @param {string} name
 */
export function keyLabel(name) {
  const labels = /** @type {Record<string, string>} */ ({
    ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Escape: 'Esc', Space: 'Space', Delete: 'Del',
  });
  // The last '+' of 'Ctrl++' is the key itself.
  const cut = name.length > 1 ? name.lastIndexOf('+', name.length - 2) : -1;
  const key = name.slice(cut + 1);
  return name.slice(0, cut + 1) + (labels[key] ?? key);
}

/**
 * Returns whether a stroke belongs to the element that has the focus: a person types there, or the element itself uses
 * the key.
 *
 * @param {{tagName: string, type?: string, isContentEditable?: boolean, role?: string | null}} element
 * @param {string} key
 */
export function ownsKey(element, key) {
  const tag = element.tagName.toLowerCase();
  const arrow = key.startsWith('Arrow') || key === 'Home' || key === 'End';
  if (element.isContentEditable || tag === 'textarea' || tag === 'select') return true;
  if (tag === 'input') {
    const type = element.type ?? 'text';
    if (type === 'checkbox' || type === 'button' || type === 'submit') return key === ' ' || key === 'Enter';
    if (type === 'radio') return arrow || key === ' ' || key === 'Enter';
    return true;
  }
  if (tag === 'button' || tag === 'summary') return key === ' ' || key === 'Enter';
  if (tag === 'a') return key === 'Enter';
  return ['menuitem', 'option', 'tab', 'slider'].includes(element.role ?? '') && arrow;
}

/**
 * Listens to keys.
 *
 * @param {{
 *   bindings: () => Binding[],
 *   context: () => string,
 *   act: (action: string, event: KeyboardEvent) => void,
 *   signal: AbortSignal,
 * }} options
 */
export function listenToKeys({ bindings, context, act, signal }) {
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.defaultPrevented) return;
      const target = event.target;
      if (target instanceof HTMLElement) {
        const type = target instanceof HTMLInputElement ? target.type : undefined;
        const { tagName, isContentEditable } = target;
        const element = { tagName, isContentEditable, role: target.getAttribute('role') };
        if (ownsKey(type === undefined ? element : { ...element, type }, event.key)) return;
      }
      const action = actionFor(bindings(), event, context());
      if (action !== null) {
        event.preventDefault();
        act(action, event);
      } else if (event.repeat && actionFor(bindings(), { ...strokeOf(event), repeat: false }, context()) !== null) {
        // A held key must not scroll the page either.
        event.preventDefault();
      }
    },
    { signal },
  );
}

/** @param {KeyboardEvent} event @returns {Stroke} */
function strokeOf({ key, ctrlKey, altKey, shiftKey, metaKey, isComposing }) {
  return { key, ctrlKey, altKey, shiftKey, metaKey, isComposing };
}

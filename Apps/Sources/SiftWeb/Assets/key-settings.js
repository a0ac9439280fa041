// @ts-check
/** The part of the settings in which a person presses the key that an action shall have. */
import { strokeName } from './keymap.js';

/** Keys that leave the field, so that nobody is caught in it. */
const leaving = new Set(['Tab', 'Shift+Tab', 'Escape']);

/** @param {import('./sift.js').Shared} shared */
export function startKeySettings({ sender, signal }) {
  /** @type {HTMLButtonElement | null} */
  let listening = null;
  let text = '';

  const end = () => {
    if (listening === null) return;
    listening.classList.remove('is-listening');
    listening.textContent = text;
    listening = null;
  };

  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-action="learn-key"]') : null;
    const wasListening = listening;
    end();
    if (!(button instanceof HTMLButtonElement) || button === wasListening) return;
    listening = button;
    text = button.textContent ?? '';
    button.classList.add('is-listening');
    button.textContent = 'Press a key';
    button.focus();
  }, { signal });

  document.addEventListener('keydown', (event) => {
    if (listening === null) return;
    const name = strokeName(event);
    if (name === null) return;
    const row = listening.closest('[data-key-action]');
    if (leaving.has(name)) {
      end();
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    end();
    if (row instanceof HTMLElement) {
      void sender.send('/commands/setKey', { action: row.dataset['keyAction'], key: name });
    }
  }, { signal, capture: true });
}

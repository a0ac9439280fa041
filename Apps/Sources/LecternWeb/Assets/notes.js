// @ts-check
/** Shows a note beside its mark. Without scripts the mark leads to the list of notes. */

/** @param {AbortSignal} signal */
export function startNotes(signal) {
  document.addEventListener(
    'click',
    (event) => {
      const mark = event.target instanceof Element ? event.target.closest('a.note') : null;
      const card = document.getElementById('note-card');
      if (!(mark instanceof HTMLAnchorElement) || card === null) return;
      const note = document.getElementById(mark.hash.slice(1));
      if (note === null || typeof card.showPopover !== 'function') return;
      event.preventDefault();
      card.replaceChildren(...[...note.cloneNode(true).childNodes]);
      card.lang = note.closest('[lang]')?.getAttribute('lang') ?? '';
      card.dir = note.closest('[dir]')?.getAttribute('dir') ?? '';
      card.showPopover();
      const place = mark.getBoundingClientRect();
      const size = card.getBoundingClientRect();
      const left = Math.max(16, Math.min(place.left - size.width / 2, innerWidth - size.width - 16));
      const below = place.bottom + 8;
      card.style.left = `${left}px`;
      card.style.top = `${below + size.height > innerHeight ? place.top - size.height - 8 : below}px`;
    },
    { signal },
  );
}

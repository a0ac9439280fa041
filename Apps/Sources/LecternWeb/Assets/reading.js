// @ts-check
/** Tells the server how far a person has read: after a chapter was on the screen for some seconds. Opening is no reading. */

/** The time on the screen that counts as reading, in milliseconds. */
const dwell = 5000;

/** @param {KeyValue} store @param {() => string} makeID @typedef {Pick<Storage, 'getItem' | 'setItem'>} KeyValue */
export function deviceName(store, makeID) {
  const known = store.getItem('lectern.device');
  if (known !== null) return known;
  const name = makeID();
  try {
    store.setItem('lectern.device', name);
  } catch {
    return name;
  }
  return name;
}

/**
 * @param {{device: string, send: (body: Record<string, unknown>) => void, signal: AbortSignal}} options
 */
export function startReading({ device, send, signal }) {
  let told = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;

  function tell() {
    if (document.visibilityState !== 'visible') return;
    const chapter = document.querySelector('article.chapter');
    if (!(chapter instanceof HTMLElement)) return;
    const verses = [...chapter.querySelectorAll('.v[id]')].filter((verse) => {
      const { top, bottom } = verse.getBoundingClientRect();
      return bottom > 0 && top < innerHeight - 40;
    });
    const last = verses.at(-1);
    const [book, number] = (chapter.dataset['osis'] ?? '').split('.');
    if (!(last instanceof HTMLElement) || book === undefined || number === undefined) return;
    const verse = Number(last.dataset['v']);
    const place = `${chapter.dataset['text']} ${chapter.dataset['osis']} ${verse}`;
    if (place === told) return;
    told = place;
    send({ text: chapter.dataset['text'], book, chapter: Number(number), verse, device, madeAt: Date.now() });
  }
  function wait() {
    clearTimeout(timer);
    timer = setTimeout(tell, dwell);
  }
  for (const kind of ['scroll', 'visibilitychange']) document.addEventListener(kind, wait, { signal, passive: true });
  signal.addEventListener('abort', () => clearTimeout(timer));
  wait();
  return { turned: wait };
}

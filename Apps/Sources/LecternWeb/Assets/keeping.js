// @ts-check
/** Keeps pages in this browser: registers the worker, fetches ahead of need, and goes on with downloads. */
import { heardKey } from './local-listening.js';
import { names } from './shelf.js';

/** The pages that are kept besides chapters. */
const pages = ['/', '/texts', '/marks', '/plans', '/history', '/settings', '/device'];
/** The time after which pages are fetched ahead again, in milliseconds. */
const every = 600_000;
const warmedKey = 'lectern.warmed';
/** The number of times that everything was erased, as this browser saw it last. */
const erasuresKey = 'lectern.erasures';

/**
 * @param {{keeper: import('./keeper.js').Keeper, signal: AbortSignal, say: (text: string) => void}} shared
 */
export function startKeeping({ keeper, signal, say }) {
  const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : null;
  const wasControlled = workers !== null && workers.controller !== null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer;
  let isWarm = false;
  /** The last run of `warm`. Runs follow one another. */
  let runs = Promise.resolve();
  if (wasControlled) {
    // The worker of a newer program removes the pages of the older one while it becomes active.
    workers.addEventListener('controllerchange', () => {
      const worker = workers.controller;
      const look = () => {
        if (worker?.state === 'activated') void warm(true);
      };
      worker?.addEventListener('statechange', look, { signal });
      look();
    }, { signal });
  }
  void workers?.register('/sw.js', { updateViaCache: 'none' }).then(controlled, () => null);
  window.addEventListener('storage', (event) => {
    if (event.key === 'lectern.downloads') keeper.changed();
  }, { signal });
  signal.addEventListener('abort', () => clearTimeout(timer));

  /** Waits for the worker, without which nothing can be kept. */
  async function controlled() {
    if (workers === null) return false;
    const { active } = await workers.ready;
    if (workers.controller === null) {
      const change = new Promise((resolve) => workers.addEventListener('controllerchange', resolve, { once: true, signal }));
      // A page that was being loaded while the worker began is not among those that it took over.
      active?.postMessage('claim');
      await change;
    }
    return true;
  }

  /** Has the worker keep pages. @param {string[]} paths */
  async function fetchPages(paths) {
    for (const path of paths) {
      if (signal.aborted) return;
      // Reads it to its end: the worker keeps whole pages only.
      await fetch(path, { signal, headers: { accept: 'text/html' } }).then((answer) => answer.text()).catch(() => null);
    }
  }

  /** @param {boolean} [again] Whether to fetch everything again. */
  function warm(again = false) {
    runs = runs.then(() => warmOnce(again));
    return runs;
  }

  /** @param {boolean} again */
  async function warmOnce(again) {
    if ((isWarm && !again) || !(await controlled())) return;
    isWarm = true;
    keeper.again();
    // The page was loaded before this worker was there.
    if (!wasControlled || again) await fetchPages([location.pathname + location.search]);
    const mark = `${new URL(import.meta.url).pathname} ${Math.floor(Date.now() / every)}`;
    if (!again && localStorage.getItem(warmedKey) === mark) return;
    const answer = await fetch('/keep', { signal, headers: { accept: 'application/json' } }).catch(() => null);
    if (answer === null || !answer.ok) return;
    const { texts, ahead } = /** @type {{texts: {id: string}[], ahead: string[]}} */ (await answer.json());
    await fetchPages([...new Set([...pages, ...texts.map(({ id }) => `/${id}`), ...ahead])]);
    if (signal.aborted) return;
    await keeper.refresh(texts.map(({ id }) => id)).catch(() => undefined);
    localStorage.setItem(warmedKey, mark);
  }

  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-keep="audio"]') : null;
    const shown = document.querySelector('article.chapter');
    if (button === null || !(shown instanceof HTMLElement)) return;
    const [book = '', chapter = '1'] = (shown.dataset['osis'] ?? '').split('.');
    void navigator.storage?.persist?.();
    document.getElementById('editions')?.hidePopover?.();
    void keeper.keepAudio(shown.dataset['text'] ?? '', book, [Number(chapter)]).then(
      () => say('The audio is being kept. Its progress is on the page Offline.'),
      (error) => say(error instanceof Error ? error.message : String(error)),
    );
  }, { signal });

  return {
    /** The server answers. */
    live: () => {
      clearTimeout(timer);
      timer = setTimeout(() => void warm(), 1500);
    },
    /** The person's data has changed here or in another tab: the pages of marks are fetched again. */
    changed: () => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        await warm();
        if (!(await controlled())) return;
        await fetchPages(['/', '/marks']);
        await keeper.refresh([...new Set(keeper.downloads.map((each) => each.text))]).catch(() => undefined);
      }, 3000);
    },
    /** A command was carried out. @param {string} action */
    answered: (action) => {
      if (action.endsWith('/settings')) workers?.controller?.postMessage('settings');
      if (action.endsWith('/removeText')) localStorage.removeItem(warmedKey);
    },
    /**
     * Erases what this browser keeps of the person, if everything was erased here or in another browser.
     *
     * @param {number} count The number of times that everything was erased.
     */
    erased: async (count) => {
      if (Number(localStorage.getItem(erasuresKey)) === count) return;
      // Kept pages and texts show marks and notes.
      await caches.delete(names.pages);
      await keeper.erasePages();
      localStorage.removeItem(heardKey);
      localStorage.removeItem(warmedKey);
      localStorage.setItem(erasuresKey, String(count));
    },
  };
}

// @ts-check
/** Listening without the server: connects the player of kept audio with the page. */
import { LocalPlayer } from './local-player.js';
import { markVerse } from './player.js';

/**
 * @typedef {import('./local-player.js').Place} Place
 * @typedef {{text: string, book: string, chapter: number, verse: number, madeAt: number}} Heard
 */

/** Where the place is that was heard without the server. */
export const heardKey = 'lectern.heard';

/** Reads the chapter that a page shows. @param {DOMStringMap} shown @returns {Place} */
function placeOf(shown) {
  const [book = '', chapter = '1'] = (shown['osis'] ?? '').split('.');
  return { text: shown['text'] ?? '', book, name: shown['book'] ?? book, chapter: Number(chapter) };
}

/**
 * @param {{keeper: import('./keeper.js').Keeper, say: (text: string) => void, signal: AbortSignal, changed: () => void}} options
 */
export function startLocalListening({ keeper, say, signal, changed }) {
  const audio = new Audio();
  audio.preload = 'auto';
  audio.preservesPitch = true;
  const player = new LocalPlayer(audio, {
    spoken: ({ text, book, chapter }) => keeper.spoken(text, book, chapter),
    next,
    heard: ({ text, book, chapter }, verse) => {
      /** @type {Heard} */ const heard = { text, book, chapter, verse, madeAt: Date.now() };
      try {
        localStorage.setItem(heardKey, JSON.stringify(heard));
      } catch {
        // The place is kept if there is room. The sound goes on.
      }
    },
    frame: (then) => requestAnimationFrame(then),
    cancelFrame: (frame) => cancelAnimationFrame(frame),
  }, signal);

  /** @param {Place} place @returns {Promise<Place | null>} */
  async function next(place) {
    const manifest = await keeper.manifest(place.text).catch(() => null);
    const all = (manifest?.books ?? []).flatMap((book) =>
      book.chapters.map((chapter) => ({ text: place.text, book: book.id, name: book.name, chapter })));
    const at = all.findIndex(({ book, chapter }) => book === place.book && chapter === place.chapter);
    return at < 0 ? null : (all[at + 1] ?? null);
  }

  /** Names the chapter as a person does. @param {Place} place */
  const nameOf = ({ name, chapter }) => `${name} ${chapter}`;

  function mark() {
    const { place } = player;
    markVerse(place?.text ?? '', place === null ? '' : `${place.book}.${place.chapter}`, place === null ? 0 : player.verse);
  }

  player.addEventListener('change', () => {
    mark();
    changed();
    if ('mediaSession' in navigator && player.place !== null) {
      navigator.mediaSession.playbackState = player.phase === 'playing' ? 'playing' : 'paused';
      navigator.mediaSession.metadata = new MediaMetadata({ title: `${nameOf(player.place)}:${player.verse}`, artist: 'Lectern' });
    }
  });

  /** @param {Place} place @param {number | null} verse */
  async function begin(place, verse) {
    const plays = await player.play(place, verse);
    if (!plays) say(`The audio of ${nameOf(place)} is not on this device.`);
    return plays;
  }

  /** @returns {Heard | null} */
  function heard() {
    try {
      return JSON.parse(localStorage.getItem(heardKey) ?? 'null');
    } catch {
      return null;
    }
  }

  return {
    mark,
    isActive: () => player.isActive,
    stop: () => player.stop(),
    toggle: () => (player.phase === 'playing' ? player.pause() : player.resume()),
    /** Plays the chapter of the page. @param {DOMStringMap} shown @param {number | null} verse */
    play: (shown, verse) => begin(placeOf(shown), verse),
    /** Goes on where this device has heard the text last, or begins with the chapter. @param {DOMStringMap} shown */
    goOn: (shown) => {
      const place = placeOf(shown);
      const last = heard();
      if (last === null || last.text !== place.text) return begin(place, null);
      return begin({ ...place, book: last.book, chapter: last.chapter, name: last.book === place.book ? place.name : last.book }, last.verse);
    },
    /** Plays on from a verse of a chapter, if it is kept. @param {string} text @param {string} osis @param {number | null} verse */
    takeOver: (text, osis, verse) => {
      const [book = '', chapter = '1'] = osis.split('.');
      const shown = document.querySelector('article.chapter');
      const name = shown instanceof HTMLElement && shown.dataset['osis'] === osis ? (shown.dataset['book'] ?? book) : book;
      return player.play({ text, book, name, chapter: Number(chapter) }, verse);
    },
    /** Returns the place that the server does not know yet, and forgets it. */
    takeHeard: () => {
      const last = heard();
      if (last !== null) localStorage.removeItem(heardKey);
      return last;
    },
    /** Carries out an act of the bar. @param {Record<string, unknown>} body */
    act: (body) => {
      switch (body['act']) {
        case 'pause': return player.pause();
        case 'resume': return player.resume();
        case 'nextVerse': return player.moveVerse(1);
        case 'previousVerse': return player.moveVerse(-1);
        case 'nextChapter': return void player.nextChapter();
        case 'skip': return player.skip(Number(body['seconds']));
        case 'speed': return player.setSpeed(Number(body['speed']));
        case 'sleep': return player.setSleep(body['minutes'] === undefined ? null : Number(body['minutes']));
        case 'stopAtBookEnd': player.stopsAtBookEnd = body['isOn'] === true; return undefined;
        default: return undefined;
      }
    },
    /** The state of the bar, as the server says it of its own player; null if nothing is played here. */
    state: () => {
      const { place, phase } = player;
      if (place === null || phase === 'idle') return null;
      const chapter = `${place.book}.${place.chapter}`;
      return /** @type {import('./player.js').Listening} */ ({
        phase, page: '', text: place.text, chapter, verse: player.verse, speed: player.speed,
        place: `${nameOf(place)}:${player.verse}`, address: `/${place.text}/${place.book.toLowerCase()}/${place.chapter}#${player.verse}`,
        ...(player.sleep === undefined ? {} : { sleep: player.sleep }),
        stopsAtBookEnd: player.stopsAtBookEnd, voice: 'kept', voiceName: player.voice,
        message: player.message === '' ? (player.sleep === undefined ? 'From this device' : undefined) : player.message, problems: [],
      });
    },
  };
}

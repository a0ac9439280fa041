// @ts-check
/**
 * Plays the verses that the server names, by two audio elements in turn, and marks the verse that is heard. The server
 * decides what is played; the element that has ended starts the next one without waiting for it.
 */

/**
 * @typedef {{number: number, address: string, from: number, chapter: string, verse: number}} Sound
 * @typedef {{phase: string, page: string, text: string, place: string, address: string, chapter: string,
 *   verse?: number, sound?: Sound, next?: Sound, speed: number, sleep?: string, stopsAtBookEnd: boolean, voice: string,
 *   voiceName: string, message?: string, problems: {verse: number, message: string}[]}} Listening
 *
 * An audio element and the sound that it has.
 * @typedef {{audio: HTMLAudioElement, sound: Sound | null}} Deck
 */

/**
 * Marks the verse that is heard, if the page shows it.
 *
 * @param {string} text
 * @param {string} chapter
 * @param {number} verse
 */
export function markVerse(text, chapter, verse) {
  for (const old of document.querySelectorAll('.v[aria-current="true"]')) old.removeAttribute('aria-current');
  const article = document.querySelector('article.chapter');
  if (!(article instanceof HTMLElement) || article.dataset['osis'] !== chapter || article.dataset['text'] !== text) return;
  for (const each of article.querySelectorAll(`.v[data-v="${verse}"]`)) each.setAttribute('aria-current', 'true');
}

/** The time between two reports of the place, in milliseconds. */
const reportEvery = 2000;

export class Player {
  #page;
  #send;
  #ended;
  #heard;
  #blocked;
  /** @type {Listening | null} */ #state = null;
  /** @type {[Deck, Deck]} */ #decks;
  #current = 0;
  /** The number of a sound that this page has ended, and the server does not know yet. */
  #finished = 0;
  #reported = 0;
  /** @type {{chapter: string, verse: number} | null} */ #marked = null;

  /**
   * @param {{page: string, send: (body: Record<string, unknown>) => void, ended: (sound: number) => void,
   *   heard: (sound: number, milliseconds: number) => void, blocked: () => void, signal: AbortSignal}} options
   */
  constructor({ page, send, ended, heard, blocked, signal }) {
    this.#page = page;
    this.#send = send;
    this.#ended = ended;
    this.#heard = heard;
    this.#blocked = blocked;
    this.#decks = [this.#deck(signal), this.#deck(signal)];
    signal.addEventListener('abort', () => this.#silence());
    if ('mediaSession' in navigator) {
      /** @type {[MediaSessionAction, string][]} */
      const acts = [['play', 'resume'], ['pause', 'pause'], ['nexttrack', 'nextVerse'], ['previoustrack', 'previousVerse']];
      for (const [action, act] of acts) navigator.mediaSession.setActionHandler(action, () => this.#send({ act }));
      for (const [action, sign] of /** @type {const} */ ([['seekforward', 1], ['seekbackward', -1]])) {
        navigator.mediaSession.setActionHandler(action, (details) =>
          this.#send({ act: 'skip', seconds: sign * Math.round(details.seekOffset ?? 10) }));
      }
    }
  }

  /** @param {AbortSignal} signal @returns {Deck} */
  #deck(signal) {
    const audio = new Audio();
    audio.preload = 'auto';
    audio.preservesPitch = true;
    /** @type {Deck} */ const deck = { audio, sound: null };
    audio.addEventListener('ended', () => this.#hasEnded(deck), { signal });
    audio.addEventListener('timeupdate', () => this.#report(deck), { signal });
    // Audio that cannot be loaded must not stop the reading.
    audio.addEventListener('error', () => {
      if (deck === this.#decks[this.#current] && deck.sound !== null) this.#hasEnded(deck);
    }, { signal });
    return deck;
  }

  /** Whether this page plays, or has paused. */
  get isOpen() {
    return this.#state !== null && this.#state.phase !== 'idle';
  }

  get state() {
    return this.#state;
  }

  /** Keeps what the server says without showing it, while something else plays. @param {Listening} state */
  hold(state) {
    this.#state = state;
  }

  /** Shows what the server says. @param {Listening} state */
  show(state) {
    this.#state = state;
    const sound = state.page === this.#page ? (state.sound ?? null) : null;
    if (sound === null) this.#silence();
    else if (sound.number > this.#finished) this.#play(sound);
    if (sound !== null && state.next !== undefined) this.#load(state.next);
    for (const { audio } of this.#decks) audio.playbackRate = state.speed;
    const own = this.#decks[this.#current].sound;
    if (sound !== null && own !== null) this.#mark(own.chapter, own.verse);
    else if (state.verse !== undefined && state.phase !== 'idle' && state.phase !== 'ended') this.#mark(state.chapter, state.verse);
    else this.#mark('', 0);
    if ('mediaSession' in navigator) {
      navigator.mediaSession.playbackState = sound !== null ? 'playing' : state.phase === 'paused' ? 'paused' : 'none';
      if (state.place !== '') navigator.mediaSession.metadata = new MediaMetadata({ title: state.place, artist: 'Lectern' });
    }
  }

  /** Whether this page plays a sound of the server. */
  get isSounding() {
    return this.#decks[this.#current].sound !== null;
  }

  /** Ends the sound of this page, because something else plays. */
  yield() {
    this.#silence();
    this.#mark('', 0);
  }

  /** Marks the verse again, after the contents of the page have changed. */
  refresh() {
    const marked = this.#marked;
    this.#marked = null;
    if (marked !== null) this.#mark(marked.chapter, marked.verse);
  }

  #silence() {
    for (const deck of this.#decks) {
      deck.audio.pause();
      deck.sound = null;
    }
  }

  /** @param {Sound} sound */
  #play(sound) {
    const current = this.#decks[this.#current];
    if (current.sound?.number === sound.number) return;
    const other = this.#decks[1 - this.#current];
    current.audio.pause();
    current.sound = null;
    if (other.sound?.address !== sound.address) other.audio.src = sound.address;
    other.sound = sound;
    this.#current = 1 - this.#current;
    this.#start(other, sound.from);
  }

  /** @param {Deck} deck @param {number} from */
  #start({ audio, sound }, from) {
    const begin = performance.now();
    if (from > 0 || audio.currentTime > 0) audio.currentTime = from / 1000;
    audio.playbackRate = this.#state?.speed ?? 1;
    audio.play().then(
      () => performance.measure('sound', { start: begin, end: performance.now() }),
      (error) => {
        // A browser that was restored with the page allows no sound before the person has pressed something.
        if (error instanceof DOMException && error.name === 'NotAllowedError') this.#blocked();
      },
    );
    if (sound !== null) this.#mark(sound.chapter, sound.verse);
  }

  /** Loads the next verse into the element that rests. @param {Sound} next */
  #load(next) {
    const rest = this.#decks[1 - this.#current];
    if (next.number <= this.#finished || rest.sound?.number === next.number) return;
    if (rest.sound?.address !== next.address || rest.audio.error !== null) rest.audio.src = next.address;
    else rest.audio.currentTime = 0;
    rest.sound = next;
  }

  /** @param {Deck} deck */
  #hasEnded(deck) {
    const sound = deck.sound;
    if (sound === null || deck !== this.#decks[this.#current]) return;
    const rest = this.#decks[1 - this.#current];
    deck.sound = null;
    this.#finished = sound.number;
    if (rest.sound !== null && rest.sound.number === sound.number + 1) {
      this.#current = 1 - this.#current;
      this.#start(rest, 0);
    }
    this.#ended(sound.number);
  }

  /** @param {Deck} deck */
  #report(deck) {
    const now = performance.now();
    if (deck.sound === null || deck !== this.#decks[this.#current] || deck.audio.paused) return;
    if (now - this.#reported < reportEvery) return;
    this.#reported = now;
    this.#heard(deck.sound.number, Math.round(deck.audio.currentTime * 1000));
  }

  /** @param {string} chapter @param {number} verse */
  #mark(chapter, verse) {
    if (this.#marked?.chapter === chapter && this.#marked.verse === verse) return;
    this.#marked = { chapter, verse };
    markVerse(this.#state?.text ?? '', chapter, verse);
  }
}

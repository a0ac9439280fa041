// @ts-check
/**
 * Plays the kept audio of chapters without the server: one file for each chapter, and the times of its verses.
 *
 * @typedef {{verse: number, start: number, end: number}} Time
 * @typedef {{milliseconds: number, voice: string, verses: Time[]}} Spoken
 * @typedef {{text: string, book: string, name: string, chapter: number}} Place
 *
 * The part of an audio element that the player uses.
 * @typedef {Pick<HTMLAudioElement, 'src' | 'currentTime' | 'paused' | 'playbackRate' | 'play' | 'pause' | 'addEventListener'>} Sound
 */
import { addresses } from './shelf.js';

/**
 * Returns the place among the times that is heard at a moment: the last one that has begun.
 *
 * @param {Time[]} times
 * @param {number} milliseconds
 */
export function heardAt(times, milliseconds) {
  let place = 0;
  for (const [index, time] of times.entries()) if (time.start <= milliseconds + 1) place = index;
  return place;
}

/** Sends the event `change` when its state, its verse or its speed has changed. */
export class LocalPlayer extends EventTarget {
  /** @type {'idle' | 'playing' | 'paused' | 'ended'} */ phase = 'idle';
  /** @type {Place | null} */ place = null;
  speed = 1;
  /** The rest of the sleep timer as text, or undefined. @type {string | undefined} */ sleep;
  stopsAtBookEnd = false;
  message = '';

  /** @type {Spoken | null} */ #spoken = null;
  #index = 0;
  #audio;
  #seams;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #frame = 0;

  /**
   * @param {Sound} audio
   * @param {{
   *   spoken: (place: Place) => Promise<Spoken | null>,
   *   next: (place: Place) => Promise<Place | null>,
   *   heard: (place: Place, verse: number) => void,
   *   frame: (then: () => void) => number,
   *   cancelFrame: (frame: number) => void,
   * }} seams
   * @param {AbortSignal} signal
   */
  constructor(audio, seams, signal) {
    super();
    this.#audio = audio;
    this.#seams = seams;
    audio.addEventListener('ended', () => void this.#ended(), { signal });
    audio.addEventListener('timeupdate', () => this.#follow(), { signal });
    audio.addEventListener('error', () => {
      if (this.phase !== 'playing') return;
      this.message = 'The kept audio cannot be played. Remove it, and keep it again.';
      this.#becomes('paused');
    }, { signal });
    signal.addEventListener('abort', () => this.stop());
  }

  get isActive() {
    return this.phase !== 'idle';
  }

  /** The name of the voice. */
  get voice() {
    return this.#spoken?.voice ?? '';
  }

  /** The verse that is heard, or 0. */
  get verse() {
    return this.#spoken?.verses[this.#index]?.verse ?? 0;
  }

  /**
   * Plays a kept chapter.
   *
   * @param {Place} place
   * @param {number | null} verse null for the first one.
   * @returns {Promise<boolean>} False if the chapter's audio is not kept.
   */
  async play(place, verse) {
    const spoken = await this.#seams.spoken(place);
    if (spoken === null || spoken.verses.length === 0) return false;
    const isSame = this.place?.text === place.text && this.place.book === place.book && this.place.chapter === place.chapter;
    if (!isSame) this.#audio.src = addresses.audio(place.text, place.book, place.chapter);
    this.place = place;
    this.#spoken = spoken;
    this.message = '';
    const found = verse === null ? 0 : spoken.verses.findIndex((time) => time.verse >= verse);
    this.#seek(found < 0 ? 0 : found);
    this.#start();
    return true;
  }

  /** @param {number} index */
  #seek(index) {
    const times = this.#spoken?.verses ?? [];
    this.#index = Math.max(0, Math.min(index, times.length - 1));
    this.#audio.currentTime = (times[this.#index]?.start ?? 0) / 1000;
  }

  #start() {
    this.#audio.playbackRate = this.speed;
    this.#becomes('playing');
    this.#audio.play().catch((error) => {
      if (error instanceof Error && error.name === 'AbortError') return;
      this.#becomes('paused');
    });
    this.#watch();
  }

  /** Follows the sound at each frame, so that the mark moves with the voice. */
  #watch() {
    this.#seams.cancelFrame(this.#frame);
    const look = () => {
      if (this.phase !== 'playing') return;
      this.#follow();
      this.#frame = this.#seams.frame(look);
    };
    this.#frame = this.#seams.frame(look);
  }

  #follow() {
    if (this.phase !== 'playing' || this.#spoken === null) return;
    const index = heardAt(this.#spoken.verses, this.#audio.currentTime * 1000);
    if (index === this.#index) return;
    this.#index = index;
    this.#report();
    this.#changed();
  }

  async #ended() {
    const { place } = this;
    if (place === null || this.phase !== 'playing') return;
    if (this.sleep === 'end of chapter') {
      this.sleep = undefined;
      return this.#becomes('paused');
    }
    const next = await this.#seams.next(place);
    if (next === null || (this.stopsAtBookEnd && next.book !== place.book)) return this.#becomes('ended');
    if (!(await this.play(next, null))) {
      this.message = `The audio of ${next.name} ${next.chapter} is not on this device.`;
      this.#becomes('ended');
    }
  }

  pause() {
    this.#audio.pause();
    if (this.phase === 'playing') this.#becomes('paused');
    this.#report();
  }

  resume() {
    if (this.phase === 'ended') this.#seek(0);
    if (this.phase !== 'idle') this.#start();
  }

  /** @param {number} step */
  moveVerse(step) {
    this.#seek(this.#index + step);
    this.#changed();
  }

  /** @param {number} seconds */
  skip(seconds) {
    const end = (this.#spoken?.milliseconds ?? 0) / 1000;
    this.#audio.currentTime = Math.max(0, Math.min(end - 0.1, this.#audio.currentTime + seconds));
    this.#index = heardAt(this.#spoken?.verses ?? [], this.#audio.currentTime * 1000);
    this.#changed();
  }

  async nextChapter() {
    const next = this.place === null ? null : await this.#seams.next(this.place);
    if (next !== null && !(await this.play(next, null))) {
      this.message = `The audio of ${next.name} ${next.chapter} is not on this device.`;
      this.#changed();
    }
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    this.#audio.playbackRate = speed;
    this.#changed();
  }

  /** @param {number | null} minutes null for the end of the chapter, 0 for off. */
  setSleep(minutes) {
    clearTimeout(this.#timer);
    this.sleep = minutes === null ? 'end of chapter' : minutes === 0 ? undefined : `${minutes} min`;
    if (minutes !== null && minutes > 0) {
      this.#timer = setTimeout(() => {
        this.sleep = undefined;
        this.pause();
      }, minutes * 60_000);
    }
    this.#changed();
  }

  /** Ends playing. The bar is free for the server's player. */
  stop() {
    clearTimeout(this.#timer);
    this.#audio.pause();
    if (this.phase === 'idle') return;
    this.#report();
    this.place = null;
    this.#spoken = null;
    this.#becomes('idle');
  }

  #report() {
    if (this.place !== null && this.verse > 0) this.#seams.heard(this.place, this.verse);
  }

  /** @param {LocalPlayer['phase']} phase */
  #becomes(phase) {
    this.phase = phase;
    if (phase !== 'playing') this.#seams.cancelFrame(this.#frame);
    this.#changed();
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }
}

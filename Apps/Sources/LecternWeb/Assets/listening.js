// @ts-check
/** The bar of the player, and everything that a person does with it. */
import { idMaker } from './ids.js';
import { startLocalListening } from './local-listening.js';
import { Player } from './player.js';

/**
 * @typedef {import('./player.js').Listening} Listening
 */

/**
 * @param {{sender: import('./commands.js').CommandSender, keeper: import('./keeper.js').Keeper, device: string,
 *   isAway: () => boolean, say: (text: string) => void, signal: AbortSignal,
 *   refused: (answer: import('./commands.js').Answer) => void}} options
 */
export function startListening({ sender, keeper, device, isAway, say, signal, refused }) {
  const makeID = idMaker();
  const page = makeID();
  const bar = /** @type {HTMLElement} */ (document.getElementById('player'));
  /** @param {string} name */
  const part = (name) => /** @type {HTMLElement} */ (bar.querySelector(`[data-part="${name}"]`));
  const voices = /** @type {HTMLSelectElement} */ (part('voice'));
  const speed = /** @type {HTMLSelectElement} */ (part('speed'));
  const sleep = /** @type {HTMLSelectElement} */ (part('sleep'));
  const bookEnd = /** @type {HTMLInputElement} */ (part('book-end'));
  let listed = '';

  /**
   * Sends an act. Without the server, an act is carried out here or not at all: it must not be carried out later.
   *
   * @param {Record<string, unknown>} body
   */
  function send(body) {
    if (local.isActive() && body['act'] !== 'play') return local.act(body);
    if (isAway()) return say('Lectern does not answer. Only audio that is kept on this device can be heard.');
    local.stop();
    void sender.send('/commands/listen', { device, page, ...body }).then((answer) => {
      if (answer.outcome === 'refused') refused(answer);
    });
  }

  /** Reports are not kept: a later one takes their place. @param {string} name @param {Record<string, unknown>} body */
  async function report(name, body) {
    const answer = await fetch(`/commands/${name}`, {
      method: 'POST',
      body: JSON.stringify({ id: makeID(), ...body }),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      keepalive: true,
    }).catch(() => null);
    return answer !== null && answer.ok;
  }

  // The page that plays is closed or left, and the sound with it.
  window.addEventListener('pagehide', () => {
    if (player.state?.page === page && player.state.sound !== undefined) void report('listen', { act: 'leave', device, page });
  });

  /** The end of a sound is reported until the server has heard it. @param {number} sound */
  async function ended(sound) {
    while (!signal.aborted && !(await report('ended', { sound }))) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  const player = new Player({
    page,
    send,
    ended: (sound) => void ended(sound),
    heard: (sound, milliseconds) => void report('heard', { sound, milliseconds }),
    blocked: () => send({ act: 'pause' }),
    signal,
  });

  /** The chapter of the page. */
  const chapter = () => {
    const found = document.querySelector('article.chapter:not([data-parallel])');
    return found instanceof HTMLElement ? found.dataset : null;
  };

  /** Plays from a verse of the chapter, or from its beginning. @param {number | null} verse */
  function play(verse) {
    const shown = chapter();
    if (shown === null) return;
    if (isAway()) return void local.play(shown, verse);
    send({ act: 'play', text: shown['text'], at: verse === null ? shown['osis'] : `${shown['osis']}.${verse}` });
  }

  function toggle() {
    if (local.isActive()) return local.toggle();
    const state = player.state;
    if (state === null || state.phase === 'idle') return play(null);
    send({ act: state.phase === 'playing' || state.phase === 'waiting' ? 'pause' : 'resume' });
  }

  /** The key: pauses and resumes what this page plays, or else plays the chapter of the page. */
  function pressed() {
    if (!local.isActive() && player.state?.page !== page && chapter() !== null) play(null);
    else toggle();
  }

  document.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-listen]') : null;
    if (!(button instanceof HTMLElement)) return;
    const name = button.dataset['listen'];
    if (name === 'toggle') toggle();
    else if (name === 'chapter') play(null);
    else if (name === 'go-on') {
      const shown = chapter();
      if (isAway() && shown !== null) return void local.goOn(shown);
      send({ act: 'goOn', text: button.dataset['text'] ?? shown?.['text'], at: button.dataset['at'] ?? shown?.['osis'] });
    } else if (name === 'back' || name === 'forward') {
      send({ act: 'skip', seconds: Number(button.dataset['seconds']) * (name === 'back' ? -1 : 1) });
    } else send({ act: name });
  }, { signal });

  speed.addEventListener('change', () => send({ act: 'speed', speed: Number(speed.value) }), { signal });
  sleep.addEventListener('change', () => {
    send(sleep.value === 'chapter' ? { act: 'sleep' } : { act: 'sleep', minutes: Number(sleep.value) });
  }, { signal });
  bookEnd.addEventListener('change', () => send({ act: 'stopAtBookEnd', isOn: bookEnd.checked }), { signal });
  voices.addEventListener('change', () => {
    void sender.send('/commands/voice', { name: voices.value }).then((answer) => {
      if (answer.outcome === 'refused') refused(answer);
    });
  }, { signal });

  part('more').addEventListener('toggle', (event) => {
    if (/** @type {ToggleEvent} */ (event).newState === 'open') void list();
  }, { signal });

  /** Lists the voices for the language of the text. */
  async function list() {
    const text = player.state?.text ?? '';
    if (text === '' || listed === text) return;
    const answer = await fetch(`/voices?${new URLSearchParams({ in: text })}`, { signal }).catch(() => null);
    if (answer === null || !answer.ok) return;
    const { voices: found } = /** @type {{voices: {id: string, name: string}[]}} */ (await answer.json());
    listed = text;
    voices.replaceChildren(...found.map(({ id, name }) => new Option(name, id)));
    voices.value = player.state?.voice ?? '';
  }

  const local = startLocalListening({
    keeper,
    say,
    signal,
    changed: () => {
      const state = local.state();
      if (state !== null) render(state);
      else if (player.state !== null) show(player.state);
      else bar.hidden = true;
    },
  });

  /** @param {Listening} state */
  function show(state) {
    if (local.isActive()) {
      player.hold(state);
      return;
    }
    player.show(state);
    render(state);
  }

  /** Shows the bar. @param {Listening} state */
  function render(state) {
    const isHere = state.page === page || local.isActive();
    voices.disabled = local.isActive();
    bar.hidden = state.phase === 'idle';
    document.body.classList.toggle('has-player', !bar.hidden);
    if (bar.hidden) return;
    const isPlaying = state.phase === 'playing' || state.phase === 'waiting';
    const button = part('toggle');
    button.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
    button.dataset['shows'] = isPlaying ? 'pause' : 'play';
    const place = /** @type {HTMLAnchorElement} */ (part('place'));
    if (place.textContent !== state.place) {
      place.textContent = state.place;
      place.href = state.address;
    }
    const failed = state.problems.length;
    part('note').textContent =
      state.message ??
      (state.phase === 'waiting'
        ? 'One moment'
        : state.phase === 'ended'
          ? 'The end'
          : state.phase === 'playing' && !isHere
            ? 'Plays in another window'
            : failed > 0
              ? `${failed} ${failed === 1 ? 'verse was' : 'verses were'} skipped: ${state.problems[0]?.message ?? ''}`
              : (state.sleep === undefined ? '' : `Sleep: ${state.sleep}`));
    if (document.activeElement !== speed) speed.value = String(state.speed);
    if (state.sleep === undefined) sleep.value = '0';
    else if (state.sleep === 'end of chapter') sleep.value = 'chapter';
    bookEnd.checked = state.stopsAtBookEnd;
    if (local.isActive()) {
      voices.replaceChildren(new Option(`${state.voiceName} (kept)`, state.voice));
      listed = '';
    } else if (document.activeElement !== voices) voices.value = state.voice;
  }

  return {
    show,
    play,
    pressed,
    /** The server does not answer any more: goes on with kept audio, at the verse that was heard. */
    lost: () => {
      const state = player.state;
      if (state === null || !player.isSounding || state.page !== page) return;
      void local.takeOver(state.text, state.chapter, state.verse ?? null).then((plays) => plays && player.yield());
    },
    /** The place that was heard without the server; null if the server knows it. */
    heardAlone: () => local.takeHeard(),
    /** Marks the verse again after a turn. */
    turned: () => (local.isActive() ? local.mark() : player.refresh()),
    /** Whether a tap on a verse plays it. */
    isOpen: () => local.isActive() || player.isOpen,
    /** Plays verses of the chapter again and again. @param {number} first @param {number} last */
    repeat: (first, last) => {
      const shown = chapter();
      if (shown === null) return;
      if (isAway()) return say('Repeating needs Lectern.');
      const osis = shown['osis'];
      send({ act: 'play', text: shown['text'], at: `${osis}.${first}-${osis}.${last}`, isRange: true, repeats: true });
    },
  };
}

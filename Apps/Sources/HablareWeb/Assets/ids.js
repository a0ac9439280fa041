// @ts-check
/** Ids that the page makes for its commands. */

/**
 * Returns a UUID of version 7: 48 bits of milliseconds, then a counter, then random bits. Ids of one maker increase,
 * also within one millisecond and when the clock is set back, so that sorting by id sorts by time of making.
 *
 * @param {{now?: () => number, random?: (bytes: Uint8Array) => Uint8Array}} [seams]
 * @returns {() => string} A maker of ids.
 */
export function idMaker(seams = {}) {
  const now = seams.now ?? (() => Date.now());
  const random = seams.random ?? ((bytes) => globalThis.crypto.getRandomValues(bytes));
  let last = 0;
  let counter = 0;
  return () => {
    const time = now();
    if (time > last) {
      last = time;
      counter = 0;
    } else if (counter === 0xfff) {
      last += 1;
      counter = 0;
    } else {
      counter += 1;
    }
    const bytes = random(new Uint8Array(8));
    const stamp = last.toString(16).padStart(12, '0').slice(-12);
    const variant = (8 + ((bytes[0] ?? 0) & 3)).toString(16);
    const tail = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return [
      stamp.slice(0, 8),
      stamp.slice(8),
      '7' + counter.toString(16).padStart(3, '0'),
      variant + tail.slice(1, 4),
      tail.slice(4).padEnd(12, '0'),
    ].join('-');
  };
}

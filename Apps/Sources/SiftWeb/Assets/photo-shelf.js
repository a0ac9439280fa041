// @ts-check
/** Keeps decoded images of the photos ahead, so that the next one is painted without waiting. */

/** @typedef {{id: string, source: string, first?: string, width?: number, height?: number, alt?: string}} ShelfPhoto */

/**
 * Returns which images go when these are wanted: those that are not wanted, oldest first, until the number fits.
 *
 * @param {string[]} present In the order of their last use, oldest first.
 * @param {string[]} wanted
 * @param {number} capacity
 */
export function evicted(present, wanted, capacity) {
  const needed = new Set(wanted.slice(0, capacity));
  const spare = present.filter((key) => !needed.has(key));
  const room = capacity - needed.size;
  return spare.slice(0, Math.max(0, spare.length - room));
}

/** Images by address. An address names a version of a photo, so an image never becomes stale. */
export class PhotoShelf {
  /** @type {Map<string, HTMLImageElement>} */ #images = new Map();
  #capacity;

  /** @param {number} capacity The largest number of images. */
  constructor(capacity) {
    this.#capacity = capacity;
  }

  /**
   * Returns the image of a photo, which may still load.
   *
   * @param {ShelfPhoto} photo
   */
  image({ source, first, width, height, alt }) {
    let image = this.#images.get(source);
    if (image === undefined) {
      image = new Image();
      image.decoding = 'async';
      image.draggable = false;
      image.src = source;
      // Until the picture is there, its small one fills the frame.
      if (first !== undefined && /^[\w/.-]+$/.test(first)) image.style.backgroundImage = `url("${first}")`;
      this.#load(image, source, 1);
    } else {
      this.#images.delete(source);
    }
    // A picture that is there is painted in the same frame as its name.
    image.decoding = image.complete ? 'sync' : 'async';
    this.#images.set(source, image);
    if (width !== undefined) image.width = width;
    if (height !== undefined) image.height = height;
    image.alt = alt ?? '';
    return image;
  }

  /**
   * Decodes an image. Tries again while it is wanted: a photo that an undo brings back is there a moment later. A photo
   * that cannot be shown at all is reported by the server's state.
   *
   * @param {HTMLImageElement} image
   * @param {string} source
   * @param {number} attempt
   */
  #load(image, source, attempt) {
    image.decode().then(
      // The small picture would be painted behind the whole one, and loaded for that.
      () => image.style.removeProperty('background-image'),
      () => {
        setTimeout(() => {
          if (attempt > 6 || this.#images.get(source) !== image || image.naturalWidth > 0) return;
          image.src = source;
          this.#load(image, source, attempt + 1);
        }, 150 * attempt);
      },
    );
  }

  /**
   * Loads the photos ahead, and cancels the loads of those that are not wanted any more.
   *
   * @param {ShelfPhoto[]} photos The most urgent first.
   */
  keep(photos) {
    for (const photo of [...photos].reverse()) this.image(photo);
    const wanted = photos.map((photo) => photo.source);
    for (const source of evicted([...this.#images.keys()], wanted, this.#capacity)) {
      const image = this.#images.get(source);
      this.#images.delete(source);
      if (image !== undefined && !image.isConnected && !image.complete) image.removeAttribute('src');
    }
  }
}

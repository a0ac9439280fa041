/** The part of `CacheStorage` that the worker and the keeper use, in memory. */
export class MemoryCaches {
  #caches = new Map();
  constructor(origin = 'http://127.0.0.1:8000') { this.origin = origin; }
  async open(name) {
    if (!this.#caches.has(name)) this.#caches.set(name, new MemoryCache(this.origin));
    return this.#caches.get(name);
  }
  async keys() { return [...this.#caches.keys()]; }
  async delete(name) { return this.#caches.delete(name); }
}

class MemoryCache {
  #entries = new Map();
  constructor(origin) { this.origin = origin; }
  #key(request) { return new URL(typeof request === 'string' ? request : request.url, this.origin).href; }
  async match(request) { return this.#entries.get(this.#key(request))?.clone(); }
  async put(request, response) { this.#entries.set(this.#key(request), response); }
  async delete(request) { return this.#entries.delete(this.#key(request)); }
  async keys() { return [...this.#entries.keys()].map((url) => new Request(url)); }
  async addAll(paths) { for (const path of paths) await this.put(path, new Response(`file ${path}`)); }
}

/** So many come between two copies, or as many as there are. */
const LEAST_BETWEEN_COPIES = 16;

/**
 * A Map of what comes and goes thousands of times a second, in the order in which it came. V8 has each table that a Map grows out
 * of point to the one that follows. Once such a table is old, whatever collects the young alone takes the next one for alive, with
 * all that is in it, and so on: what was in the map for a moment grows old as well. Copied now and then, tables make no such chain
 * (record 326). Whoever goes through it while something comes may not see that.
 */
export class TransientMap<K, V> {
  #map = new Map<K, V>();
  #come = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  set(key: K, value: V): void {
    this.#map.set(key, value);
    this.#come += 1;
    if (this.#come < LEAST_BETWEEN_COPIES || this.#come < this.#map.size) return;
    this.#map = new Map(this.#map);
    this.#come = 0;
  }

  delete(key: K): void {
    this.#map.delete(key);
  }

  clear(): void {
    this.#map = new Map();
    this.#come = 0;
  }

  keys(): MapIterator<K> {
    return this.#map.keys();
  }

  values(): MapIterator<V> {
    return this.#map.values();
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.#map.entries();
  }
}

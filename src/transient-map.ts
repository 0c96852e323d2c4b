/**
 * The fewest insertions between two copies. A map with more entries is copied after as many insertions as it has
 * entries.
 */
const MIN_BETWEEN_COPIES = 16;

/**
 * A Map in insertion order, for entries that are added and removed thousands of times a second.
 * When a Map grows, V8 makes the old table point to the new one. Once an old table is in the old generation of the
 * heap, a collection of the young generation treats the next table as alive, with all its entries, and so on. So even
 * entries that existed for a moment move to the old generation. We copy the map from time to time, which breaks this
 * chain. A loop over the map may miss entries that are added during the loop.
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
    if (this.#come < MIN_BETWEEN_COPIES || this.#come < this.#map.size) return;
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

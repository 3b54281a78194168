/** So many changes on top of the shared part are copied at most, or as many as its root where it is large. */
const FEWEST = 64;

/**
 * A map that grows from state to state: what it holds is shared with the states before it, and only the newest changes are copied, so that a fact
 * late in a long session costs little more than an early one. Order is that of the first insertion, as in any map. Nothing is ever taken out.
 */
export class SharedMap<K, V> implements ReadonlyMap<K, V> {
  readonly #old: ReadonlyMap<K, V>;
  readonly #new: Map<K, V>;
  /** Keys of the new part that the old one doesn't have. */
  #added: number;

  private constructor(old: ReadonlyMap<K, V>, fresh: Map<K, V>, added: number) {
    this.#old = old;
    this.#new = fresh;
    this.#added = added;
  }

  /** A map with the same entries that can be written to; this one stays as it is. */
  static from<K, V>(map: ReadonlyMap<K, V>): SharedMap<K, V> {
    if (!(map instanceof SharedMap)) return new SharedMap(map, new Map(), 0);
    const shared = map as SharedMap<K, V>;
    return shared.#new.size > Math.max(FEWEST, Math.sqrt(shared.#old.size))
      ? new SharedMap(new Map(shared), new Map(), 0)
      : new SharedMap(shared.#old, new Map(shared.#new), shared.#added);
  }

  /** For whoever made it, until others see it. */
  set(key: K, value: V): this {
    if (!this.#new.has(key) && !this.#old.has(key)) this.#added++;
    this.#new.set(key, value);
    return this;
  }

  get size(): number {
    return this.#old.size + this.#added;
  }
  has(key: K): boolean {
    return this.#new.has(key) || this.#old.has(key);
  }
  get(key: K): V | undefined {
    return this.#new.has(key) ? this.#new.get(key) : this.#old.get(key);
  }
  *entries(): MapIterator<[K, V]> {
    for (const entry of this.#old) yield this.#new.has(entry[0]) ? [entry[0], this.#new.get(entry[0]) as V] : entry;
    for (const entry of this.#new) if (!this.#old.has(entry[0])) yield entry;
  }
  *keys(): MapIterator<K> {
    for (const [key] of this.entries()) yield key;
  }
  *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
  }
  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }
  forEach(each: (value: V, key: K, map: ReadonlyMap<K, V>) => void): void {
    for (const [key, value] of this) each(value, key, this);
  }
}

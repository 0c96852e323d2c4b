/** The largest size of the cache of one process. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_BYTES_OF_TEAM = MAX_BYTES / 4;
/**
 * The longest time for which the cache has a document. Seven days after somebody deletes a user, we erase the user, and
 * the documents must be gone by then. The limit also keeps documents with many variants, such as labels, from filling
 * the memory.
 */
const LONGEST_MS = 10 * 60_000;
const LOOK_MS = 60_000;

type CachedDocument = { team: string; bytes: Buffer; until: number };

/**
 * A cache in memory of the documents that this process drew last. The key is a hash of all data of a document, so a
 * changed document has another key. If a team is over its share, the cache drops the team's least recently used
 * documents. If the cache is full, it drops the least recently used of all teams.
 */
export class DrawnDocuments {
  /** In order of use: the least recently used document is first. */
  readonly #cache = new Map<string, CachedDocument>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Buffer | null {
    const found = this.#cache.get(key);
    if (!found || found.until <= performance.now()) return null;
    this.#cache.delete(key);
    this.#cache.set(key, found);
    return found.bytes;
  }

  put(key: string, team: string, bytes: Buffer): void {
    this.#drop(key);
    if (bytes.length > MAX_BYTES_OF_TEAM) return;
    this.#cache.set(key, { team, bytes, until: performance.now() + LONGEST_MS });
    this.#add(team, bytes.length);
    this.#evict(team);
    this.#timer ??= setInterval(() => this.dropExpired(), LOOK_MS).unref();
  }

  dropExpired(): void {
    for (const [key, { until }] of this.#cache) if (until <= performance.now()) this.#drop(key);
    if (this.#cache.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #evict(team: string): void {
    for (const [key, cached] of this.#cache) {
      const isTeamOver = (this.#bytesOf.get(team) ?? 0) > MAX_BYTES_OF_TEAM;
      if (!isTeamOver && this.#bytes <= MAX_BYTES) return;
      if (!isTeamOver || cached.team === team) this.#drop(key);
    }
  }

  #drop(key: string): void {
    const found = this.#cache.get(key);
    if (!found) return;
    this.#cache.delete(key);
    this.#add(found.team, -found.bytes.length);
  }

  #add(team: string, bytes: number): void {
    this.#bytes += bytes;
    const teamBytes = (this.#bytesOf.get(team) ?? 0) + bytes;
    if (teamBytes > 0) this.#bytesOf.set(team, teamBytes);
    else this.#bytesOf.delete(team);
  }
}

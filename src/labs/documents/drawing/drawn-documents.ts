/** Of one process. */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_BYTES_OF_TEAM = MOST_BYTES / 4;
/**
 * The documents of a user are asked for no more from the user's deletion on, seven days before the erasure; by then their bytes
 * have long gone. Nor does a page that is drawn anew for each of many labels fill the process for long.
 */
const LONGEST_MS = 10 * 60_000;
const LOOK_MS = 60_000;

type Kept = { team: string; bytes: Buffer; until: number };

/**
 * The documents that were drawn last, as bytes in memory and nowhere else. Their keys tell all that they were drawn from, so that
 * what has changed is drawn anew. Of what is too much the oldest goes: of the team's own beyond its share, else of all.
 */
export class DrawnDocuments {
  /** The one that was asked for least lately comes first. */
  readonly #kept = new Map<string, Kept>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Buffer | null {
    const found = this.#kept.get(key);
    if (!found || found.until <= performance.now()) return null;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.bytes;
  }

  keep(key: string, team: string, bytes: Buffer): void {
    this.#drop(key);
    if (bytes.length > MOST_BYTES_OF_TEAM) return;
    this.#kept.set(key, { team, bytes, until: performance.now() + LONGEST_MS });
    this.#add(team, bytes.length);
    this.#makeRoom(team);
    this.#timer ??= setInterval(() => this.dropExpired(), LOOK_MS).unref();
  }

  dropExpired(): void {
    for (const [key, { until }] of this.#kept) if (until <= performance.now()) this.#drop(key);
    if (this.#kept.size > 0 || !this.#timer) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #makeRoom(team: string): void {
    for (const [key, kept] of this.#kept) {
      const isTeamOver = (this.#bytesOf.get(team) ?? 0) > MOST_BYTES_OF_TEAM;
      if (!isTeamOver && this.#bytes <= MOST_BYTES) return;
      if (!isTeamOver || kept.team === team) this.#drop(key);
    }
  }

  #drop(key: string): void {
    const found = this.#kept.get(key);
    if (!found) return;
    this.#kept.delete(key);
    this.#add(found.team, -found.bytes.length);
  }

  #add(team: string, bytes: number): void {
    this.#bytes += bytes;
    const held = (this.#bytesOf.get(team) ?? 0) + bytes;
    if (held > 0) this.#bytesOf.set(team, held);
    else this.#bytesOf.delete(team);
  }
}

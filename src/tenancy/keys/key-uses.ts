import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { Outage } from '../../db/session/outage.ts';
import { acrossTeams } from '../../db/session/bind.ts';

const FLUSH_MS = 60_000;
const MAX_WAITING = 10_000;

/**
 * Stores when team API keys were last used. A request only sets a number in memory. Once a minute, each process writes
 * all keys that were used since then, in one statement that waits for no lock. If a process is killed, the uses of the
 * last minute are lost.
 */
export class KeyUses {
  readonly #ctx: Ctx;
  readonly #outage: Outage;
  /** The time of the last use, by key id, measured by performance.now(). */
  readonly #used = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(ctx: Ctx) {
    this.#ctx = acrossTeams(ctx); // This process gets requests with keys of all teams.
    this.#outage = new Outage(ctx.log, 'the last uses of keys wait for the database');
  }

  note(keyId: string): void {
    if (this.#used.size >= MAX_WAITING && !this.#used.has(keyId)) return;
    this.#used.set(keyId, performance.now());
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  /** Writes the uses that are not stored yet. If the write fails, they stay in memory until the next flush. */
  flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const used = [...this.#used];
    if (used.length === 0) return;
    const seconds = used.map(([, at]) => (performance.now() - at) / 1000);
    try {
      await sql`
        with used as (
          select k.id, now() - make_interval(secs => u.seconds) as at
            from team_api_keys k join unnest(${used.map(([id]) => id)}::uuid[], ${seconds}::float8[]) as u (id, seconds)
              on u.id = k.id
             for no key update of k skip locked)
        update team_api_keys k set last_used_at = greatest(k.last_used_at, used.at)
          from used where k.id = used.id`.execute(this.#ctx.db);
    } catch (error) {
      this.#outage.met(error);
      return;
    }
    this.#outage.over();
    for (const [id, at] of used) if (this.#used.get(id) === at) this.#used.delete(id);
  }
}

import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../errors.ts';

/** A bucket per key: it holds `burst` requests and gains `perSecond`. */
type Policy = { perSecond: number; burst: number };

/** What this process holds of a key's bucket. */
type Lease = {
  tokens: number;
  /** What was left for all processes after the newest lease. */
  shared: number;
  /** Tokens that nobody used by then are dropped: they filled up again in the bucket meanwhile. */
  until: number;
  /** No lease is asked for before: there was nothing to have. */
  emptyUntil: number;
  renewing: Promise<void> | null;
};

const LEASE_MS = 5_000;
/** A flood asks the database ten times a second at most. */
const LEAST_WAIT_MS = 100;
const MOST_KEYS = 10_000;
const FORGOTTEN_AFTER_HOURS = 24;
const TIDY_MS = 3_600_000;

/** Name of the policy in the headers. */
const NAME = '"key"';

/**
 * Counts requests by key for all processes together: the bucket stands in the database, and each process takes a tenth
 * of it at a time, so that few requests wait for a statement and a key that floods asks for nothing more once it is empty.
 */
export class RateLimits {
  readonly #ctx: Ctx;
  readonly #policy: Policy;
  readonly #chunk: number;
  readonly #leases = new Map<string, Lease>();
  #tidyAt = 0;

  constructor(ctx: Ctx, policy: Policy) {
    this.#ctx = ctx;
    this.#policy = policy;
    this.#chunk = Math.max(1, Math.floor(Math.min(policy.burst / 10, policy.perSecond / 5)));
  }

  /**
   * Takes one request of the key's allowance. `tell` gets the headers of draft-ietf-httpapi-ratelimit-headers, and
   * Retry-After where the request is refused with rate_limited.
   */
  async take(keyId: string, tell: (name: string, value: string) => void): Promise<void> {
    const { perSecond, burst } = this.#policy;
    const lease = this.#leaseOf(keyId);
    while (lease.tokens < 1 || lease.until <= Date.now()) {
      if (lease.emptyUntil > Date.now()) break;
      await (lease.renewing ??= this.#renew(keyId, lease).finally(() => (lease.renewing = null)));
    }
    const taken = lease.tokens >= 1;
    if (taken) lease.tokens -= 1;
    const left = Math.max(0, Math.floor(Math.min(burst, lease.tokens + lease.shared)));
    tell('ratelimit-policy', `${NAME};q=${burst};w=${Math.ceil(burst / perSecond)}`);
    tell('ratelimit', `${NAME};r=${taken ? left : 0};t=${Math.ceil((burst - (taken ? left : 0)) / perSecond)}`);
    if (taken) return;
    tell('retry-after', String(Math.max(1, Math.ceil((lease.emptyUntil - Date.now()) / 1000))));
    throw new AppError(
      'rate_limited',
      `This key may send ${perSecond} requests a second, and ${burst} at once. Send this one again after Retry-After.`,
    );
  }

  #leaseOf(keyId: string): Lease {
    let lease = this.#leases.get(keyId);
    if (lease) return lease;
    // The oldest goes: what it holds is at most a tenth of a bucket.
    const oldest = this.#leases.size >= MOST_KEYS ? this.#leases.keys().next() : null;
    if (oldest && !oldest.done) this.#leases.delete(oldest.value);
    lease = { tokens: 0, shared: 0, until: 0, emptyUntil: 0, renewing: null };
    this.#leases.set(keyId, lease);
    return lease;
  }

  async #renew(keyId: string, lease: Lease): Promise<void> {
    const { perSecond, burst } = this.#policy;
    const left = sql`least(${burst}::float8,
      known.tokens + ${perSecond}::float8 * greatest(0, extract(epoch from now() - known.refilled_at)))`;
    const {
      rows: [bucket],
    } = await sql<{ granted: number; tokens: number }>`
      insert into rate_limits as known (key_id, tokens, granted)
      values (${keyId}, ${burst}::float8 - ${this.#chunk}::int, ${this.#chunk}::int)
      on conflict (key_id) do update set
        granted = least(${this.#chunk}::int, floor(${left})),
        tokens = ${left} - least(${this.#chunk}::int, floor(${left})),
        refilled_at = greatest(known.refilled_at, now())
      returning granted, tokens`.execute(this.#ctx.db);
    const { granted = 0, tokens = 0 } = bucket ?? {};
    lease.tokens = granted;
    lease.shared = tokens;
    lease.until = Date.now() + LEASE_MS;
    if (granted === 0) {
      lease.emptyUntil = Date.now() + Math.max(LEAST_WAIT_MS, ((1 - tokens) / perSecond) * 1000);
    }
    await this.#tidy();
  }

  /** Drops the buckets of keys that nobody uses any more: they are full. */
  async #tidy(): Promise<void> {
    if (this.#tidyAt > Date.now()) return;
    this.#tidyAt = Date.now() + TIDY_MS;
    await sql`delete from rate_limits where refilled_at < now() - make_interval(hours => ${FORGOTTEN_AFTER_HOURS})`.execute(
      this.#ctx.db,
    );
  }
}

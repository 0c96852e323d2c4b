import { sql } from 'kysely';
import type { Ctx } from '../../context.ts';
import { AppError } from '../../errors.ts';

/**
 * The rate limit is a token bucket. Each key has a bucket, which holds at most `burst` tokens and gains `perSecond`
 * tokens each second. A request takes one token.
 */
type Policy = { perSecond: number; burst: number };

/** The tokens of one key's bucket that this process has leased. */
type Lease = {
  tokens: number;
  /** The tokens that were left in the bucket for all processes when this process last leased a part of it. */
  shared: number;
  /**
   * When the lease ends. The bucket in the database gains new tokens meanwhile, so this process then drops its unused
   * ones.
   */
  until: number;
  /** This process requests no new lease before this time, because the bucket was empty. */
  emptyUntil: number;
  renewing: Promise<void> | null;
};

const LEASE_MS = 5_000;
/**
 * The least time between two leases of an empty bucket. So a key that sends too many requests causes at most ten
 * statements a second.
 */
const MIN_WAIT_MS = 100;
const MAX_KEYS = 10_000;
const FORGOTTEN_AFTER_HOURS = 24;
const TIDY_MS = 3_600_000;

/** The name of the rate-limit policy in the response headers. */
const NAME = '"key"';

/**
 * Limits the requests of each key across all processes. The bucket of a key is in the database. A process leases at
 * most a tenth of it at a time, and spends these tokens without a statement. While a bucket is empty, requests with its
 * key cause almost no statements.
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
   * Takes one token from the key's bucket. Throws rate_limited if the bucket is empty. Calls `setHeader` with the
   * headers of draft-ietf-httpapi-ratelimit-headers, and with Retry-After if it refuses the request.
   */
  async take(keyId: string, setHeader: (name: string, value: string) => void): Promise<void> {
    const { perSecond, burst } = this.#policy;
    const lease = this.#leaseOf(keyId);
    while (lease.tokens < 1 || lease.until <= Date.now()) {
      if (lease.emptyUntil > Date.now()) break;
      await (lease.renewing ??= this.#renew(keyId, lease).finally(() => (lease.renewing = null)));
    }
    const taken = lease.tokens >= 1;
    if (taken) lease.tokens -= 1;
    const left = Math.max(0, Math.floor(Math.min(burst, lease.tokens + lease.shared)));
    setHeader('ratelimit-policy', `${NAME};q=${burst};w=${Math.ceil(burst / perSecond)}`);
    setHeader('ratelimit', `${NAME};r=${taken ? left : 0};t=${Math.ceil((burst - (taken ? left : 0)) / perSecond)}`);
    if (taken) return;
    setHeader('retry-after', String(Math.max(1, Math.ceil((lease.emptyUntil - Date.now()) / 1000))));
    throw new AppError(
      'rate_limited',
      `This key may send ${perSecond} requests per second, and ${burst} at once. Send this one again after ` +
        'Retry-After.',
    );
  }

  #leaseOf(keyId: string): Lease {
    let lease = this.#leases.get(keyId);
    if (lease) return lease;
    // We forget the oldest lease. Its key loses at most a tenth of its bucket.
    const oldest = this.#leases.size >= MAX_KEYS ? this.#leases.keys().next() : null;
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
      lease.emptyUntil = Date.now() + Math.max(MIN_WAIT_MS, ((1 - tokens) / perSecond) * 1000);
    }
    await this.#deleteUnused();
  }

  /**
   * Deletes buckets that no request has used for a day. Such a bucket is full again, and a missing bucket counts as
   * full.
   */
  async #deleteUnused(): Promise<void> {
    if (this.#tidyAt > Date.now()) return;
    this.#tidyAt = Date.now() + TIDY_MS;
    await sql`
      delete from rate_limits
       where refilled_at < now() - make_interval(hours => ${FORGOTTEN_AFTER_HOURS})`.execute(this.#ctx.db);
  }
}

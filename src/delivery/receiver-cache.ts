import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Tx } from '../db/open.ts';
import { UnknownKey } from '../privacy/unknown-key.ts';

/** Workers listen to it: what they know of the receiver in the payload is out of date. */
export const RECEIVERS_CHANNEL = 'phial_receivers';

/** In the transaction that changes a receiver: workers read it anew. */
export async function tellOfChange(tx: Tx, receiverId: string): Promise<void> {
  await sql`select pg_notify(${RECEIVERS_CHANNEL}, ${receiverId})`.execute(tx);
}

/** What a delivery needs to know of where it goes. */
export type Receiver = {
  url: string;
  /** How often that has changed. */
  moves: number;
  headers: Record<string, string>;
  /** What of them is kept for the log of attempts; null where there are none. */
  headers_id: string | null;
  /** Newest first; behind them the key pairs, where the receiver asks for v1a. */
  secrets: string[];
  disabled: boolean;
  ratePerSecond: number | null;
};

type Row = {
  id: string;
  team_id: string;
  url: string;
  moves: number;
  headers: Buffer | null;
  headers_id: string | null;
  disabled: boolean;
  rate_limit: number | null;
  /** Null where no secret is left. */
  secret_ids: string[] | null;
  secrets: Buffer[] | null;
  /** Of each, whether it is what receivers are told to verify with; else it was replaced. */
  current: boolean[] | null;
};

/** A secret that was replaced stops signing within this time of its end. */
const KEPT_MS = 60_000;
const MOST_KEPT = 20_000;

/**
 * Addresses, headers and secrets as the worker last read them, so that they are not read and opened for every
 * delivery. A notification empties an entry; while nobody listens nothing is kept, since a change would go unheard.
 */
export class ReceiverCache {
  readonly #ctx: Ctx;
  readonly #kept = new Map<string, { receiver: Receiver; until: number }>();
  #listening = false;
  /** Raised with every notification: what was being read meanwhile may be older than it. */
  #generation = 0;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  listening(): void {
    this.forget();
    this.#listening = true;
  }

  lost(): void {
    this.#listening = false;
    this.forget();
  }

  /** Without an id: everything. */
  forget(id?: string): void {
    this.#generation += 1;
    if (id === undefined) this.#kept.clear();
    else this.#kept.delete(id);
  }

  /** The receivers by id: null for one whose stored values cannot be opened; those that were deleted are not there. */
  async find(ids: Iterable<string>): Promise<Map<string, Receiver | null>> {
    const found = new Map<string, Receiver | null>();
    const missing: string[] = [];
    const now = performance.now();
    for (const id of ids) {
      const known = this.#kept.get(id);
      if (known && known.until > now) found.set(id, known.receiver);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    const generation = this.#generation;
    for (const row of await this.#read(missing)) found.set(row.id, this.#opened(row));
    if (this.#listening && generation === this.#generation) {
      if (this.#kept.size > MOST_KEPT) this.#kept.clear();
      for (const id of missing) {
        const receiver = found.get(id);
        if (receiver) this.#kept.set(id, { receiver, until: now + KEPT_MS });
      }
    }
    return found;
  }

  async #read(ids: string[]): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select webhooks.id, webhooks.team_id, url, moves, headers, headers_id, disabled, rate_limit, signing.secret_ids, signing.secrets, signing.current
        from unnest(${ids}::uuid[]) as wanted (id)
        join webhooks on webhooks.id = wanted.id
        join lanes on lanes.webhook_id = wanted.id
       cross join lateral (
         select array_agg(webhook_secrets.id order by signature, webhook_secrets.id desc) as secret_ids,
                array_agg(secret order by signature, webhook_secrets.id desc) as secrets,
                array_agg(expires_at is null order by signature, webhook_secrets.id desc) as current
           from webhook_secrets
          where webhook_secrets.webhook_id = webhooks.id and (expires_at is null or expires_at > now())
            and (signature = 'v1' or webhooks.v1a_enabled)
       ) as signing`.execute(this.#ctx.db);
    return rows;
  }

  /** What was damaged is its own receiver's affair: the others of the round are sent to. */
  #opened(row: Row): Receiver | null {
    try {
      return this.#open(row);
    } catch (err) {
      const { id, team_id } = row;
      this.#ctx.log.error({ err, endpoint_id: id, team_id }, 'a stored endpoint cannot be opened; its deliveries wait');
      return null;
    }
  }

  #open(row: Row): Receiver {
    const { id, team_id, url, moves, headers, headers_id, disabled, rate_limit, secret_ids, secrets, current } = row;
    const { cipher, log } = this.#ctx;
    if (!secret_ids || !secrets) throw new Error('No secret is left to sign with.');
    const signing: string[] = [];
    for (const [n, secret] of secrets.entries()) {
      try {
        signing.push(cipher.openText('webhook_secrets.secret', { team_id, id: secret_ids[n] as string }, secret));
      } catch (err) {
        // Receivers verify with the newest; an older one that was damaged has been replaced already.
        if (current?.[n] || err instanceof UnknownKey) throw err;
        log.error({ err, endpoint_id: id, team_id }, 'a replaced secret cannot be opened; it signs no more');
      }
    }
    return {
      url,
      moves,
      headers: headers === null ? {} : cipher.openJson('webhooks.headers', { team_id, id }, headers),
      headers_id,
      secrets: signing,
      disabled,
      ratePerSecond: rate_limit,
    };
  }
}

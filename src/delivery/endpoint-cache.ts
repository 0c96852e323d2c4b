import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Tx } from '../db/open-database.ts';
import { MissingEncryptionKey } from '../privacy/missing-encryption-key.ts';

/** Workers listen to this channel. The payload is the id of an endpoint whose cached values are out of date. */
export const ENDPOINTS_CHANNEL = 'phial_receivers';

/**
 * Notifies all workers that an endpoint changed, so that they read it again. Call it in the transaction that changes
 * the endpoint.
 */
export async function notifyEndpointChange(tx: Tx, endpointId: string): Promise<void> {
  await sql`select pg_notify(${ENDPOINTS_CHANNEL}, ${endpointId})`.execute(tx);
}

/** The values of an endpoint that a delivery needs. */
export type Endpoint = {
  url: string;
  /** The number of times that the URL was changed. */
  url_changes: number;
  headers: Record<string, string>;
  /** The id of the stored header set, to which the log of attempts refers. Null if the endpoint has no headers. */
  headers_id: string | null;
  /** The secrets to sign with, the newest first. If the endpoint has enabled v1a signatures, its key pairs follow. */
  secrets: string[];
  disabled: boolean;
  ratePerSecond: number | null;
};

type Row = {
  id: string;
  team_id: string;
  url: string;
  url_changes: number;
  headers: Buffer | null;
  headers_id: string | null;
  disabled: boolean;
  rate_limit: number | null;
  /** Null if the endpoint has no valid secret. */
  secret_ids: string[] | null;
  secrets: Buffer[] | null;
  /**
   * For each entry of `secrets`: true if it is the current secret, false if it was replaced but still signs for some
   * time.
   */
  current: boolean[] | null;
};

/** How long we use a cached endpoint. So a secret may still sign for up to this time after it has expired. */
const CACHED_MS = 60_000;
const MAX_CACHED = 20_000;

/**
 * Caches the URL, headers and secrets of endpoints, so that a worker need not read and decrypt them for every delivery.
 * A notification removes an entry. While the worker does not listen for notifications, it caches nothing, because it
 * would miss changes.
 */
export class EndpointCache {
  readonly #ctx: Ctx;
  readonly #cached = new Map<string, { endpoint: Endpoint; until: number }>();
  #listening = false;
  /**
   * Every notification increases this counter. If it changed during a read, we may have read values from before the
   * change, so we do not cache them.
   */
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

  /** Removes one endpoint from the cache, or all endpoints if no id is given. */
  forget(id?: string): void {
    this.#generation += 1;
    if (id === undefined) this.#cached.clear();
    else this.#cached.delete(id);
  }

  /**
   * Returns the endpoints by id. The value is null if the stored values cannot be decrypted. Deleted endpoints are not
   * in the map.
   */
  async find(ids: Iterable<string>): Promise<Map<string, Endpoint | null>> {
    const found = new Map<string, Endpoint | null>();
    const missing: string[] = [];
    const now = performance.now();
    for (const id of ids) {
      const known = this.#cached.get(id);
      if (known && known.until > now) found.set(id, known.endpoint);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    const generation = this.#generation;
    for (const row of await this.#read(missing)) found.set(row.id, this.#opened(row));
    if (this.#listening && generation === this.#generation) {
      if (this.#cached.size > MAX_CACHED) this.#cached.clear();
      for (const id of missing) {
        const endpoint = found.get(id);
        if (endpoint) this.#cached.set(id, { endpoint, until: now + CACHED_MS });
      }
    }
    return found;
  }

  async #read(ids: string[]): Promise<Row[]> {
    const { rows } = await sql<Row>`
      select webhooks.id, webhooks.team_id, url, url_changes, headers, headers_id, disabled, rate_limit,
          signing.secret_ids, signing.secrets, signing.current
        from unnest(${ids}::uuid[]) as wanted (id)
        join webhooks on webhooks.id = wanted.id
        join endpoint_queues on endpoint_queues.webhook_id = wanted.id
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

  /**
   * Decrypts an endpoint. Returns null if its stored values are damaged, instead of throwing. Otherwise one damaged
   * endpoint would stop the deliveries to all endpoints of the round.
   */
  #opened(row: Row): Endpoint | null {
    try {
      return this.#open(row);
    } catch (err) {
      const { id, team_id } = row;
      this.#ctx.log.error(
        { err, endpoint_id: id, team_id },
        'a stored endpoint cannot be decrypted; its deliveries wait',
      );
      return null;
    }
  }

  #open(row: Row): Endpoint {
    const { id, team_id, url, url_changes, headers, headers_id, disabled, rate_limit, secret_ids, secrets, current } =
      row;
    const { cipher, log } = this.#ctx;
    if (!secret_ids || !secrets) throw new Error('No secret is left to sign with.');
    const signing: string[] = [];
    for (const [n, secret] of secrets.entries()) {
      try {
        signing.push(cipher.openText('webhook_secrets.secret', { team_id, id: secret_ids[n] as string }, secret));
      } catch (err) {
        // Endpoints verify with the newest secret. So if an older, replaced secret is damaged, we sign without it.
        if (current?.[n] || err instanceof MissingEncryptionKey) throw err;
        log.error({ err, endpoint_id: id, team_id }, 'a replaced secret cannot be decrypted; we do not sign with it');
      }
    }
    return {
      url,
      url_changes,
      headers: headers === null ? {} : cipher.openJson('webhooks.headers', { team_id, id }, headers),
      headers_id,
      secrets: signing,
      disabled,
      ratePerSecond: rate_limit,
    };
  }
}

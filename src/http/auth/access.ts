import { sql } from 'kysely';
import type { Ctx, ManagementCtx, TeamCtx } from '../../context.ts';
import { hashKey } from '../../tenancy/keys/key-value.ts';

export type TeamAccess = TeamCtx['team'];
export type ManagementAccess = Pick<ManagementCtx, 'org' | 'key'>;

/** Bounds how long a key outlives its revocation where a network swallows packets without breaking the connection. */
const CACHE_MS = 10_000;
const MOST_CACHED = 10_000;

type Cached<T> = { access: T; until: number };

/**
 * Answers who a key belongs to without a query per request. Whatever changes a key, a team or an organisation notifies
 * every process, which then forgets everything; while the listening connection is cut, nothing is cached.
 */
export class AccessCache {
  readonly #ctx: Ctx;
  readonly #teams = new Map<string, Cached<TeamAccess>>();
  readonly #managers = new Map<string, Cached<ManagementAccess>>();
  #listening = false;
  #generation = 0;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
  }

  forget(): void {
    this.#generation += 1;
    this.#teams.clear();
    this.#managers.clear();
  }

  lost(): void {
    this.#listening = false;
    this.forget();
  }

  listening(): void {
    this.#listening = true;
    this.forget();
  }

  team(key: string): Promise<TeamAccess | null> {
    return this.#look(this.#teams, key, async (hash) => {
      const row = await this.#ctx.db
        .selectFrom('team_api_keys')
        .innerJoin('teams', 'teams.id', 'team_api_keys.team_id')
        .select(['teams.id', 'teams.org_id', 'teams.settings', 'team_api_keys.expires_at'])
        .where('key_hash', '=', hash)
        .where('revoked_at', 'is', null)
        .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<string>`now()`)]))
        .executeTakeFirst();
      return (
        row && {
          access: { id: row.id, org_id: row.org_id, settings: row.settings as TeamAccess['settings'] },
          expires: row.expires_at,
        }
      );
    });
  }

  management(key: string): Promise<ManagementAccess | null> {
    return this.#look(this.#managers, key, async (hash) => {
      const row = await this.#ctx.db
        .selectFrom('management_keys')
        .innerJoin('orgs', 'orgs.id', 'management_keys.org_id')
        .select(['orgs.id as org_id', 'orgs.plan', 'management_keys.id', 'role', 'team_ids'])
        .where('key_hash', '=', hash)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      return (
        row && {
          access: {
            org: { id: row.org_id, plan: row.plan as ManagementAccess['org']['plan'] },
            key: { id: row.id, role: row.role as ManagementAccess['key']['role'], team_ids: row.team_ids },
          },
          expires: null,
        }
      );
    });
  }

  /** Only known keys are kept: a key that is unknown now may be made in the next moment. */
  async #look<T>(
    cache: Map<string, Cached<T>>,
    key: string,
    find: (hash: Buffer) => Promise<{ access: T; expires: string | null } | undefined>,
  ): Promise<T | null> {
    const hash = hashKey(key);
    const name = hash.toString('base64');
    const hit = cache.get(name);
    if (hit && hit.until > Date.now()) return hit.access;
    const generation = this.#generation;
    const found = await find(hash);
    if (!found) return null;
    // A revocation that arrived while the query ran may be newer than its answer.
    if (this.#listening && generation === this.#generation) {
      if (cache.size >= MOST_CACHED) cache.clear();
      const expires = found.expires === null ? Infinity : Date.parse(found.expires);
      cache.set(name, { access: found.access, until: Math.min(Date.now() + CACHE_MS, expires) });
    }
    return found.access;
  }
}

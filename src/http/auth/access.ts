import { sql } from 'kysely';
import type { Ctx, ManagementCtx, TeamCtx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { prepared } from '../../db/session/prepared.ts';
import { hashKey, readKey, readToken } from '../../tenancy/keys/key-value.ts';
import type { KeyScope } from '../../tenancy/keys/scopes.ts';
import { forTeam } from '../../tenancy/teams/scope.ts';
import type { KeyIdentity } from './caller.ts';

/** `ctx` is null where the key is known but opens nothing: it was revoked, has expired, or its team is deleted. Requests share it. */
export type TeamAccess = { key: KeyIdentity; ctx: TeamCtx | null; scopes: readonly KeyScope[] | null };
/** With the management key that made the token. */
type TokenAccess = Omit<TeamAccess, 'scopes'> & { created_by: string };
export type ManagementAccess = { key: KeyIdentity; manager: Pick<ManagementCtx, 'org' | 'key'> | null };

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
  readonly #acrossTeams: Ctx;
  readonly #teams = new Map<string, Cached<TeamAccess>>();
  readonly #tokens = new Map<string, Cached<TokenAccess>>();
  readonly #managers = new Map<string, Cached<ManagementAccess>>();
  #listening = false;
  #generation = 0;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#acrossTeams = acrossTeams(ctx); // whose a key is, is what it is looked up for
  }

  forget(): void {
    this.#generation += 1;
    this.#teams.clear();
    this.#tokens.clear();
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
      const row = await this.#acrossTeams.db
        .selectFrom('team_api_keys')
        .innerJoin('teams', 'teams.id', 'team_api_keys.team_id')
        .select(['team_api_keys.id as key_id', 'teams.id', 'teams.org_id', 'teams.settings', 'scopes', 'expires_at'])
        .select(
          sql<boolean>`revoked_at is null and (expires_at is null or expires_at > now()) and teams.deleted_at is null`.as(
            'opens',
          ),
        )
        .where('key_hash', '=', hash)
        .$call(prepared('team key'))
        .executeTakeFirst();
      if (!row) return undefined;
      const { id, org_id } = row;
      const team = { id, org_id, settings: row.settings as TeamCtx['team']['settings'] };
      return {
        access: {
          key: { kind: 'team_key', id: row.key_id, org_id, team_id: id },
          ctx: row.opens ? { ...forTeam(this.#ctx, team), keyId: row.key_id } : null,
          scopes: row.scopes as KeyScope[] | null,
        },
        expires: row.expires_at,
      };
    });
  }

  /** Whom a token of an hour speaks for: it ends with the key that made it, and with that key's right to the team. */
  token(token: string): Promise<TokenAccess | null> {
    return this.#look(this.#tokens, token, async (hash) => {
      const row = await this.#acrossTeams.db
        .selectFrom('api_access_tokens as tokens')
        .innerJoin('teams', 'teams.id', 'tokens.team_id')
        .innerJoin('management_keys as makers', 'makers.id', 'tokens.created_by')
        .select(['tokens.id as token_id', 'tokens.created_by', 'tokens.expires_at'])
        .select(['teams.id', 'teams.org_id', 'teams.settings'])
        .select(
          sql<boolean>`tokens.expires_at > now() and teams.deleted_at is null and makers.revoked_at is null
            and (makers.team_ids is null or teams.id = any (makers.team_ids))`.as('opens'),
        )
        .where('token_hash', '=', hash)
        .$call(prepared('access token'))
        .executeTakeFirst();
      if (!row) return undefined;
      const { id, org_id, created_by } = row;
      const team = { id, org_id, settings: row.settings as TeamCtx['team']['settings'] };
      return {
        access: {
          key: { kind: 'access_token', id: row.token_id, org_id, team_id: id },
          ctx: row.opens ? { ...forTeam(this.#ctx, team), keyId: created_by } : null,
          created_by,
        },
        expires: row.expires_at,
      };
    });
  }

  management(key: string): Promise<ManagementAccess | null> {
    return this.#look(this.#managers, key, async (hash) => {
      const row = await this.#acrossTeams.db
        .selectFrom('management_keys')
        .innerJoin('orgs', 'orgs.id', 'management_keys.org_id')
        .select(['orgs.id as org_id', 'orgs.plan', 'management_keys.id', 'role', 'team_ids'])
        .select(sql<boolean>`revoked_at is null`.as('opens'))
        .where('key_hash', '=', hash)
        .$call(prepared('management key'))
        .executeTakeFirst();
      if (!row) return undefined;
      const { id, org_id, team_ids } = row;
      const manager = row.opens
        ? {
            org: { id: org_id, plan: row.plan as ManagementCtx['org']['plan'] },
            key: { id, role: row.role as ManagementCtx['key']['role'], team_ids },
          }
        : null;
      return { access: { key: { kind: 'management_key', id, org_id, team_id: null }, manager }, expires: null };
    });
  }

  /** Whose a key is that opens nothing here, for the audit log. */
  async identify(key: string): Promise<KeyIdentity | null> {
    const kind = readKey(key)?.kind ?? readToken(key);
    const found =
      kind === 'team'
        ? await this.team(key)
        : kind === 'management'
          ? await this.management(key)
          : kind === 'access' && (await this.token(key));
    return (found || null)?.key ?? null;
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

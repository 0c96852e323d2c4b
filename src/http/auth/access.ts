import { sql } from 'kysely';
import type { Ctx, ManagementCtx, TeamCtx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { prepared } from '../../db/session/prepared.ts';
import { AppError } from '../../errors.ts';
import { FairShare } from '../../fair/fair-share.ts';
import { hashKey, readKey, readToken } from '../../tenancy/keys/key-value.ts';
import type { KeyScope } from '../../tenancy/keys/key-scopes.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import { TransientMap } from '../../transient-map.ts';
import type { KeyIdentity } from './caller.ts';
import { findSessionOrNull, type SessionAccess } from './find-session.ts';

/**
 * A team key with its team. `ctx` is null if we know the key but it is not valid: it was revoked, it has expired, or
 * its team is deleted. Several requests share this object.
 */
export type TeamAccess = { key: KeyIdentity; ctx: TeamCtx | null; scopes: readonly KeyScope[] | null };
/** An access token with its team. `created_by` is the management key that made the token. */
type TokenAccess = Omit<TeamAccess, 'scopes'> & { created_by: string };
export type ManagementAccess = { key: KeyIdentity; manager: Pick<ManagementCtx, 'org' | 'key'> | null };

/**
 * How long a process caches a key. Usually the process gets a notification of a revocation at once. If a network drops
 * packets without closing the connection, the process learns of the revocation only after this time.
 */
const CACHE_MS = 10_000;
const MAX_CACHED = 10_000;
/**
 * The most unknown keys that we cache. They have a cache of their own. So a client that sends made-up keys pushes only
 * other unknown keys out of the cache.
 */
const MAX_UNKNOWN = 10_000;
/**
 * The most look-ups of keys, tokens and signed links that run at the same time. Each is one statement that uses an
 * index.
 */
export const LOOKUPS = 2;
/** The most look-ups that wait for one network. */
const MAX_WAITING = 200;

type Cached<T> = { access: T; until: number };
/** What a look-up found. It is cached, unless `isCached` is false. */
type Found<T> = { access: T; expires: string | null; isCached?: boolean };
type Find<T> = (hash: Buffer) => Promise<Found<T> | undefined>;

/**
 * Finds the owner of a key, and caches it, so most requests need no query for it. When somebody changes a key, team or
 * organisation, every process gets a notification and clears all its caches. When somebody makes a key, every process
 * forgets which keys are unknown. While the connection for notifications is lost, the process caches nothing.
 * Look-ups of keys, tokens and signed links have database connections of their own, which networks share in round
 * robin. So made-up keys do not delay the look-up of real keys, and take no connection from a team.
 */
export class AccessCache {
  readonly #ctx: Ctx;
  readonly #acrossTeams: Ctx;
  readonly #maxUnknown: number;
  readonly #teams = new Map<string, Cached<TeamAccess>>();
  readonly #tokens = new Map<string, Cached<TokenAccess>>();
  readonly #managers = new Map<string, Cached<ManagementAccess>>();
  readonly #sessions = new Map<string, Cached<SessionAccess>>();
  /** Hashes that matched no key, with the time until which we do not look them up again. The oldest is first. */
  readonly #unknown = new TransientMap<string, number>();
  /**
   * Look-ups that run now, by key. Requests with equal keys share one look-up, unless somebody changed a key, team or
   * organisation after it began.
   */
  readonly #asked = new Map<string, Promise<unknown>>();
  readonly #lookups = new FairShare({
    permits: LOOKUPS,
    maxWaiting: MAX_WAITING,
    refuse: () =>
      new AppError(
        'not_ready',
        'Too many keys and tokens from this address are being looked up. Send this one again shortly.',
      ),
  });
  #listening = false;
  /**
   * `#generation` increases with each change, and `#made` with each new key. A look-up does not cache its result if the
   * counter increased after the look-up began.
   */
  #generation = 0;
  #made = 0;

  /** @param reserved has the database connections for look-ups */
  constructor(ctx: Ctx, reserved: Ctx, maxUnknown = MAX_UNKNOWN) {
    this.#maxUnknown = maxUnknown;
    this.#ctx = ctx;
    this.#acrossTeams = acrossTeams(reserved); // We do not know the team before the look-up.
  }

  /** Handles a notification on ACCESS_CHANNEL. Its payload says that a key was made, or that something changed. */
  hear(payload: string): void {
    if (payload !== 'made') return this.forget();
    this.#made += 1;
    this.#unknown.clear();
    this.#asked.clear();
  }

  forget(): void {
    this.#generation += 1;
    this.#unknown.clear();
    this.#asked.clear();
    this.#teams.clear();
    this.#tokens.clear();
    this.#managers.clear();
    this.#sessions.clear();
  }

  lost(): void {
    this.#listening = false;
    this.forget();
  }

  listening(): void {
    this.#listening = true;
    this.forget();
  }

  team(key: string, address: string): Promise<TeamAccess | null> {
    return this.#look(this.#teams, { key, address }, async (hash) => {
      const row = await this.#acrossTeams.db
        .selectFrom('team_api_keys')
        .innerJoin('teams', 'teams.id', 'team_api_keys.team_id')
        .select(['team_api_keys.id as key_id', 'teams.id', 'teams.org_id', 'teams.settings', 'scopes', 'expires_at'])
        .select(
          sql<boolean>`revoked_at is null and (expires_at is null or expires_at > now())
            and teams.deleted_at is null`.as('opens'),
        )
        .where('key_hash', '=', hash)
        .$call(prepared('team key'))
        .executeTakeFirst();
      if (!row) return undefined;
      const { id, org_id } = row;
      const team = { id, org_id, settings: row.settings as TeamCtx['team']['settings'] };
      const scopes = row.scopes as KeyScope[] | null;
      return {
        access: {
          key: { kind: 'team_key', id: row.key_id, org_id, team_id: id },
          ctx: row.opens ? { ...forTeam(this.#ctx, team), keyId: row.key_id, keyScopes: scopes } : null,
          scopes,
        },
        expires: row.expires_at,
      };
    });
  }

  /**
   * Finds the team of an access token. The token is valid for an hour. It ends early if the management key that made it
   * ends, or if that key loses its access to the team.
   */
  token(key: string, address: string): Promise<TokenAccess | null> {
    return this.#look(this.#tokens, { key, address }, async (hash) => {
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

  management(key: string, address: string): Promise<ManagementAccess | null> {
    return this.#look(this.#managers, { key, address }, async (hash) => {
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

  /** Finds a session with the rights of its person, and the team if it is one of the organisation. */
  session(token: string, teamId: string | null, address: string): Promise<SessionAccess | null> {
    const key = teamId === null ? token : `${token} ${teamId}`;
    return this.#look(this.#sessions, { key, address }, async () => {
      const found = await findSessionOrNull(this.#acrossTeams, token, teamId);
      // With made-up teams, one person could fill the cache.
      return found && { ...found, isCached: teamId === null || found.access.team !== null };
    });
  }

  /**
   * Runs the look-up `find` for a caller from the network `address`. Look-ups have database connections of their own,
   * so they take none from teams. Networks share these connections in round robin. This function does not cache the
   * result.
   */
  lookUp<T>(address: string, find: (across: Ctx) => Promise<T>): Promise<T> {
    return this.#lookups.run({ org: address, team: address }, () => find(this.#acrossTeams));
  }

  /**
   * Runs `find` for a token that only we can make. If the token is unknown, we do not look it up again for a while.
   * Nobody can send a token before we have made it, so a new token is never among the unknown ones.
   */
  async lookUpToken<T>(token: string, address: string, find: (across: Ctx) => Promise<T | null>): Promise<T | null> {
    const name = hashKey(token).toString('base64');
    if ((this.#unknown.get(name) ?? 0) > Date.now()) return null;
    const found = await this.lookUp(address, find);
    if (found === null) this.#cacheUnknown(name);
    return found;
  }

  /** Returns the identity of a key that the operation does not accept, or null. The audit line names this key. */
  async identify(key: string, address: string): Promise<KeyIdentity | null> {
    const kind = readKey(key)?.kind ?? readToken(key);
    const found =
      kind === 'team'
        ? await this.team(key, address)
        : kind === 'management'
          ? await this.management(key, address)
          : kind === 'access' && (await this.token(key, address));
    return (found || null)?.key ?? null;
  }

  async #look<T>(
    cache: Map<string, Cached<T>>,
    { key, address }: { key: string; address: string },
    find: Find<T>,
  ): Promise<T | null> {
    const hash = hashKey(key);
    const name = hash.toString('base64');
    const hit = cache.get(name);
    if (hit && hit.until > Date.now()) return hit.access;
    if ((this.#unknown.get(name) ?? 0) > Date.now()) return null;
    const asked = this.#asked.get(name) as Promise<T | null> | undefined;
    if (asked && this.#listening) return asked;
    const response = this.lookUp(address, () => this.#find(cache, { hash, name }, find));
    this.#asked.set(name, response);
    const isOver = (): void => {
      if (this.#asked.get(name) === response) this.#asked.delete(name);
    };
    response.then(isOver, isOver);
    return response;
  }

  async #find<T>(
    cache: Map<string, Cached<T>>,
    { hash, name }: { hash: Buffer; name: string },
    find: Find<T>,
  ): Promise<T | null> {
    const [generation, made] = [this.#generation, this.#made];
    const found = await find(hash);
    if (!this.#listening || generation !== this.#generation || found?.isCached === false) return found?.access ?? null;
    if (!found) {
      if (made === this.#made) this.#cacheUnknown(name);
      return null;
    }
    if (cache.size >= MAX_CACHED) cache.clear();
    const expires = found.expires === null ? Infinity : Date.parse(found.expires);
    cache.set(name, { access: found.access, until: Math.min(Date.now() + CACHE_MS, expires) });
    return found.access;
  }

  #cacheUnknown(name: string): void {
    if (this.#unknown.size >= this.#maxUnknown) {
      const [oldest = ''] = this.#unknown.keys();
      this.#unknown.delete(oldest);
    }
    this.#unknown.set(name, Date.now() + CACHE_MS);
  }
}

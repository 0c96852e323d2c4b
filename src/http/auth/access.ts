import { sql } from 'kysely';
import type { Ctx, ManagementCtx, TeamCtx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { prepared } from '../../db/session/prepared.ts';
import { AppError } from '../../errors.ts';
import { FairShare } from '../../fair/fair-share.ts';
import { hashKey, readKey, readToken } from '../../tenancy/keys/key-value.ts';
import type { KeyScope } from '../../tenancy/keys/scopes.ts';
import { forTeam } from '../../tenancy/teams/scope.ts';
import { TransientMap } from '../../transient-map.ts';
import type { KeyIdentity } from './caller.ts';

/**
 * `ctx` is null where the key is known but opens nothing: it was revoked, has expired, or its team is deleted.
 * Requests share it.
 */
export type TeamAccess = { key: KeyIdentity; ctx: TeamCtx | null; scopes: readonly KeyScope[] | null };
/** With the management key that made the token. */
type TokenAccess = Omit<TeamAccess, 'scopes'> & { created_by: string };
export type ManagementAccess = { key: KeyIdentity; manager: Pick<ManagementCtx, 'org' | 'key'> | null };

/** Bounds how long a key outlives its revocation where a network swallows packets without breaking the connection. */
const CACHE_MS = 10_000;
const MOST_CACHED = 10_000;
/** As large as that of known keys: whoever makes up keys pushes out only what was made up before. */
const MOST_UNKNOWN = 10_000;
/** Look-ups at a time, of keys, tokens and signed links: each is one statement by an index. */
export const LOOKUPS = 2;
/** Look-ups that wait, by the address that they come from. */
const MOST_WAITING = 200;

type Cached<T> = { access: T; until: number };
type Find<T> = (hash: Buffer) => Promise<{ access: T; expires: string | null } | undefined>;

/**
 * Answers who a key belongs to, or that nobody knows it, without a query per request. Whatever changes a key, a team or
 * an organisation notifies every process, which then forgets everything, and so does whatever makes a key, by which a
 * process forgets what it did not know; while the listening connection is cut, nothing is cached. Look-ups, also those
 * of tokens and signed links, have connections of their own and are shared out by address, so that nobody who makes up
 * keys keeps others from being known, or takes a connection from a team.
 */
export class AccessCache {
  readonly #ctx: Ctx;
  readonly #acrossTeams: Ctx;
  readonly #mostUnknown: number;
  readonly #teams = new Map<string, Cached<TeamAccess>>();
  readonly #tokens = new Map<string, Cached<TokenAccess>>();
  readonly #managers = new Map<string, Cached<ManagementAccess>>();
  /** Hashes of what was no key when it was looked up, with when to look again; the oldest first. */
  readonly #unknown = new TransientMap<string, number>();
  /** Of equal keys that are sent together one is looked up, as long as nothing was changed since it was asked for. */
  readonly #asked = new Map<string, Promise<unknown>>();
  readonly #lookups = new FairShare({
    permits: LOOKUPS,
    mostWaiting: MOST_WAITING,
    refuse: () =>
      new AppError(
        'not_ready',
        'Too many keys and tokens are looked up for this address. Send this one again shortly.',
      ),
  });
  #listening = false;
  /** Raised by every change, and with every key that is made: what was being looked up meanwhile may be older. */
  #generation = 0;
  #made = 0;

  /** `reserved` has the connections of look-ups. */
  constructor(ctx: Ctx, reserved: Ctx, mostUnknown = MOST_UNKNOWN) {
    this.#mostUnknown = mostUnknown;
    this.#ctx = ctx;
    this.#acrossTeams = acrossTeams(reserved); // whose a key is, is what it is looked up for
  }

  /** What a notification of ACCESS_CHANNEL says: that a key was made, or that anything was changed. */
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

  /** Whom a token of an hour speaks for: it ends with the key that made it, and with that key's right to the team. */
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

  /**
   * Looks up what somebody shows who has no key: in turns of addresses, over connections that no request of a team
   * needs. `find` gets these. Its answer is not kept.
   */
  lookUp<T>(address: string, find: (across: Ctx) => Promise<T>): Promise<T> {
    return this.#lookups.run({ org: address, team: address }, () => find(this.#acrossTeams));
  }

  /**
   * The same of a token that is made here: one that nobody knew is not looked up again for a while. Nobody can show one
   * before it is made, so that nothing has to be forgotten then.
   */
  async lookUpToken<T>(token: string, address: string, find: (across: Ctx) => Promise<T | null>): Promise<T | null> {
    const name = hashKey(token).toString('base64');
    if ((this.#unknown.get(name) ?? 0) > Date.now()) return null;
    const found = await this.lookUp(address, find);
    if (found === null) this.#keepUnknown(name);
    return found;
  }

  /** Whose a key is that opens nothing here, for the audit log. */
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
    const answer = this.lookUp(address, () => this.#find(cache, { hash, name }, find));
    this.#asked.set(name, answer);
    const isOver = (): void => {
      if (this.#asked.get(name) === answer) this.#asked.delete(name);
    };
    answer.then(isOver, isOver);
    return answer;
  }

  async #find<T>(
    cache: Map<string, Cached<T>>,
    { hash, name }: { hash: Buffer; name: string },
    find: Find<T>,
  ): Promise<T | null> {
    const [generation, made] = [this.#generation, this.#made];
    const found = await find(hash);
    if (!this.#listening || generation !== this.#generation) return found?.access ?? null;
    if (!found) {
      if (made === this.#made) this.#keepUnknown(name);
      return null;
    }
    if (cache.size >= MOST_CACHED) cache.clear();
    const expires = found.expires === null ? Infinity : Date.parse(found.expires);
    cache.set(name, { access: found.access, until: Math.min(Date.now() + CACHE_MS, expires) });
    return found.access;
  }

  #keepUnknown(name: string): void {
    if (this.#unknown.size >= this.#mostUnknown) {
      const [oldest = ''] = this.#unknown.keys();
      this.#unknown.delete(oldest);
    }
    this.#unknown.set(name, Date.now() + CACHE_MS);
  }
}

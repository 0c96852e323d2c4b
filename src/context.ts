import type { BulkWork, GiveWay } from './bulk-work.ts';
import type { Config } from './config/options.ts';
import type { Db, Tx } from './db/open.ts';
import type { Aside } from './fair/fair-share.ts';
import type { Logger } from './log.ts';
import type { LongPolls } from './long-polls.ts';
import type { Cipher } from './privacy/cipher.ts';

/** What every verb may use. Made once at start; `db` is the pool, or the transaction the verb runs in. */
export type Ctx = {
  config: Config;
  db: Db;
  log: Logger;
  /** Connections for look-ups of keys, for requests of management keys and for /readyz; missing: those of `db`. */
  reserved?: Db;
  /** Connections for requests that need no key; missing: those of `db`. */
  ofStrangers?: Db;
  /** Where a request came from that needs no key. */
  address?: string;
  /** How long the request has waited that waits longest for its turn here; missing where none is served. */
  requestWaitMs?: () => number;
  /** Seals and opens personal columns, and makes the hashes that names are looked up by. */
  cipher: Cipher;
  /** Shares what takes many values at once among the teams of this process. */
  bulk: BulkWork;
  /** Requests that wait here for news of their team; missing where none are served. */
  polls?: LongPolls;
  /** What each wing gives a new team, in the transaction that makes it. */
  newTeam: readonly NewTeamStep[];
  /** What each of these users has connected: users know nothing of the wing that connects them. */
  connectedSources: (ctx: TeamCtx, userIds: string[]) => Promise<ReadonlyMap<string, ConnectedSource[]>>;
  /** Whose a link token is: the transport knows nothing of the wing that makes them. Null where nobody knows it. */
  findLinkSessionOrNull: (ctx: Ctx, token: string, across?: Ctx) => Promise<FoundLinkSession | null>;
  /** What follows in rooms above orders from new statuses of one, in the transaction that writes them. */
  followOrder: (ctx: TxCtx<TeamCtx>, order: FollowedOrder, statuses: string[]) => Promise<void>;
  /** What follows in the wings from another time zone of a user, in the transaction that writes it. */
  followTimeZone: (ctx: TxCtx<TeamCtx>, user: { id: string }) => Promise<void>;
  /** Aborted when the process begins to stop: it is no longer ready for new work. */
  stopping?: AbortSignal;
  /** Counts what came of work with providers and files, for the operator; missing where nobody measures. */
  count?: (counted: Counted) => void;
  /** Whether a statement of this process failed lately because the server's disk is full. */
  outOfSpace?: () => boolean;
  /** The line of a request in the audit log; missing where there is no request. */
  line?: RequestLine;
};

/** What an operation adds to the line of its request in the audit log. */
export type RequestLine = {
  /** Whose act the request is, where the operation takes no key but something else that was made here. */
  actor: (key: ActorOfRequest, records?: string[]) => void;
  /** Ids that neither the input nor the answer names. */
  names: (...ids: string[]) => void;
};

/** What was shown by whoever acts, by its own id, with whom it belongs to. */
export type ActorOfRequest = {
  kind: 'team_key' | 'access_token' | 'user_token' | 'link_token' | 'link_code' | 'management_key' | 'signed_link';
  id: string;
  org_id: string;
  team_id: string | null;
};

/**
 * Something that an operator counts, by how it went. Words of a bounded set, and nothing of a team or user: they are labels of
 * metrics.
 */
export type Counted =
  | { what: 'pull_window' | 'poll' | 'hook'; provider: string; outcome: string }
  | { what: 'import'; outcome: string }
  | { what: 'skipped'; provider: string; resource: string; many: number }
  | { what: 'pipeline'; many: number };

/** What the browser of a user may do by a link token: connect that user to a provider, once. */
type LinkSession = {
  /** Of the token. */
  id: string;
  /** The token itself; null where its session was found by another way. */
  token: string | null;
  user: { id: string; client_user_id: string };
  /** The one provider that it is for; null: any of `filter_on_providers`, or of all. */
  provider: string | null;
  filter_on_providers: string[] | null;
  /** Where the browser goes in the end, which the team allows; null: it stays here. */
  redirect_url: string | null;
  on_error: 'redirect' | null;
  on_close: 'redirect' | null;
};

/** A Ctx on behalf of a link token. */
export type LinkCtx = TeamCtx & { link: LinkSession };

/** A link token that is known, and what it opens; null with the reason where it opens nothing any more. */
export type FoundLinkSession = {
  id: string;
  org_id: string;
  team_id: string;
  /** The key that made it; null where nobody knows. */
  made_by: string | null;
  ctx: LinkCtx | null;
  ended: 'token_expired' | 'token_consumed' | 'invalid_token' | null;
};

/** A provider that a user has connected, as the user is shown. */
export type ConnectedSource = { provider: NamedProvider; created_on: string; source: NamedProvider };
type NamedProvider = { name: string; slug: string; logo: string };

/** What others need to know of an order that got new statuses. */
export type FollowedOrder = {
  row: { id: string; user_id: string; order_transaction_id: string; method: string };
  user: { id: string; client_user_id: string };
};

type NewTeamStep = (ctx: TxCtx, teamId: string) => Promise<void>;

/** A Ctx inside a transaction. */
export type TxCtx<C extends Ctx = Ctx> = Omit<C, 'db'> & { db: Tx };

type TeamSettings = {
  minor_ordering_enabled?: boolean | null;
  backfill_events_enabled?: boolean;
  full_patient_details_in_webhooks?: boolean | null;
  reject_duplicate_connection?: boolean | null;
  patient_experience?: boolean;
  link_redirect_urls?: string[] | null;
  /** How often the team's signed links were ended. */
  signed_link_generation?: number;
  /** Whether links end with the key that they were obtained with; null: with one that has limited scopes. */
  signed_links_end_with_key?: boolean | null;
  [setting: string]: unknown;
};

/** A Ctx on behalf of one team: every query of it is filtered by `team.id`. */
export type TeamCtx = Ctx & {
  team: { id: string; org_id: string; settings: TeamSettings };
  /** Who calls by a token of its own: no other user is known to it. */
  onlyUser?: string;
  /** The key that is called by, or that made the token of an hour: tokens of users end with it. Missing where no key calls. */
  keyId?: string;
  /** What the key that is called by is limited to; null or missing where it is not, or no key calls. */
  keyScopes?: readonly string[] | null;
  /** The word of the header `x-<word>-api-key` that brought the key; missing where no such header did. */
  headerWord?: string;
  /** Gives the place of a request back while `pause` runs, which does without the database; missing where there is none. */
  aside?: Aside;
  /** Aborted when the client of a request that waits or lasts has gone away, or has all of its answer; missing where there is none. */
  gone?: AbortSignal;
  /** Of what lasts: throws where its caller's key opens it no longer; missing where nobody calls. */
  stillOpens?: () => Promise<void>;
  /** Of a batch in its turn: lets requests of other teams that want little go first; missing in what is no batch. */
  giveWay?: GiveWay;
};

/** A Ctx on behalf of a link that we signed: it opens one record, as one kind of document. */
export type SignedCtx = TeamCtx & {
  signedId: string;
  /** When the link ends, in seconds since 1970: what it leads to ends no later. */
  signedUntil: number;
};

/** A Ctx on behalf of a link that we signed for a person of an organisation: it opens one record of the organisation's own. */
export type OrgSignedCtx = Ctx & {
  org: { id: string; name: string };
  signedId: string;
  /** When the link ends, in seconds since 1970. */
  signedUntil: number;
};

/** A Ctx on behalf of an organisation's management key. */
export type ManagementCtx = Ctx & {
  org: { id: string; plan: 'launch' | 'grow' | 'scale' };
  key: { id: string; role: 'org_admin' | 'team_admin'; team_ids: string[] | null };
  /** As of a TeamCtx. */
  aside?: Aside;
};

/** A ManagementCtx for several teams at once: those that the request names, or all that the key opens. */
export type TeamsCtx = ManagementCtx & {
  /** Each is the organisation's and open to the key; null: every team of the organisation. */
  teamIds: string[] | null;
  /** Whether the request names them. */
  namesTeams: boolean;
};

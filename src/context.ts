import type { BatchScheduler, GiveWay } from './batch-scheduler.ts';
import type { Config } from './config/options.ts';
import type { Db, Tx } from './db/open-database.ts';
import type { Aside } from './fair/fair-share.ts';
import type { Logger } from './log.ts';
import type { LongPolls } from './long-polls.ts';
import type { Plan } from './plans.ts';
import type { Cipher } from './privacy/cipher.ts';
import type { Traces } from './traces/traces.ts';

/**
 * The context of every service function. We make it once at the start of the process. `db` is the pool, or the
 * transaction of the service function.
 */
export type Ctx = {
  config: Config;
  db: Db;
  log: Logger;
  /** Connections for look-ups of keys, for requests with management keys, and for /readyz. Default: those of `db`. */
  reserved?: Db;
  /** Connections for anonymous callers. Default: those of `db`. */
  forAnonymousCallers?: Db;
  /** The network address of an anonymous caller. */
  address?: string;
  /**
   * Returns how long the oldest waiting request has waited for a permit. Missing in a process that serves no requests.
   */
  requestWaitMs?: () => number;
  /** Seals and opens personal columns, and makes look-up hashes. */
  cipher: Cipher;
  batches: BatchScheduler;
  /** The long polls of this process. Missing in a process that serves no requests. */
  polls?: LongPolls;
  /** Functions of higher modules that lower modules call, when something happens or to look something up. */
  subscriptions: Subscriptions;
  /** Aborted when the process begins to stop. The process then accepts no new work. */
  stopping?: AbortSignal;
  /** Counts the results of work with providers and files, for the metrics. Missing if nothing is measured. */
  count?: (counted: CountedOutcome) => void;
  /** Sends traces to a collector. Missing if the option is not set. */
  traces?: Traces;
  /** Returns true if a statement of this process failed recently because the server's disk is full. */
  outOfSpace?: () => boolean;
  /** Adds to the audit line of the request. Missing if there is no request. */
  line?: RequestLine;
  /** The person who is signed in. Missing if the caller is not a session. */
  person?: Person;
};

/** A person who is signed in to the dashboard. */
export type Person = {
  /** `operator`: whoever runs the deployment. All others are members, also people of an EHR. */
  kind: 'member' | 'operator';
  session_id: string;
  /** Null for a person of an EHR and for the operator. */
  member_id: string | null;
  /** The id of a person of an EHR. Null for all others. */
  ehr_member_id: string | null;
  name: string;
};

/** An operation uses this to add to the audit line of its request. */
export type RequestLine = {
  /**
   * Sets the actor of the audit line. It is for operations that accept no key, but another credential that we made,
   * such as a link code.
   */
  actor: (key: ActorOfRequest, records?: string[]) => void;
  /** Adds ids that are neither in the input nor in the response. */
  names: (...ids: string[]) => void;
};

/** The id of an actor's credential, with its owner. */
export type ActorOfRequest = {
  kind:
    | 'team_key'
    | 'access_token'
    | 'user_token'
    | 'link_token'
    | 'link_code'
    | 'management_key'
    | 'signed_link'
    | 'session';
  id: string;
  /** Of a session: the member or the person of an EHR. Null for the operator. */
  person_id?: string | null;
  org_id: string;
  team_id: string | null;
};

/**
 * Something that the metrics count, with its outcome. All texts are labels of metrics. Each different label costs
 * memory, so texts come from small fixed sets and never name a team or a user.
 */
export type CountedOutcome =
  | { what: 'pull_window' | 'poll' | 'hook'; provider: string; outcome: string }
  | { what: 'import'; outcome: string }
  | { what: 'skipped'; provider: string; resource: string; many: number }
  | { what: 'pipeline'; many: number };

/** The session of a link token. With it, the browser of a user can connect that user to a provider once. */
type LinkSession = {
  id: string;
  /** The token itself. Null if we found the session in another way. */
  token: string | null;
  user: { id: string; client_user_id: string };
  /**
   * The only provider that the user can connect. Null: any of `filter_on_providers`, or any provider if that is also
   * null.
   */
  provider: string | null;
  filter_on_providers: string[] | null;
  /**
   * The page to which we redirect the browser at the end, if the team allows it. Null: the browser stays on our page.
   */
  redirect_url: string | null;
  on_error: 'redirect' | null;
  on_close: 'redirect' | null;
};

/** The context of a request with a link token. */
export type LinkCtx = TeamCtx & { link: LinkSession };

/**
 * A link token that we know, with its context. If the token is not valid any more, `ctx` is null and `ended` has the
 * reason.
 */
export type FoundLinkSession = {
  id: string;
  org_id: string;
  team_id: string;
  /** The id of the key that made the token. Null if we do not know it. */
  made_by: string | null;
  ctx: LinkCtx | null;
  ended: 'token_expired' | 'token_consumed' | 'invalid_token' | null;
};

/** A provider that a user has connected, as a response contains it. */
export type ConnectedSource = { provider: NamedProvider; created_on: string; source: NamedProvider };
type NamedProvider = { name: string; slug: string; logo: string };

/** The parts of an order that other modules need when it gets new statuses, or when its events are sent again. */
export type FollowedOrder = {
  row: { id: string; user_id: string; order_transaction_id: string; method: string; sample_id: string | null };
  user: { id: string; client_user_id: string };
};

/** The time of the events to send again. Null on both sides means all events. */
export type ResendWindow = { start_at: string | null; end_at: string | null };

/**
 * Functions that lower modules call. The functions of a list run one after another, in the transaction of the change.
 * `src/subscriptions.ts` fills the lists.
 */
export type Subscriptions = {
  /** Called when a team was created. */
  teamCreated: readonly ((ctx: TxCtx, teamId: string) => Promise<void>)[];
  /** Called when an order got new statuses. */
  orderStatusesAppended: readonly ((ctx: TxCtx<TeamCtx>, order: FollowedOrder, statuses: string[]) => Promise<void>)[];
  /** Called when the events of an order in a window were published again. */
  orderEventsResent: readonly ((ctx: TxCtx<TeamCtx>, order: FollowedOrder, window: ResendWindow) => Promise<void>)[];
  /** Called when a user got another time zone. */
  timeZoneChanged: readonly ((ctx: TxCtx<TeamCtx>, user: { id: string }) => Promise<void>)[];
  /** Finds the providers that each of these users has connected. */
  connectedSources: (ctx: TeamCtx, userIds: string[]) => Promise<ReadonlyMap<string, ConnectedSource[]>>;
  /** Finds the session of a link token. Returns null if no such token was ever made. */
  findLinkSessionOrNull: (ctx: Ctx, token: string, across?: Ctx) => Promise<FoundLinkSession | null>;
};

/** A context inside a transaction. */
export type TxCtx<C extends Ctx = Ctx> = Omit<C, 'db'> & { db: Tx };

type TeamSettings = {
  minor_ordering_enabled?: boolean | null;
  backfill_events_enabled?: boolean;
  full_patient_details_in_webhooks?: boolean | null;
  reject_duplicate_connection?: boolean | null;
  patient_experience?: boolean;
  link_redirect_urls?: string[] | null;
  /** How many times the team has ended all its signed links. */
  signed_link_generation?: number;
  /** True if links end with the key that requested them. Null: they do so only if the key is limited to scopes. */
  signed_links_end_with_key?: boolean | null;
  [setting: string]: unknown;
};

/** The context of one team. Every query is filtered by `team.id`. */
export type TeamCtx = Ctx & {
  team: { id: string; org_id: string; settings: TeamSettings };
  /** The only user that the caller's user token opens. For every other user, the response is a 404. */
  onlyUser?: string;
  /**
   * The id of the caller's key, of the key that made the caller's access token, of the member or person of an EHR who
   * is signed in, or of the operator's session. What the caller makes, such as user tokens, ends with it. Missing if
   * there is no key.
   */
  keyId?: string;
  /** The person who is signed in and makes the request. Missing if the caller has a key. */
  person?: Person;
  /** The scopes of the caller's key. Null or missing if the key is not limited to scopes, or if there is no key. */
  keyScopes?: readonly string[] | null;
  /**
   * The word in the name of the header `x-<word>-api-key` that contained the key. Missing if another header contained
   * it.
   */
  headerWord?: string;
  /**
   * Gives the permit of the request to others while `pause` runs. `pause` must not use the database. Missing if the
   * request has no permit.
   */
  aside?: Aside;
  /**
   * For an operation with `waits` or `lasts`: aborted when the client has disconnected or has the complete response.
   * Missing for other operations.
   */
  gone?: AbortSignal;
  /** For an operation with `lasts`: throws if the caller has lost its access. Missing if there is no caller. */
  stillOpens?: () => Promise<void>;
  /**
   * The moment in the past at which the orders, appointments and results that we write happened. Only the demo clinic
   * sets it. Missing: now.
   */
  happenedAt?: string;
  /** For a running batch: pauses while interactive requests of other teams run. Missing outside of batches. */
  giveWay?: GiveWay;
};

/** The context of a link that we signed. The link opens one record as one kind of document. */
export type SignedCtx = TeamCtx & {
  signedId: string;
  /** The expiry of the link in seconds since 1970. Further links that are made for its reader expire no later. */
  signedUntil: number;
};

/**
 * The context of a link that we signed for a person of an organisation. The link opens one record of the organisation
 * itself.
 */
export type OrgSignedCtx = Ctx & {
  org: { id: string; name: string };
  signedId: string;
  /** The expiry of the link in seconds since 1970. */
  signedUntil: number;
};

/** The context of an organisation's management key, or of a session that may do what such a key may do. */
export type ManagementCtx = Ctx & {
  org: { id: string; plan: Plan };
  /** Of a session: its id and the rights of its person. */
  key: { id: string; role: 'org_admin' | 'team_admin'; team_ids: string[] | null };
  /** See TeamCtx. */
  aside?: Aside;
};

/** A ManagementCtx for several teams: the teams that the request names, or all teams of the key. */
export type TeamsCtx = ManagementCtx & {
  /** The ids of teams of the organisation to which the key has access. Null: every team of the organisation. */
  teamIds: string[] | null;
  /** True if the request names these teams. */
  namesTeams: boolean;
};

/** The rights of a person in an organisation. Only a team_admin has teams. */
export type MemberRights = { role: 'org_admin' | 'team_admin' | 'no_role'; team_ids: string[] | null };

/** The context of a session, for operations of the session itself. */
export type SessionCtx = Ctx & {
  person: Person;
  session: { id: string; created_at: string; expires_at: string; csrf_token: string };
  org: { id: string; name: string; plan: Plan };
  rights: MemberRights;
  /** Null for the operator. */
  email: string | null;
};

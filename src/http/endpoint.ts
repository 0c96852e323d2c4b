import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { Ctx, LinkCtx, ManagementCtx, OrgSignedCtx, SignedCtx, TeamCtx, TeamsCtx } from '../context.ts';
import type { ErrorCode } from '../errors.ts';
import { areaOf, type Area, type TeamTag } from './areas.ts';
import type { AnswerKind, AnswerOf, BodyKind, BodyOf } from './media.ts';

/**
 * Who may call: a team by its API key, that or one of its users by a token of an hour, a user's browser by a link token,
 * an organisation by a management key, whoever has a link that we signed, or anybody. What users may call names them in its path
 * as `user_id`; what a signed link opens has the path `/documents/<kind>/{token}`, and the record is `signedId` of its ctx; `org_signature` is the same for records of
 * an organisation itself.
 */
export type Auth =
  'team_key' | 'team_key_or_user_token' | 'link_token' | 'management_key' | 'signature' | 'org_signature' | 'none';

/**
 * What a management key must be good for. `org`: the organisation itself, so Team Management Keys get 403. `team`: the
 * team named by `team_id` in the path or else the body, found before `handle`: its ctx has `team`, another
 * organisation's is 404, and one that a Team Management Key is not bound to is 403. `teams`: the teams that `team_ids` in the body or
 * `team_id` in the query name, each as with `team`; where none is named, those of the key (`teamIds` of the ctx).
 */
export type Scope = 'org' | 'team' | 'teams';

/** What whoever runs a production deployment opens team by team; a sandbox has all of it. */
export type ClosedBeta = 'continuous_queries' | 'etl_pipelines' | 'lab_report_parser';

type CtxOf<A extends Auth, S extends Scope | undefined> = A extends 'team_key' | 'team_key_or_user_token'
  ? TeamCtx
  : A extends 'link_token'
    ? LinkCtx
    : A extends 'signature'
      ? SignedCtx
      : A extends 'org_signature'
        ? OrgSignedCtx
        : A extends 'management_key'
          ? S extends 'team'
            ? ManagementCtx & TeamCtx
            : S extends 'teams'
              ? TeamsCtx
              : ManagementCtx
          : Ctx;
type Part<T extends TSchema | undefined> = T extends TSchema ? Static<T> : undefined;
type Parameters = TObject<TProperties> | undefined;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Status = 200 | 201 | 202 | 204 | 302;

export type Deprecation = {
  /** Day since which the operation is deprecated, `YYYY-MM-DD` (RFC 9745). */
  since: string;
  /** Day from which it may be gone (RFC 8594). */
  sunset?: string;
  /** Path of what replaces it. */
  successor: string;
};

export type DeprecatedField = { since: string; documentation: string };

/** The day of those of which the interface names one; what replaces them stands in the introduction of the document. */
export const deprecatedField: DeprecatedField = {
  since: '2025-06-01',
  documentation: '/docs#description/deprecated-fields',
};

type Shown = {
  /** Stable name of the operation: OpenAPI's operationId, the scope of idempotency keys, the label in metrics and audit. */
  id: string;
  method: Method;
  /** With `{name}` for each parameter. */
  path: string;
  summary: string;
  description?: string;
  deprecated?: Deprecation;
  /** Keys of the body that are deprecated (`address.unit` is one within another), with the day since when and where it is told what replaces them. */
  deprecatedFields?: Readonly<Record<string, DeprecatedField>>;
  /** Another path of an operation that the reference page shows already. */
  alias?: boolean;
};

/** What a team's own key opens, wholly or as far as its scopes reach. */
type TeamAuth = 'team_key' | 'team_key_or_user_token';

type Definition<
  A extends Auth,
  S extends Scope | undefined,
  P extends Parameters,
  Q extends Parameters,
  B extends BodyKind | undefined,
  R extends AnswerKind | undefined,
> = Shown & {
  /** What a team's key opens has a tag whose area is known (areas.ts). */
  tag: A extends TeamAuth ? TeamTag : string;
  /** Where it reaches another area than its tag says: a key that is limited to this one opens it. */
  area?: A extends TeamAuth ? Area : never;
  /** Refused, before `handle`, to a team to which it is not open. */
  closedBeta?: A extends TeamAuth ? ClosedBeta : S extends 'team' | 'teams' ? ClosedBeta : never;
  /** A POST that asks and changes nothing: a key that only reads may send it. */
  readsOnly?: boolean;
  /** Left out: the team key. It cannot be forgotten, only chosen. */
  auth?: A;
  scope?: S;
  params?: P;
  query?: Q;
  /** A schema for JSON, or one of the kinds in media.ts. */
  body?: B;
  /** The answer shows a secret: where it is kept for an idempotency key, only the caller's own key opens it. */
  secretAnswer?: boolean;
  /** Name of the cookie whose value `handle` gets. */
  cookie?: string;
  /** Names of headers, in lower case, whose values `handle` gets; null where one is missing. */
  headers?: readonly string[];
  /** Takes rights away: the answer waits until every process has heard of it. */
  revokes?: boolean;
  /** Erases somebody at once: the name of the parameter with their id, whom no stored answer tells of from then on. */
  erases?: Extract<keyof Part<P>, string>;
  /** Waits for something outside: its verb takes transactions of its own, and none while it waits. */
  waits?: boolean;
  /** Its answer may come long after it was asked for, or be long under way: `stillOpens` of its ctx asks for the key again. */
  lasts?: boolean;
  /** A schema for JSON, or one of the kinds in media.ts; left out: no body. */
  response?: R;
  /** Left out: 200 with a body, 204 without, 302 for a redirect. */
  status?: Status;
  /** Every code that the verb can refuse with; those of key, scope, size and validation go without saying. */
  refusals?: readonly ErrorCode[];
  /** What a refusal says beside detail, code and request_id, where the interface names such keys. */
  refusedWith?: Readonly<Partial<Record<ErrorCode, TObject>>>;
  handle: (
    ctx: CtxOf<A, S>,
    input: {
      params: Part<P>;
      query: Part<Q>;
      body: BodyOf<B>;
      cookie: string | null;
      headers: Readonly<Record<string, string | null>>;
    },
  ) => Promise<AnswerOf<R> | (R extends undefined ? void : never)>;
};

/** An operation of the service: route, refusals, validation, answer, documentation all come from this one object. */
export type Endpoint = Shown & {
  tag: string;
  auth: Auth;
  /** What of a team's data it reaches; null of what no team key opens. */
  area: Area | null;
  /** Whether it only reads. */
  reads: boolean;
  closedBeta: ClosedBeta | null;
  scope: Scope | null;
  params?: TObject | undefined;
  query?: TObject | undefined;
  body?: BodyKind | undefined;
  secretAnswer: boolean;
  cookie: string | null;
  headers: readonly string[];
  revokes: boolean;
  erases: string | null;
  waits: boolean;
  lasts: boolean;
  response?: AnswerKind | undefined;
  status: Status;
  refusals: readonly ErrorCode[];
  refusedWith: Readonly<Partial<Record<ErrorCode, TObject>>>;
  handle: (ctx: never, input: never) => Promise<unknown>;
};

/** Declares an operation; `handle` gets exactly the types its schemas promise. */
export function endpoint<
  const A extends Auth = 'team_key',
  const S extends Scope | undefined = undefined,
  P extends Parameters = undefined,
  Q extends Parameters = undefined,
  B extends BodyKind | undefined = undefined,
  R extends AnswerKind | undefined = undefined,
>(definition: Definition<A, S, P, Q, B, R>): Endpoint {
  const { response, tag } = definition;
  const auth = definition.auth ?? 'team_key';
  const opensToTeams = auth === 'team_key' || auth === 'team_key_or_user_token';
  const usual = response === undefined ? 204 : 'media' in response && response.media === 'redirect' ? 302 : 200;
  return {
    ...definition,
    auth,
    area: opensToTeams ? (definition.area ?? areaOf(tag as TeamTag)) : null,
    reads: definition.method === 'GET' || (definition.readsOnly ?? false),
    scope: definition.scope ?? null,
    closedBeta: definition.closedBeta ?? null,
    secretAnswer: definition.secretAnswer ?? false,
    cookie: definition.cookie ?? null,
    headers: definition.headers ?? [],
    revokes: definition.revokes ?? false,
    erases: definition.erases ?? null,
    waits: definition.waits ?? false,
    lasts: definition.lasts ?? false,
    status: definition.status ?? usual,
    refusals: definition.refusals ?? [],
    refusedWith: definition.refusedWith ?? {},
  };
}

import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type {
  Ctx,
  LinkCtx,
  ManagementCtx,
  OrgSignedCtx,
  SessionCtx,
  SignedCtx,
  TeamCtx,
  TeamsCtx,
} from '../context.ts';
import type { ErrorCode } from '../errors.ts';
import { areaOf, type Area, type TeamTag } from './areas.ts';
import type { Beta } from './betas.ts';
import type { ResponseKind, ResponseOf, BodyKind, BodyOf } from './media.ts';

/**
 * Who may call the operation:
 * - `team_key`: a team with its API key, or a person who is signed in and names the team in `x-phial-team`.
 * - `team_key_or_user_token`: a team with its API key, or one of its users with a token that is valid for an hour. The
 *   path names the user as `user_id`.
 * - `link_token`: a user's browser with a link token.
 * - `management_key`: an organisation with a management key, or a person who is signed in.
 * - `session`: a person who is signed in.
 * - `signature`: everybody who has a link that we signed. The path is `/documents/<kind>/{token}`, and `signedId` of
 *   the ctx is the id of the record.
 * - `org_signature`: the same for records of an organisation.
 * - `none`: everybody.
 */
export type Auth =
  | 'team_key'
  | 'team_key_or_user_token'
  | 'link_token'
  | 'management_key'
  | 'session'
  | 'signature'
  | 'org_signature'
  | 'none';

/**
 * What a management key must be valid for:
 * - `org`: the organisation itself. A Team Management Key gets a 403.
 * - `team`: the team that the request names, by `team_id` in the path or else in the body. We find the team before
 *   `handle`, and `team` of the ctx is the team. If the team belongs to another organisation, the response is a 404. If
 *   the key is a Team Management Key that is not bound to the team, the response is a 403.
 * - `teams`: the teams that the request names, by `team_ids` in the body or `team_id` in the query. We check each of
 *   them as with `team`. If the request names none, these are the teams of the key. The ctx has their ids in `teamIds`.
 */
export type Scope = 'org' | 'team' | 'teams';

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
          : A extends 'session'
            ? SessionCtx
            : Ctx;
type Part<T extends TSchema | undefined> = T extends TSchema ? Static<T> : undefined;
type Parameters = TObject<TProperties> | undefined;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Status = 200 | 201 | 202 | 204 | 302;

export type Deprecation = {
  /** The day on which the operation became deprecated, `YYYY-MM-DD` (RFC 9745). */
  since: string;
  /** The day after which the operation may be removed (RFC 8594). */
  sunset?: string;
  /** The path of the operation that replaces this one. */
  successor: string;
};

export type DeprecatedField = { since: string; documentation: string };

/**
 * The only date on which our API documentation calls fields deprecated, and its section that names the fields to use
 * instead.
 */
export const deprecatedField: DeprecatedField = {
  since: '2025-06-01',
  documentation: '/docs/introduction#deprecated-fields',
};

type OperationTexts = {
  /**
   * The stable name of the operation. It is the operationId in OpenAPI, the scope of idempotency keys, and the label in
   * metrics and in the audit log.
   */
  id: string;
  method: Method;
  /** The path, with `{name}` for each parameter. */
  path: string;
  summary: string;
  description?: string;
  deprecated?: Deprecation;
  /**
   * Deprecated fields of the body (`address.unit` is a nested one). Each has its date and the documentation of the
   * field that replaces it.
   */
  deprecatedFields?: Readonly<Record<string, DeprecatedField>>;
  /** The page of ours on which people ask for a new link, for operations that open a link. */
  askAgainAt?: string;
  /** True if this is another path of an operation that the reference page already shows. */
  alias?: boolean;
};

/** The ways to authenticate with a team API key. The scopes of the key must also allow the operation. */
type TeamAuth = 'team_key' | 'team_key_or_user_token';

type Definition<
  A extends Auth,
  S extends Scope | undefined,
  P extends Parameters,
  Q extends Parameters,
  B extends BodyKind | undefined,
  R extends ResponseKind | undefined,
> = OperationTexts & {
  /** The tag. If a team API key can call the operation, the tag must have an area (areas.ts). */
  tag: A extends TeamAuth ? TeamTag : string;
  /**
   * The area that the operation reads or changes. Set it if it is another area than that of the tag. A key that is
   * limited to scopes needs a scope of this area.
   */
  area?: A extends TeamAuth ? Area : never;
  /** The beta that must be open to the team. Otherwise we refuse the request before `handle`. */
  beta?: A extends TeamAuth ? Beta : S extends 'team' | 'teams' ? Beta : never;
  /** True if only the operator of the deployment may call it, signed in to the organisation that the path names. */
  operatorOnly?: A extends 'management_key' ? boolean : never;
  /** True for a POST that only reads. A read-only key may call it. */
  readsOnly?: boolean;
  /** Default: `team_key`. */
  auth?: A;
  scope?: S;
  params?: P;
  query?: Q;
  /** A schema for JSON, or one of the kinds in media.ts. */
  body?: B;
  /**
   * True if the response contains a secret. If we store the response for an idempotency key, only the caller's own API
   * key opens it.
   */
  secretResponse?: boolean;
  /** The name of a cookie of `hostCookie`, without its prefix. `handle` gets the value. */
  cookie?: string;
  /** Names of request headers in lower case. `handle` gets their values, and null for a missing header. */
  headers?: readonly string[];
  /**
   * True if the operation revokes rights. We then delay the response until the other processes know of the revocation.
   */
  revokes?: boolean;
  /**
   * The name of the path parameter with the id of a person whom the operation erases at once. After that, no stored
   * response contains this id.
   */
  erases?: Extract<keyof Part<P>, string>;
  /**
   * True if the operation waits for something outside of Phial. Its service function opens its own transactions, and
   * has none open while it waits.
   */
  waits?: boolean;
  /**
   * True if the response may begin late or take long. The caller may lose its rights meanwhile, so `stillOpens` of the
   * ctx checks them again.
   */
  lasts?: boolean;
  /** A schema for JSON, or one of the kinds in media.ts. Default: no body. */
  response?: R;
  /** The status of a successful response. Default: 200 with a body, 204 without, 302 for a redirect. */
  status?: Status;
  /**
   * Every code with which the service function can refuse. We add the codes for key, scope, size and validation
   * automatically.
   */
  refusals?: readonly ErrorCode[];
  /** Properties of a refusal in addition to `detail`, `code` and `request_id`, by code. */
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
  ) => Promise<ResponseOf<R> | (R extends undefined ? void : never)>;
};

/** A declared operation. Its route, refusals, validation, response and documentation all come from this object. */
export type Operation = OperationTexts & {
  tag: string;
  auth: Auth;
  /** The area of a team's data that the operation reads or changes. Null if no team key can call it. */
  area: Area | null;
  /** True if the operation only reads. */
  reads: boolean;
  beta: Beta | null;
  operatorOnly: boolean;
  scope: Scope | null;
  params?: TObject | undefined;
  query?: TObject | undefined;
  body?: BodyKind | undefined;
  secretResponse: boolean;
  cookie: string | null;
  headers: readonly string[];
  revokes: boolean;
  erases: string | null;
  waits: boolean;
  lasts: boolean;
  response?: ResponseKind | undefined;
  status: Status;
  refusals: readonly ErrorCode[];
  refusedWith: Readonly<Partial<Record<ErrorCode, TObject>>>;
  handle: (ctx: never, input: never) => Promise<unknown>;
};

/** Declares an operation. The types of the arguments of `handle` follow from the schemas. */
export function operation<
  const A extends Auth = 'team_key',
  const S extends Scope | undefined = undefined,
  P extends Parameters = undefined,
  Q extends Parameters = undefined,
  B extends BodyKind | undefined = undefined,
  R extends ResponseKind | undefined = undefined,
>(definition: Definition<A, S, P, Q, B, R>): Operation {
  const { response, tag } = definition;
  const auth = definition.auth ?? 'team_key';
  const opensToTeams = auth === 'team_key' || auth === 'team_key_or_user_token';
  const media = response !== undefined && 'media' in response ? response.media : null;
  const usual = response === undefined || media === 'cookie' ? 204 : media === 'redirect' ? 302 : 200;
  return {
    ...definition,
    auth,
    area: opensToTeams ? (definition.area ?? areaOf(tag as TeamTag)) : null,
    reads: definition.method === 'GET' || (definition.readsOnly ?? false),
    scope: definition.scope ?? null,
    beta: definition.beta ?? null,
    operatorOnly: definition.operatorOnly ?? false,
    secretResponse: definition.secretResponse ?? false,
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

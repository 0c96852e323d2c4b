import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { Ctx, ManagementCtx, TeamCtx } from '../context.ts';

/** Who may call: a team by its API key, an organisation by a management key, or anybody. */
export type Auth = 'team_key' | 'management_key' | 'none';

type CtxOf<A extends Auth> = A extends 'team_key' ? TeamCtx : A extends 'management_key' ? ManagementCtx : Ctx;
type Part<T extends TSchema | undefined> = T extends TSchema ? Static<T> : undefined;
type Parameters = TObject<TProperties> | undefined;

export type Deprecation = {
  /** Day since which the operation is deprecated, `YYYY-MM-DD` (RFC 9745). */
  since: string;
  /** Day from which it may be gone (RFC 8594). */
  sunset?: string;
  /** Path of what replaces it. */
  successor: string;
};

type Definition<
  A extends Auth,
  P extends Parameters,
  Q extends Parameters,
  B extends TSchema | undefined,
  R extends TSchema | undefined,
> = {
  /** Stable name of the operation: OpenAPI's operationId, the scope of idempotency keys, the label in metrics. */
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With `{name}` for each parameter. */
  path: string;
  summary: string;
  description?: string;
  tag: string;
  /** Left out: the team key. It cannot be forgotten, only chosen. */
  auth?: A;
  /** Refused to Team Management Keys with 403 insufficient_scope. */
  orgOnly?: boolean;
  params?: P;
  query?: Q;
  body?: B;
  /** The answer shows a secret: where it is kept for an idempotency key, only the caller's own key opens it. */
  secretAnswer?: boolean;
  /** Shape of the success answer; left out: no body. */
  response?: R;
  status?: 200 | 201 | 204;
  deprecated?: Deprecation;
  handle: (
    ctx: CtxOf<A>,
    input: { params: Part<P>; query: Part<Q>; body: Part<B> },
  ) => Promise<Part<R> | (R extends undefined ? void : never)>;
};

/** An operation of the service: route, refusals, validation, answer, documentation all come from this one object. */
export type Endpoint = {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  description?: string;
  tag: string;
  auth: Auth;
  orgOnly: boolean;
  secretAnswer: boolean;
  params?: TObject | undefined;
  query?: TObject | undefined;
  body?: TSchema | undefined;
  response?: TSchema | undefined;
  status: 200 | 201 | 204;
  deprecated?: Deprecation;
  handle: (ctx: never, input: never) => Promise<unknown>;
};

/** Declares an operation; `handle` gets exactly the types its schemas promise. */
export function endpoint<
  const A extends Auth = 'team_key',
  P extends Parameters = undefined,
  Q extends Parameters = undefined,
  B extends TSchema | undefined = undefined,
  R extends TSchema | undefined = undefined,
>(definition: Definition<A, P, Q, B, R>): Endpoint {
  return {
    ...definition,
    auth: definition.auth ?? 'team_key',
    orgOnly: definition.orgOnly ?? false,
    secretAnswer: definition.secretAnswer ?? false,
    status: definition.status ?? (definition.response ? 200 : 204),
  };
}

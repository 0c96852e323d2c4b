import { statusOf, type Code, type RefusalStatus } from '../error-response.ts';
import { AUTH_KINDS } from '../auth/kinds.ts';
import { declaredCodes } from '../response/declared-codes.ts';
import type { Operation } from '../../operation/operation.ts';
import { headers, headersOf, headersOfShared, type HeaderName } from './response-headers.ts';
import type { ComponentSchemas, Json } from './schemas.ts';

const MEANINGS: Record<RefusalStatus, string> = {
  400: 'A rule that depends on stored data or settings forbids the request.',
  401:
    'The key or session is missing, unknown, has ended, or belongs to another kind or deployment. For a provider ' +
    'event: the proof of the sender is missing or wrong.',
  403: 'The key or session is valid, but does not allow this.',
  404: 'An id is unknown, or belongs to another team. Both have the same response.',
  405: 'The path does not accept the method.',
  408: 'The body did not arrive in time.',
  409: 'The object already exists, or the idempotency key is in use.',
  410: 'Events after this cursor are no longer stored.',
  413: 'The body is too large.',
  414: 'The address is too long.',
  415: 'The type, charset or encoding of the body is not accepted.',
  422: 'The request is not valid. Every problem is listed.',
  429: 'The key sent too many requests, or used too much of something. Retry-After states when to continue.',
  431: 'The headers are too large.',
  500: 'An error of the service. The log has it under the request id.',
  503:
    'The service is starting, stopping or overloaded, its database does not respond, or this process does not ' +
    'have an encryption key. Try again shortly.',
};

/** A response for refusals with one of these codes, which all have this status. `more` is added to the schema. */
const refusal = (status: RefusalStatus, codes: Code[], names: HeaderName[], more: Json = {}): Json => ({
  description: `${MEANINGS[status]} code: ${codes.join(', ')}.`,
  ...headers(names),
  content: {
    'application/json': {
      schema: {
        $ref: `#/components/schemas/${status === 422 ? 'InvalidRequest' : 'Error'}`,
        properties: { code: { type: 'string', enum: codes, description: 'For programs.' } },
        ...more,
      },
    },
  },
});

/** Refusals that many operations have in common. */
const SHARED: Record<string, Code[]> = {
  BadRequest: ['bad_request'],
  TooManyMatches: ['bad_request', 'too_many_matches'],
  TooManySamples: ['bad_request', 'too_many_samples'],
  UnauthorizedTeam: AUTH_KINDS.team_key.refusals.filter((code) => statusOf(code) === 401),
  UnauthorizedManagement: AUTH_KINDS.management_key.refusals.filter((code) => statusOf(code) === 401),
  UnauthorizedSession: AUTH_KINDS.session.refusals.filter((code) => statusOf(code) === 401),
  BeyondScope: ['insufficient_scope'],
  ChangeBeyondScope: ['insufficient_scope', 'csrf_token_invalid'],
  BeyondManagement: ['plan_required', 'insufficient_scope'],
  ChangeBeyondManagement: ['plan_required', 'insufficient_scope', 'csrf_token_invalid'],
  ChangeBeyondManagementLimit: ['plan_required', 'insufficient_scope', 'limit_reached', 'csrf_token_invalid'],
  BeyondManagementLimit: ['plan_required', 'insufficient_scope', 'limit_reached'],
  RouteNotFound: ['route_not_found'],
  TeamNotFound: ['route_not_found', 'not_found', 'wrong_deployment'],
  NotFound: ['route_not_found', 'not_found'],
  UserNotFound: ['route_not_found', 'not_found', 'user_scheduled_for_deletion'],
  UserLeaving: ['user_scheduled_for_deletion'],
  RouteNotFoundOrUserLeaving: ['route_not_found', 'user_scheduled_for_deletion'],
  TeamNotFoundOrUserLeaving: ['route_not_found', 'not_found', 'wrong_deployment', 'user_scheduled_for_deletion'],
  MethodNotAllowed: ['method_not_allowed'],
  RequestTimeout: ['request_timeout'],
  Idempotency: ['idempotency_mismatch', 'idempotency_in_flight'],
  SecretIdempotency: ['idempotency_mismatch', 'idempotency_in_flight', 'idempotency_answer_ended'],
  BodyTooLarge: ['body_too_large'],
  AddressTooLong: ['uri_too_long'],
  UnsupportedMediaType: ['unsupported_media_type'],
  InvalidRequest: ['validation_failed'],
  InvalidPage: ['invalid_cursor', 'validation_failed'],
  TooManyRequests: ['rate_limited'],
  HeadersTooLarge: ['headers_too_large'],
  InternalError: ['internal_error'],
  Unavailable: ['not_ready', 'encryption_key_unknown'],
};

const statusOfAll = (codes: Code[]): RefusalStatus => statusOf(codes[0] as Code);
const nameOf = (codes: Code[]): string => [...codes].sort().join(' ');
const names = new Map(Object.entries(SHARED).map(([name, codes]) => [nameOf(codes), name]));

export const RESPONSES: Record<string, Json> = Object.fromEntries(
  Object.entries(SHARED).map(([name, codes]) => {
    const status = statusOfAll(codes);
    return [name, refusal(status, codes, headersOfShared(status))];
  }),
);

/**
 * Properties of a refusal besides `detail`, `code` and `request_id`. Each is present only with the codes that define
 * it.
 */
function saidBeside(codes: Code[], refusedWith: Operation['refusedWith'], schemas: ComponentSchemas): Json {
  const shapes = codes.flatMap((code) => refusedWith[code as keyof typeof refusedWith] ?? []);
  if (shapes.length === 0) return {};
  const plain = codes.filter((code) => !(code in refusedWith));
  const without =
    plain.length === 0
      ? []
      : [{ type: 'object', properties: { code: { type: 'string', enum: plain, description: 'For programs.' } } }];
  return { anyOf: [...shapes.map((shape) => schemas.write(shape)), ...without] };
}

/** Returns every refusal of an operation, by status. */
export function refusals(operation: Operation, schemas: ComponentSchemas): Record<string, Json> {
  const byStatus = new Map<RefusalStatus, Code[]>();
  for (const code of declaredCodes(operation))
    byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  const responses = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(
    responses.map(([status, codes]) => {
      const beside = saidBeside(codes, operation.refusedWith, schemas);
      const shared = 'anyOf' in beside ? undefined : names.get(nameOf(codes));
      return [
        status,
        shared
          ? { $ref: `#/components/responses/${shared}` }
          : refusal(status, codes, headersOf(operation, status), beside),
      ];
    }),
  );
}

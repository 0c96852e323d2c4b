import { statusOf, type Code } from '../errors.ts';
import { AUTH_KINDS } from '../auth/kinds.ts';
import { declaredCodes } from '../answer/refusals.ts';
import type { Endpoint } from '../endpoint.ts';
import { headers, headersOf, headersOfShared, type HeaderName } from './headers.ts';
import type { ComponentSchemas, Json } from './schemas.ts';

const MEANINGS: Record<number, string> = {
  400: 'A rule that depends on stored data or settings forbids it.',
  401: 'The key is missing, unknown, or one of another kind or deployment; of a hook, what shows the sender.',
  403: 'The key is known, but may not do this.',
  404: 'An id is unknown, or belongs to another team: both read the same.',
  405: 'The path does not take the method.',
  408: 'The body did not arrive in time.',
  409: 'Something is there already, or the idempotency key is taken.',
  413: 'The body is too large.',
  414: 'The address is too long.',
  415: 'The body is of a kind, a character set or an encoding that is not taken.',
  422: 'The request is not valid. Every problem is listed.',
  429: 'Too many requests by this key, or as much of something as it may have for now: Retry-After tells when to go on.',
  431: 'The headers are too large.',
  500: 'An error of the service. The request id finds it in the log.',
  503:
    'The service is starting, stopping or overloaded, its database does not answer, or this process lacks an encryption key: ' +
    'try again shortly.',
};

/** The answer with which an operation refuses by one of these codes, which all have the one status. `more` is said beside. */
const refusal = (status: number, codes: Code[], names: HeaderName[], more: Json = {}): Json => ({
  description: `${MEANINGS[status]} code: ${codes.join(', ')}.`,
  ...headers(names),
  content: {
    'application/json': {
      schema: {
        $ref: `#/components/schemas/${status === 422 ? 'InvalidRequest' : 'Error'}`,
        properties: { code: { type: 'string', enum: codes, description: 'For a program.' } },
        ...more,
      },
    },
  },
});

/** Refusals that many operations share. */
const SHARED: Record<string, Code[]> = {
  BadRequest: ['bad_request'],
  TooManyMatches: ['bad_request', 'too_many_matches'],
  TooManySamples: ['bad_request', 'too_many_samples'],
  UnauthorizedTeam: AUTH_KINDS.team_key.refusals.filter((code) => statusOf(code) === 401),
  UnauthorizedManagement: AUTH_KINDS.management_key.refusals.filter((code) => statusOf(code) === 401),
  BeyondScope: ['insufficient_scope'],
  BeyondManagement: ['plan_required', 'insufficient_scope'],
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

const statusOfAll = (codes: Code[]): number => statusOf(codes[0] as Code);
const nameOf = (codes: Code[]): string => [...codes].sort().join(' ');
const names = new Map(Object.entries(SHARED).map(([name, codes]) => [nameOf(codes), name]));

export const RESPONSES: Record<string, Json> = Object.fromEntries(
  Object.entries(SHARED).map(([name, codes]) => {
    const status = statusOfAll(codes);
    return [name, refusal(status, codes, headersOfShared(status))];
  }),
);

/** Keys beside detail, code and request_id, where one of these codes has some: they are there with that code alone. */
function saidBeside(codes: Code[], refusedWith: Endpoint['refusedWith'], schemas: ComponentSchemas): Json {
  const shapes = codes.flatMap((code) => refusedWith[code as keyof typeof refusedWith] ?? []);
  if (shapes.length === 0) return {};
  const plain = codes.filter((code) => !(code in refusedWith));
  const without =
    plain.length === 0
      ? []
      : [{ type: 'object', properties: { code: { type: 'string', enum: plain, description: 'For a program.' } } }];
  return { anyOf: [...shapes.map((shape) => schemas.write(shape)), ...without] };
}

/** By status, every refusal of an operation. */
export function refusals(endpoint: Endpoint, schemas: ComponentSchemas): Record<string, Json> {
  const byStatus = new Map<number, Code[]>();
  for (const code of declaredCodes(endpoint))
    byStatus.set(statusOf(code), [...(byStatus.get(statusOf(code)) ?? []), code]);
  const answers = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(
    answers.map(([status, codes]) => {
      const beside = saidBeside(codes, endpoint.refusedWith, schemas);
      const shared = 'anyOf' in beside ? undefined : names.get(nameOf(codes));
      return [
        status,
        shared
          ? { $ref: `#/components/responses/${shared}` }
          : refusal(status, codes, headersOf(endpoint, status), beside),
      ];
    }),
  );
}

import { AUTH_KINDS } from '../auth/kinds.ts';
import { scopeRefusals } from '../auth/scope.ts';
import type { Endpoint } from '../endpoint.ts';
import { isForm, type AnswerKind, type BodyKind } from '../media.ts';
import type { Code } from '../errors.ts';

/** True where the operation answers a repeated X-Idempotency-Key as it did at first; what only asks is asked anew. */
export const takesIdempotencyKey = ({ method, reads, auth, body, response, waits }: Endpoint): boolean =>
  method === 'POST' &&
  !reads &&
  auth !== 'none' &&
  !waits &&
  (response === undefined || isText(response)) &&
  (body === undefined || isText(body) || isForm(body));

/** JSON, which can be kept for a key. */
const isText = (kind: BodyKind | AnswerKind): boolean =>
  !('media' in kind) || kind.media === 'or_accepted' || kind.media === 'batch';

/** Every code that an operation can answer with: what it declares, and what its other declarations bring along. */
export function declaredCodes(endpoint: Endpoint): Set<Code> {
  const { auth, method, params, query, body, refusals } = endpoint;
  const codes: Code[] = [...AUTH_KINDS[auth].refusals, ...scopeRefusals(endpoint), ...refusals];
  codes.push('uri_too_long', 'headers_too_large', 'internal_error', 'not_ready', 'encryption_key_unknown');
  if (auth !== 'none') codes.push('rate_limited');
  if (params) codes.push('bad_request', 'route_not_found');
  if (method !== 'GET') codes.push('bad_request', 'request_timeout', 'body_too_large', 'unsupported_media_type');
  if (params || query || body || takesIdempotencyKey(endpoint)) codes.push('validation_failed');
  if (takesIdempotencyKey(endpoint)) {
    codes.push('idempotency_mismatch', 'idempotency_in_flight', 'user_scheduled_for_deletion');
    if (endpoint.secretAnswer) codes.push('idempotency_answer_ended');
  }
  return new Set(codes);
}

/** True where a link that does not open is told by a page: what it opens is one. */
export const refusesByPage = ({ auth, response }: Endpoint): boolean =>
  (auth === 'signature' || auth === 'org_signature') &&
  response !== undefined &&
  'media' in response &&
  response.media === 'browser';

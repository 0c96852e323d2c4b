import { AUTH_KINDS } from '../auth/kinds.ts';
import { scopeRefusals } from '../auth/resolve-scope.ts';
import type { Operation } from '../../operation/operation.ts';
import { isForm, type ResponseKind, type BodyKind } from '../../operation/media.ts';
import type { Code } from '../error-response.ts';

/**
 * Returns true if the operation repeats its first response for a repeated X-Idempotency-Key. An operation that only
 * reads runs again instead.
 */
export const takesIdempotencyKey = ({ method, reads, auth, body, response, waits }: Operation): boolean =>
  method === 'POST' &&
  !reads &&
  auth !== 'none' &&
  !waits &&
  (response === undefined || isText(response)) &&
  (body === undefined || isText(body) || isForm(body));

/** Returns true for JSON. We can store only JSON for an idempotency key. */
const isText = (kind: BodyKind | ResponseKind): boolean =>
  !('media' in kind) || kind.media === 'or_accepted' || kind.media === 'batch';

/**
 * Returns every error code that the operation can send. These are the codes that it declares, and the codes that follow
 * from its other declarations.
 */
export function declaredCodes(operation: Operation): Set<Code> {
  const { auth, method, params, query, body, refusals } = operation;
  const codes: Code[] = [...AUTH_KINDS[auth].refusals, ...scopeRefusals(operation), ...refusals];
  codes.push('uri_too_long', 'headers_too_large', 'internal_error', 'not_ready', 'encryption_key_unknown');
  if (auth !== 'none') codes.push('rate_limited');
  if (params) codes.push('bad_request', 'route_not_found');
  if (method !== 'GET' && AUTH_KINDS[auth].takesSessions) codes.push('csrf_token_invalid');
  if (method !== 'GET') codes.push('bad_request', 'request_timeout', 'body_too_large', 'unsupported_media_type');
  if (params || query || body || takesIdempotencyKey(operation)) codes.push('validation_failed');
  if (takesIdempotencyKey(operation)) {
    codes.push('idempotency_mismatch', 'idempotency_in_flight', 'user_scheduled_for_deletion');
    if (operation.secretResponse) codes.push('idempotency_answer_ended');
  }
  return new Set(codes);
}

/** Returns true if people open the link in a browser. We then send a refusal as a page. */
export const refusesByPage = ({ auth, response, refusals }: Operation): boolean =>
  [...AUTH_KINDS[auth].refusals, ...refusals].includes('link_refused') &&
  response !== undefined &&
  'media' in response &&
  response.media === 'browser';

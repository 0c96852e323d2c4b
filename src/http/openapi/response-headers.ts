// Response headers. The document describes each header once, and responses refer to the description.
import { refusesByPage } from '../response/declared-codes.ts';
import type { Operation } from '../../operation/operation.ts';
import type { ResponseKind } from '../../operation/media.ts';
import type { Json } from './schemas.ts';

const optional = (description: string, schema: Json = {}): Json => ({
  description,
  schema: { type: 'string', ...schema },
});
/** A header that is always present in the responses that declare it. */
const always = (description: string, schema: Json = {}): Json => ({ ...optional(description, schema), required: true });

export const HEADERS = {
  'X-Request-Id': always('The id of the request in the log.', { format: 'uuid' }),
  'RateLimit-Policy': optional(
    'The rate of a key: `q` requests at once, and as many again within `w` seconds. Absent when no rate ' +
      'limit is set.',
  ),
  RateLimit: optional('What is left for the key: `r` requests now, and all of them after `t` seconds.'),
  'Retry-After': always('The number of seconds to wait before the request is sent again.', { type: 'integer' }),
  Allow: always('The methods that the path accepts.'),
  Deprecation: optional(
    '`@` and a time in seconds since 1970 (RFC 9745). Since then the operation, the header of the key, or a ' +
      'key of the body is deprecated. Absent when nothing is deprecated.',
  ),
  Sunset: optional('The time after which the operation may be removed (RFC 8594).'),
  Link: optional(
    'Sent with Deprecation: the successor of the operation as `successor-version`, or the documentation of ' +
      'the successor of a header or key as `deprecation`.',
  ),
  Location: always('The address.', { format: 'uri-reference' }),
  'Set-Cookie': optional('A cookie that the browser sends back when the user returns.'),
  'Cache-Control': always('Which caches may store the response, and for how long.'),
  'Content-Disposition': always('Whether the browser shows or saves the document, and the file name.'),
  'Content-Security-Policy': optional('What the page may do in a browser.'),
  'Referrer-Policy': always('Other sites do not learn the address of the page.'),
  'X-Content-Type-Options': always('Browsers must not guess another content type.'),
  Vary: always('The request header that the form of the response depends on.'),
} satisfies Record<string, Json>;

export type HeaderName = keyof typeof HEADERS;

/** Statuses of responses that we send before we know the caller. */
const OF_NOBODY = new Set([414, 431]);
const WAITS = new Set([429, 503]);

const PAGE: HeaderName[] = ['Content-Security-Policy', 'Referrer-Policy', 'X-Content-Type-Options'];
const FILE: HeaderName[] = ['Cache-Control', 'Content-Disposition', ...PAGE];

/**
 * Returns the names of the headers that a response of this operation can have with this status. It omits headers of
 * HTTP itself, and `Cache-Control: no-store`, which every response has.
 */
export function headersOf(operation: Operation, status: number): HeaderName[] {
  return [
    'X-Request-Id',
    ...(OF_NOBODY.has(status) ? [] : ofCaller(operation)),
    ...(WAITS.has(status) ? (['Retry-After'] as const) : []),
    ...(status === 403 && refusesByPage(operation) ? PAGE : []),
    ...(status < 400 ? ofResponse(operation.response, status) : []),
  ];
}

/** Returns the header names of a refusal that all kinds of operations can send. Otherwise like `headersOf`. */
export function headersOfShared(status: number): HeaderName[] {
  if (OF_NOBODY.has(status)) return ['X-Request-Id'];
  return [
    'X-Request-Id',
    'RateLimit-Policy',
    'RateLimit',
    'Deprecation',
    'Link',
    ...(WAITS.has(status) ? (['Retry-After'] as const) : []),
    ...(status === 405 ? (['Allow'] as const) : []),
  ];
}

function ofCaller({ auth, deprecated, deprecatedFields }: Operation): HeaderName[] {
  const isMarked = deprecated !== undefined || deprecatedFields !== undefined || auth === 'management_key';
  return [
    ...(auth === 'none' ? [] : (['RateLimit-Policy', 'RateLimit'] as const)),
    ...(isMarked ? (['Deprecation', 'Link'] as const) : []),
    ...(deprecated?.sunset ? (['Sunset'] as const) : []),
  ];
}

function ofResponse(response: ResponseKind | undefined, status: number): HeaderName[] {
  if (!response || !('media' in response)) return [];
  switch (response.media) {
    case 'browser':
      return status === 302 ? ['Location', 'Set-Cookie', 'Referrer-Policy'] : PAGE;
    case 'cookie':
      return ['Set-Cookie'];
    case 'redirect':
      return ['Location'];
    case 'svg':
      return ['Cache-Control', 'Content-Security-Policy'];
    case 'pdf':
    case 'attachment':
      return FILE;
    case 'or_file':
      return ['Vary'];
    default:
      return [];
  }
}

/** The headers of a response, as the OpenAPI document writes them. */
export const headers = (names: readonly HeaderName[]): Json => ({
  headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
});

// The headers of answers: each is described once, and referred to wherever it may stand.
import { refusesByPage } from '../answer/refusals.ts';
import type { Endpoint } from '../endpoint.ts';
import type { AnswerKind } from '../media.ts';
import type { Json } from './schemas.ts';

const told = (description: string, schema: Json = {}): Json => ({
  description,
  schema: { type: 'string', ...schema },
});
/** Of one that is always there where it is declared. */
const always = (description: string, schema: Json = {}): Json => ({ ...told(description, schema), required: true });

export const HEADERS = {
  'X-Request-Id': always('Finds the request in the log.', { format: 'uuid' }),
  'RateLimit-Policy': told(
    'What a key may send: `q` requests at once, and as many again within `w` seconds. Left out where no rate is limited.',
  ),
  RateLimit: told('What the key has left of that: `r` requests at once; after `t` seconds all of them.'),
  'Retry-After': always('After how many seconds to send the request again.', { type: 'integer' }),
  Allow: always('The methods that the path takes.'),
  Deprecation: told(
    '`@` and a time in seconds since 1970 (RFC 9745): since then the operation, the header of the key or a key of the body ' +
      'that was sent is deprecated. Left out where none is.',
  ),
  Sunset: told('When the operation may be gone (RFC 8594).'),
  Link: told(
    'Beside Deprecation: what replaces the operation, as `successor-version`, or where it is told what replaces a header or a ' +
      'key, as `deprecation`.',
  ),
  Location: always('The address.', { format: 'uri-reference' }),
  'Set-Cookie': told('What the browser brings along when it comes back.'),
  'Cache-Control': always('Who may keep the answer, and for how long.'),
  'Content-Disposition': always('Whether it is shown or saved, and the name that it is saved under.'),
  'Content-Security-Policy': told('What the page may do in a browser.'),
  'Referrer-Policy': always('That nobody learns the address of the page.'),
  'X-Content-Type-Options': always('That a browser takes it for nothing else.'),
  Vary: always('Which header of the request decides about the form.'),
} satisfies Record<string, Json>;

export type HeaderName = keyof typeof HEADERS;

/** Of answers before it is known who asks. */
const OF_NOBODY = new Set([414, 431]);
const WAITS = new Set([429, 503]);

const PAGE: HeaderName[] = ['Content-Security-Policy', 'Referrer-Policy', 'X-Content-Type-Options'];
const FILE: HeaderName[] = ['Cache-Control', 'Content-Disposition', ...PAGE];

/**
 * Names of the headers that an answer of the operation may bear under this status, beside those of HTTP itself and the
 * `Cache-Control: no-store` of every answer.
 */
export function headersOf(endpoint: Endpoint, status: number): HeaderName[] {
  return [
    'X-Request-Id',
    ...(OF_NOBODY.has(status) ? [] : ofCaller(endpoint)),
    ...(WAITS.has(status) ? (['Retry-After'] as const) : []),
    ...(status === 403 && refusesByPage(endpoint) ? PAGE : []),
    ...(status < 400 ? ofAnswer(endpoint.response, status) : []),
  ];
}

/** As `headersOf`, of a refusal that operations of every kind share. */
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

function ofCaller({ auth, deprecated, deprecatedFields }: Endpoint): HeaderName[] {
  const isMarked = deprecated !== undefined || deprecatedFields !== undefined || auth === 'management_key';
  return [
    ...(auth === 'none' ? [] : (['RateLimit-Policy', 'RateLimit'] as const)),
    ...(isMarked ? (['Deprecation', 'Link'] as const) : []),
    ...(deprecated?.sunset ? (['Sunset'] as const) : []),
  ];
}

function ofAnswer(response: AnswerKind | undefined, status: number): HeaderName[] {
  if (!response || !('media' in response)) return [];
  switch (response.media) {
    case 'browser':
      return status === 302 ? ['Location', 'Set-Cookie', 'Referrer-Policy'] : PAGE;
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

/** The headers of an answer in the document. */
export const headers = (names: readonly HeaderName[]): Json => ({
  headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
});

import { ownOf } from '../../wire/own.ts';

/**
 * Why an attempt has no usable answer. Stable: stored in the attempt log and shown to teams.
 * `local_error` (out of sockets or memory, or a stored event that cannot be opened), `cancelled` (the sender was closed)
 * and `invalid_request` lie on our side; all others are the receiver's.
 */
export type SendError =
  | 'address_refused'
  | 'bad_response'
  | 'cancelled'
  | 'connection_lost'
  | 'connection_refused'
  | 'dns'
  | 'invalid_request'
  | 'local_error'
  | 'redirect'
  | 'timeout'
  | 'tls'
  | 'unknown'
  | 'unreachable';

/** Whether it says nothing about the receiver. */
export const isOurs = (error: SendError): boolean =>
  error === 'local_error' || error === 'cancelled' || error === 'invalid_request';

const ERRORS: Record<string, SendError> = {
  address_refused: 'address_refused',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  EHOSTUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  EADDRNOTAVAIL: 'local_error',
  EMFILE: 'local_error',
  ENFILE: 'local_error',
  ENOBUFS: 'local_error',
  ENOMEM: 'local_error',
  ENOTFOUND: 'dns',
  ENODATA: 'dns',
  EPROTO: 'tls',
  HTTPParserError: 'bad_response',
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'bad_response',
  UND_ERR_INVALID_ARG: 'invalid_request',
  UND_ERR_NOT_SUPPORTED: 'invalid_request',
  UND_ERR_CLOSED: 'cancelled',
  UND_ERR_DESTROYED: 'cancelled',
};

const ERROR_FAMILIES: [RegExp, SendError][] = [
  [/^EAI_/, 'dns'],
  [/^HPE_/, 'bad_response'],
  // OpenSSL's names for a certificate that does not hold, and Node's for a handshake that fails.
  [/^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)|^HOSTNAME_MISMATCH|^PATH_LENGTH_EXCEEDED/, 'tls'],
];

/** The stable code for an error of the network, of TLS, of undici or of the connector. */
export function classify(error: Error): SendError {
  const code = codeOf(error) ?? error.name;
  return ownOf(ERRORS, code) ?? ERROR_FAMILIES.find(([pattern]) => pattern.test(code))?.[1] ?? 'unknown';
}

/** An error's own code, such as ECONNRESET; null when it has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

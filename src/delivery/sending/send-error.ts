import { ownProperty } from '../../wire/own-property.ts';

/**
 * Why an attempt got no usable response. Teams see these values in the log of attempts, so they must never change. We
 * caused three of them: `local_error` (out of sockets or memory, or a stored event that we cannot decrypt), `cancelled`
 * (the sender was closed) and `invalid_request`. The endpoint, or the network to it, caused all others.
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

/** True if we caused the error, so that it must not count against the endpoint. */
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
  // OpenSSL's codes for an invalid certificate, and Node's codes for a failed handshake.
  [/^ERR_(TLS|SSL)_|CERT|^UNABLE_TO_|^INVALID_(CA|PURPOSE)|^HOSTNAME_MISMATCH|^PATH_LENGTH_EXCEEDED/, 'tls'],
];

/** Returns the stable code for an error of the network, of TLS, of undici or of the connector. */
export function classify(error: Error): SendError {
  const code = codeOf(error) ?? error.name;
  return ownProperty(ERRORS, code) ?? ERROR_FAMILIES.find(([pattern]) => pattern.test(code))?.[1] ?? 'unknown';
}

/** Returns the code of an error, for example ECONNRESET. Returns null if it has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

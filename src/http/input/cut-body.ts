import type { IncomingMessage } from 'node:http';

/** The error text for a client that disconnected before its body was complete. In most cases nobody reads it. */
export const BODY_CUT = 'The connection closed before the body was complete.';

/** Returns true if the headers of a request announce a body (RFC 9112 6). */
export const bringsBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

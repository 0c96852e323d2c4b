import type { IncomingMessage } from 'node:http';

/** What a sender reads, could it still read, that went away before its body was whole. */
export const BODY_CUT = 'The body ended before it was whole.';

/** Whether the head of a request announces a body (RFC 9112 6). */
export const bringsBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../../ids.ts';
import { errorResponse, TransportError } from '../error-response.ts';
import { bringsStream } from '../input/stream-body.ts';

const CODES = { HPE_HEADER_OVERFLOW: 'headers_too_large', ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout' } as const;

/**
 * Refuses a request that is not HTTP, or that exceeds a limit for its headers or its arrival time. The response has the
 * shape of all errors.
 */
export function respondToBrokenRequest(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && bringsStream(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = isLongAddress(error) ? 'uri_too_long' : CODES[error.code as keyof typeof CODES];
  const refusal = new TransportError(code ?? 'bad_request');
  const requestId = newId();
  const status = refusal.statusCode;
  const body = JSON.stringify(errorResponse(refusal, requestId)?.body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `x-request-id: ${requestId}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/**
 * Returns true if the request line alone is too long. Node's parser counts the URL as part of the headers, but we send
 * uri_too_long for it.
 */
const isLongAddress = ({ code, rawPacket }: { code?: string; rawPacket?: unknown }): boolean =>
  code === 'HPE_HEADER_OVERFLOW' &&
  /^[A-Z]+ \S{8193}/.test(Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '');

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../../ids.ts';
import { errorAnswer, TransportError } from './errors.ts';

const CODES = { HPE_HEADER_OVERFLOW: 'headers_too_large', ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout' } as const;

/** Requests that are not even HTTP, or whose headers or arrival break a limit, get the one error shape too. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = new TransportError(CODES[error.code as keyof typeof CODES] ?? 'bad_request');
  const requestId = newId();
  const status = refusal.statusCode;
  const body = JSON.stringify(errorAnswer(refusal, requestId)?.body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `x-request-id: ${requestId}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

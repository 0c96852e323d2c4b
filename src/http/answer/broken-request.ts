import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { newId } from '../../ids.ts';
import { errorAnswer, TransportError } from '../errors.ts';
import { bringsStream } from '../input/stream-body.ts';

const CODES = { HPE_HEADER_OVERFLOW: 'headers_too_large', ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout' } as const;

/** Requests that are not even HTTP, or whose headers or arrival break a limit, get the one error shape too. */
export function answerBrokenRequest(error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && bringsStream(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = isLongAddress(error) ? 'uri_too_long' : CODES[error.code as keyof typeof CODES];
  const refusal = new TransportError(code ?? 'bad_request');
  const requestId = newId();
  const status = refusal.statusCode;
  const body = JSON.stringify(errorAnswer(refusal, requestId)?.body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      `x-request-id: ${requestId}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** The parser counts the address among the headers: where the request line alone is too long, that is what is told. */
const isLongAddress = ({ code, rawPacket }: { code?: string; rawPacket?: unknown }): boolean =>
  code === 'HPE_HEADER_OVERFLOW' &&
  /^[A-Z]+ \S{8193}/.test(Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '');

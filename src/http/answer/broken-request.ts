import type { Socket } from 'node:net';
import { newId } from '../../ids.ts';
import { errorAnswer, TransportError } from './errors.ts';

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Requests that are not even HTTP, or whose headers or arrival break a limit, get the one error shape too. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
  const requestId = newId();
  const answer = errorAnswer(new TransportError(status), requestId);
  const body = JSON.stringify(answer?.body);
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\n` +
      `x-request-id: ${requestId}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}

import { Readable } from 'node:stream';
import fastJsonStringify from 'fast-json-stringify';
import type { FastifyReply } from 'fastify';
import type { Endpoint } from '../endpoint.ts';

/** What is sent. JSON and pages are text, so that they can be kept for an idempotency key. */
export type Answer = { status: number; body: string | Buffer | Readable };

const TYPES = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  pdf: 'application/pdf',
  html: 'text/html; charset=utf-8',
};

/** Turns what `handle` gives back into what is sent, by the declared shape: what is not declared never leaves. */
export function compileAnswer({ response, status }: Endpoint): (value: unknown) => Answer {
  if (!response) return () => ({ status, body: '' });
  if (!('media' in response)) {
    const text = fastJsonStringify(response as never);
    return (value) => ({ status, body: text(value) });
  }
  if (response.media === 'ndjson') {
    const text = fastJsonStringify(response.item as never);
    return (value) => ({ status, body: Readable.from(lines(value as AsyncIterable<unknown>, text)) });
  }
  return (value) => ({ status, body: value as string | Buffer | Readable });
}

async function* lines(values: AsyncIterable<unknown>, text: (value: unknown) => string): AsyncIterable<string> {
  for await (const value of values) yield `${text(value)}\n`;
}

/** Sends an answer of the operation. A stream that fails half way cuts the connection: the status has left already. */
export function send(reply: FastifyReply, { response }: Endpoint, { status, body }: Answer): FastifyReply {
  reply.code(status);
  // A refusal that was kept for an idempotency key.
  if (status >= 400) return reply.type(TYPES.json).send(body);
  if (!response) return reply.send();
  const media = 'media' in response ? response.media : 'json';
  if (media === 'redirect') return reply.header('location', body as string).send();
  return reply.type(TYPES[media]).send(body);
}

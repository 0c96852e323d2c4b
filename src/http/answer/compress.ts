// Answers of 1 KiB and more are compressed for whoever takes gzip. Record 451 tells which are not, and why.
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip as gzipOf, type Gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codingFor } from './encoding.ts';

const LEAST_BYTES = 1024;
/** Of texts that are being compressed. Beyond it answers go as they are: the threads that do this have other work too. */
const MOST_BYTES_UNDER_WAY = 8 * 1024 * 1024;
/** JSON of 250 kB becomes 28 kB in 2.3 ms; level 6 takes 10 ms for 21 kB. */
const LEVEL = 1;
/** What a stream has written is not held back for longer, while its reader keeps up. */
const FLUSH_MS = 1_000;
/** Pages for people are none of them, and what is compressed already neither. */
const COMPRESSIBLE = /^(application\/([\w.-]+\+)?json|application\/x-ndjson|text\/plain|image\/svg\+xml)(;|$)/;

const gzip = promisify<Buffer | string, { level: number }, Buffer>(gzipOf);

/** Goes before the hooks that count what is sent: they see what the connection gets. */
export function compressAnswers(server: FastifyInstance): void {
  let underWay = 0;
  // Of an answer that is not sent: a refusal or an error goes in its stead.
  server.addHook('onError', async (_request, reply) => {
    for (const name of ['content-encoding', 'etag']) reply.removeHeader(name);
  });
  server.addHook('onSend', async (request, reply, payload) => {
    const least = leastCompressible(request, reply, payload);
    if (least < LEAST_BYTES) return undefined;
    addVary(reply, 'accept-encoding');
    if (codingFor(request.headers['accept-encoding'], ['gzip']) === null) return undefined;
    if (payload instanceof Readable) {
      if (request.method === 'HEAD') return undefined;
      markGzip(reply);
      return gzipStream(payload);
    }
    const bytes = typeof payload === 'string' ? Buffer.byteLength(payload) : least;
    if (underWay + bytes > MOST_BYTES_UNDER_WAY) return undefined;
    underWay += bytes;
    try {
      const packed = await gzip(payload as Buffer | string, { level: LEVEL });
      markGzip(reply);
      return packed;
    } finally {
      underWay -= bytes;
    }
  });
}

/** How many bytes there are at least: 0 where an answer is not to be compressed; Infinity of a stream. */
function leastCompressible({ routeOptions }: FastifyRequest, reply: FastifyReply, payload: unknown): number {
  const { endpoint } = routeOptions.config;
  if (endpoint?.secretAnswer || reply.hasHeader('content-encoding')) return 0;
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))) return 0;
  // A long text is not measured before it is known that anybody takes it compressed.
  if (typeof payload === 'string') return payload.length < LEAST_BYTES ? Buffer.byteLength(payload) : payload.length;
  if (payload instanceof Readable) return Infinity;
  return Buffer.isBuffer(payload) ? payload.length : 0;
}

/** That the header of the request decides about the form of the answer. */
export function addVary(reply: FastifyReply, name: string): void {
  const before = String(reply.getHeader('vary') ?? '');
  if (!before.split(', ').includes(name)) reply.header('vary', before === '' ? name : `${before}, ${name}`);
}

function markGzip(reply: FastifyReply): void {
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
}

/** Ends as its source does: by its error, or cut off where that is; and ends its source, without an error, when it is closed. */
function gzipStream(source: Readable): Gzip {
  const packed = createGzip({ level: LEVEL });
  const timer = setInterval(() => {
    if (packed.writableLength === 0 && !packed.writableNeedDrain) packed.flush();
  }, FLUSH_MS);
  source.once('error', (error) => packed.destroy(error));
  source.once('close', () => {
    if (!source.readableEnded) packed.destroy();
  });
  // Who sends it hears of errors itself, a moment from now: until then none may be without a listener.
  packed.on('error', () => undefined);
  packed.once('close', () => {
    clearInterval(timer);
    source.destroy();
  });
  setImmediate(() => {
    if (!packed.destroyed) source.pipe(packed);
  });
  return packed;
}

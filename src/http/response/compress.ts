// Compresses responses of 1 KiB and more for clients that accept gzip. docs/decisions/order-lists-and-responses.md
// names the responses that we do not compress, and the reasons.
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip as gzipOf, type Gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codingFor } from './content-coding.ts';

const MIN_BYTES = 1024;
/**
 * The most bytes that we compress at the same time. The threads that compress also do other work, so we send further
 * responses uncompressed.
 */
const MAX_BYTES_UNDER_WAY = 8 * 1024 * 1024;
/** The gzip level. With level 1, JSON of 250 kB becomes 28 kB in 2.3 ms. With level 6 it becomes 21 kB in 10 ms. */
const LEVEL = 1;
/** A compressed stream sends its buffered bytes at least this often, if its client reads fast enough. */
const FLUSH_MS = 1_000;
/**
 * The content types that we compress. HTML pages for people and content that is already compressed are not among them.
 */
const COMPRESSIBLE = /^(application\/([\w.-]+\+)?json|application\/x-ndjson|text\/plain|image\/svg\+xml)(;|$)/;

const gzip = promisify<Buffer | string, { level: number }, Buffer>(gzipOf);

/**
 * Adds the hook that compresses responses. Call this before you add hooks that count sent bytes, so that they count the
 * compressed bytes.
 */
export function compressResponses(server: FastifyInstance): void {
  let underWay = 0;
  // An error response has a different body than the response for which these headers were set.
  server.addHook('onError', async (_request, reply) => {
    for (const name of ['content-encoding', 'etag']) reply.removeHeader(name);
  });
  server.addHook('onSend', async (request, reply, payload) => {
    const least = leastCompressible(request, reply, payload);
    if (least < MIN_BYTES) return undefined;
    addVary(reply, 'accept-encoding');
    if (codingFor(request.headers['accept-encoding'], ['gzip']) === null) return undefined;
    if (payload instanceof Readable) {
      if (request.method === 'HEAD') return undefined;
      markGzip(reply);
      return gzipStream(payload);
    }
    const bytes = typeof payload === 'string' ? Buffer.byteLength(payload) : least;
    if (underWay + bytes > MAX_BYTES_UNDER_WAY) return undefined;
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

/**
 * Returns a lower bound for the size of the response in bytes. Returns 0 if we must not compress the response, and
 * Infinity for a stream.
 */
function leastCompressible({ routeOptions }: FastifyRequest, reply: FastifyReply, payload: unknown): number {
  const { operation } = routeOptions.config;
  if (operation?.secretResponse || reply.hasHeader('content-encoding')) return 0;
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))) return 0;
  // Measuring a long text in bytes takes time. Here the number of characters is enough, because a text never has fewer
  // bytes.
  if (typeof payload === 'string') return payload.length < MIN_BYTES ? Buffer.byteLength(payload) : payload.length;
  if (payload instanceof Readable) return Infinity;
  return Buffer.isBuffer(payload) ? payload.length : 0;
}

/** Adds the name of a request header to `Vary`, because the form of the response depends on that header. */
export function addVary(reply: FastifyReply, name: string): void {
  const before = String(reply.getHeader('vary') ?? '');
  if (!before.split(', ').includes(name)) reply.header('vary', before === '' ? name : `${before}, ${name}`);
}

function markGzip(reply: FastifyReply): void {
  reply.header('content-encoding', 'gzip').removeHeader('content-length');
}

/**
 * Compresses a stream. If `source` fails or is cut, the same happens to the result. When the result closes, `source` is
 * destroyed without an error.
 */
function gzipStream(source: Readable): Gzip {
  const packed = createGzip({ level: LEVEL });
  const timer = setInterval(() => {
    if (packed.writableLength === 0 && !packed.writableNeedDrain) packed.flush();
  }, FLUSH_MS);
  source.once('error', (error) => packed.destroy(error));
  source.once('close', () => {
    if (!source.readableEnded) packed.destroy();
  });
  // The code that sends the stream adds its error listener a moment later. An error without a listener would end the
  // process.
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

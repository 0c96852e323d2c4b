import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { addVary } from './compress.ts';
import { codingFor, type Coding } from './content-coding.ts';

/**
 * The Brotli quality. With 5, the 3.6 MB script of the reference page becomes 906 kB, and a thread works half a second.
 * With 9, it becomes 876 kB in 2.6 s.
 */
const QUALITY = 5;

const COMPRESS: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify<Buffer, object, Buffer>(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/** A text that is the same for every client while the process runs. */
type Text = {
  type: string;
  /** The value of the Cache-Control header. */
  cacheControl: string;
  read: () => Promise<Buffer> | Buffer;
  /**
   * Returns the text for clients that accept no coding. We make it again for each request. A slow client would
   * otherwise make us keep a buffer in memory.
   */
  asIs: () => Buffer | Readable;
};

/**
 * Serves a text. For each coding, we compress the text at the first request and cache the result. If the client already
 * has the text, the response is a 304.
 */
export function serveText(server: FastifyInstance, path: string, { type, cacheControl, read, asIs }: Text): void {
  // The tag is weak because it is the same for every coding (RFC 9110 8.8.3.3).
  const etag = once(
    async () =>
      `W/"${createHash('sha256')
        .update(await read())
        .digest('hex')
        .slice(0, 32)}"`,
  );
  const packed = {
    br: once(async () => COMPRESS.br(await read())),
    gzip: once(async () => COMPRESS.gzip(await read())),
  };
  server.get(path, async (request, reply) => {
    const tag = await etag();
    reply.headers({ etag: tag, 'cache-control': cacheControl });
    addVary(reply, 'accept-encoding');
    if (hasIt(request.headers['if-none-match'], tag)) return reply.code(304).send();
    reply.type(type);
    const coding = codingFor(request.headers['accept-encoding'], ['br', 'gzip']);
    if (coding === null) return reply.send(asIs());
    const bytes = await packed[coding]();
    return reply.header('content-encoding', coding).send(bytes);
  });
}

const hasIt = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch === '*' ||
  (ifNoneMatch ?? '').split(',').some((each) => each.trim().replace(/^W\//, '') === etag.replace(/^W\//, ''));

/** Returns a function that calls `make` once and shares its result. If `make` fails, the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

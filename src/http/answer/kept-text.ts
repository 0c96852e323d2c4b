import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { addVary } from './compress.ts';
import { codingFor, type Coding } from './encoding.ts';

/**
 * The script of the reference page, 3.6 MB, becomes 906 kB in half a second of a thread; quality 9 takes 2.6 s for 876 kB.
 */
const QUALITY = 5;

const COMPRESS: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify<Buffer, object, Buffer>(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/** A text that is the same for everybody as long as the process runs. */
type Text = {
  type: string;
  /** How long it may be kept without asking again. */
  cacheControl: string;
  read: () => Promise<Buffer> | Buffer;
  /** For whoever takes it as it is: as often as it is asked for, so that nothing is held for each who reads slowly. */
  asIs: () => Buffer | Readable;
};

/** Serves a text: compressed once, when somebody asks for it so, and kept; 304 for whoever has it already. */
export function serveText(server: FastifyInstance, path: string, { type, cacheControl, read, asIs }: Text): void {
  // Weak: it is the same of every coding (RFC 9110 8.8.3.3).
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

/** What `make` answers, which is asked once for all; again where it failed. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { TransportError, type Problem } from '../error-response.ts';
import type { Batch } from '../../operation/media.ts';
import { parsed, parseJson, refusalOfEncoding, tooMuch, Unread } from './json-body.ts';
import { listed, MAX_LISTED } from './problem.ts';
import { NDJSON_TYPES, refuseOtherTypes } from './stream-body.ts';
import { validationOf } from './validation.ts';

const unpack = promisify(gunzip);

/** A batch with a decompressed body up to this size runs like any other request, without the batch scheduler. */
const LIGHT_BYTES = 16_384;

/**
 * The body of a batch as the client sent it. Decompressing and parsing thousands of values takes long. So we do both
 * for a large body only when the batch scheduler admits the team.
 */
export class UnreadBatch {
  readonly #body: Buffer;
  readonly #isPacked: boolean;
  readonly #most: number;
  readonly #parse: (bytes: Buffer) => unknown;

  constructor(body: Buffer, kind: { isPacked: boolean; most: number; parse: (bytes: Buffer) => unknown }) {
    this.#body = body;
    this.#isPacked = kind.isPacked && body.length > 0;
    this.#most = kind.most;
    this.#parse = kind.parse;
  }

  /** Returns true if the body is so large that it must wait for the batch scheduler. */
  async isBulky(): Promise<boolean> {
    if (this.#body.length > LIGHT_BYTES || !this.#isPacked) return this.#body.length > LIGHT_BYTES;
    return (await unpacked(this.#body, LIGHT_BYTES)) === 'too large';
  }

  async read(): Promise<unknown> {
    const bytes = this.#isPacked ? await unpacked(this.#body, this.#most) : this.#body;
    if (bytes === 'too large') throw new TransportError('body_too_large');
    return bytes === null ? new Unread('json_invalid', 'The body is not valid gzip') : this.#parse(bytes);
  }
}

/**
 * Makes `server` accept batch bodies: lists of values as JSON or NDJSON (one value a line), with or without gzip. The
 * limits apply to the decompressed body. `arrive` reserves memory before the server reads any of the body.
 */
export function takeBatches(
  server: FastifyInstance,
  { maxBytes: most, maxValues }: Batch,
  arrive: (request: FastifyRequest, bytes: number) => () => void,
): void {
  server.removeAllContentTypeParsers();
  server.addHook('preParsing', async (request, reply, body) => {
    const bytes = Number(request.headers['content-length'] ?? most);
    reply.raw.once('close', arrive(request, Math.min(bytes, most)));
    return body;
  });
  const take = (types: string[], parse: (bytes: Buffer) => unknown): void => {
    server.addContentTypeParser(types, { parseAs: 'buffer' }, async ({ headers }: FastifyRequest, body: Buffer) => {
      const isPacked = /^(x-)?gzip$/i.test(headers['content-encoding']?.trim() ?? '');
      const refusal = refusalOfEncoding(isPacked ? { ...headers, 'content-encoding': undefined } : headers);
      if (refusal !== null) throw new TransportError('unsupported_media_type', refusal);
      return new UnreadBatch(body, { isPacked, most, parse });
    });
  };
  refuseOtherTypes(
    server,
    `JSON, or NDJSON with one value per line: ${['application/json', ...NDJSON_TYPES].join(', ')}`,
  );
  take(['application/json'], (bytes) => parseJson(bytes, maxValues));
  take(NDJSON_TYPES, (bytes) => parseLines(bytes, maxValues));
}

/** Returns the decompressed body, or null if the body is not gzip. */
async function unpacked(body: Buffer, maxOutputLength: number): Promise<Buffer | 'too large' | null> {
  try {
    return await unpack(body, { maxOutputLength });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : null;
  }
}

const NEWLINE = 10;

/**
 * Parses one value per line, and skips empty lines. If one line is not JSON, the entire body is unreadable. Each line
 * could have as many values as the entire body may have. So we check all lines together before we parse the first one.
 */
function parseLines(bytes: Buffer, maxValues: number): unknown {
  const refusal = tooMuch(bytes, maxValues);
  if (refusal) return refusal;
  const values: unknown[] = [];
  for (let from = 0, lines = 0, line = 1; from < bytes.length; lines += 1) {
    for (; bytes[from] === NEWLINE; from += 1) line += 1;
    if (from === bytes.length) break;
    if (lines > maxValues) return new Unread('value_error', `The body may have ${maxValues} lines`);
    const newline = bytes.indexOf(NEWLINE, from);
    const end = newline === -1 ? bytes.length : newline;
    const value = parsed(bytes.subarray(from, end));
    if (value instanceof Unread)
      return new Unread(value.problem.type, `Line ${line}: ${value.problem.msg}`, values.length);
    if (value !== undefined) values.push(value);
    from = end;
  }
  return values;
}

/** The check of a batch pauses after this many values, about a millisecond of work. */
const AT_ONCE = 500;

/**
 * Returns a function that checks the values of a list in order. A report of thousands of bad values would block the
 * process, so it stops when it has found as many problems as a response can list. In its pauses, the process can do
 * other work.
 */
export function itemReader(
  item: TSchema,
): (list: unknown[], pause?: () => Promise<void>) => Promise<{ values: unknown[]; problems: Problem[] }> {
  return async (list, pause = setImmediate) => {
    const validate = validationOf(item, { body: item });
    const values: unknown[] = [];
    const problems: Problem[] = [];
    for (const [index, value] of list.entries()) {
      if (index % AT_ONCE === AT_ONCE - 1) await pause();
      const input = { body: value };
      for (const problem of validate(input))
        problems.push({ ...problem, loc: ['body', index, ...problem.loc.slice(1)] });
      if (problems.length >= MAX_LISTED) break;
      values.push(input.body);
    }
    return { values, problems: listed(problems) };
  };
}

import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { TransportError, type Problem } from '../errors.ts';
import type { Batch } from '../media.ts';
import { parsed, parseJson, refusalOfEncoding, tooMuch, Unread } from './json-body.ts';
import { listed, MOST_LISTED } from './problem.ts';
import { NDJSON_TYPES } from './stream-body.ts';
import { compileValidation } from './validation.ts';

const unpack = promisify(gunzip);

/** The body of a batch as it came: what unpacks and parses it takes its time, and waits for its turn. */
export class UnreadBatch {
  readonly read: () => Promise<unknown>;

  constructor(read: () => Promise<unknown>) {
    this.read = read;
  }
}

/** Within `server`, bodies are lists of values as JSON or NDJSON, packed or not; the bounds hold for what was unpacked. */
export function takeBatches(server: FastifyInstance, { maxBytes, maxValues }: Batch): void {
  server.removeAllContentTypeParsers();
  const take = (types: string[], parse: (bytes: Buffer) => unknown): void => {
    server.addContentTypeParser(
      types,
      { parseAs: 'buffer' },
      async ({ headers }: FastifyRequest, body: Buffer) =>
        new UnreadBatch(async () => {
          const bytes = await unpacked(body, headers, maxBytes);
          return bytes instanceof Unread ? bytes : parse(bytes);
        }),
    );
  };
  take(['application/json'], (bytes) => parseJson(bytes, maxValues));
  take(NDJSON_TYPES, (bytes) => parseLines(bytes, maxValues));
}

async function unpacked(
  body: Buffer,
  headers: Parameters<typeof refusalOfEncoding>[0],
  maxBytes: number,
): Promise<Buffer | Unread> {
  const isPacked = /^(x-)?gzip$/i.test(headers['content-encoding']?.trim() ?? '');
  const refusal = refusalOfEncoding(isPacked ? { ...headers, 'content-encoding': undefined } : headers);
  if (refusal !== null) throw new TransportError('unsupported_media_type', refusal);
  if (!isPacked || body.length === 0) return body;
  try {
    return await unpack(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw new TransportError('body_too_large');
    return new Unread('json_invalid', 'The body is not valid gzip');
  }
}

const NEWLINE = 10;

/**
 * A value a line, empty lines left out; one that cannot be read stands for the whole body. All lines are looked at as one
 * before the first is parsed: each of them alone could hold as much as all may.
 */
function parseLines(bytes: Buffer, maxValues: number): unknown {
  const refusal = tooMuch(bytes, maxValues);
  if (refusal) return refusal;
  const values: unknown[] = [];
  for (let from = 0, lines = 0; from < bytes.length; lines += 1) {
    while (bytes[from] === NEWLINE) from += 1;
    if (from === bytes.length) break;
    if (lines > maxValues) return new Unread('value_error', `The body may have ${maxValues} lines`);
    const newline = bytes.indexOf(NEWLINE, from);
    const end = newline === -1 ? bytes.length : newline;
    const value = parsed(bytes.subarray(from, end));
    if (value instanceof Unread) return new Unread(value.problem.type, `Line ${values.length}: ${value.problem.msg}`);
    if (value !== undefined) values.push(value);
    from = end;
  }
  return values;
}

/** Checked without a pause, in about a millisecond. */
const AT_ONCE = 250;

/**
 * Checks the values of a list one after the other, and no further than there are as many problems as an answer lists:
 * telling all of thousands of bad values would hold the process up. Others have their turn in between.
 */
export function itemReader(item: TSchema): (list: unknown[]) => Promise<{ values: unknown[]; problems: Problem[] }> {
  let validate: ReturnType<typeof compileValidation> | undefined;
  return async (list) => {
    validate ??= compileValidation({ body: item });
    const values: unknown[] = [];
    const problems: Problem[] = [];
    for (const [index, value] of list.entries()) {
      if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
      const input = { body: value };
      for (const problem of validate(input))
        problems.push({ ...problem, loc: ['body', index, ...problem.loc.slice(1)] });
      if (problems.length >= MOST_LISTED) break;
      values.push(input.body);
    }
    return { values, problems: listed(problems) };
  };
}

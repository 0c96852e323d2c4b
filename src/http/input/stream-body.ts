import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Transform, type Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { InvalidRequest, TransportError } from '../errors.ts';
import type { ByteStream, Multipart, Ndjson } from '../media.ts';
import { BODY_CUT } from './cut-body.ts';
import { parseJson, tooMuch, Unread } from './json-body.ts';
import { compileValidation } from './validation.ts';

export const NDJSON_TYPES = ['application/x-ndjson', 'application/jsonl'];
const TYPES = { ndjson: NDJSON_TYPES, multipart: ['multipart/form-data'] };
const WHAT = { bytes: 'the bytes themselves', ndjson: 'a JSON value a line', multipart: 'a form with files' };
const LONGEST_LINE = 1024 * 1024;
const MOST_NDJSON_BYTES = 1024 * 1024 * 1024;

/** A stream may take longer than other requests as long as it goes on. */
const LONGEST_ARRIVAL_MS = 2 * 3_600_000;
/** What is never larger is no larger than other requests, and arrives in their time. */
const SMALL_BYTES = 64 * 1024;

/**
 * Within `server`, bodies arrive as streams: nothing is read ahead of `handle`, and the bounds hold as the bytes pass. The
 * time in which other requests arrive whole is here that in which something more of it does. Streams of up to 64 KiB have
 * that time as a whole, and those that may be JSON the bounds of JSON, whatever their sender calls them.
 */
export function takeStreams(server: FastifyInstance, kind: Ndjson | ByteStream | Multipart): void {
  const types = kind.media === 'bytes' ? kind.types : TYPES[kind.media];
  const maxBytes = kind.media === 'ndjson' ? MOST_NDJSON_BYTES : kind.maxBytes;
  server.removeAllContentTypeParsers();
  refuseOtherTypes(server, `${WHAT[kind.media]}: ${types.join(', ')}`);
  server.addContentTypeParser([...types], (request, body, done) => {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) done(new TransportError('body_too_large'));
    else if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
      done(new TransportError('unsupported_media_type'));
    else {
      const silenceMs = server.server.requestTimeout;
      const isSmall = maxBytes <= SMALL_BYTES;
      const longestMs = isSmall ? silenceMs : LONGEST_ARRIVAL_MS;
      const isJson = isSmall && types.includes('application/json');
      done(null, bounded(body as IncomingMessage, { maxBytes, silenceMs, longestMs, isJson }));
    }
  });
}

/** A body of any other type, or of none, is refused with what is taken. */
export function refuseOtherTypes(server: FastifyInstance, taken: string): void {
  const refusal = `The body must be ${taken} in the header content-type.`;
  server.addContentTypeParser('*', (_request, _body, done) =>
    done(new TransportError('unsupported_media_type', refusal)),
  );
}

/** Connections on which a stream arrives: the timer of whole requests leaves them alone. */
const arriving = new WeakSet<Socket>();

/** Whether a stream arrives there, which has time limits of its own. */
export const bringsStream = (socket: Socket): boolean => arriving.has(socket);

type Bounds = { maxBytes: number; silenceMs: number; longestMs: number; isJson: boolean };

function bounded(body: IncomingMessage, { maxBytes, silenceMs, longestMs, isJson }: Bounds): Readable {
  const { socket } = body;
  arriving.add(socket);
  let bytes = 0;
  const seen: Buffer[] = [];
  let silentSince = performance.now();
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      silentSince = performance.now();
      if (bytes > maxBytes) done(new TransportError('body_too_large'));
      else {
        if (isJson) seen.push(chunk);
        done(null, chunk);
      }
    },
    flush(done) {
      const unread = isJson ? tooMuch(Buffer.concat(seen)) : null;
      done(unread && new InvalidRequest([unread.problem]));
    },
  });
  const begunAt = performance.now();
  const timer = setInterval(
    () => {
      // What waits here to be taken is no silence of the sender.
      if (meter.readableLength > 0 || meter.writableLength > 0) silentSince = performance.now();
      const now = performance.now();
      if (now - silentSince > silenceMs || now - begunAt > longestMs)
        meter.destroy(new TransportError('request_timeout'));
    },
    Math.min(1_000, silenceMs),
  );
  meter.once('close', () => {
    clearInterval(timer);
    arriving.delete(socket);
  });
  // A sender that goes away reads no answer; whoever reads its stream has to hear of it.
  const cut = (): void => void meter.destroy(new TransportError('bad_request', BODY_CUT));
  // Also before anybody reads it: an error without a listener would end the process.
  meter.on('error', () => undefined);
  body.once('error', cut);
  body.once('close', () => {
    if (!body.complete) cut();
  });
  return body.pipe(meter);
}

/** The lines of a body, each checked like a body of its own; `loc` tells the line, beginning at 0. */
export async function* readLines(body: Readable, item: TSchema): AsyncIterable<unknown> {
  const validate = compileValidation({ body: item });
  let number = 0;
  for await (const line of splitLines(body)) {
    const value = parseJson(line);
    if (value === undefined) continue;
    const input = { body: value };
    const problems = value instanceof Unread ? [value.problem] : validate(input);
    if (problems.length > 0) {
      throw new InvalidRequest(
        problems.map((problem) => ({ ...problem, loc: ['body', number, ...problem.loc.slice(1)] })),
      );
    }
    yield input.body;
    number += 1;
  }
}

async function* splitLines(body: Readable): AsyncIterable<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield rest.length > 0 ? Buffer.concat([rest, chunk.subarray(from, end)]) : chunk.subarray(from, end);
      rest = Buffer.alloc(0);
      from = end + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    if (rest.length > LONGEST_LINE) throw new TransportError('body_too_large');
  }
  if (rest.length > 0) yield rest;
}

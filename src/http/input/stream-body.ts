import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Transform, type Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { InvalidRequest, TransportError } from '../error-response.ts';
import type { ByteStream, Multipart, Ndjson } from '../../operation/media.ts';
import { BODY_CUT } from './cut-body.ts';
import { parseJson, tooMuch, Unread } from './json-body.ts';
import { validationOf } from './validation.ts';

export const NDJSON_TYPES = ['application/x-ndjson', 'application/jsonl'];
const TYPES = { ndjson: NDJSON_TYPES, multipart: ['multipart/form-data'] };
const WHAT = { bytes: 'the bytes themselves', ndjson: 'one JSON value per line', multipart: 'a form with files' };
const LONGEST_LINE = 1024 * 1024;
const MAX_NDJSON_BYTES = 1024 * 1024 * 1024;

/** A stream may take this long, if bytes keep arriving. Other requests must arrive faster. */
const LONGEST_ARRIVAL_MS = 2 * 3_600_000;
/** If a stream may have at most this many bytes, it must arrive as fast as the body of any other request. */
const SMALL_BYTES = 64 * 1024;

/**
 * Makes `server` accept streams. It reads nothing before `handle`, and checks the limits while the bytes arrive. The
 * request timeout limits each pause between chunks. For a body of at most 64 KiB, it limits the entire arrival instead.
 * If such a body may be JSON, the limits for JSON also apply, whatever its content type is.
 */
export function takeStreams(server: FastifyInstance, kind: Ndjson | ByteStream | Multipart): void {
  const types = kind.media === 'bytes' ? kind.types : TYPES[kind.media];
  const maxBytes = kind.media === 'ndjson' ? MAX_NDJSON_BYTES : kind.maxBytes;
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

/** Makes `server` refuse a body with another content type or without one. The refusal names the accepted types. */
export function refuseOtherTypes(server: FastifyInstance, taken: string): void {
  const refusal = `The body must be ${taken}, as the content-type header states.`;
  server.addContentTypeParser('*', (_request, _body, done) =>
    done(new TransportError('unsupported_media_type', refusal)),
  );
}

/** Connections on which a stream is arriving. The timer for whole requests does not apply to them. */
const arriving = new WeakSet<Socket>();

/** Returns true if a stream is arriving on this connection. Streams have their own time limits. */
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
      // If bytes wait here because we do not read them, the client has not paused.
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
  // A client that has disconnected reads no response. But the code that reads the stream must get an error.
  const cut = (): void => void meter.destroy(new TransportError('bad_request', BODY_CUT));
  // The error can occur before the stream has a reader. An error without a listener would end the process.
  meter.on('error', () => undefined);
  body.once('error', cut);
  body.once('close', () => {
    if (!body.complete) cut();
  });
  return body.pipe(meter);
}

/**
 * Reads the lines of a body, and checks each line like a separate body. In `loc` of a problem, the line numbers start
 * at 0.
 */
export async function* readLines(body: Readable, item: TSchema): AsyncIterable<unknown> {
  const validate = validationOf(item, { body: item });
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

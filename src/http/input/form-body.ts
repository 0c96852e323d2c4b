import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { InvalidRequest, type Problem } from '../error-response.ts';
import type { Form, Multipart } from '../../operation/media.ts';
import { readQuery } from './read-parameters.ts';
import { validationOf } from './validation.ts';

const LONGEST_FIELD = 1_000;
const MAX_FIELDS = 20;
/** The limit for the headers of one part: its name, its content type, and its file name, which we ignore. */
const MAX_HEADER_BYTES = 4_096;
const MAX_HEADERS = 10;

const BROKEN: Problem = { type: 'value_error', loc: ['body'], msg: 'The body is not a readable form' };

/**
 * Reads a form while it arrives. The caller gets one file after the other, and decides how fast the form is read. File
 * names and content types from the client are ignored. Throws InvalidRequest if the form is broken or has too many
 * parts. Also throws the errors of the body itself.
 */
export function readForm(contentType: string, body: Readable, kind: Multipart): ReadForm {
  const texts = new Map<string, string[]>();
  /** The names of fields with more bytes than we read. */
  const tooLong = new Set<string>();
  let files = 0;
  const fields = (): never => {
    const values = readQuery(kind.fields, Object.fromEntries(texts));
    const input = { body: values };
    const found = [
      ...[...tooLong].map((name): Problem => ({ type: 'string_too_long', loc: ['body', name], msg: TOO_LONG })),
      ...validationOf(kind.fields, { body: kind.fields })(input).filter(({ loc }) => !tooLong.has(String(loc[1]))),
    ];
    if (files === 0) found.unshift({ type: 'missing', loc: ['body', kind.file], msg: 'Field required' });
    if (found.length > 0) throw new InvalidRequest(found);
    return input.body as never;
  };
  async function* each(): AsyncGenerator<AsyncIterable<Buffer>, void, undefined> {
    const parts = openParts(contentType, body, kind, (name, text, isCut) => {
      if (isCut) tooLong.add(name);
      else texts.set(name, [...(texts.get(name) ?? []), text]);
    });
    try {
      for (let file = await parts.next(); file !== null; file = await parts.next()) {
        files += 1;
        yield parts.bytesOf(file);
      }
    } finally {
      parts.close();
    }
  }
  return { files: each(), fields };
}

/** A form as this file reads it. The route adds `once`, because only the route knows the idempotency key. */
export type ReadForm = Omit<Form, 'once'>;

const TOO_LONG = `String should have at most ${LONGEST_FIELD} bytes`;

type Parts = {
  /** Returns the next file, or null at the end of the form. */
  next: () => Promise<Readable | null>;
  bytesOf: (file: Readable) => AsyncIterable<Buffer>;
  close: () => void;
};

function openParts(
  contentType: string,
  body: Readable,
  { file: fileName, maxFiles, fields }: Multipart,
  onField: (name: string, text: string, isCut: boolean) => void,
): Parts {
  const parser = parserOf(contentType, maxFiles);
  const waiting: Readable[] = [];
  let end: { failure: Error | null } | null = null;
  let current: Readable | null = null;
  let wake = (): void => undefined;
  const finish = (failure: Error | null): void => {
    end ??= { failure };
    if (failure) current?.destroy(failure);
    wake();
  };
  const broken = (): void => finish(body.errored ?? new InvalidRequest([BROKEN]));
  const tooMany = (what: string) => (): void =>
    finish(new InvalidRequest([{ type: 'too_long', loc: ['body'], msg: `The form has too many ${what}` }]));
  parser.on('file', (name: string, stream: Readable) => {
    stream.on('error', broken);
    if (name === fileName) waiting.push(stream);
    else stream.resume();
    wake();
  });
  parser.on('field', (name: string, text: string, _nameIsCut: boolean, isCut: boolean) => {
    if (Object.hasOwn(fields.properties, name)) onField(name, text, isCut);
  });
  parser.on('filesLimit', tooMany('files'));
  parser.on('fieldsLimit', tooMany('fields'));
  parser.on('partsLimit', tooMany('parts'));
  parser.on('error', broken);
  parser.on('finish', () => finish(null));
  // If the body itself failed, we report its error. The parser's error only follows from it.
  body.once('error', finish);
  if (body.errored) finish(body.errored);
  body.pipe(parser);

  return {
    next: async () => {
      for (;;) {
        if (end?.failure) throw end.failure;
        current = waiting.shift() ?? null;
        if (current || end) return current;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    bytesOf: async function* (file) {
      try {
        for await (const chunk of file) yield chunk as Buffer;
      } catch (error) {
        throw end?.failure ?? error;
      }
    },
    close: () => {
      body.unpipe(parser);
      for (const stream of waiting) stream.resume();
    },
  };
}

function parserOf(contentType: string, maxFiles: number): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        files: maxFiles,
        fields: MAX_FIELDS,
        parts: maxFiles + MAX_FIELDS,
        fieldSize: LONGEST_FIELD,
        headerPairs: MAX_HEADERS,
        headerSize: MAX_HEADER_BYTES,
      },
    });
  } catch {
    throw new InvalidRequest([
      { type: 'value_error', loc: ['header', 'content-type'], msg: 'The header has no boundary' },
    ]);
  }
}

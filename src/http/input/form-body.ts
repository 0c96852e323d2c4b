import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { InvalidRequest, type Problem } from '../errors.ts';
import type { Form, Multipart } from '../media.ts';
import { readQuery } from './read.ts';
import { compileValidation } from './validation.ts';

const LONGEST_FIELD = 1_000;
const MOST_FIELDS = 20;
/** Of a part: its name, the name of the file, which nobody reads, and its type. */
const MOST_HEADER_BYTES = 4_096;
const MOST_HEADERS = 10;

const BROKEN: Problem = { type: 'value_error', loc: ['body'], msg: 'The body is no form that can be read' };

/**
 * A form as it arrives. The files come one by one, each no faster than it is read; what its sender calls a file, and what
 * type it says, is not looked at. Throws InvalidRequest where the form is broken or has more parts than are taken, and what
 * the body itself ends with.
 */
export function readForm(contentType: string, body: Readable, kind: Multipart): ReadForm {
  const texts = new Map<string, string[]>();
  const problems: Problem[] = [];
  let files = 0;
  const fields = (): never => {
    const values = readQuery(kind.fields, Object.fromEntries(texts));
    const input = { body: values };
    const found = [...problems, ...compileValidation({ body: kind.fields })(input)];
    if (files === 0) found.unshift({ type: 'missing', loc: ['body', kind.file], msg: 'Field required' });
    if (found.length > 0) throw new InvalidRequest(found);
    return input.body as never;
  };
  async function* each(): AsyncGenerator<AsyncIterable<Buffer>, void, undefined> {
    const parts = openParts(contentType, body, kind, (name, text, isCut) => {
      if (isCut) problems.push({ type: 'string_too_long', loc: ['body', name], msg: TOO_LONG });
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

/** What a key of it means the route knows. */
export type ReadForm = Omit<Form, 'once'>;

const TOO_LONG = `String should have at most ${LONGEST_FIELD} characters`;

type Parts = {
  /** The next file; null where the form is through. */
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
  // What the body itself ends with comes before what its parser makes of that.
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
        fields: MOST_FIELDS,
        parts: maxFiles + MOST_FIELDS,
        fieldSize: LONGEST_FIELD,
        headerPairs: MOST_HEADERS,
        headerSize: MOST_HEADER_BYTES,
      },
    });
  } catch {
    throw new InvalidRequest([
      { type: 'value_error', loc: ['header', 'content-type'], msg: 'The header names no boundary' },
    ]);
  }
}

import type { Readable } from 'node:stream';
import { Type, type Static, type TArray, type TObject, type TSchema } from 'typebox';

// What an operation takes or answers instead of JSON. JSON itself is a schema.

/** One JSON value a line (application/x-ndjson), read and written a line at a time. */
export type Ndjson<T extends TSchema = TSchema> = { media: 'ndjson'; item: T };
export const ndjson = <T extends TSchema>(item: T): Ndjson<T> => ({ media: 'ndjson', item });

/** A body as it arrives, for files and device exports: never held in memory as a whole. One of up to 64 KiB arrives as soon as any other. */
export type ByteStream = {
  media: 'bytes';
  /** Content types that are taken; any other is 415. */
  types: readonly string[];
  /** More is 413, announced or not. */
  maxBytes: number;
};
export const byteStream = (types: readonly string[], maxBytes: number): ByteStream => ({
  media: 'bytes',
  types,
  maxBytes,
});

/** Files with fields beside them (multipart/form-data), handed on while they arrive; what else a form holds is ignored. */
export type Multipart<T extends TObject = TObject> = {
  media: 'multipart';
  fields: T;
  /** Name of the parts that are files. */
  file: string;
  maxFiles: number;
  /** Of the form as a whole; more is 413. */
  maxBytes: number;
};
export const multipart = <T extends TObject>(
  fields: T,
  files: { file: string; maxFiles: number; maxBytes: number },
): Multipart<T> => ({ media: 'multipart', fields, ...files });

/** What a page of ours sends by a form without files (application/x-www-form-urlencoded), read whole before `handle`. */
export type WebForm<T extends TObject = TObject> = { media: 'web_form'; fields: T };
export const webForm = <T extends TObject>(fields: T): WebForm<T> => ({ media: 'web_form', fields });

/** A form as `handle` reads it: each file to its end before the next, and then the fields, in whatever order they were sent. */
export type Form<T extends TObject = TObject> = {
  files: AsyncIterable<AsyncIterable<Buffer>>;
  /** Once all files were read. Throws the list of what is wrong with them. */
  fields: () => Static<T>;
  /**
   * Runs `work` in the transaction of `ctx`, or answers as the form did at first that brought the same X-Idempotency-Key:
   * its bytes are not held, so that whoever has read them says by `content` what they were, as digests. Throws
   * idempotency_mismatch and idempotency_in_flight.
   */
  once: <C, A>(ctx: C, content: object, work: (ctx: C) => Promise<A>) => Promise<A>;
};

/**
 * Many values in one request, taken whole or not at all: a JSON list, or NDJSON with one value a line; gzip is taken.
 * Unlike a stream it is read before `handle`, within its bounds, and every problem is listed with its index.
 */
export type Batch<T extends TSchema = TSchema> = {
  media: 'batch';
  item: T;
  list: TArray<T>;
  /** The list without a look at what is in it. */
  outline: TSchema;
  /** Of the body as it is read, unpacked; more is 413. */
  maxBytes: number;
  /** Of the list with everything in it; more is 422. */
  maxValues: number;
};
export const batch = <T extends TSchema>(
  item: T,
  most: { items: number; valuesEach: number; bytes: number },
): Batch<T> => ({
  media: 'batch',
  item,
  list: Type.Array(item, { minItems: 1, maxItems: most.items }),
  outline: Type.Array(Type.Unknown(), { minItems: 1, maxItems: most.items }),
  maxBytes: most.bytes,
  maxValues: most.items * (most.valuesEach + 1) + 1,
});

/** JSON where the work is done; null, or what `isDone` says no of, is 202, without a body or with it. */
export type OrAccepted<T extends TSchema = TSchema> = {
  media: 'or_accepted';
  schema: T;
  isDone: ((value: Static<T>) => boolean) | null;
};
export const orAccepted = <T extends TSchema>(
  schema: T,
  isDone: ((value: Static<T>) => boolean) | null = null,
): OrAccepted<T> => ({ media: 'or_accepted', schema, isDone });

/** JSON, or the same as a file of another type where a caller asks for that by its Accept header. */
export type OrFile<T extends TSchema = TSchema> = { media: 'or_file'; schema: T; type: string };
export const orFile = <T extends TSchema>(schema: T, type: string): OrFile<T> => ({ media: 'or_file', schema, type });

/** JSON under the name that FHIR gives it. */
export type Fhir<T extends TSchema = TSchema> = { media: 'fhir'; schema: T };
export const fhir = <T extends TSchema>(schema: T): Fhir<T> => ({ media: 'fhir', schema });

/** Whether an Accept header names this type, and JSON by no higher weight (RFC 9110 12.5.1). */
export function asksFor(accept: string | null, type: string): boolean {
  const weights = weightsOf(accept ?? '');
  const weight = weights.get(type) ?? 0;
  return weight > 0 && weight >= (weights.get('application/json') ?? 0);
}

/** Of a header; no client names as many. */
const MOST_RANGES = 50;

/** What a header such as Accept or Accept-Encoding names, in lower case, with its weight from 0 to 1 (RFC 9110 12.4.2). */
export function weightsOf(header: string): Map<string, number> {
  return new Map(
    header.split(',', MOST_RANGES).map((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
    }),
  );
}

/** Answers of a kind of their own: a document, a page, another address. */
type Page = Pdf | { media: 'attachment' | 'html' | 'svg' | 'redirect' | 'browser' };
/** A document of somebody: shown where it is opened, unless it is an attachment, and kept by nobody on the way. `name` is what it is saved as. */
type Pdf = { media: 'pdf'; name: string };
export const pdf = (name: string): Pdf => ({ media: 'pdf', name });
export const html = { media: 'html' } as const;
/** A picture that anybody may keep for a day. */
export const svg = { media: 'svg' } as const;
/** The value is the address; the status is 302. */
export const redirect = { media: 'redirect' } as const;
/** A stored file as its sender sent it: saved, and never shown or run where it is opened. */
export const attachment = { media: 'attachment' } as const;
export type Attachment = {
  content_type: string;
  /** With its ending; not what its sender called it. */ name: string;
  content: Readable;
};
/** For people in a browser: a page, or another address. */
export const browser = { media: 'browser' } as const;

/** A page without script, or where to go. What goes wrong for a person is told by a page too, which is a 200. */
export type BrowserAnswer =
  | {
      html: string;
      /** The one style sheet in it, which alone may apply. */
      style: string;
      /** Whether it has a form, which is sent to us. */
      hasForm?: boolean;
      /** Origins that the answer to its form may lead on to; left out: none but ours. */
      formLeadsTo?: readonly string[];
    }
  | { redirect: string; /** Left in the browser for requests below `path`. */ cookie?: Cookie };
export type Cookie = { name: string; value: string; path: string; seconds: number; secure: boolean };

export type BodyKind = TSchema | Ndjson | ByteStream | Batch | Multipart | WebForm;
export type AnswerKind = TSchema | Ndjson | OrAccepted | OrFile | Fhir | Page;

/** What `handle` gets as its body. */
export type BodyOf<B> =
  B extends Ndjson<infer T>
    ? AsyncIterable<Static<T>>
    : B extends ByteStream
      ? Readable
      : B extends Batch<infer T>
        ? Static<T>[]
        : B extends Multipart<infer T>
          ? Form<T>
          : B extends WebForm<infer T>
            ? Static<T>
            : B extends TSchema
              ? Static<B>
              : undefined;

/** What `handle` gives back. */
export type AnswerOf<R> =
  R extends Ndjson<infer T>
    ? AsyncIterable<Static<T>>
    : R extends OrAccepted<infer T>
      ? Static<T> | null
      : R extends OrFile<infer T>
        ? Static<T> | Buffer
        : R extends Fhir<infer T>
          ? Static<T>
          : R extends { media: 'browser' }
            ? BrowserAnswer
            : R extends { media: 'attachment' }
              ? Attachment
              : R extends { media: 'pdf' }
                ? Buffer | Readable | Attachment
                : R extends { media: 'html' | 'svg' | 'redirect' }
                  ? string
                  : R extends TSchema
                    ? Static<R>
                    : void;

/** The schema of what is read or written as one JSON value. */
export function jsonOf(kind: BodyKind | AnswerKind | undefined): TSchema | undefined {
  if (kind === undefined || !('media' in kind)) return kind;
  if (kind.media === 'or_accepted' || kind.media === 'or_file' || kind.media === 'fhir') return kind.schema;
  if (kind.media === 'web_form') return kind.fields;
  return kind.media === 'batch' ? kind.list : undefined;
}

export const isBatch = (kind: BodyKind | undefined): kind is Batch =>
  kind !== undefined && 'media' in kind && kind.media === 'batch';

const isWebForm = (kind: BodyKind | undefined): kind is WebForm =>
  kind !== undefined && 'media' in kind && kind.media === 'web_form';

export const isForm = (kind: BodyKind | AnswerKind | undefined): kind is Multipart =>
  kind !== undefined && 'media' in kind && kind.media === 'multipart';

/** A body that is handed on while it arrives. */
export const isStream = (kind: BodyKind | undefined): kind is Ndjson | ByteStream | Multipart =>
  kind !== undefined && 'media' in kind && !isBatch(kind) && !isWebForm(kind);

import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';

// What an operation takes or answers instead of JSON. JSON itself is a schema.

/** One JSON value a line (application/x-ndjson), read and written a line at a time. */
export type Ndjson<T extends TSchema = TSchema> = { media: 'ndjson'; item: T };
export const ndjson = <T extends TSchema>(item: T): Ndjson<T> => ({ media: 'ndjson', item });

/** A body as it arrives, for files and device exports: never held in memory as a whole. */
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

/** Answers of a kind of their own: a document, a page, another address. */
type Page = { media: 'pdf' | 'html' | 'redirect' };
export const pdf = { media: 'pdf' } as const;
export const html = { media: 'html' } as const;
/** The value is the address; the status is 302. */
export const redirect = { media: 'redirect' } as const;

export type BodyKind = TSchema | Ndjson | ByteStream;
export type AnswerKind = TSchema | Ndjson | Page;

/** What `handle` gets as its body. */
export type BodyOf<B> =
  B extends Ndjson<infer T>
    ? AsyncIterable<Static<T>>
    : B extends ByteStream
      ? Readable
      : B extends TSchema
        ? Static<B>
        : undefined;

/** What `handle` gives back. */
export type AnswerOf<R> =
  R extends Ndjson<infer T>
    ? AsyncIterable<Static<T>>
    : R extends { media: 'pdf' }
      ? Buffer | Readable
      : R extends { media: 'html' | 'redirect' }
        ? string
        : R extends TSchema
          ? Static<R>
          : void;

/** The schema, where the kind is JSON. */
export const jsonOf = (kind: BodyKind | AnswerKind | undefined): TSchema | undefined =>
  kind === undefined || 'media' in kind ? undefined : kind;

import type { Readable } from 'node:stream';
import { Type, type Static, type TArray, type TObject, type TSchema } from 'typebox';

// Kinds of request bodies and response bodies other than JSON. A schema declares JSON.

/** One JSON value per line (application/x-ndjson). We read and write it line by line. */
export type Ndjson<T extends TSchema = TSchema> = { media: 'ndjson'; item: T };
export const ndjson = <T extends TSchema>(item: T): Ndjson<T> => ({ media: 'ndjson', item });

/**
 * A body that `handle` reads while it arrives, for files and exports of devices. The whole body is never in memory. If
 * its limit is 64 KiB or less, it must arrive as fast as any other body.
 */
export type ByteStream = {
  media: 'bytes';
  /** Accepted content types. A body of any other type gets a 415. */
  types: readonly string[];
  /** A larger body gets a 413, with or without a content-length header. */
  maxBytes: number;
};
export const byteStream = (types: readonly string[], maxBytes: number): ByteStream => ({
  media: 'bytes',
  types,
  maxBytes,
});

/**
 * A form with files and fields (multipart/form-data), which `handle` reads while it arrives. It ignores other parts.
 */
export type Multipart<T extends TObject = TObject> = {
  media: 'multipart';
  fields: T;
  /** The name of the parts that are files. */
  file: string;
  maxFiles: number;
  /** The limit of the whole form. A larger form gets a 413. */
  maxBytes: number;
};
export const multipart = <T extends TObject>(
  fields: T,
  files: { file: string; maxFiles: number; maxBytes: number },
): Multipart<T> => ({ media: 'multipart', fields, ...files });

/**
 * A form without files that one of our pages sends (application/x-www-form-urlencoded). We read the whole form before
 * `handle`.
 */
export type WebForm<T extends TObject = TObject> = { media: 'web_form'; fields: T };
export const webForm = <T extends TObject>(fields: T): WebForm<T> => ({ media: 'web_form', fields });

/**
 * A form as `handle` reads it. `handle` reads each file to its end, and the fields after all files. The client may send
 * them in any order.
 */
export type Form<T extends TObject = TObject> = {
  files: AsyncIterable<AsyncIterable<Buffer>>;
  /** Returns the fields. Call it when all files are read. Throws the list of problems. */
  fields: () => Static<T>;
  /**
   * Runs `work` in the transaction of `ctx`. If the client repeats the X-Idempotency-Key, it returns the result of the
   * first form instead. We do not store the bytes of a form, so the caller passes digests of them in `content`. Throws
   * idempotency_mismatch and idempotency_in_flight.
   */
  once: <C, A>(ctx: C, content: object, work: (ctx: C) => Promise<A>) => Promise<A>;
};

/**
 * A list of values in one request. We store either all of them or none. The body is a JSON list, or NDJSON with one
 * value per line, with or without gzip. We read the whole batch, within limits, before we call `handle`. The response
 * lists each problem with the index of its value.
 */
export type Batch<T extends TSchema = TSchema> = {
  media: 'batch';
  item: T;
  list: TArray<T>;
  /** The schema of the list, without a check of its items. */
  outline: TSchema;
  /** The limit of the decompressed body. A larger body gets a 413. */
  maxBytes: number;
  /** The most values in the list, at every depth. A body with more gets a 422. */
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

/**
 * JSON, for work that may not be done yet. If the value is `null`, the response is a 202 without a body. If `isDone`
 * returns false for the value, the response is a 202 with a body.
 */
export type OrAccepted<T extends TSchema = TSchema> = {
  media: 'or_accepted';
  schema: T;
  isDone: ((value: Static<T>) => boolean) | null;
};
export const orAccepted = <T extends TSchema>(
  schema: T,
  isDone: ((value: Static<T>) => boolean) | null = null,
): OrAccepted<T> => ({ media: 'or_accepted', schema, isDone });

/** JSON, or the same content with another content type if the Accept header asks for it. */
export type OrFile<T extends TSchema = TSchema> = { media: 'or_file'; schema: T; type: string };
export const orFile = <T extends TSchema>(schema: T, type: string): OrFile<T> => ({ media: 'or_file', schema, type });

/** JSON with FHIR's media type. */
export type Fhir<T extends TSchema = TSchema> = { media: 'fhir'; schema: T };
export const fhir = <T extends TSchema>(schema: T): Fhir<T> => ({ media: 'fhir', schema });

/** Returns true if an Accept header names this type and gives JSON no higher weight (RFC 9110 12.5.1). */
export function asksFor(accept: string | null, type: string): boolean {
  const weights = weightsOf(accept ?? '');
  const weight = weights.get(type) ?? 0;
  return weight > 0 && weight >= (weights.get('application/json') ?? 0);
}

/** The most entries that we read from a header. No client that we know sends as many. */
const MAX_RANGES = 50;

/**
 * Reads a header such as Accept or Accept-Encoding. Returns names in lower case, with weights from 0 to 1 (RFC 9110
 * 12.4.2).
 */
export function weightsOf(header: string): Map<string, number> {
  return new Map(
    header.split(',', MAX_RANGES).map((range) => {
      const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
    }),
  );
}

/** Responses that are a document, a page or a redirect. */
type Page = Pdf | { media: 'attachment' | 'html' | 'svg' | 'redirect' | 'browser' | 'cookie' };
/**
 * A document about a person. The browser shows it unless we send it as an attachment. Caches must not store it. `name`
 * is the name under which the browser saves the file.
 */
type Pdf = { media: 'pdf'; name: string };
export const pdf = (name: string): Pdf => ({ media: 'pdf', name });
export const html = { media: 'html' } as const;
/** A picture that any cache may store for a day. */
export const svg = { media: 'svg' } as const;
/** A redirect with status 302. The value is the URL. */
export const redirect = { media: 'redirect' } as const;
/** A stored file with the bytes that its sender sent. The browser saves it, and never shows or runs it. */
export const attachment = { media: 'attachment' } as const;
export type Attachment = {
  content_type: string;
  /** The name with its extension. We choose it, not the sender of the file. */ name: string;
  content: Readable;
};
/** No body. The browser stores the cookie that `handle` returns, or deletes it if it lasts 0 seconds. */
export const cookieOnly = { media: 'cookie' } as const;
/** A page or a redirect, for people in a browser. */
export const browser = { media: 'browser' } as const;

/**
 * A page without script, or a redirect. A page can also show a mistake that the person made. Its status is then 200.
 */
export type BrowserResponse =
  | {
      html: string;
      /** The only style sheet that the browser applies to the page. */
      style: string;
      /** True if the page has a form that the browser sends to us. */
      hasForm?: boolean;
      /** Origins to which we may redirect the browser after the form. Default: only our own origin. */
      formLeadsTo?: readonly string[];
    }
  | { redirect: string; cookie?: Cookie };
/** `hostCookie` makes it. */
export type Cookie = { name: string; value: string; seconds: number; secure: boolean };

export type BodyKind = TSchema | Ndjson | ByteStream | Batch | Multipart | WebForm;
export type ResponseKind = TSchema | Ndjson | OrAccepted | OrFile | Fhir | Page;

/** The type of the body that `handle` gets. */
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

/** The type of the value that `handle` returns. */
export type ResponseOf<R> =
  R extends Ndjson<infer T>
    ? AsyncIterable<Static<T>>
    : R extends OrAccepted<infer T>
      ? Static<T> | null
      : R extends OrFile<infer T>
        ? Static<T> | Buffer
        : R extends Fhir<infer T>
          ? Static<T>
          : R extends { media: 'browser' }
            ? BrowserResponse
            : R extends { media: 'cookie' }
              ? Cookie
              : R extends { media: 'attachment' }
                ? Attachment
                : R extends { media: 'pdf' }
                  ? Buffer | Readable | Attachment
                  : R extends { media: 'html' | 'svg' | 'redirect' }
                    ? string
                    : R extends TSchema
                      ? Static<R>
                      : void;

/** Returns the schema of a body or response that is one JSON value. */
export function jsonOf(kind: BodyKind | ResponseKind | undefined): TSchema | undefined {
  if (kind === undefined || !('media' in kind)) return kind;
  if (kind.media === 'or_accepted' || kind.media === 'or_file' || kind.media === 'fhir') return kind.schema;
  if (kind.media === 'web_form') return kind.fields;
  return kind.media === 'batch' ? kind.list : undefined;
}

export const isBatch = (kind: BodyKind | undefined): kind is Batch =>
  kind !== undefined && 'media' in kind && kind.media === 'batch';

const isWebForm = (kind: BodyKind | undefined): kind is WebForm =>
  kind !== undefined && 'media' in kind && kind.media === 'web_form';

export const isForm = (kind: BodyKind | ResponseKind | undefined): kind is Multipart =>
  kind !== undefined && 'media' in kind && kind.media === 'multipart';

/** Returns true for a body that `handle` reads while it arrives. */
export const isStream = (kind: BodyKind | undefined): kind is Ndjson | ByteStream | Multipart =>
  kind !== undefined && 'media' in kind && !isBatch(kind) && !isWebForm(kind);

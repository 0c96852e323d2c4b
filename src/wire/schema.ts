import { Type, type Static, type TOptional, type TSchema, type TUnsafe } from 'typebox';

/**
 * Returns the schema with null as a further type. It writes a list of types. A union of two schemas would make
 * serialisation slower and add entries to errors.
 */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  });
}

/**
 * Returns the schema of a key that a request may omit or send as null. If the key is missing, its value is the schema's
 * default, or null without a default.
 */
export function optional<T extends TSchema>(schema: T): TOptional<TUnsafe<Static<T> | null>> {
  const result = nullable(schema) as TUnsafe<Static<T> | null> & { default?: unknown };
  result.default ??= null;
  return Type.Optional(result);
}

/**
 * Returns the schema of a key that a request may omit. Validation fills in the default, so `handle` always gets a
 * value.
 */
export const withDefault = <T extends TSchema>(schema: T, value: Static<T>): TUnsafe<Static<T>> =>
  Type.Optional(Type.Unsafe<Static<T>>({ ...schema, default: value })) as unknown as TUnsafe<Static<T>>;

/** Returns the schema of one of `values`. In responses, clients must accept further values, which we may add. */
export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

export const Uuid = Type.String({ format: 'uuid' });
/** A time in UTC, with three fractional digits and a Z. */
export const Timestamp = Type.String({ format: 'date-time' });
/** A date, `YYYY-MM-DD`. */
export const CalendarDate = Type.String({ format: 'date' });
/**
 * Plain text of at most `most` characters. It has no characters that could break a line of a message, a document or a
 * label.
 */
export const Text = (most: number, options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ minLength: 1, maxLength: most, format: 'text', ...options });

/** Plain text with line breaks. Use it for messages between people, and not for names or numbers. */
export const Prose = (most: number, options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ minLength: 1, maxLength: most, format: 'prose', ...options });

/** A time in the past in a request, for example of a consent. */
export const PastMoment = Type.String({ format: 'past-moment' });

/** A time in the future in a request, for example the expiry of a key. */
export const FutureMoment = Type.String({ format: 'future-moment' });

// The schemas of filters of lists. A filter accepts an unknown value, which matches nothing.

/** The start of a period. A date without a time means the start of that day in UTC. */
export const LowerBound = Type.String({ format: 'lower-bound' });
/** The end of a period. A date without a time means the end of that day in UTC. */
export const UpperBound = Type.String({ format: 'upper-bound' });
/** Words to search for. An empty text means that the filter is missing. */
export const SearchWords = (options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ maxLength: 200, format: 'search-words', ...options });
/** Text to compare with. An empty text means that the filter is missing. */
export const TextFilter = (options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ maxLength: 200, format: 'filter', ...options });
/** A word of a list that may grow. An unknown word matches nothing. An empty word is refused. */
export const WordFilter = (options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ minLength: 1, maxLength: 100, ...options });
/**
 * The start of a page: the `next_cursor` of the previous page. Unless `isKey` is given, the key in the cursor is an id.
 */
export const Cursor = (options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({
    maxLength: 500,
    format: 'cursor',
    description: 'next_cursor of the page before. Default: the first page.',
    ...options,
  });
/** The number of a page. The first page is 1, which is the default. */
export const PageNumber = withDefault(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), 1);
/** A limit below the largest integer that JSON represents exactly. */
const MAX_WHOLE = 999_999_999_999_999;
/** An integer that the database assigned, such as the id of a marker. */
export const NumericId = Type.Integer({ minimum: -MAX_WHOLE, maximum: MAX_WHOLE });

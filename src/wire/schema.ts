import { Type, type Static, type TOptional, type TSchema, type TUnsafe } from 'typebox';

/** The schema or null, written as a type list: unlike a union it costs the serialiser and the error list nothing. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: values, ...rest } = schema as unknown as { type: string; enum?: unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  });
}

/** A key that a request may leave out or send as null; left out, it reads as the schema's default, else as null. */
export function optional<T extends TSchema>(schema: T): TOptional<TUnsafe<Static<T> | null>> {
  const result = nullable(schema) as TUnsafe<Static<T> | null> & { default?: unknown };
  result.default ??= null;
  return Type.Optional(result);
}

/** A key that a request may leave out: validation puts the default there, so that whoever handles it always has one. */
export const withDefault = <T extends TSchema>(schema: T, value: Static<T>): TUnsafe<Static<T>> =>
  Type.Optional(Type.Unsafe<Static<T>>({ ...schema, default: value })) as unknown as TUnsafe<Static<T>>;

/** One of `values`; in answers clients tolerate further ones. */
export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

export const Uuid = Type.String({ format: 'uuid' });
/** UTC, three fractional digits, Z. */
export const Timestamp = Type.String({ format: 'date-time' });
/** `YYYY-MM-DD`. */
export const CalendarDate = Type.String({ format: 'date' });
/** Plain text of at most `most` characters: nothing in it could break a line of a message, a document or a label. */
export const Text = (most: number, options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ minLength: 1, maxLength: most, format: 'text', ...options });

/** Such text in lines: what people write to one another, and never a name or a number. */
export const Prose = (most: number, options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ minLength: 1, maxLength: most, format: 'prose', ...options });

/** A moment in a request that has come already, as that of a consent. */
export const PastMoment = Type.String({ format: 'past-moment' });

/** A moment in a request that is to come, as the end of a key. */
export const FutureMoment = Type.String({ format: 'future-moment' });

// What lists are filtered by. Every filter is open: a value that nothing has matches nothing.

/** From when on: a date alone is its first moment in UTC. */
export const LowerBound = Type.String({ format: 'lower-bound' });
/** Until when: a date alone is its last moment in UTC. */
export const UpperBound = Type.String({ format: 'upper-bound' });
/** A few words of what is looked for; empty, it is as if left out. */
export const SearchWords = (options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ maxLength: 200, format: 'search-words', ...options });
/** A piece of text to compare with; empty, it is as if left out. */
export const TextFilter = (options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ maxLength: 200, format: 'filter', ...options });
/** One of a list that may grow: an unknown word matches nothing, an empty one is refused. */
export const WordFilter = (options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ minLength: 1, maxLength: 100, ...options });
/** Where a page begins: `next_cursor` of the page before. Its key is an id where `isKey` does not say otherwise. */
export const Cursor = (options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({
    maxLength: 500,
    format: 'cursor',
    description: 'next_cursor of the page before; left out, the first page.',
    ...options,
  });
/** Number of a page, from 1, which it is where it is left out. */
export const PageNumber = withDefault(Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), 1);
/** What a number of JSON holds exactly, in round figures. */
const MOST_WHOLE = 999_999_999_999_999;
/** A whole number that the database made, as the id of a marker. */
export const NumericId = Type.Integer({ minimum: -MOST_WHOLE, maximum: MOST_WHOLE });

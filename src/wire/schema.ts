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

/** One of `values`; in answers clients tolerate further ones. */
export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

export const Uuid = Type.String({ format: 'uuid' });
/** UTC, three fractional digits, Z. */
export const Timestamp = Type.String({ format: 'date-time' });
/** `YYYY-MM-DD`. */
export const CalendarDate = Type.String({ format: 'date' });
/** Text that fits a column and a page: no control characters. */
export const Text = (most: number, options: object = {}): ReturnType<typeof Type.String> =>
  Type.String({ minLength: 1, maxLength: most, pattern: '^[^\\u0000-\\u001f\\u007f]*$', ...options });

// Functions that declare the fields of summaries. Each field is declared once, for requests, with its limits. The
// schema of responses follows from this.
import { Type, type TObject, type TOptional, type TSchema, type TString, type TUnsafe } from 'typebox';
import { nullable, oneOf, optional } from '../../wire/schema.ts';
import { ownProperty } from '../../wire/own-property.ts';

export type Fields = Record<string, TSchema>;

type Optional<T> = TOptional<TUnsafe<T | null>>;

/** Returns the schema of an optional number from `least` to `most`. */
export const number = (description: string, most: number, least = 0): Optional<number> =>
  optional(Type.Number({ minimum: least, maximum: most, description }));

/** Returns the schema of an optional whole number from `least` to `most`. */
export const whole = (description: string, most: number, least = 0): Optional<number> =>
  optional(Type.Integer({ minimum: least, maximum: most, description }));

/** Returns the schema of an optional text that is one of the words. */
export const word = <const W extends readonly string[]>(description: string, words: W): Optional<W[number]> =>
  optional(oneOf(words, { description }));

/** Returns the schema of a moment that is not in the future. */
export const moment = (description: string): TString => Type.String({ format: 'past-moment', description });

export const day = (description: string): TString => Type.String({ format: 'date', description });

/**
 * Returns the schema of an optional field that can only be true. If a source does not state a fact, it may still be
 * true, so we never store false.
 */
export const trueOrUnknown = (description: string): Optional<true> =>
  optional(Type.Unsafe<true>({ type: 'boolean', enum: [true], description }));

/** Returns the schema of an optional list, which is empty by default. */
export const list = <T extends TSchema>(items: T, most: number, description: string): TSchema =>
  Type.Optional(Type.Array(items, { maxItems: most, default: [], description }));

/** The most points of a summary. A day with one point a second has fewer. */
const MAX_POINTS = 100_000;

export type Bounds = { least?: number; most: number; whole?: boolean };

/**
 * Returns the schema of a column: a list with a number for each point. With `sparse`, the column is optional, and a
 * number is null if nothing was measured.
 */
export function column(description: string, { least = 0, most, whole = false }: Bounds, sparse: boolean): TSchema {
  const bounds = { minimum: least, maximum: most };
  const each: TSchema = whole ? Type.Integer(bounds) : Type.Number(bounds);
  return Type.Array(sparse ? nullable(each) : each, {
    maxItems: MAX_POINTS,
    column: true,
    ...(sparse ? { default: [] } : {}),
    description,
  });
}

/** Returns the schema of an optional object with values by name. */
export const map = (
  description: string,
  { of, names, most }: { of: TSchema; names: { maxLength: number; enum?: readonly string[] }; most: number },
): Optional<Record<string, unknown>> =>
  optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: of,
      propertyNames: names,
      maxProperties: most,
      description,
    }),
  );

/**
 * Returns the schema of an object that requests may leave out and responses always have. In a response, unknown fields
 * of the object are null.
 */
export const alwaysAnswered = (object: TObject): TSchema => ({ ...optional(object), alwaysAnswered: true });

type Shape = {
  type?: string | string[];
  alwaysAnswered?: true;
  format?: string;
  description?: string;
  deprecated?: boolean;
  enum?: readonly unknown[];
  default?: unknown;
  properties?: Record<string, Shape>;
  additionalProperties?: Shape;
  items?: Shape;
};

const ANSWER_FORMATS: Record<string, string> = {
  'past-moment': 'date-time',
  'birth-date': 'date',
  date: 'date',
  uuid: 'uuid',
};

/**
 * Returns the schema of an object in responses. Every member is present, and null if it is unknown and the field allows
 * null. `asTheyAre` are fields that only responses have; their schemas stay as they are.
 */
export function responseShape(fields: Fields, asTheyAre: Fields = {}): TUnsafe<Record<string, unknown>> {
  const { required, properties } = responseObject(fields as Record<string, Shape>);
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    required: [...new Set([...required, ...Object.keys(asTheyAre)])],
    properties: { ...properties, ...asTheyAre },
  });
}

function responseObject(fields: Record<string, Shape>): {
  type: 'object';
  required: string[];
  properties: Record<string, Shape>;
} {
  const properties = Object.entries(fields).map(([name, field]) => [name, responseField(field)]);
  return { type: 'object', required: Object.keys(fields), properties: Object.fromEntries(properties) };
}

/** Returns the schema of a field in responses, without the limits of requests. */
function responseField(field: Shape): Shape {
  const { format, description, deprecated, enum: words, default: value, ...within } = field;
  const type = field.alwaysAnswered ? 'object' : field.type;
  const responseFormat = ownProperty(ANSWER_FORMATS, format ?? '');
  return {
    ...(within.properties ? responseObject(within.properties) : {}),
    ...(within.items ? { items: responseField(within.items) } : {}),
    ...(within.additionalProperties ? { additionalProperties: responseField(within.additionalProperties) } : {}),
    ...(type === undefined ? {} : { type }),
    ...(words === undefined ? {} : { enum: words }),
    ...(responseFormat === undefined ? {} : { format: responseFormat }),
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(value === undefined || value === null ? {} : { default: value }),
  };
}

/** Returns the value with every member of the schema. A missing member becomes the default of the schema, else null. */
export function filled(shape: TSchema, value: unknown): unknown {
  const { type, properties, additionalProperties, items, default: missing = null } = shape as Shape;
  if (value === null || value === undefined) return type === 'object' && properties ? filled(shape, {}) : missing;
  if (Array.isArray(value)) return items?.properties ? value.map((each) => filled(items as TSchema, each)) : value;
  if (typeof value !== 'object') return value;
  const members = value as Record<string, unknown>;
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, filled(member as TSchema, members[name])]),
    );
  }
  if (!additionalProperties) return value;
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, filled(additionalProperties as TSchema, member)]),
  );
}

/** Returns the value without empty members and with sorted keys, so that equal values become equal texts. */
export function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, pruned(member)]),
  );
}

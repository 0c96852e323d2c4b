// What the fields of summaries are made of: declared once as they come in, with bounds; how they are told follows.
import { Type, type TObject, type TOptional, type TSchema, type TString, type TUnsafe } from 'typebox';
import { nullable, oneOf, optional } from '../../wire/schema.ts';
import { ownOf } from '../../wire/own.ts';

export type Fields = Record<string, TSchema>;

type Optional<T> = TOptional<TUnsafe<T | null>>;

/** A number from `least` to `most`, which may be left out. */
export const number = (description: string, most: number, least = 0): Optional<number> =>
  optional(Type.Number({ minimum: least, maximum: most, description }));

/** A whole number from `least` to `most`, which may be left out. */
export const whole = (description: string, most: number, least = 0): Optional<number> =>
  optional(Type.Integer({ minimum: least, maximum: most, description }));

/** One of the words, which may be left out. */
export const word = <const W extends readonly string[]>(description: string, words: W): Optional<W[number]> =>
  optional(oneOf(words, { description }));

/** A moment that has come. */
export const moment = (description: string): TString => Type.String({ format: 'past-moment', description });

export const day = (description: string): TString => Type.String({ format: 'date', description });

/** True or left out: what a source does not say is not known to be false. */
export const trueOrUnknown = (description: string): Optional<true> =>
  optional(Type.Unsafe<true>({ type: 'boolean', enum: [true], description }));

/** A list that may be left out, which is as if it were empty. */
export const list = <T extends TSchema>(items: T, most: number, description: string): TSchema =>
  Type.Optional(Type.Array(items, { maxItems: most, default: [], description }));

/** More than a day at one a second. */
const MOST_POINTS = 100_000;

export type Bounds = { least?: number; most: number; whole?: boolean };

/** A list of numbers, one a point; `sparse`: it may be left out, and is null where nothing was measured. */
export function column(description: string, { least = 0, most, whole = false }: Bounds, sparse: boolean): TSchema {
  const bounds = { minimum: least, maximum: most };
  const each: TSchema = whole ? Type.Integer(bounds) : Type.Number(bounds);
  return Type.Array(sparse ? nullable(each) : each, {
    maxItems: MOST_POINTS,
    column: true,
    ...(sparse ? { default: [] } : {}),
    description,
  });
}

/** Values by name, which may be left out. */
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

/** An object that may be left out, and that answers have all the same: its members are null where nobody said them. */
export const toldWhole = (object: TObject): TSchema => ({ ...optional(object), toldWhole: true });

type Shape = {
  type?: string | string[];
  toldWhole?: true;
  format?: string;
  description?: string;
  deprecated?: boolean;
  enum?: readonly unknown[];
  default?: unknown;
  properties?: Record<string, Shape>;
  additionalProperties?: Shape;
  items?: Shape;
};

const FORMATS_TOLD: Record<string, string> = {
  'past-moment': 'date-time',
  'birth-date': 'date',
  date: 'date',
  uuid: 'uuid',
};

/**
 * An object of an answer: every key is there, and what may be null is null where nobody said it. `asTheyAre` are
 * fields that do not come in, whose schemas are those of answers already.
 */
export function toldAs(fields: Fields, asTheyAre: Fields = {}): TUnsafe<Record<string, unknown>> {
  const { required, properties } = toldObject(fields as Record<string, Shape>);
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    required: [...new Set([...required, ...Object.keys(asTheyAre)])],
    properties: { ...properties, ...asTheyAre },
  });
}

function toldObject(fields: Record<string, Shape>): {
  type: 'object';
  required: string[];
  properties: Record<string, Shape>;
} {
  const properties = Object.entries(fields).map(([name, field]) => [name, told(field)]);
  return { type: 'object', required: Object.keys(fields), properties: Object.fromEntries(properties) };
}

/** A field as answers have it: the bounds are those of what comes in. */
function told(field: Shape): Shape {
  const { format, description, deprecated, enum: words, default: value, ...within } = field;
  const type = field.toldWhole ? 'object' : field.type;
  const formatTold = ownOf(FORMATS_TOLD, format ?? '');
  return {
    ...(within.properties ? toldObject(within.properties) : {}),
    ...(within.items ? { items: told(within.items) } : {}),
    ...(within.additionalProperties ? { additionalProperties: told(within.additionalProperties) } : {}),
    ...(type === undefined ? {} : { type }),
    ...(words === undefined ? {} : { enum: words }),
    ...(formatTold === undefined ? {} : { format: formatTold }),
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(value === undefined || value === null ? {} : { default: value }),
  };
}

/** The value with every key that the shape has: what is missing is the shape's default, else null. */
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

/** The value without keys that say nothing, its keys in one order: equal things are equal as text. */
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

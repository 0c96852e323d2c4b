// Writes TypeBox schemas as OpenAPI 3.1. Named schemas become components. Our own keywords, which OpenAPI does not
// know, become sentences in descriptions.
import type { TSchema } from 'typebox';
import { isUuid } from '../../ids.ts';
import { formatOf } from '../../wire/formats.ts';
import { RULES } from '../../wire/rules.ts';
import { findNamedOrNull, type NamedSchema } from '../../wire/shape.ts';

export type Json = Record<string, unknown>;
type Schema = Json & {
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  enum?: unknown[];
  anyOf?: Schema[];
  type?: string | string[];
};

const PLAIN = new Set([
  'type',
  'required',
  'enum',
  'const',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'maxProperties',
  'minProperties',
  'examples',
  'propertyNames',
  'deprecated',
  'default',
]);

/** Keywords that this file handles by name, or that only this service uses. */
const OF_THE_HOUSE = new Set(['description', 'column', 'alwaysAnswered', 'mismatch', 'isKey']);

const ruleOf = new Map(RULES.map((rule) => [rule.keyword, rule]));

/** Returns the sentences for the description that explain the schema's own keywords. */
export function rulesOf(schema: TSchema): string[] {
  const { format, ...keywords } = schema as Schema;
  const note = formatOf(format)?.note;
  const rules = Object.entries(keywords).flatMap(([key, value]) => ruleOf.get(key)?.words(value as never) ?? []);
  return note === undefined ? rules : [note, ...rules];
}

/** Writes schemas, and collects the components that they refer to. */
export class ComponentSchemas {
  readonly #findNamedOrNull: typeof findNamedOrNull;
  readonly #words: Readonly<Record<string, string>>;
  readonly #examples: Readonly<Record<string, unknown>>;
  readonly #written = new Map<string, Json>();

  /**
   * @param words descriptions by field name, for fields whose schema has no description
   * @param examples values of text fields by name
   * @param refers true writes a named schema as a reference to its component, false writes it inline
   */
  constructor(
    words: Readonly<Record<string, string>>,
    examples: Readonly<Record<string, unknown>> = {},
    { refers = true }: { refers?: boolean } = {},
  ) {
    this.#words = words;
    this.#examples = examples;
    this.#findNamedOrNull = refers ? findNamedOrNull : () => null;
  }

  /** Returns the schema as OpenAPI. A named schema becomes a reference to its component. */
  write(schema: TSchema): Json {
    const known = this.#findNamedOrNull(schema);
    return known ? this.#reference(known, schema as Schema) : this.#inline(schema as Schema);
  }

  /**
   * Writes a field of an object. If neither its schema nor its component has a description, it takes the description
   * from the field descriptions by the field's name.
   */
  writeField(name: string, schema: TSchema): Json {
    const written = this.write(schema);
    const component = this.#findNamedOrNull(schema)?.schema as Schema | undefined;
    const description = written['description'] ?? component?.['description'] ?? this.#words[name];
    return description === undefined ? written : { ...written, description };
  }

  #withExample(name: string, written: Json): Json {
    const isText = [written['type']].flat().includes('string') && !written['anyOf'] && !written['enum'];
    const example = this.#examples[name];
    // The field `member_id` has two meanings. For an insured person it is the insurer's member number. For a member of
    // an organisation it is our UUID.
    const isOther = written['format'] === 'uuid' && !isUuid(String(example));
    return isText && example !== undefined && !isOther ? { ...written, examples: [example] } : written;
  }

  /** Returns all components that the written schemas refer to, by name. */
  written(): Record<string, Json> {
    return Object.fromEntries([...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #reference({ name, schema: of }: NamedSchema, schema: Schema): Json {
    const original = of as Schema;
    if (!this.#written.has(name)) {
      this.#written.set(name, {});
      this.#written.set(name, this.#inline(original));
    }
    const reference = { $ref: `#/components/schemas/${name}` };
    const beside: Json = {};
    for (const key of ['description', 'deprecated', 'default']) {
      if (schema[key] !== undefined && schema[key] !== null && schema[key] !== original[key]) beside[key] = schema[key];
    }
    return isNullable(schema) && !isNullable(original)
      ? { anyOf: [reference, { type: 'null' }], type: typesOf(schema), ...beside }
      : { ...reference, ...beside };
  }

  #inline(schema: Schema): Json {
    const result: Json = {};
    for (const [key, value] of Object.entries(schema)) Object.assign(result, this.#keyword(key, value));
    if (schema.anyOf && !schema.type) result['type'] = typesOf(schema);
    const description = [schema['description'], ...rulesOf(schema as TSchema)].filter(Boolean).join(' ');
    return description === '' ? result : { ...result, description };
  }

  #keyword(key: string, value: unknown): Json {
    if (OF_THE_HOUSE.has(key) || ruleOf.has(key)) return {};
    if (key === 'default' && value === null) return {};
    if (PLAIN.has(key)) return { [key]: value };
    const format = key === 'format' ? formatOf(value) : undefined;
    if (format) return format.schema;
    if (key === 'items') return { items: this.write(value as TSchema) };
    if (key === 'additionalProperties' && value === false) return { additionalProperties: false };
    if (key === 'additionalProperties' && typeof value === 'object') {
      const written = this.write(value as TSchema);
      // An empty schema allows any value. We write `true` instead, because the reference page shows an empty schema as
      // an error.
      return { additionalProperties: Object.keys(written).length === 0 ? true : written };
    }
    if (key === 'anyOf') return { anyOf: (value as TSchema[]).map((member) => this.write(member)) };
    if (key === 'properties') {
      return {
        properties: Object.fromEntries(
          Object.entries(value as Record<string, TSchema>).map(([name, member]) => [
            name,
            this.#withExample(name, this.writeField(name, member)),
          ]),
        ),
      };
    }
    if (key === 'patternProperties') {
      const byPattern = value as Record<string, TSchema>;
      const anyName = byPattern['^.*$'];
      if (anyName) return { additionalProperties: this.write(anyName) };
      const written = Object.entries(byPattern).map(([pattern, member]) => [pattern, this.write(member)]);
      return { patternProperties: Object.fromEntries(written) };
    }
    throw new Error(`OpenAPI has no equivalent yet for ${key}: ${JSON.stringify(value)}.`);
  }
}

const isNullable = ({ type, anyOf }: Schema): boolean =>
  [type].flat().includes('null') || ((anyOf as Schema[] | undefined)?.some(isNullable) ?? false);

/**
 * Returns the types that a union allows. We write them as `type` in addition to `anyOf`, because the reference page
 * shows a schema without a type as an error.
 */
function typesOf(schema: Schema): string | string[] {
  const all = ({ type, anyOf = [] }: Schema): string[] => (type === undefined ? anyOf.flatMap(all) : [type].flat());
  const types = [...new Set(all(schema))];
  return types.length === 1 ? (types[0] as string) : types;
}

// TypeBox schemas as OpenAPI 3.1 writes them: named ones become components, our own keywords become words.
import type { TSchema } from 'typebox';
import { isUuid } from '../../ids.ts';
import { formatOf } from '../../wire/formats.ts';
import { RULES } from '../../wire/rules.ts';

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

/** Keywords that are written otherwise, or tell this service alone. */
const OF_THE_HOUSE = new Set(['description', 'column', 'toldWhole', 'mismatch', 'isKey']);

const ruleOf = new Map(RULES.map((rule) => [rule.keyword, rule]));

/** The sentences that a schema's own keywords add to its description. */
export function rulesOf(schema: TSchema): string[] {
  const { format, ...keywords } = schema as Schema;
  const note = formatOf(format)?.note;
  const rules = Object.entries(keywords).flatMap(([key, value]) => ruleOf.get(key)?.words(value as never) ?? []);
  return note === undefined ? rules : [note, ...rules];
}

/**
 * Writes schemas and collects the components they refer to. A named schema is known by its `properties` object,
 * which the copies that `nullable` and `Type.Optional` make of it share.
 */
export class ComponentSchemas {
  readonly #known = new Map<unknown, { name: string; schema: Schema }>();
  readonly #words: Readonly<Record<string, string>>;
  readonly #examples: Readonly<Record<string, unknown>>;
  readonly #written = new Map<string, Json>();

  /**
   * @param modules exports of the modules with schemas; throws where two different schemas have one name
   * @param words what a field means by its name, where its schema does not say
   * @param examples a value of a field by its name, where that is plain text
   */
  constructor(
    modules: Record<string, unknown>[],
    words: Readonly<Record<string, string>>,
    examples: Readonly<Record<string, unknown>> = {},
  ) {
    this.#words = words;
    this.#examples = examples;
    const texts = new Map<string, string>();
    for (const [name, value] of modules.flatMap((module) => Object.entries(module))) {
      if (!isSchema(value)) continue;
      const identity = identityOf(value);
      if (identity === undefined) continue;
      const text = JSON.stringify(value);
      if ((texts.get(name) ?? text) !== text) throw new Error(`Two different schemas are called ${name}.`);
      texts.set(name, text);
      if (!this.#known.has(identity)) this.#known.set(identity, { name, schema: value });
    }
  }

  /** The schema itself, or a reference where it has a name. */
  write(schema: TSchema): Json {
    const known = this.#known.get(identityOf(schema as Schema));
    return known ? this.#refer(known, schema as Schema) : this.#inline(schema as Schema);
  }

  /** A field: where neither its schema nor the component that it is says what it is, the glossary's word for its name does. */
  writeField(name: string, schema: TSchema): Json {
    const written = this.write(schema);
    const component = this.#known.get(identityOf(schema as Schema))?.schema;
    const description = written['description'] ?? component?.['description'] ?? this.#words[name];
    return description === undefined ? written : { ...written, description };
  }

  #withExample(name: string, written: Json): Json {
    const isText = [written['type']].flat().includes('string') && !written['anyOf'] && !written['enum'];
    const example = this.#examples[name];
    // An insured's member_id is a number of theirs, that of an organisation's member an id of ours.
    const isOther = written['format'] === 'uuid' && !isUuid(String(example));
    return isText && example !== undefined && !isOther ? { ...written, examples: [example] } : written;
  }

  /** Everything that was referred to, by name. */
  written(): Record<string, Json> {
    return Object.fromEntries([...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #refer({ name, schema: original }: { name: string; schema: Schema }, schema: Schema): Json {
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
      // Anything at all; the reference page takes an empty schema for one that is wrong.
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
    throw new Error(`OpenAPI has no words yet for ${key}: ${JSON.stringify(value)}.`);
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && ('~kind' in value || '~unsafe' in value);

const isNullable = ({ type, anyOf }: Schema): boolean =>
  [type].flat().includes('null') || ((anyOf as Schema[] | undefined)?.some(isNullable) ?? false);

/** Said beside every union as well: the reference page takes a schema without a type for one that is wrong. */
function typesOf(schema: Schema): string | string[] {
  const all = ({ type, anyOf = [] }: Schema): string[] => (type === undefined ? anyOf.flatMap(all) : [type].flat());
  const types = [...new Set(all(schema))];
  return types.length === 1 ? (types[0] as string) : types;
}

/** Objects by what every copy shares, lists of words by the words; short shapes such as an id are told where they stand. */
function identityOf(schema: Schema): unknown {
  if (schema.enum) return JSON.stringify(schema.enum.filter((value) => value !== null));
  return schema.properties ?? schema.patternProperties;
}

// TypeBox schemas as OpenAPI 3.1 writes them: named ones become components, our own keywords become words.
import type { TSchema } from 'typebox';

export type Json = Record<string, unknown>;
type Schema = Json & {
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  enum?: unknown[];
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
  'deprecated',
  'default',
]);

/** Formats that the world knows; the domain's own are told by their nearest relative and a sentence. */
const FORMATS: Record<string, { schema: Json; note?: string }> = {
  uuid: { schema: { format: 'uuid' } },
  email: { schema: { format: 'email' } },
  date: { schema: { format: 'date' } },
  'date-time': { schema: { format: 'date-time' } },
  'birth-date': { schema: { format: 'date' }, note: 'Not in the future, and at most 130 years ago.' },
  npi: {
    schema: { pattern: '^\\d{10}$' },
    note: 'A National Provider Identifier: ten digits, the last of which checks the others.',
  },
  'time-zone': { schema: {}, note: 'A time zone of the IANA database.' },
  'http-url': { schema: { format: 'uri' }, note: 'An http or https address without credentials and fragment.' },
  'us-state': {
    schema: { pattern: '^[A-Z]{2}$' },
    note: 'Two-letter code of a state or territory of the United States.',
  },
};

const quoted = (names: unknown, link: string): string => (names as string[]).map((name) => `\`${name}\``).join(link);

/** What each keyword of ours asks for, in words. */
const RULES: Record<string, (value: unknown) => string> = {
  phone: () =>
    'A phone number that is possible and valid in its country; without a country code it is one of the United States. ' +
    'Kept and answered as E.164.',
  countryName: () => 'Two-letter code or English name of a country; answered as the full name.',
  usAddress: () => 'In the United States `state` is a two-letter code and `zip` is 12345 or 12345-6789.',
  ascending: (names) => `${quoted(names, ' must not be after ')}.`,
  exactlyOne: (names) => `Exactly one of ${quoted(names, ', ')} is needed.`,
  together: (names) => `${quoted(names, ' and ')} come together or not at all.`,
  notTaken: (instead) => String(instead),
  minorNeedsProxy: () => 'A patient under 18 needs a `medical_proxy`.',
  consentsUnlessPhysician: () =>
    'Without a `physician` the consents terms-of-use, telehealth-informed-consent and ' +
    'notice-of-privacy-practices are needed.',
};

/** The sentences that a schema's own keywords add to its description. */
export function rulesOf(schema: TSchema): string[] {
  const { format, ...keywords } = schema as Schema;
  const note = FORMATS[String(format)]?.note;
  const rules = Object.entries(keywords)
    .filter(([key]) => key in RULES)
    .map(([key, value]) => (RULES[key] as (v: unknown) => string)(value));
  return note === undefined ? rules : [note, ...rules];
}

/**
 * Writes schemas and collects the components they refer to. A named schema is known by its `properties` object,
 * which the copies that `nullable` and `Type.Optional` make of it share.
 */
export class ComponentSchemas {
  readonly #known = new Map<unknown, { name: string; schema: Schema }>();
  readonly #written = new Map<string, Json>();

  /** @param modules exports of the modules with schemas; throws where two different schemas have one name. */
  constructor(modules: Record<string, unknown>[]) {
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
      ? { anyOf: [reference, { type: 'null' }], ...beside }
      : { ...reference, ...beside };
  }

  #inline(schema: Schema): Json {
    const result: Json = {};
    for (const [key, value] of Object.entries(schema)) Object.assign(result, this.#keyword(key, value));
    const description = [schema['description'], ...rulesOf(schema as TSchema)].filter(Boolean).join(' ');
    return description === '' ? result : { ...result, description };
  }

  #keyword(key: string, value: unknown): Json {
    if (key === 'description' || key in RULES) return {};
    if (key === 'default' && value === null) return {};
    if (PLAIN.has(key)) return { [key]: value };
    if (key === 'format' && FORMATS[value as string]) return (FORMATS[value as string] as { schema: Json }).schema;
    if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object'))
      return { [key]: this.write(value as TSchema) };
    if (key === 'anyOf') return { anyOf: (value as TSchema[]).map((member) => this.write(member)) };
    if (key === 'properties') {
      return {
        properties: Object.fromEntries(
          Object.entries(value as Record<string, TSchema>).map(([name, member]) => [name, this.write(member)]),
        ),
      };
    }
    const anyName = key === 'patternProperties' ? (value as Record<string, TSchema>)['^.*$'] : undefined;
    if (anyName) return { additionalProperties: this.write(anyName) };
    throw new Error(`OpenAPI has no words yet for ${key}: ${JSON.stringify(value)}.`);
  }
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && ('~kind' in value || '~unsafe' in value);

const isNullable = ({ type, anyOf }: Schema): boolean =>
  [type].flat().includes('null') || ((anyOf as Schema[] | undefined)?.some(isNullable) ?? false);

/** Objects by what every copy shares, lists of words by the words; short shapes such as an id are told where they stand. */
function identityOf(schema: Schema): unknown {
  if (schema.enum) return JSON.stringify(schema.enum.filter((value) => value !== null));
  return schema.properties ?? schema.patternProperties;
}

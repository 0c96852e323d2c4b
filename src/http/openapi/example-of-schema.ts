// Makes an example for a schema. It uses the schema itself and example values by field name.
import type { Json } from './schemas.ts';
import { ownProperty } from '../../wire/own-property.ts';

type Values = Readonly<Record<string, unknown>>;
type Field = { name: string; known: unknown };

/**
 * Returns an example for a JSON Schema that has no references. The keys of `values` are field names, or a parent's name
 * and a field's name (`lab_test.name`). The example uses a value from `values` if the schema allows that value.
 * Otherwise it uses the schema's own `examples`, null, or a simple value of the type.
 */
export function exampleOf(
  schema: Json,
  values: Values,
  { name, known }: Field = { name: '', known: undefined },
): unknown {
  if ('const' in schema) return schema['const'];
  const types = typesOf(schema);
  const isNullable = types.includes('null');
  if (known === null && isNullable) return null;
  const members = schema['anyOf'] as Json[] | undefined;
  if (members) return exampleOf(members.find((member) => member['type'] !== 'null') ?? {}, values, { name, known });
  const words = schema['enum'] as unknown[] | undefined;
  if (words) return words.includes(known) ? known : words[0];
  switch (types.find((each) => each !== 'null')) {
    case 'object':
      return objectOf(schema, values, name);
    case 'array':
      return [exampleOf((schema['items'] as Json | undefined) ?? {}, values, { name, known })];
    case 'boolean':
      return typeof known === 'boolean' ? known : isNullable ? null : false;
    case 'integer':
      return numberOf(schema, Number.isInteger(known) ? known : undefined, isNullable);
    case 'number':
      return numberOf(schema, known, isNullable);
    case 'string':
      return textOf(schema, known, isNullable);
    default:
      return null;
  }
}

const typesOf = (schema: Json): string[] => [schema['type'] as string | string[] | undefined].flat() as string[];

function objectOf(schema: Json, values: Values, parent: string): unknown {
  const members = Object.entries((schema['properties'] as Record<string, Json> | undefined) ?? {});
  return Object.fromEntries(
    members.map(([name, member]) => {
      const path = `${parent}.${name}`;
      return [name, exampleOf(member, values, { name, known: path in values ? values[path] : values[name] })];
    }),
  );
}

function numberOf(schema: Json, known: unknown, isNullable: boolean): number | null {
  const least = (schema['minimum'] as number | undefined) ?? -Infinity;
  const most = (schema['maximum'] as number | undefined) ?? Infinity;
  if (typeof known === 'number' && known >= least && known <= most) return known;
  return isNullable ? null : Math.min(Math.max(1, least), most);
}

const BY_FORMAT: Readonly<Record<string, { form: RegExp; example: string }>> = {
  'date-time': { form: /^\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{3}Z$/, example: '2026-01-31T12:00:00.000Z' },
  date: { form: /^\d{4}-\d{2}-\d{2}$/, example: '2026-01-31' },
  uuid: { form: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, example: '01940000-0000-7000-8000-000000000004' },
  uri: { form: /^https?:/, example: 'https://example.com/' },
};

function textOf(schema: Json, known: unknown, isNullable: boolean): string | null {
  const format = ownProperty(BY_FORMAT, schema['format'] as string);
  if (typeof known === 'string' && (!format || format.form.test(known))) return known;
  const [own] = (schema['examples'] as unknown[] | undefined) ?? [];
  return typeof own === 'string' ? own : (format?.example ?? (isNullable ? null : 'text'));
}

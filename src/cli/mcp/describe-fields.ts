import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../package-root.ts';

type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  deprecated?: boolean;
  description?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
};

let schemas: Record<string, Schema> | undefined;

/** The OpenAPI document describes each member with its unit, so that the tools need no second list of units. */
const schemaNamed = (name: string): Schema =>
  (schemas ??= (
    JSON.parse(readFileSync(join(PACKAGE_ROOT, 'openapi.json'), 'utf8')) as {
      components: { schemas: Record<string, Schema> };
    }
  ).components.schemas)[name] ?? {};

/**
 * Returns items of a schema without `user_id` and without members that are null or deprecated, and the meaning of all
 * others by their paths.
 */
export function describeFields(
  name: string,
  items: readonly object[],
): { items: object[]; fields: Record<string, string> } {
  const fields: Record<string, string> = {};
  const shorten = (value: unknown, schema: Schema, path: string): unknown => {
    const { properties, items: each } = resolve(schema);
    if (Array.isArray(value)) return value.map((one) => shorten(one, each ?? {}, path));
    if (typeof value !== 'object' || value === null || !properties) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, member]) => member !== null && key !== 'user_id' && properties[key]?.deprecated !== true)
        .map(([key, member]) => {
          const at = path === '' ? key : `${path}.${key}`;
          const described = properties[key]?.description;
          if (described !== undefined && typeof member !== 'object') fields[at] = described;
          return [key, shorten(member, properties[key] ?? {}, at)];
        }),
    );
  };
  return { items: items.map((item) => shorten(item, schemaNamed(name), '') as object), fields };
}

function resolve(schema: Schema): Schema {
  if (schema.$ref !== undefined) return schemaNamed(schema.$ref.split('/').at(-1) as string);
  return schema.properties || !schema.anyOf ? schema : resolve(schema.anyOf[0] as Schema);
}

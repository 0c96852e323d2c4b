import { Type, type TObject, type TObjectOptions, type TProperties, type TSchema } from 'typebox';

export type NamedSchema = { name: string; schema: TSchema };

const byIdentity = new Map<unknown, NamedSchema>();
const byName = new Map<string, TSchema>();

/** Declares an object with a name in OpenAPI. Responses and bodies refer to it as `#/components/schemas/<name>`. */
export function shape<P extends TProperties>(name: string, properties: P, options: TObjectOptions = {}): TObject<P> {
  return named(name, Type.Object(properties, options));
}

/** Gives any other schema a name in OpenAPI. Throws if another schema already has the name. */
export function named<T extends TSchema>(name: string, schema: T): T {
  const other = byName.get(name);
  if (other && JSON.stringify(other) !== JSON.stringify(schema))
    throw new Error(`Two different schemas are called ${name}.`);
  byName.set(name, schema);
  const identity = identityOf(schema);
  if (!byIdentity.has(identity)) byIdentity.set(identity, { name, schema });
  return schema;
}

export const findNamedOrNull = (schema: TSchema): NamedSchema | null => byIdentity.get(identityOf(schema)) ?? null;

/**
 * Returns a value that all copies of a schema have in common, because `nullable` and `Type.Optional` make copies. For
 * an object, the value is its `properties`. For an enum, it is the list of values.
 */
function identityOf(schema: TSchema & { enum?: unknown[]; properties?: object; patternProperties?: object }): unknown {
  if (schema.enum) return JSON.stringify(schema.enum.filter((value) => value !== null));
  return schema.properties ?? schema.patternProperties ?? schema;
}

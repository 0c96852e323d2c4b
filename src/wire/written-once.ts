import type { TSchema } from 'typebox';

const marked = new WeakMap<object, readonly string[]>();

/**
 * Marks members of a schema whose values are part of many responses. The values are cached and frozen, so we serialise
 * each of them once and cache its text.
 */
export function writtenOnce<T extends TSchema>(schema: T, ...members: string[]): T {
  marked.set(schema, members);
  return schema;
}

/** Returns the members of the schema whose values we serialise once. */
export const cachedMembersOf = (schema: object): readonly string[] => marked.get(schema) ?? [];

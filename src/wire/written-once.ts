import type { TSchema } from 'typebox';

const marked = new WeakMap<object, readonly string[]>();

/** Marks members of a shape whose values are kept, frozen, and are part of many answers: each is written once, and its text kept with it. */
export function writtenOnce<T extends TSchema>(schema: T, ...members: string[]): T {
  marked.set(schema, members);
  return schema;
}

/** The members of the shape that are written once. */
export const keptMembersOf = (schema: object): readonly string[] => marked.get(schema) ?? [];

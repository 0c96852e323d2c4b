import type { TSchema } from 'typebox';

const marked = new WeakSet<object>();

/** Marks a shape whose values are kept, frozen, and are part of many answers: each is written once, and the text is kept with it. */
export function writtenOnce<T extends TSchema>(schema: T): T {
  marked.add(schema);
  return schema;
}

export const isWrittenOnce = (schema: object): boolean => marked.has(schema);

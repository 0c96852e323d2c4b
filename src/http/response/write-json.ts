import { setImmediate as others } from 'node:timers/promises';
import fastJsonStringify from 'fast-json-stringify';
import type { TSchema } from 'typebox';

/**
 * If the lists of a value have more items than this, we write the lists in chunks. Writing 8 MiB in one step would
 * block every other request of the process for 100 ms.
 */
const FEW = 100;
const AT_ONCE_MS = 10;

const LOOK_EVERY = 50;

type Shape = { type?: unknown; items?: TSchema; properties?: Record<string, Shape> };

/** A list inside a shape. `name` is the key of the list, or null if the shape itself is the list. */
type List = { name: string | null; item: TSchema };
type Write = (value: unknown) => string;
type Part = { name: string | null; items: readonly unknown[]; write: Write };

/**
 * Returns a function that writes values of a shape as JSON, without undeclared members. If the lists of a value are
 * long, that function returns a promise.
 */
export function jsonWriter(schema: TSchema): (value: unknown) => string | Promise<string> {
  const whole = writtenOnce(fastJsonStringify(schema as never));
  const lists = listsIn(schema as Shape);
  const writers = new Map<List, Write>();
  const writerOf = (list: List): Write => {
    const write = writers.get(list) ?? fastJsonStringify(list.item as never);
    writers.set(list, write);
    return write;
  };
  return (value) => {
    const found = lists.flatMap((list) => {
      const items = itemsOf(list, value);
      return items ? [{ list, items }] : [];
    });
    const length = found.reduce((sum, { items }) => sum + items.length, 0);
    if (length <= FEW || Object.isFrozen(value)) return whole(value);
    const parts = found.map(({ list, items }): Part => ({ name: list.name, items, write: writerOf(list) }));
    return writeLong(parts, value, whole);
  };
}

async function writeLong(parts: Part[], value: unknown, whole: Write): Promise<string> {
  const texts: (readonly [name: string | null, text: string])[] = [];
  let begun = performance.now();
  for (const { name, items, write } of parts) {
    const written: string[] = [];
    for (const item of items) {
      written.push(write(item));
      if (written.length % LOOK_EVERY > 0 || performance.now() - begun < AT_ONCE_MS) continue;
      await others();
      begun = performance.now();
    }
    texts.push([name, `[${written.join(',')}]`]);
  }
  if (texts[0]?.[0] === null) return texts[0][1];
  return around(whole({ ...(value as object), ...Object.fromEntries(texts.map(([name]) => [name, []])) }), texts);
}

/**
 * Replaces each empty list in the text with the text of the real list. We find the list by its key in quotes. Within
 * strings all quotation marks are escaped, so this finds nothing else.
 */
function around(empty: string, texts: (readonly [name: string | null, text: string])[]): string {
  const insertions = texts
    .map(([name, text]) => {
      const key = `${JSON.stringify(name)}:`;
      return { at: empty.indexOf(`${key}[]`) + key.length, text };
    })
    .toSorted((a, b) => a.at - b.at);
  const chunks: string[] = [];
  let after = 0;
  for (const { at, text } of insertions) {
    chunks.push(empty.slice(after, at), text);
    after = at + '[]'.length;
  }
  return chunks.join('') + empty.slice(after);
}

/** Returns the lists of a shape if all its other members are single values. Returns no list for any other shape. */
function listsIn({ type, items, properties }: Shape): List[] {
  if (type === 'array') return items ? [{ name: null, item: items }] : [];
  if (type !== 'object' || !properties) return [];
  const members = Object.entries(properties);
  if (!members.every(([, member]) => (member.type === 'array' ? member.items : isSingle(member)))) return [];
  return members.flatMap(([name, { items: item }]) => (item ? [{ name, item }] : []));
}

const SINGLE = new Set<unknown>(['string', 'integer', 'number', 'boolean', 'null']);

const isSingle = ({ type }: Shape): boolean => [type].flat().every((each) => SINGLE.has(each));

function itemsOf({ name }: List, value: unknown): readonly unknown[] | null {
  const items = name === null ? value : (value as Record<string, unknown> | null)?.[name];
  return Array.isArray(items) ? items : null;
}

/** Caches the text of a frozen value, because such a value never changes. */
function writtenOnce(text: (value: unknown) => string): (value: unknown) => string {
  const texts = new WeakMap<object, string>();
  return (value) => {
    if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return text(value);
    const known = texts.get(value) ?? text(value);
    texts.set(value, known);
    return known;
  };
}

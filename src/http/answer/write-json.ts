import { setImmediate as others } from 'node:timers/promises';
import fastJsonStringify from 'fast-json-stringify';
import type { TSchema } from 'typebox';

/** Beyond that, a list is written piece by piece: 8 MiB in one go keep every other request of the process waiting for 100 ms. */
const FEW = 100;
const AT_ONCE_MS = 10;

const LOOK_EVERY = 50;

type Shape = { type?: unknown; items?: TSchema; properties?: Record<string, Shape> };

/** A list of a shape; `name` is null where the shape is the list. */
type List = { name: string | null; item: TSchema };
type Write = (value: unknown) => string;
type Part = { name: string | null; items: readonly unknown[]; write: Write };

/** Writes values of a shape as JSON: what is not declared is not written. A promise where lists in it are long. */
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

/** Puts each list in the place of the empty one. No text has a quotation mark that is not escaped: what is found is the key itself. */
function around(empty: string, texts: (readonly [name: string | null, text: string])[]): string {
  const places = texts
    .map(([name, text]) => {
      const key = `${JSON.stringify(name)}:`;
      return { at: empty.indexOf(`${key}[]`) + key.length, text };
    })
    .toSorted((a, b) => a.at - b.at);
  const pieces: string[] = [];
  let after = 0;
  for (const { at, text } of places) {
    pieces.push(empty.slice(after, at), text);
    after = at + '[]'.length;
  }
  return pieces.join('') + empty.slice(after);
}

/** Lists of a shape beside which there are single values only; none of any other shape. */
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

/** What is frozen says the same whenever it is asked for. */
function writtenOnce(text: (value: unknown) => string): (value: unknown) => string {
  const texts = new WeakMap<object, string>();
  return (value) => {
    if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return text(value);
    const known = texts.get(value) ?? text(value);
    texts.set(value, known);
    return known;
  };
}

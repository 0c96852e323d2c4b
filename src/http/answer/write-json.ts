import { setImmediate as others } from 'node:timers/promises';
import fastJsonStringify from 'fast-json-stringify';
import type { TSchema } from 'typebox';

/** Beyond that, a list is written piece by piece: 8 MiB in one go keep every other request of the process waiting for 100 ms. */
const FEW = 100;
const AT_ONCE_MS = 10;

type Shape = { type?: unknown; items?: TSchema; properties?: Record<string, Shape> };

/** The one list of a shape, where all beside it is single values; `name` is null where the shape is the list. */
type List = { name: string | null; item: TSchema };

/** Writes values of a shape as JSON: what is not declared is not written. A promise where the list in it is long. */
export function jsonWriter(schema: TSchema): (value: unknown) => string | Promise<string> {
  const whole = writtenOnce(fastJsonStringify(schema as never));
  const list = oneListOf(schema as Shape);
  if (list === null) return whole;
  let writeItem: ((item: unknown) => string) | undefined;
  return (value) => {
    const items = itemsOf(list, value);
    if (items === null || items.length <= FEW || Object.isFrozen(value)) return whole(value);
    writeItem ??= fastJsonStringify(list.item as never);
    return writeLong(list, items, { value, whole, writeItem });
  };
}

async function writeLong(
  { name }: List,
  items: readonly unknown[],
  {
    value,
    whole,
    writeItem,
  }: { value: unknown; whole: (value: unknown) => string; writeItem: (item: unknown) => string },
): Promise<string> {
  const texts: string[] = [];
  let begun = performance.now();
  for (const item of items) {
    texts.push(writeItem(item));
    if (performance.now() - begun < AT_ONCE_MS) continue;
    await others();
    begun = performance.now();
  }
  const text = `[${texts.join(',')}]`;
  if (name === null) return text;
  // A text has no quotation mark that is not escaped: this is the key itself.
  const key = `${JSON.stringify(name)}:`;
  const [before, after] = whole({ ...(value as object), [name]: [] }).split(`${key}[]`);
  return `${before}${key}${text}${after}`;
}

function oneListOf({ type, items, properties }: Shape): List | null {
  if (type === 'array') return items ? { name: null, item: items } : null;
  if (type !== 'object' || !properties) return null;
  const [name, list] = Object.entries(properties).find(([, member]) => member.type === 'array') ?? [];
  const isAlone = Object.values(properties).every((member) => member === list || isSingle(member));
  return name !== undefined && list?.items && isAlone ? { name, item: list.items } : null;
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

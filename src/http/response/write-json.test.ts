import { setTimeout as wait } from 'node:timers/promises';
import fastJsonStringify from 'fast-json-stringify';
import { Type, type TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { jsonWriter } from './write-json.ts';

const Item = Type.Object({ id: Type.Integer(), name: Type.Unsafe<string | null>({ type: ['string', 'null'] }) });
const Page = Type.Object({ cursor: Type.Union([Type.String()]), things: Type.Array(Item), total: Type.Integer() });
const Two = Type.Object({ a: Type.Array(Type.Object({ b: Type.Array(Item) })), b: Type.Array(Item) });
const number = { type: ['number', 'null'] };
const Columns = Type.Object({
  time: Type.Array(Type.Integer()),
  value: Type.Array(Type.Unsafe<number | null>(number)),
  other: Type.Optional(Type.Array(Type.Unsafe<number | null>(number))),
});
const items = Array.from({ length: 50_000 }, (_, id) => ({
  id,
  name: id % 3 ? `"things":[] ${id}` : null,
  secret: id,
}));
const page = { total: items.length, cursor: '"things":[]', things: items, secret: 1 };

test.each<[string, TSchema, unknown]>([
  ['a list', Type.Array(Item), items],
  ['a page of a list', Page, page],
  [
    'a page with members that are not single values',
    Type.Object({ ...Page.properties, at: Type.Object({}) }),
    { ...page, at: {} },
  ],
  [
    'a page of two lists, one of which has the name of a member of the other',
    Two,
    { a: items.map((b) => ({ b: [b] })), b: items },
  ],
  [
    'a page of columns without the optional one',
    Columns,
    { time: items.map(({ id }) => id), value: items.map(({ id }) => (id % 2 ? id / 7 : null)) },
  ],
])('%s gives the same JSON in chunks as in one step', async (_, schema, value) => {
  const text = await jsonWriter(schema)(value);
  expect(text === fastJsonStringify(schema as never)(value)).toBe(true);
  expect(text).not.toContain('secret');
});

test('A long list lets other work run. A short or frozen list is written at once', async () => {
  const write = jsonWriter(Type.Array(Item));
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 1);
  await wait(5);
  const before = ticks;
  await write(Array.from({ length: 10 }, () => items).flat());
  expect(ticks - before).toBeGreaterThan(2);
  clearInterval(timer);
  expect([write(items.slice(0, 100)), write(Object.freeze([...items]))].map((text) => typeof text)).toEqual([
    'string',
    'string',
  ]);
});

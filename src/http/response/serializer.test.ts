import fastJsonStringify from 'fast-json-stringify';
import { Type, type TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { nullable } from '../../wire/schema.ts';
import { writtenOnce } from '../../wire/written-once.ts';
import { bodyOf, textOf } from './serializer.ts';

const part = { name: Type.String(), price: nullable(Type.Number()) };
const item = {
  note: Type.Optional(Type.String()),
  cached: Type.Object(part),
  other: Type.Optional(Type.Object(part)),
  site: nullable(writtenOnce(Type.Object({ cached: Type.Object(part) }), 'cached')),
  id: Type.Integer(),
};
const pageOf = <T extends TSchema>(Item: T) => Type.Object({ orders: Type.Array(Item), total: Type.Integer() });
const Page = pageOf(writtenOnce(Type.Object(item), 'cached', 'other'));
/** Writes the same shape with fast-json-stringify and without cached parts. Both must write the same text. */
const asEver = fastJsonStringify(pageOf(Type.Object(item)) as never);

const cached = Object.freeze({ name: 'Größe "1" 血', price: 1.5, secret: 'never shown' });
const order = { note: 'é', cached, site: { cached, secret: 'never shown' }, id: 1, secret: 'never shown' };
const pages: [string, { orders: object[]; total: number }][] = [
  ['with cached parts', { orders: [order, order], total: 2 }],
  ['with a part that is not frozen', { orders: [{ ...order, cached: { ...cached } }], total: 1 }],
  [
    'with and without optional members',
    {
      orders: [
        { ...order, other: cached },
        { cached, site: null, id: 2 },
      ],
      total: 2,
    },
  ],
  ['with an empty list', { orders: [], total: 0 }],
];

describe('an answer with parts that are written once', () => {
  test.each(pages)('%s equals the answer without such parts', (_, page) => {
    const [text, body] = [textOf(Page), bodyOf(Page)];
    for (let times = 0; times < 2; times += 1) {
      expect(text(page)).not.toContain('never shown');
      expect(text(page)).toBe(asEver(page));
      expect(String(body(page))).toBe(text(page));
    }
  });

  test('caches the bytes of a part while the part lives', () => {
    let read = 0;
    const counted = Object.freeze({
      get name() {
        read += 1;
        return 'counted';
      },
      price: null,
    });
    const write = bodyOf(Page);
    for (let times = 0; times < 3; times += 1) write({ orders: [{ ...order, cached: counted }], total: 1 });
    expect(read).toBe(1);
  });

  test('throws when a declared member is missing, cached or not', () => {
    for (const name of ['cached', 'id', 'site'])
      for (const write of [textOf(Page), bodyOf(Page), asEver])
        expect(() => write({ orders: [{ ...order, [name]: undefined }], total: 1 })).toThrow(`"${name}" is required!`);
  });
});

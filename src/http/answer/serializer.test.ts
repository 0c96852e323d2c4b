import fastJsonStringify from 'fast-json-stringify';
import { Type, type TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { nullable } from '../../wire/schema.ts';
import { writtenOnce } from '../../wire/written-once.ts';
import { bodyOf, textOf } from './serializer.ts';

const part = { name: Type.String(), price: nullable(Type.Number()) };
const item = {
  note: Type.Optional(Type.String()),
  kept: Type.Object(part),
  other: Type.Optional(Type.Object(part)),
  place: nullable(writtenOnce(Type.Object({ kept: Type.Object(part) }), 'kept')),
  id: Type.Integer(),
};
const pageOf = <T extends TSchema>(Item: T) => Type.Object({ orders: Type.Array(Item), total: Type.Integer() });
const Page = pageOf(writtenOnce(Type.Object(item), 'kept', 'other'));
/** The same shape, of which nothing is marked. */
const asEver = fastJsonStringify(pageOf(Type.Object(item)) as never);

const kept = Object.freeze({ name: 'Größe "1" 血', price: 1.5, secret: 'never shown' });
const order = { note: 'é', kept, place: { kept, secret: 'never shown' }, id: 1, secret: 'never shown' };
const pages: [string, { orders: object[]; total: number }][] = [
  ['with parts that were kept', { orders: [order, order], total: 2 }],
  ['with a part that is not frozen', { orders: [{ ...order, kept: { ...kept } }], total: 1 }],
  [
    'with optional members and without',
    {
      orders: [
        { ...order, other: kept },
        { kept, place: null, id: 2 },
      ],
      total: 2,
    },
  ],
  ['without any', { orders: [], total: 0 }],
];

describe('an answer with parts that are written once', () => {
  test.each(pages)('%s says what it says without them', (_, page) => {
    const [text, body] = [textOf(Page), bodyOf(Page)];
    for (let times = 0; times < 2; times += 1) {
      expect(text(page)).not.toContain('never shown');
      expect(text(page)).toBe(asEver(page));
      expect(String(body(page))).toBe(text(page));
    }
  });

  test('writes such a part once for as long as it is kept', () => {
    let read = 0;
    const counted = Object.freeze({
      get name() {
        read += 1;
        return 'counted';
      },
      price: null,
    });
    const write = bodyOf(Page);
    for (let times = 0; times < 3; times += 1) write({ orders: [{ ...order, kept: counted }], total: 1 });
    expect(read).toBe(1);
  });

  test('is refused where a declared member is missing, kept or not', () => {
    for (const name of ['kept', 'id', 'place'])
      for (const write of [textOf(Page), bodyOf(Page), asEver])
        expect(() => write({ orders: [{ ...order, [name]: undefined }], total: 1 })).toThrow(`"${name}" is required!`);
  });
});

import { Type } from 'typebox';
import { Cursor, nullable, optional, Prose, Text, Timestamp, Uuid, withDefault } from '../../../wire/schema.ts';
import { shape } from '../../../wire/shape.ts';

export const OrderNoteInput = shape('OrderNoteInput', {
  text: Prose(4000, { description: 'The note. It may have several lines.' }),
  author: optional(
    Text(200, {
      description: 'Name of the person who writes. Required of a key. Without effect for a person who is signed in.',
    }),
  ),
});

export const OrderNote = shape('OrderNote', {
  id: Uuid,
  order_id: Uuid,
  text: Type.String({ description: 'The note.' }),
  author: Type.String({ description: 'Name of the person who wrote it.' }),
  created_at: Timestamp,
});

export const OrderNotePage = shape('OrderNotePage', {
  data: Type.Array(OrderNote),
  next_cursor: nullable(Type.String()),
});

export const TeamNoteQuery = Type.Object({
  order_ids: Type.Optional(
    Type.Array(Uuid, { maxItems: 100, description: 'Only notes on these orders. Default: all orders.' }),
  ),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100, description: 'Notes in a page.' }), 50),
  next_cursor: Type.Optional(Cursor()),
});

export const OrderNoteQuery = Type.Object({
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 100, description: 'Notes in a page.' }), 50),
  next_cursor: Type.Optional(Cursor()),
});

import { Type } from 'typebox';
import { operation } from '../../../operation/operation.ts';
import { Success } from '../../../users/schemas.ts';
import { Uuid } from '../../../wire/schema.ts';
import { createOrderNote, deleteOrderNote, listOrderNotes, listTeamNotes } from './order-notes.ts';
import { OrderNote, OrderNoteInput, OrderNotePage, OrderNoteQuery, TeamNoteQuery } from './schemas.ts';

const tag = 'orders';
const params = Type.Object({ order_id: Uuid });

export const noteOperations = [
  operation({
    id: 'list_order_notes',
    method: 'GET',
    path: '/v3/order/{order_id}/note',
    tag,
    params,
    query: OrderNoteQuery,
    response: OrderNotePage,
    summary: "List a team's own notes on an order",
    description: 'The newest first.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'invalid_cursor'],
    handle: (ctx, { params: { order_id }, query }) => listOrderNotes(ctx, order_id, query),
  }),
  operation({
    id: 'list_team_notes',
    method: 'GET',
    path: '/v3/order_note',
    tag,
    query: TeamNoteQuery,
    response: OrderNotePage,
    summary: "List a team's own notes on all its orders",
    description: 'The newest first. Notes on orders of users who are scheduled for deletion are left out.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listTeamNotes(ctx, query),
  }),
  operation({
    id: 'create_order_note',
    method: 'POST',
    path: '/v3/order/{order_id}/note',
    tag,
    params,
    body: OrderNoteInput,
    response: OrderNote,
    summary: 'Write a note on an order',
    description:
      'Notes are for the people of the team. We send them to no laboratory, and no event contains them. An order has ' +
      'at most 200 notes.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'author_required', 'limit_reached'],
    handle: (ctx, { params: { order_id }, body }) => createOrderNote(ctx, order_id, body),
  }),
  operation({
    id: 'delete_order_note',
    method: 'DELETE',
    path: '/v3/order/{order_id}/note/{note_id}',
    tag,
    params: Type.Object({ order_id: Uuid, note_id: Uuid }),
    response: Success,
    summary: 'Delete a note on an order',
    refusals: ['not_found', 'user_scheduled_for_deletion'],
    handle: async (ctx, { params: { order_id, note_id } }) => {
      await deleteOrderNote(ctx, order_id, note_id);
      return { success: true };
    },
  }),
];

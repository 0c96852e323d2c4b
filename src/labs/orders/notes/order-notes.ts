import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { decodeCursor, isId, takePage } from '../../../db/cursor.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError, notFound } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { authorOf } from '../../author.ts';
import { loadOrder, lockOrder } from '../load-order.ts';
import type { OrderNote, OrderNoteInput, OrderNotePage, OrderNoteQuery, TeamNoteQuery } from './schemas.ts';

type Note = Static<typeof OrderNote>;
type Content = Pick<Note, 'text' | 'author'>;

const MAX_NOTES = 200;

/** Adds a note to an order of the caller's team. Throws author_required and limit_reached. */
export function createOrderNote(ctx: TeamCtx, orderId: string, input: Static<typeof OrderNoteInput>): Promise<Note> {
  return inTransaction(ctx, async (ctx) => {
    const { row } = await lockOrder(ctx, orderId);
    const content: Content = { text: input.text, author: authorOf(ctx, 'author', input.author ?? null) };
    const { notes } = await ctx.db
      .selectFrom('order_notes')
      .select(({ fn }) => fn.countAll<number>().as('notes'))
      .where('user_id', '=', row.user_id)
      .where('order_id', '=', row.id)
      .executeTakeFirstOrThrow();
    if (notes >= MAX_NOTES)
      throw new AppError('limit_reached', `An order has at most ${MAX_NOTES} notes. Delete one that is not needed.`);
    const rowKey = { team_id: ctx.team.id, id: newId() };
    const { created_at } = await ctx.db
      .insertInto('order_notes')
      .values({
        ...rowKey,
        user_id: row.user_id,
        order_id: row.id,
        content: ctx.cipher.sealJson('order_notes.content', rowKey, content),
      })
      .returning('created_at')
      .executeTakeFirstOrThrow();
    return { id: rowKey.id, order_id: row.id, ...content, created_at };
  });
}

/** Lists the notes on an order of the caller's team, the newest first. */
export async function listOrderNotes(
  ctx: TeamCtx,
  orderId: string,
  { limit, next_cursor }: Static<typeof OrderNoteQuery>,
): Promise<Static<typeof OrderNotePage>> {
  const { row } = await loadOrder(ctx, orderId);
  const before = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
  const rows = await ctx.db
    .selectFrom('order_notes')
    .selectAll()
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.id)
    .where('team_id', '=', ctx.team.id)
    .$if(before !== null, (query) => query.where('id', '<', before as string))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return pageOf(ctx, rows, limit);
}

/** Lists the notes on all orders of the caller's team, or on some of them, the newest first. */
export async function listTeamNotes(
  ctx: TeamCtx,
  { order_ids, limit, next_cursor }: Static<typeof TeamNoteQuery>,
): Promise<Static<typeof OrderNotePage>> {
  const before = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
  const rows = await ctx.db
    .selectFrom('order_notes')
    .innerJoin('users', 'users.id', 'order_notes.user_id')
    .selectAll('order_notes')
    .where('order_notes.team_id', '=', ctx.team.id)
    .where('users.deleted_at', 'is', null)
    .$if(order_ids !== undefined, (query) =>
      query.where(sql<boolean>`order_notes.order_id = any (${order_ids}::uuid[])`),
    )
    .$if(before !== null, (query) => query.where('order_notes.id', '<', before as string))
    .orderBy('order_notes.id', 'desc')
    .limit(limit + 1)
    .execute();
  return pageOf(ctx, rows, limit);
}

type NoteRow = { id: string; team_id: string; order_id: string; created_at: string; content: Buffer };

function pageOf({ cipher }: TeamCtx, rows: NoteRow[], limit: number): Static<typeof OrderNotePage> {
  const { page, ...rest } = takePage(rows, limit, ({ id }) => id);
  const notes = page.map(({ id, team_id, order_id, created_at, content }) => ({
    id,
    order_id,
    ...cipher.openJson<Content>('order_notes.content', { team_id, id }, content),
    created_at,
  }));
  return { data: notes, ...rest };
}

/** Deletes a note on an order of the caller's team. Throws not_found. */
export async function deleteOrderNote(ctx: TeamCtx, orderId: string, noteId: string): Promise<void> {
  const { row } = await loadOrder(ctx, orderId);
  const deleted = await ctx.db
    .deleteFrom('order_notes')
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.id)
    .where('team_id', '=', ctx.team.id)
    .where('id', '=', noteId)
    .returning('id')
    .executeTakeFirst();
  if (!deleted) throw notFound('Note');
}

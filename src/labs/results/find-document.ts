import { Readable } from 'node:stream';
import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import type { Attachment } from '../../operation/media.ts';
import type { LoadedOrder } from '../orders/load-order.ts';

/**
 * Finds the laboratory's own document that belongs to the newest version of an order's report. Returns null if there is
 * none.
 */
export async function findDocumentOrNull(ctx: TeamCtx, { row }: LoadedOrder): Promise<Attachment | null> {
  const { rows } = await sql<{ document_id: string; version: number; chunks: number }>`
    select document_id, version, count(*)::integer as chunks from lab_result_documents
     where user_id = ${row.user_id} and order_id = ${row.id} and team_id = ${ctx.team.id}
       and version = (select max(version) from lab_results
                       where user_id = ${row.user_id} and order_id = ${row.id} and team_id = ${ctx.team.id})
     group by document_id, version`.execute(ctx.db);
  const [found] = rows;
  if (!found) return null;
  const content = Readable.from(openChunks(ctx, { ...found, user_id: row.user_id, order_id: row.id }));
  return { content_type: 'application/pdf', name: 'laboratory-report.pdf', content };
}

/**
 * Finds the document for an order transaction. Returns null if several orders of the transaction have results, because
 * a document covers only one order.
 */
export async function findTransactionDocumentOrNull(ctx: TeamCtx, orders: LoadedOrder[]): Promise<Attachment | null> {
  const { rows } = await sql<{ order_id: string }>`
    select distinct order_id from lab_results
     where user_id = any (${orders.map(({ row }) => row.user_id)}::uuid[])
       and order_id = any (${orders.map(({ row }) => row.id)}::uuid[]) and team_id = ${ctx.team.id}
     limit 2`.execute(ctx.db);
  const [only, another] = rows;
  const order = orders.find(({ row }) => row.id === only?.order_id);
  return order && !another ? findDocumentOrNull(ctx, order) : null;
}

type FoundDocument = { user_id: string; order_id: string; version: number; document_id: string; chunks: number };

/**
 * Reads a document chunk by chunk, so that only one chunk is in memory. Throws if a newer document replaces this
 * document between two chunks.
 */
async function* openChunks(ctx: TeamCtx, { document_id, chunks, ...of }: FoundDocument): AsyncGenerator<Buffer> {
  for (let n = 0; n < chunks; n += 1) {
    const { content } = await ctx.db
      .selectFrom('lab_result_documents')
      .select('content')
      .where('user_id', '=', of.user_id)
      .where('order_id', '=', of.order_id)
      .where('version', '=', of.version)
      .where('n', '=', n)
      .where('document_id', '=', document_id)
      .where('team_id', '=', ctx.team.id)
      .executeTakeFirstOrThrow();
    const rowKey = { team_id: ctx.team.id, id: `${document_id}/${n}` };
    yield ctx.cipher.openBytes('lab_result_documents.content', rowKey, content);
  }
}

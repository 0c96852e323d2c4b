import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { newId } from '../../../ids.ts';
import type { LoadedOrder } from '../../orders/load.ts';
import { newestReport, type NewestReport } from '../newest-report.ts';
import type { LabReport } from '../report.ts';

const PIECE_BYTES = 256 * 1024;

/**
 * Keeps the laboratory's own PDF of a report that was stored, sealed in pieces with the newest version, in place of one that
 * this has; 'withdrawn' only takes that away. False, and nothing kept, where the laboratory has told newer things of the
 * order since, which the document could not show, or nothing yet. The caller holds the order's row lock.
 */
export async function keepDocument(
  ctx: TxCtx<TeamCtx>,
  order: LoadedOrder,
  { report, document }: { report: LabReport; document: Buffer | 'withdrawn' },
): Promise<boolean> {
  const newest = await newestReport(ctx, order);
  const reportedAt = report.reported_at.timestamp;
  if (!newest || timesOf(newest).some((time) => Date.parse(time) > Date.parse(reportedAt))) return false;
  const version = { user_id: order.row.user_id, order_id: order.row.id, version: newest.version };
  const { rows } = await sql<{ is_newer: boolean }>`
    select coalesce(bool_or(reported_at > ${reportedAt}), false) as is_newer from lab_result_documents
     where user_id = ${version.user_id} and order_id = ${version.order_id} and version = ${version.version}
       and team_id = ${ctx.team.id}`.execute(ctx.db);
  if (rows[0]?.is_newer) return false;
  await sql`
    delete from lab_result_documents
     where user_id = ${version.user_id} and order_id = ${version.order_id} and version = ${version.version}
       and team_id = ${ctx.team.id}`.execute(ctx.db);
  if (document !== 'withdrawn') await insertPieces(ctx, { ...version, reported_at: reportedAt }, document);
  return true;
}

/** When the laboratory said what it last said: a message that came late does not turn that back. */
const timesOf = ({ metadata, results, missing_results, withdrawn }: NewestReport): string[] => [
  metadata.date_reported,
  ...results.flatMap(({ timestamp }) => timestamp ?? []),
  ...[...missing_results, ...withdrawn].flatMap(({ reported_at }) => reported_at ?? []),
];

type Place = { user_id: string; order_id: string; version: number; reported_at: string };

async function insertPieces(ctx: TxCtx<TeamCtx>, place: Place, pdf: Buffer): Promise<void> {
  const [team_id, document_id] = [ctx.team.id, newId()];
  for (let n = 0; n * PIECE_BYTES < pdf.length; n += 1) {
    const piece = pdf.subarray(n * PIECE_BYTES, (n + 1) * PIECE_BYTES);
    const id = `${document_id}/${n}`;
    const content = ctx.cipher.sealBytes('lab_result_documents.content', { team_id, id }, piece);
    await ctx.db
      .insertInto('lab_result_documents')
      .values({ ...place, n, team_id, document_id, content })
      .execute();
  }
}

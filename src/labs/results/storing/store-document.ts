import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { newId } from '../../../ids.ts';
import type { LoadedOrder } from '../../orders/load-order.ts';
import { newestReport, type NewestReport } from '../newest-report.ts';
import type { LabReport } from '../lab-report.ts';

const CHUNK_BYTES = 256 * 1024;

/**
 * Stores the laboratory's own PDF, sealed in chunks, with the newest version of the report. It replaces the PDF that
 * this version has. 'withdrawn' deletes that PDF and stores none. If the laboratory has reported something newer about
 * the order, the document cannot contain it. Then the function returns false and changes nothing. It also returns false
 * if there is no report yet. The caller holds the lock on the order's row.
 */
export async function storeDocument(
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
  if (document !== 'withdrawn') await insertChunks(ctx, { ...version, reported_at: reportedAt }, document);
  return true;
}

/**
 * Returns the times at which the laboratory last reported each value, and the report as a whole. A message that arrives
 * late does not change these times.
 */
const timesOf = ({ metadata, results, missing_results, withdrawn }: NewestReport): string[] => [
  metadata.date_reported,
  ...results.flatMap(({ timestamp }) => timestamp ?? []),
  ...[...missing_results, ...withdrawn].flatMap(({ reported_at }) => reported_at ?? []),
];

type ReportVersion = { user_id: string; order_id: string; version: number; reported_at: string };

async function insertChunks(ctx: TxCtx<TeamCtx>, version: ReportVersion, pdf: Buffer): Promise<void> {
  const [team_id, document_id] = [ctx.team.id, newId()];
  for (let n = 0; n * CHUNK_BYTES < pdf.length; n += 1) {
    const chunk = pdf.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES);
    const id = `${document_id}/${n}`;
    const content = ctx.cipher.sealBytes('lab_result_documents.content', { team_id, id }, chunk);
    await ctx.db
      .insertInto('lab_result_documents')
      .values({ ...version, n, team_id, document_id, content })
      .execute();
  }
}

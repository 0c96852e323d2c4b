import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { publishEvent } from '../../events/publish.ts';
import { changeOrder } from '../orders/change.ts';
import type { LoadedOrder } from '../orders/load.ts';
import { resultCritical } from './events.ts';
import { worstOf } from './interpretation.ts';
import type { BiomarkerResult, MissingResult, ResultMetadata, SampleInformation } from './schemas.ts';
import { sealReport } from './sealed.ts';

/** What a laboratory reports for an order, whoever the laboratory is. */
export type LabReport = {
  status: 'partial' | 'final';
  metadata: Omit<Static<typeof ResultMetadata>, 'status' | 'interpretation'>;
  results: Static<typeof BiomarkerResult>[];
  missing_results: Static<typeof MissingResult>[];
  sample_information: Static<typeof SampleInformation>;
};

/** How many reports an order has; the newest one's version. */
export async function countReports(ctx: TxCtx<TeamCtx>, { row }: LoadedOrder): Promise<number> {
  const {
    rows: [newest],
  } = await sql<{ version: number }>`
    select version from lab_results where user_id = ${row.user_id} and order_id = ${row.id}
     order by version desc limit 1`.execute(ctx.db);
  return newest?.version ?? 0;
}

/**
 * Keeps a report as the order's next version (a correction replaces nothing) and sets the order's interpretation
 * from it. The caller holds the order's row lock and gives the order its new status afterwards.
 */
export async function storeReport(ctx: TxCtx<TeamCtx>, order: LoadedOrder, report: LabReport): Promise<LoadedOrder> {
  const interpretation = worstOf(report.results.map((result) => result.interpretation));
  const row = { team_id: ctx.team.id, order_id: order.row.id, version: (await countReports(ctx, order)) + 1 };
  const { created_at } = await ctx.db
    .insertInto('lab_results')
    .values({
      ...row,
      user_id: order.row.user_id,
      status: report.status,
      interpretation,
      ...sealReport(ctx, row, { ...report, metadata: { ...report.metadata, status: report.status, interpretation } }),
    })
    .returning('created_at')
    .executeTakeFirstOrThrow();
  const changed = await changeOrder(ctx, order, {
    interpretation,
    has_missing_results: report.missing_results.length > 0,
  });
  if (interpretation === 'critical') {
    await publishEvent(ctx, resultCritical, {
      user: order.user,
      data: {
        order_id: order.row.id,
        sample_id: order.row.sample_id ?? '',
        status: report.status,
        interpretation,
        team_id: ctx.team.id,
        user_id: order.row.user_id,
        created_at,
        updated_at: created_at,
      },
    });
  }
  return changed;
}

import type { Static } from 'typebox';
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { publishEvent } from '../../events/publish.ts';
import type { OrderRow } from '../orders/load.ts';
import { resultCritical } from './events.ts';
import { worstOf, type Interpretation } from './interpretation.ts';
import type { BiomarkerResult, MissingResult, ResultMetadata, SampleInformation } from './schemas.ts';

/** What a laboratory reports for an order, whoever the laboratory is. */
export type LabReport = {
  status: 'partial' | 'final';
  metadata: Omit<Static<typeof ResultMetadata>, 'status' | 'interpretation'>;
  results: Static<typeof BiomarkerResult>[];
  missing_results: Static<typeof MissingResult>[];
  sample_information: Static<typeof SampleInformation>;
};

/**
 * Keeps a report as the order's next version (a correction replaces nothing) and sets the order's interpretation
 * from it. The caller holds the order's row lock and gives the order its new status afterwards.
 */
export async function storeReport(ctx: TxCtx<TeamCtx>, order: OrderRow, report: LabReport): Promise<Interpretation> {
  const interpretation = worstOf(report.results.map((result) => result.interpretation));
  const metadata = { ...report.metadata, status: report.status, interpretation };
  const {
    rows: [stored],
  } = await sql<{ created_at: string }>`
    insert into lab_results (user_id, order_id, version, team_id, status, interpretation, metadata, results, missing_results, sample_information)
    select ${order.user_id}, ${order.id}, coalesce(max(version), 0) + 1, ${ctx.team.id}, ${report.status}, ${interpretation},
           ${JSON.stringify(metadata)}::jsonb, ${JSON.stringify(report.results)}::jsonb,
           ${JSON.stringify(report.missing_results)}::jsonb, ${JSON.stringify(report.sample_information)}::jsonb
      from lab_results where user_id = ${order.user_id} and order_id = ${order.id}
    returning created_at`.execute(ctx.db);
  await ctx.db
    .updateTable('orders')
    .set({ interpretation, has_missing_results: report.missing_results.length > 0 })
    .where('user_id', '=', order.user_id)
    .where('id', '=', order.id)
    .execute();
  if (interpretation === 'critical') await tellCritical(ctx, order, report.status, stored?.created_at as string);
  return interpretation;
}

async function tellCritical(
  ctx: TxCtx<TeamCtx>,
  order: OrderRow,
  status: LabReport['status'],
  at: string,
): Promise<void> {
  const user = await ctx.db
    .selectFrom('users')
    .select(['id', 'client_user_id'])
    .where('id', '=', order.user_id)
    .where('team_id', '=', ctx.team.id)
    .executeTakeFirstOrThrow();
  await publishEvent(ctx, resultCritical, {
    user,
    data: {
      order_id: order.id,
      sample_id: order.sample_id ?? '',
      status,
      interpretation: 'critical',
      team_id: ctx.team.id,
      user_id: order.user_id,
      created_at: at,
      updated_at: at,
    },
  });
}

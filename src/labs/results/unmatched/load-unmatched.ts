import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { notFound } from '../../../errors.ts';
import type { LabReport } from '../lab-report.ts';
import type { UnmatchedResult, UnmatchedResultQuery } from './schemas.ts';

type UnmatchedBody = Static<typeof UnmatchedResult>;

/** A report that did not match an order, with its candidate orders. A person may have decided about it already. */
export type Unmatched = Pick<
  UnmatchedBody,
  | 'id'
  | 'status'
  | 'decision_code'
  | 'sub_reason_codes'
  | 'note'
  | 'decided_by'
  | 'lab'
  | 'created_at'
  | 'updated_at'
  | 'reviewed_at'
  | 'order_id'
> & {
  /** The user for whom somebody accepted it. */
  user_id: string | null;
  report: LabReport;
  candidates: (UnmatchedBody['candidate_groups'][number]['candidates'][number] & { user_id: string })[];
};

type UnmatchedFilter = Omit<Static<typeof UnmatchedResultQuery>, 'limit' | 'next_cursor'>;

/**
 * Loads unmatched reports, newest first. Returns at most `limit` reports that come after the report with the id
 * `after`.
 */
export async function loadUnmatched(
  ctx: TeamCtx,
  filter: UnmatchedFilter & { id?: string },
  { after, limit }: { after: string | null; limit: number },
): Promise<Unmatched[]> {
  const { id = null, decision_code = null, lab_slug = null, status = null, order_id = null } = filter;
  const { created_at_start = null, created_at_end = null } = filter;
  const rows = await ctx.db
    .selectFrom('unmatched_results as u')
    .innerJoin('labs', 'labs.id', 'u.lab_id')
    .select(['u.id', 'u.team_id', 'u.status', 'u.decision_code', 'u.sub_reason_codes', 'u.report', 'u.note'])
    .select(['u.created_at', 'u.updated_at', 'u.reviewed_at', 'labs.id as lab_id', 'labs.name', 'labs.slug'])
    .select(['u.user_id', 'u.order_id', 'u.decided_by'])
    .where('u.team_id', '=', ctx.team.id)
    .where(
      sql<boolean>`(${id}::uuid is null or u.id = ${id}) and (${after}::uuid is null or u.id < ${after})
      and (${decision_code}::text is null or u.decision_code = ${decision_code})
      and (${lab_slug}::text is null or labs.slug = ${lab_slug})
      and (${status}::text is null or u.status = ${status})
      and (${order_id}::uuid is null or u.order_id = ${order_id})
      and (${created_at_start}::timestamptz is null or u.created_at >= ${created_at_start})
      and (${created_at_end}::timestamptz is null or u.created_at <= ${created_at_end})`,
    )
    .orderBy('u.id', 'desc')
    .limit(limit)
    .execute();
  const candidates = await loadCandidates(
    ctx,
    rows.map((row) => row.id),
  );
  return rows.map(({ lab_id, name, slug, team_id, report, note, decided_by, ...row }) => ({
    ...(row as Pick<Unmatched, 'id' | 'status' | 'decision_code' | 'sub_reason_codes'> & typeof row),
    lab: { id: lab_id, name, slug },
    report: ctx.cipher.openJson<LabReport>('unmatched_results.report', { team_id, id: row.id }, report),
    note: note && ctx.cipher.openText('unmatched_results.note', { team_id, id: row.id }, note),
    decided_by: decided_by && ctx.cipher.openText('unmatched_results.decided_by', { team_id, id: row.id }, decided_by),
    candidates: candidates.get(row.id) ?? [],
  })) as Unmatched[];
}

export async function findUnmatched(ctx: TeamCtx, id: string): Promise<Unmatched> {
  const [found] = await loadUnmatched(ctx, { id }, { after: null, limit: 1 });
  if (!found) throw notFound('Unmatched result');
  return found;
}

/** Finds one unmatched report and locks it until the end of the transaction. */
export async function lockUnmatched(ctx: TxCtx<TeamCtx>, id: string): Promise<Unmatched> {
  await sql`select from unmatched_results where team_id = ${ctx.team.id} and id = ${id} for update`.execute(ctx.db);
  return findUnmatched(ctx, id);
}

async function loadCandidates(ctx: TeamCtx, ids: string[]): Promise<Map<string, Unmatched['candidates']>> {
  const rows = await ctx.db
    .selectFrom('unmatched_candidates as c')
    .innerJoin('orders', (join) => join.onRef('orders.user_id', '=', 'c.user_id').onRef('orders.id', '=', 'c.order_id'))
    .innerJoin('users', 'users.id', 'c.user_id')
    .select(['c.unmatched_result_id', 'c.user_id', 'c.order_id', 'c.candidate_type', 'c.confidence_level'])
    .select(['c.confidence_score', 'c.reasons', 'c.marker_overlap', 'orders.order_transaction_id'])
    .select(['orders.last_low_level_status', 'orders.last_status', 'orders.last_event_at'])
    .where('c.team_id', '=', ctx.team.id)
    .where('c.unmatched_result_id', 'in', ids.length === 0 ? [sql<string>`null::uuid`] : ids)
    .where('users.deleted_at', 'is', null)
    .orderBy('c.confidence_score', 'desc')
    .orderBy('c.order_id', 'desc')
    .execute();
  const byResult = new Map<string, Unmatched['candidates']>();
  for (const { unmatched_result_id, last_low_level_status, last_status, last_event_at, ...candidate } of rows) {
    const candidateBody = {
      ...candidate,
      last_status: last_low_level_status,
      status_context: { status: last_status.split('.')[0] as string, since: last_event_at },
    } as Unmatched['candidates'][number];
    byResult.set(unmatched_result_id, [...(byResult.get(unmatched_result_id) ?? []), candidateBody]);
  }
  return byResult;
}

import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../context.ts';
import { oldestDueOf } from '../delivery/queues/queue-depth.ts';
import { userNotScheduledForDeletion } from '../labs/orders/scheduled-users.ts';
import { waitingForReview } from '../labs/results/parser/list-reviews.ts';
import { countSamplesOfDay } from '../totals/count-samples.ts';
import { readConnectionCounts } from '../wearables/connections/count-of-team.ts';
import { findMetrics } from '../webhooks/metrics/find.ts';
import type { TeamStatus } from './schemas.ts';

/** Counts of waiting rows stop here: whoever has more has to look anyway. */
const COUNTED = 10_000;

type Waiting = {
  messages_waiting: number;
  orders_waiting: number;
  orders_held: number;
  orders_refused: number;
  orders_unanswered: number;
  unmatched_results: number;
  reports_to_review: number;
  critical_results_open: number;
  imports_failed: number;
  imports_running: number;
};
type Endpoint = { id: string; disabled: boolean; failing_since: string | null; due_at: string | null };

/** Returns how the deliveries, connections and laboratories of a team are now. Every figure comes from an index. */
export async function readStatus(ctx: TeamCtx): Promise<Static<typeof TeamStatus>> {
  const [{ total }, endpoints, connections, samples, waiting] = [
    await findMetrics(ctx, null, { interval: '1h' }),
    await readEndpoints(ctx),
    await readConnectionCounts(ctx),
    await countSamplesOfDay(ctx),
    await countWaiting(ctx),
  ];
  const due = endpoints.flatMap(({ disabled, due_at }) => (disabled || due_at === null ? [] : [Date.parse(due_at)]));
  const now = Date.now();
  const oldest = due.length === 0 ? null : Math.min(...due);
  const withStatus = (status: string): number =>
    connections.reduce((sum, row) => (row.status === status ? sum + row.connections : sum), 0);
  const { imports_failed, imports_running, ...laboratories } = waiting;
  return {
    at: new Date(now).toISOString(),
    deliveries: {
      attempts: total.attempts,
      succeeded: total.succeeded,
      failed: total.failed,
      success_rate: total.success_rate,
      latency_ms: total.latency_ms,
      oldest_due_seconds: oldest === null ? 0 : Math.max(0, Math.round((now - oldest) / 1000)),
    },
    endpoints: {
      total: endpoints.length,
      disabled: endpoints.filter(({ disabled }) => disabled).length,
      failing: endpoints.filter(({ disabled, failing_since }) => !disabled && failing_since !== null).length,
    },
    connections: {
      connected: withStatus('connected'),
      error: withStatus('error'),
      paused: withStatus('paused'),
    },
    samples,
    laboratories,
    imports: { failed: imports_failed, running: imports_running },
  };
}

/** Reads the endpoints, with the time of the oldest delivery that waits for each. Their number is limited. */
async function readEndpoints({ db, team }: TeamCtx): Promise<Endpoint[]> {
  const { rows } = await sql<Endpoint>`
    select webhooks.id, webhooks.disabled, queue.failing_since, ${oldestDueOf(sql`webhooks.id`)} as due_at
      from webhooks left join endpoint_queues as queue on queue.webhook_id = webhooks.id
     where webhooks.team_id = ${team.id}`.execute(db);
  return rows;
}

async function countWaiting({ db, team }: TeamCtx): Promise<Waiting> {
  const many = (rows: ReturnType<typeof sql>) =>
    sql`(select count(*) from (${rows} limit ${COUNTED}) as counted)::float8`;
  const outbox = (state: string) =>
    many(sql`select from laboratory_outbox where team_id = ${team.id} and state = ${sql.lit(state)}`);
  const { rows } = await sql<Waiting>`
    select ${many(sql`select from hl7_messages where team_id = ${team.id} and state = 'failed'`)} as messages_waiting,
           ${outbox('waiting')} as orders_waiting, ${outbox('held')} as orders_held,
           ${outbox('refused')} as orders_refused, ${outbox('committed')} as orders_unanswered,
           ${many(sql`
             select from unmatched_results where team_id = ${team.id}
                and status in ('pending_customer_review', 'pending_ops_review')`)} as unmatched_results,
           ${many(sql`select from ${waitingForReview(team.id)}`)} as reports_to_review,
           ${many(sql`
             select from critical_results orders where orders.team_id = ${team.id} and orders.status = 'open'
                and ${sql.raw(userNotScheduledForDeletion('orders.team_id'))}`)} as critical_results_open,
           ${many(sql`
             select from imports where team_id = ${team.id} and ended_at > now() - interval '1 day'
                and status = 'failure'`)} as imports_failed,
           ${many(sql`select from imports where team_id = ${team.id} and status in ('queued', 'running')`)}
             as imports_running`.execute(db);
  return rows[0] as Waiting;
}

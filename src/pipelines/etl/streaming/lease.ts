// A process streams a pipeline only while it has the lease of the pipeline, by the clock of the database. The lease
// names the worker of the process. If this worker dies, other workers notice and end the lease.
import { sql } from 'kysely';
import type { Ctx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { nameIsFree, type Worker } from '../../../delivery/queues/delivery-worker.ts';

/**
 * The time of a lease in seconds. One page takes less, with connecting and with the broker's confirms. If a process
 * stalls, or if no worker notices its death, the lease ends after this time.
 */
const LEASE_SECONDS = 90;
const FIRST_PAUSE_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 600;

export type Leased = {
  team_id: string;
  org_id: string;
  lease_id: string;
  revision: number;
  cursor: string;
  push_historical_data: boolean;
  event_type_prefixes: string[] | null;
  sinks: Buffer;
};

const isDue = sql`streams and due_at <= now() and (lease_until is null or lease_until < now())
  and exists (select from teams where teams.id = team_id and deleted_at is null)`;

/** How many more pipelines a process can stream. */
export type Capacity = {
  most: number;
  /** For an organisation of which the process streams nothing yet. */
  ofAnother: number;
  /** For each organisation of which the process streams pipelines, by the id of the organisation. */
  of: Map<string, number>;
};

/**
 * Leases due pipelines that no process streams, as many of each organisation as the capacity allows. Those that have
 * waited longest come first.
 */
export async function leasePipelines(ctx: Ctx, worker: Worker, { most, ofAnother, of }: Capacity): Promise<Leased[]> {
  const { rows } = await sql<Leased>`
    with due as (
      select team_id, org_id, row_number() over (partition by org_id order by due_at, team_id) as nth
        from etl_pipelines where ${isDue}
    ), capacity as (
      select * from unnest(${[...of.keys()]}::uuid[], ${[...of.values()]}::integer[]) as capacity (org_id, many)
    ), chosen as (
      select team_id from due left join capacity using (org_id) where nth <= coalesce(many, ${ofAnother})
    )
    update etl_pipelines
       set lease_id = gen_random_uuid(), lease_worker = ${worker.livingId},
           lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where team_id in (
       select team_id from etl_pipelines where ${isDue} and team_id in (select team_id from chosen)
        order by due_at limit ${most} for update skip locked)
    returning team_id, org_id, lease_id, revision, cursor, push_historical_data, event_type_prefixes, sinks`.execute(
    acrossTeams(ctx).db,
  );
  return rows;
}

/**
 * Ends the leases of dead workers, so that other workers take their pipelines. Returns how many leases it ended. Rows
 * that another transaction has locked are left to the next call. A worker is dead if its lock is free. A separate step
 * of the statement lists the workers, so that the lock of each is tried once, however many leases it has.
 */
export async function endLeasesOfDeadWorkers(ctx: Ctx, worker: Worker): Promise<number> {
  if (!worker.looksForDeadWorkers) return 0;
  const { rows } = await sql`
    with named as materialized (
      select distinct lease_worker as id from etl_pipelines where lease_worker is not null
          and lease_worker <> ${worker.livingId}
    ), dead as materialized (
      select id from named where ${nameIsFree}
    ), leased as materialized (
      select team_id from etl_pipelines where lease_worker in (select id from dead) for update skip locked
    )
    update etl_pipelines set lease_id = null, lease_worker = null, lease_until = null
      from leased where etl_pipelines.team_id = leased.team_id
    returning etl_pipelines.team_id`.execute(acrossTeams(ctx).db);
  return rows.length;
}

/** Returns the organisations with due pipelines that no process streams. */
export async function waitingOrgs(ctx: Ctx): Promise<Set<string>> {
  const { rows } = await sql<{ org_id: string }>`select distinct org_id from etl_pipelines where ${isDue}`.execute(
    acrossTeams(ctx).db,
  );
  return new Set(rows.map(({ org_id }) => org_id));
}

type Mine = Pick<Leased, 'team_id' | 'lease_id' | 'revision'>;
type Renewal = { worker: Worker; cursor: string; works: boolean };

/**
 * Renews the lease under the current id of the worker, and stores the cursor. Returns false if the process must stop
 * streaming, because another process has the lease, or because the pipeline was changed or removed. The cursor of a
 * changed pipeline is stored nevertheless.
 */
export async function renewLease(
  ctx: Pick<Ctx, 'db'>,
  mine: Mine,
  { worker, cursor, works }: Renewal,
): Promise<boolean> {
  const { rows } = await sql<{ goes_on: boolean }>`
    update etl_pipelines
       set lease_until = now() + make_interval(secs => ${LEASE_SECONDS}), lease_worker = ${worker.livingId},
           cursor = ${cursor},
           failures = case when ${works} then 0 else failures end,
           failing_since = case when ${works} then null else failing_since end,
           last_error = case when ${works} then null else last_error end
     where team_id = ${mine.team_id} and lease_id = ${mine.lease_id}
    returning revision = ${mine.revision} and streams
      and exists (select from teams where teams.id = team_id and deleted_at is null) as goes_on`.execute(ctx.db);
  return rows[0]?.goes_on ?? false;
}

/** Ends the lease, so that another process can take the pipeline. It is then due after all pipelines that wait. */
export async function leaveLease(ctx: Pick<Ctx, 'db'>, { team_id, lease_id }: Mine): Promise<void> {
  await sql`
    update etl_pipelines set lease_id = null, lease_worker = null, lease_until = null, due_at = greatest(due_at, now())
     where team_id = ${team_id} and lease_id = ${lease_id}`.execute(ctx.db);
}

/** Ends a lease that this process took although it had no permit for the pipeline. */
export const returnLease = (ctx: Ctx, mine: Mine): Promise<void> => leaveLease(acrossTeams(ctx), mine);

/**
 * Postpones a pipeline after a failure. Each failure in a row makes the pause longer. A change of the pipeline makes it
 * due at once. Returns the number of failures.
 */
export async function postpone(ctx: Pick<Ctx, 'db'>, mine: Mine, reason: string): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update etl_pipelines
       set failures = failures + 1, failing_since = coalesce(failing_since, now()), last_error = ${reason},
           lease_id = null, lease_worker = null, lease_until = null,
           due_at = now() + make_interval(secs => least(${LONGEST_PAUSE_SECONDS}, ${FIRST_PAUSE_SECONDS} * power(2,
               least(failures, 20))))
     where team_id = ${mine.team_id} and lease_id = ${mine.lease_id} and revision = ${mine.revision}
    returning failures`.execute(ctx.db);
  return rows[0]?.failures ?? 0;
}

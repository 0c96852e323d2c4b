// A pipeline is streamed by one process at a time, for as long as that keeps its lease. The database's clock decides; a lease names the
// worker of its process, and ends with it where others can see that it died (record 311).
import { sql } from 'kysely';
import type { Ctx } from '../../../context.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import { nameIsFree, type Worker } from '../../../delivery/lanes/workers.ts';

/** Longer than a page takes, with the connection before it and the confirms after it: for what dies unseen, or stands still. */
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

/** How many more a process can have. */
export type Room = {
  most: number;
  /** Of an organisation of which it has none. */
  ofAnother: number;
  /** Of each of which it has some, by its id. */
  of: Map<string, number>;
};

/** Those that nobody streams, the longest waiting first, of each organisation as many as there is room for. */
export async function leasePipelines(ctx: Ctx, worker: Worker, { most, ofAnother, of }: Room): Promise<Leased[]> {
  const { rows } = await sql<Leased>`
    with due as (
      select team_id, org_id, row_number() over (partition by org_id order by due_at, team_id) as nth
        from etl_pipelines where ${isDue}
    ), room as (
      select * from unnest(${[...of.keys()]}::uuid[], ${[...of.values()]}::integer[]) as room (org_id, many)
    ), chosen as (
      select team_id from due left join room using (org_id) where nth <= coalesce(many, ${ofAnother})
    )
    update etl_pipelines
       set lease_id = gen_random_uuid(), lease_worker = ${worker.livingId}, lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
     where team_id in (
       select team_id from etl_pipelines where ${isDue} and team_id in (select team_id from chosen)
        order by due_at limit ${most} for update skip locked)
    returning team_id, org_id, lease_id, revision, cursor, push_historical_data, event_type_prefixes, sinks`.execute(
    acrossTeams(ctx).db,
  );
  return rows;
}

/**
 * Ends the leases of workers that died, so that whoever looks takes their pipelines; answers how many. What somebody locks comes with the
 * next look. (Names apart: each is tried once, however many leases it has.)
 */
export async function endLeasesOfTheDead(ctx: Ctx, worker: Worker): Promise<number> {
  if (!worker.looksAfterOthers) return 0;
  const { rows } = await sql`
    with named as materialized (
      select distinct lease_worker as id from etl_pipelines where lease_worker is not null and lease_worker <> ${worker.livingId}
    ), dead as materialized (
      select id from named where ${nameIsFree}
    ), held as materialized (
      select team_id from etl_pipelines where lease_worker in (select id from dead) for update skip locked
    )
    update etl_pipelines set lease_id = null, lease_worker = null, lease_until = null
      from held where etl_pipelines.team_id = held.team_id
    returning etl_pipelines.team_id`.execute(acrossTeams(ctx).db);
  return rows.length;
}

/** Organisations of those that wait and nobody streams. */
export async function waitingOrgs(ctx: Ctx): Promise<Set<string>> {
  const { rows } = await sql<{ org_id: string }>`select distinct org_id from etl_pipelines where ${isDue}`.execute(
    acrossTeams(ctx).db,
  );
  return new Set(rows.map(({ org_id }) => org_id));
}

type Mine = Pick<Leased, 'team_id' | 'lease_id' | 'revision'>;
type Kept = { worker: Worker; cursor: string; works: boolean };

/**
 * Keeps the lease, by whatever id the worker has now, and what has been taken so far whatever was changed. False where somebody else has it,
 * or the pipeline was changed or removed.
 */
export async function keepLease(ctx: Pick<Ctx, 'db'>, mine: Mine, { worker, cursor, works }: Kept): Promise<boolean> {
  const { rows } = await sql<{ goes_on: boolean }>`
    update etl_pipelines
       set lease_until = now() + make_interval(secs => ${LEASE_SECONDS}), lease_worker = ${worker.livingId}, cursor = ${cursor},
           failures = case when ${works} then 0 else failures end,
           failing_since = case when ${works} then null else failing_since end,
           last_error = case when ${works} then null else last_error end
     where team_id = ${mine.team_id} and lease_id = ${mine.lease_id}
    returning revision = ${mine.revision} and streams
      and exists (select from teams where teams.id = team_id and deleted_at is null) as goes_on`.execute(ctx.db);
  return rows[0]?.goes_on ?? false;
}

/** Lets the next process have it, behind all that wait. */
export async function leaveLease(ctx: Pick<Ctx, 'db'>, { team_id, lease_id }: Mine): Promise<void> {
  await sql`
    update etl_pipelines set lease_id = null, lease_worker = null, lease_until = null, due_at = greatest(due_at, now())
     where team_id = ${team_id} and lease_id = ${lease_id}`.execute(ctx.db);
}

/** Lets another process have one for which there was no place. */
export const returnLease = (ctx: Ctx, mine: Mine): Promise<void> => leaveLease(acrossTeams(ctx), mine);

/** Puts it off after a failure, each time for longer; a change of the pipeline makes it due at once. How often it has failed. */
export async function putOff(ctx: Pick<Ctx, 'db'>, mine: Mine, reason: string): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update etl_pipelines
       set failures = failures + 1, failing_since = coalesce(failing_since, now()), last_error = ${reason},
           lease_id = null, lease_worker = null, lease_until = null,
           due_at = now() + make_interval(secs => least(${LONGEST_PAUSE_SECONDS}, ${FIRST_PAUSE_SECONDS} * power(2, least(failures, 20))))
     where team_id = ${mine.team_id} and lease_id = ${mine.lease_id} and revision = ${mine.revision}
    returning failures`.execute(ctx.db);
  return rows[0]?.failures ?? 0;
}

import { sql } from 'kysely';
import type { Db, Tx } from '../../db/open.ts';

/** Who asked for an attempt that the schedule did not: a person, a job that sends many again, or a test of a receiver. */
export type Trigger = 'resend' | 'replay' | 'test';

/**
 * A delivery that is to be made: what, and which attempt comes next (1 is the first). That of a replay has no row. Of one that was
 * `told` nobody has read the row, which may be gone.
 */
export type Queued = {
  webhook_id: string;
  event_id: string;
  attempt: number;
  from: 'deliveries' | 'told' | 'retries' | 'replays';
  /** Attempts before its schedule began. */
  schedule_from: number;
  /** Null where the schedule asks for it. */
  trigger: Trigger | null;
  /** Its row's count when it was read: if that has risen when it is settled, it was asked for once more meanwhile. */
  asked: number | null;
};

/** Which rows of a lane to read: those behind the event `after`. */
export type FirstAttemptsWanted = { webhook_id: string; after: string; most: number };

export type RetriesWanted = { webhook_id: string; most: number };

/** A retry and the seconds until it is due, 0 or less when it is. */
export type Retry = Queued & { wait: number };

/** What was read, by receiver; those that nothing waits for are not there. */
export type Waiting = { firsts: Map<string, Queued[]>; retries: Map<string, Retry[]> };

/**
 * What waits in lanes, in one statement: first attempts along their key, in the order of their events, and the next
 * retries, due or not: the first that is not tells when to look again.
 */
export async function readQueue(db: Db, firsts: FirstAttemptsWanted[], retries: RetriesWanted[]): Promise<Waiting> {
  if (firsts.length === 0 && retries.length === 0) return { firsts: new Map(), retries: new Map() };
  const { rows } = await sql<Row>`
    select lane.webhook_id, row.event_id, null::integer as attempt, null::integer as schedule_from, null::text as trigger,
           null::smallint as asked, null::float8 as wait
      from unnest(${firsts.map((lane) => lane.webhook_id)}::uuid[], ${firsts.map((lane) => lane.after)}::uuid[],
                  ${firsts.map((lane) => lane.most)}::integer[]) as lane (webhook_id, after, most)
     cross join lateral (
       select event_id from deliveries
        where deliveries.webhook_id = lane.webhook_id and event_id > lane.after
        order by deliveries.webhook_id, event_id limit lane.most
     ) as row
    union all
    select lane.webhook_id, row.event_id, row.attempt + 1, row.schedule_from, row.trigger, row.asked,
           extract(epoch from row.due_at - now())::float8
      from unnest(${retries.map((lane) => lane.webhook_id)}::uuid[], ${retries.map((lane) => lane.most)}::integer[])
           as lane (webhook_id, most)
     cross join lateral (
       select event_id, attempt, schedule_from, trigger, asked, due_at from retries
        where retries.webhook_id = lane.webhook_id
        order by retries.webhook_id, due_at limit lane.most
     ) as row`.execute(db);
  const waiting: Waiting = { firsts: new Map(), retries: new Map() };
  for (const row of rows) {
    if (row.attempt === null) addTo(waiting.firsts, firstAttempt(row, 'deliveries'));
    else addTo(waiting.retries, { ...row, from: 'retries' });
  }
  return waiting;
}

type Row =
  | { webhook_id: string; event_id: string; attempt: null }
  | {
      webhook_id: string;
      event_id: string;
      attempt: number;
      schedule_from: number;
      trigger: Trigger | null;
      asked: number | null;
      wait: number;
    };

type Place = Pick<Queued, 'webhook_id' | 'event_id'>;

export const placeOf = ({ webhook_id, event_id }: Place): string => `${webhook_id} ${event_id}`;

export const firstAttempt = ({ webhook_id, event_id }: Place, from: 'deliveries' | 'told'): Queued => ({
  webhook_id,
  event_id,
  attempt: 1,
  from,
  schedule_from: 0,
  trigger: null,
  asked: null,
});

function addTo<Q extends Queued>(lanes: Map<string, Q[]>, queued: Q): void {
  const lane = lanes.get(queued.webhook_id);
  if (lane) lane.push(queued);
  else lanes.set(queued.webhook_id, [queued]);
}

/** Those of the deliveries that are queued still, in a lane whose fence they have. */
export async function stillQueued<D extends { webhook_id: string; event_id: string; fence: number }>(
  db: Db | Tx,
  deliveries: D[],
): Promise<D[]> {
  if (deliveries.length === 0) return [];
  const { rows } = await sql<{ n: number }>`
    select asked.n::integer as n
      from unnest(${deliveries.map((d) => d.webhook_id)}::uuid[], ${deliveries.map((d) => d.event_id)}::uuid[],
                  ${deliveries.map((d) => d.fence)}::integer[])
           with ordinality as asked (webhook_id, event_id, fence, n)
      join lanes on lanes.webhook_id = asked.webhook_id and lanes.fence = asked.fence
     where (select true from deliveries
             where deliveries.webhook_id = asked.webhook_id and deliveries.event_id = asked.event_id limit 1)
        or (select true from retries
             where retries.webhook_id = asked.webhook_id and retries.event_id between asked.event_id and asked.event_id
             order by retries.event_id limit 1)`.execute(db);
  return rows.map(({ n }) => deliveries[n - 1] as D);
}

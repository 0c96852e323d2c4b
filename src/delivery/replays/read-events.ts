import { sql } from 'kysely';
import type { Db } from '../../db/open.ts';
import { matches, takes } from '../../events/names.ts';
import { leastIdAt } from '../../ids.ts';
import { MOST_ATTEMPTS } from '../requeue.ts';
import type { Replay } from './progress.ts';

/** An event of a replay: the attempt that is to be made, or what is known to have become of it. */
export type FoundEvent = { event_id: string; attempt: number; known: 'delivered' | 'failed' | 'skipped' | null };

export type Piece = {
  events: FoundEvent[];
  /** Everything up to it was looked at. */
  readTo: string;
  isLast: boolean;
};

/** Events that are looked at for one piece, whether the endpoint takes them or not. */
const LOOKED_AT = 500;
/** An event that fails has an attempt for each time. */
const ATTEMPTS_LOOKED_AT = 2_000;

/**
 * The events of a replay behind `after`: at most `most`, of a bounded number that are looked at. What was attempted since
 * the replay was asked for is not sent by it again, be it by itself before its worker was killed or by the endpoint's
 * queue: the log of attempts, which is written with each outcome, tells it exactly.
 */
export async function readEvents(db: Db, replay: Replay, after: string, most: number): Promise<Piece> {
  const before = leastIdAt(Date.parse(replay.until) + 1);
  const piece = await (replay.kind === 'replay'
    ? readStored(db, replay, after, before)
    : readFailed(db, replay, after, before));
  const ids = piece.ids.slice(0, most);
  const readTo = ids.length < piece.ids.length ? (ids.at(-1) as string) : piece.readTo;
  return {
    events: await withAttempts(db, replay, ids),
    readTo,
    isLast: piece.isLast && ids.length === piece.ids.length,
  };
}

type Ids = { ids: string[]; readTo: string; isLast: boolean };

/** What the endpoint's filters let through now, and those of the replay; tests of endpoints are looked at as all others, and none of it. */
async function readStored(db: Db, replay: Replay, after: string, before: string): Promise<Ids> {
  const { rows } = await sql<{ id: string; event_type: string; is_test: boolean }>`
    select id, event_type, test_for is not null as is_test from events
     where team_id = ${replay.team_id} and id > ${after} and id < ${before}
     order by team_id, id limit ${LOOKED_AT}`.execute(db);
  const wanted = rows.filter(({ event_type, is_test }) => !is_test && isSelected(replay, event_type));
  return { ids: wanted.map(({ id }) => id), readTo: rows.at(-1)?.id ?? after, isLast: rows.length < LOOKED_AT };
}

/** What failed at the endpoint once; whether it still does is told by its newest attempt. */
async function readFailed(db: Db, replay: Replay, after: string, before: string): Promise<Ids> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from attempts
     where webhook_id = ${replay.webhook_id} and event_id > ${after} and event_id < ${before} and outcome <> 'succeeded'
       and trigger is distinct from 'test'
     order by webhook_id, event_id limit ${ATTEMPTS_LOOKED_AT}`.execute(db);
  const ids = [...new Set(rows.map(({ event_id }) => event_id))];
  return { ids, readTo: ids.at(-1) ?? after, isLast: rows.length < ATTEMPTS_LOOKED_AT };
}

const isSelected = ({ filter_types, event_types }: Replay, name: string): boolean =>
  takes(filter_types, name) && (event_types === null || matches(event_types, name));

type Row = { event_id: string; attempt: number | null; outcome: string | null; is_new: boolean | null; waits: boolean };

async function withAttempts(db: Db, replay: Replay, ids: string[]): Promise<FoundEvent[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<Row>`
    select asked.event_id, newest.attempt, newest.outcome, newest.created_at >= ${replay.created_at} as is_new,
           (select true from deliveries
             where deliveries.webhook_id = ${replay.webhook_id} and deliveries.event_id = asked.event_id limit 1) is not null as waits
      from unnest(${ids}::uuid[]) with ordinality as asked (event_id, n)
      left join lateral (
        select attempt, outcome, created_at from attempts
         where attempts.team_id = ${replay.team_id} and attempts.event_id = asked.event_id
           and attempts.webhook_id = ${replay.webhook_id}
         order by attempts.team_id, attempts.event_id, attempts.id desc limit 1
      ) as newest on true
     order by asked.n`.execute(db);
  const wanted = rows.filter(({ outcome, is_new }) => replay.kind === 'replay' || is_new || outcome !== 'succeeded');
  return wanted.map((row) => ({ event_id: row.event_id, attempt: (row.attempt ?? 0) + 1, known: knownOf(row) }));
}

/** A first attempt that waits is made by the endpoint's queue, and what was tried so often is not tried again. */
function knownOf({ attempt, outcome, is_new, waits }: Row): FoundEvent['known'] {
  if (waits || (attempt ?? 0) >= MOST_ATTEMPTS) return 'skipped';
  if (!is_new) return null;
  return outcome === 'succeeded' ? 'delivered' : 'failed';
}

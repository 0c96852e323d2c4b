import { sql } from 'kysely';
import type { Db } from '../../db/open-database.ts';
import { matches, filtersAccept } from '../../events/names.ts';
import { minIdAt } from '../../ids.ts';
import { MAX_ATTEMPTS } from '../requeue.ts';
import type { Replay } from './replay-progress.ts';

/**
 * An event of a webhook replay, with the number of its next attempt. `known` is the result of an event that the replay
 * must not send. It is null if the replay must send the event.
 */
export type FoundEvent = { event_id: string; attempt: number; known: 'delivered' | 'failed' | 'skipped' | null };

export type Chunk = {
  events: FoundEvent[];
  /** The replay has read every event up to this id. */
  readTo: string;
  isLast: boolean;
};

/** The most events that one chunk reads, including events that the filters reject. */
const LOOKED_AT = 500;
/** The most attempts that one chunk reads. A failed event has one row for each of its attempts. */
const ATTEMPTS_LOOKED_AT = 2_000;

/**
 * Reads the events of a replay that follow `after`: at most `most` of them, from a limited number of rows. An event
 * with an attempt since the request for the replay is not sent again. Either the endpoint's queue made that attempt, or
 * a worker of this replay did before it was killed. The log of attempts shows this reliably, because we write each
 * outcome together with its log row.
 */
export async function readEvents(db: Db, replay: Replay, after: string, most: number): Promise<Chunk> {
  const before = minIdAt(Date.parse(replay.until) + 1);
  const chunk = await (replay.kind === 'replay'
    ? readStored(db, replay, after, before)
    : readFailed(db, replay, after, before));
  const ids = chunk.ids.slice(0, most);
  const readTo = ids.length < chunk.ids.length ? (ids.at(-1) as string) : chunk.readTo;
  return {
    events: await withAttempts(db, replay, ids),
    readTo,
    isLast: chunk.isLast && ids.length === chunk.ids.length,
  };
}

type Ids = { ids: string[]; readTo: string; isLast: boolean };

/**
 * Reads the stored events that pass both the endpoint's current filters and those of the replay. It also reads tests of
 * endpoints, but does not select them.
 */
async function readStored(db: Db, replay: Replay, after: string, before: string): Promise<Ids> {
  const { rows } = await sql<{ id: string; event_type: string; is_test: boolean }>`
    select id, event_type, test_for is not null as is_test from events
     where team_id = ${replay.team_id} and id > ${after} and id < ${before}
     order by team_id, id limit ${LOOKED_AT}`.execute(db);
  const wanted = rows.filter(({ event_type, is_test }) => !is_test && isSelected(replay, event_type));
  return { ids: wanted.map(({ id }) => id), readTo: rows.at(-1)?.id ?? after, isLast: rows.length < LOOKED_AT };
}

/**
 * Reads the events that failed at the endpoint at least once. The caller checks the newest attempt of each, because a
 * later one may have succeeded.
 */
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
  filtersAccept(filter_types, name) && (event_types === null || matches(event_types, name));

type Row = { event_id: string; attempt: number | null; outcome: string | null; is_new: boolean | null; waits: boolean };

async function withAttempts(db: Db, replay: Replay, ids: string[]): Promise<FoundEvent[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<Row>`
    select asked.event_id, newest.attempt, newest.outcome, newest.created_at >= ${replay.created_at} as is_new,
           (select true from deliveries
             where deliveries.webhook_id = ${replay.webhook_id} and deliveries.event_id = asked.event_id
                 limit 1) is not null as waits
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

/**
 * Returns the result of an event that the replay must not send. Returns null if it must send the event. If the first
 * attempt of an event still waits, the endpoint's queue makes it, so the replay skips the event. The replay also skips
 * an event that has already had MAX_ATTEMPTS attempts.
 */
function knownOf({ attempt, outcome, is_new, waits }: Row): FoundEvent['known'] {
  if (waits || (attempt ?? 0) >= MAX_ATTEMPTS) return 'skipped';
  if (!is_new) return null;
  return outcome === 'succeeded' ? 'delivered' : 'failed';
}

import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { byIndex } from '../../db/session/by-index.ts';
import { userIsScheduled } from '../../events/deferred-events.ts';
import { OPERATIONAL_NAMES } from '../../events/names.ts';
import { MIN_ID } from '../../ids.ts';
import type { FeedPosition, Snapshot } from './cursor.ts';

/** An event without its body, which may become part of a page. */
export type FoundEvent = FeedPosition & {
  user_id: string | null;
  /** True if the caller wants events of this type and user, and the event is not a test of an endpoint. */
  is_wanted: boolean;
  /** True if its user is scheduled for deletion. */
  is_deferred: boolean;
  /** The size of the stored body in bytes. */
  bytes: number;
};

type EventRange = {
  seen: Snapshot;
  upTo: Snapshot;
  after: FeedPosition;
  /** Names of event types. Null means all types except the operational ones (events about endpoints). */
  types: string[] | null;
  /** Null means events about every user and none. */
  user_id: string | null;
  most: number;
};

/**
 * Finds the next events of the team, in the order of the feed, whose transactions are in `upTo` and not in `seen`. The
 * result also has events of other types and users and tests of endpoints, which are marked as not wanted. A team can
 * have many of these, so they count towards `most` too. So one page never reads too many rows.
 *
 * The statement looks up the transactions that were running at `seen` one by one. All newer events come from one index
 * scan.
 */
export async function findEvents({ db, team }: TeamCtx, asked: EventRange): Promise<FoundEvent[]> {
  const { seen, upTo, after, types, user_id, most } = asked;
  const running = new Set(upTo.running);
  const late = seen.running.filter((position) => !running.has(position) && position >= after.position);
  // We compute one lower bound, where the index scan starts. With two conditions, PostgreSQL would start at the smaller
  // bound and read everything up to the greater one.
  const begin = after.position < seen.until ? { position: seen.until, id: MIN_ID } : after;
  const query = sql<FoundEvent>`
    with late as (
      select events.position, id, event_type, user_id, test_for, octet_length(body) as bytes
        from unnest(${late}::bigint[], ${late.map((position) => startIn(position, after))}::uuid[])
               as ran (position, after)
        cross join lateral (
          select * from events
           where team_id = ${team.id} and (events.position, id) > (ran.position, ran.after)
               and events.position <= ran.position
           order by events.position, id limit ${most}
        ) as events
       order by events.position, id limit ${most}
    ), fresh as (
      select position, id, event_type, user_id, test_for, octet_length(body) as bytes from events
       where team_id = ${team.id} and (position, id) > (${begin.position}, ${begin.id}) and position < ${upTo.until}
         and position <> all (${upTo.running}::bigint[])
       order by position, id limit ${most}
    ), again as (
      select deferred.position, events.id, events.event_type, events.user_id, events.test_for,
          octet_length(events.body) as bytes
        from (
          select position, event_id from deferred_events
           where team_id = ${team.id} and position is not null and position < ${upTo.until}
             and (position, event_id) > (${after.position}, ${after.id}) and position <> all (${upTo.running}::bigint[])
             and (position >= ${seen.until} or position = any (${late}::bigint[]))
           order by position, event_id limit ${most}
        ) as deferred
        cross join lateral (
          select * from events where events.team_id = ${team.id}
             and events.id between deferred.event_id and deferred.event_id
           order by events.id limit 1
        ) as events
    ), page as (
      select * from late union all select * from fresh union all select * from again
       order by position, id limit ${most}
    )
    select page.position, page.id, page.user_id, page.bytes,
           page.test_for is null and case when ${types !== null}::boolean then event_type = any (${types ?? []}::text[])
                else event_type <> all (${OPERATIONAL_NAMES}::text[]) end
             and (${user_id}::uuid is null or page.user_id is not distinct from ${user_id}::uuid) as is_wanted,
           ${userIsScheduled} as is_deferred
      from page
      left join lateral (
       select deleted_at from users where users.id between page.user_id and page.user_id order by users.id limit 1
     ) as users on true
     order by page.position, page.id`;
  return (await byIndex(query).execute(db)).rows;
}

/** Returns the id after which to read the events of a transaction. */
const startIn = (position: number, after: FeedPosition): string => (position === after.position ? after.id : MIN_ID);

import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { byIndex } from '../../db/session/by-index.ts';
import { userLeaves } from '../../events/held.ts';
import { OPERATIONAL_NAMES } from '../../events/names.ts';
import { LEAST_ID } from '../../ids.ts';
import type { Place, Snapshot } from './cursor.ts';

/** An event as a page is cut of: without what it says. */
export type FoundEvent = Place & {
  user_id: string | null;
  /** Of a type that was asked for, and no test of an endpoint. */
  is_wanted: boolean;
  /** Its user is scheduled for deletion. */
  is_held: boolean;
  /** As it is stored. */
  bytes: number;
};

type Asked = {
  seen: Snapshot;
  upTo: Snapshot;
  after: Place;
  /** Names; null: every type but the operational ones. */
  types: string[] | null;
  most: number;
};

/**
 * The next events of the team in the order of the feed that are over by `upTo` and were not by `seen`, wanted or not. Those of
 * transactions that ran then are looked up one by one, so that what has come since is read once. Tests of endpoints are found and
 * not wanted: a team can have many, and what a page reads is bounded by what it finds.
 */
export async function findEvents({ db, team }: TeamCtx, asked: Asked): Promise<FoundEvent[]> {
  const { seen, upTo, after, types, most } = asked;
  const running = new Set(upTo.running);
  const late = seen.running.filter((position) => !running.has(position) && position >= after.position);
  // As one condition, at which the index begins: it would go through everything before the greater one of two.
  const begin = after.position < seen.until ? { position: seen.until, id: LEAST_ID } : after;
  const query = sql<FoundEvent>`
    with late as (
      select events.position, id, event_type, user_id, test_for, octet_length(body) as bytes
        from unnest(${late}::bigint[], ${late.map((position) => startIn(position, after))}::uuid[]) as ran (position, after)
        cross join lateral (
          select * from events
           where team_id = ${team.id} and (events.position, id) > (ran.position, ran.after) and events.position <= ran.position
           order by events.position, id limit ${most}
        ) as events
       order by events.position, id limit ${most}
    ), fresh as (
      select position, id, event_type, user_id, test_for, octet_length(body) as bytes from events
       where team_id = ${team.id} and (position, id) > (${begin.position}, ${begin.id}) and position < ${upTo.until}
         and position <> all (${upTo.running}::bigint[])
       order by position, id limit ${most}
    ), again as (
      select held.position, events.id, events.event_type, events.user_id, events.test_for, octet_length(events.body) as bytes
        from (
          select position, event_id from held_events
           where team_id = ${team.id} and position is not null and position < ${upTo.until}
             and (position, event_id) > (${after.position}, ${after.id}) and position <> all (${upTo.running}::bigint[])
             and (position >= ${seen.until} or position = any (${late}::bigint[]))
           order by position, event_id limit ${most}
        ) as held
        cross join lateral (
          select * from events where events.team_id = ${team.id} and events.id between held.event_id and held.event_id
           order by events.id limit 1
        ) as events
    ), page as (
      select * from late union all select * from fresh union all select * from again
       order by position, id limit ${most}
    )
    select page.position, page.id, page.user_id, page.bytes,
           page.test_for is null and case when ${types !== null}::boolean then event_type = any (${types ?? []}::text[])
                else event_type <> all (${OPERATIONAL_NAMES}::text[]) end as is_wanted,
           ${userLeaves} as is_held
      from page
      left join lateral (
       select deleted_at from users where users.id between page.user_id and page.user_id order by users.id limit 1
     ) as users on true
     order by page.position, page.id`;
  return (await byIndex(query).execute(db)).rows;
}

/** The id behind which a transaction is read on. */
const startIn = (position: number, after: Place): string => (position === after.position ? after.id : LEAST_ID);

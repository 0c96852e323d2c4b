import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { userLeaves } from '../events/held.ts';
import { plainArray } from '../db/session/plain-array.ts';
import { findMissingKeys } from '../privacy/processes.ts';
import { UnknownKey } from '../privacy/unknown-key.ts';
import { placeOf } from './lanes/queue.ts';

/** What is sent of an event, to however many receivers. */
export type Event = {
  event_type: string;
  /** Null where what is stored cannot be opened. */
  body: Buffer | null;
  /** How the data came that it tells of; null where it does not say. */
  origin: string | null;
};

/** It is sealed under a key of the deployment that this process was not given: another worker sends it. */
export const KEY_MISSING = 'key_missing';

/** As it is now: an event does not change, whether its user leaves does. */
type Found = {
  event: Event | typeof KEY_MISSING;
  /** The user it tells of where that user is scheduled for deletion: nothing is sent then. */
  heldFor: string | null;
};

/** `toldTo`: the receiver for which the event was told to be queued, where nobody has seen its row. */
export type Wanted = { team_id: string; id: string; known: Event | null; toldTo: string | null };

/** By id; and the places (`placeOf`) of what was told and is not queued any more. */
export type Loaded = { found: Map<string, Found>; unqueued: Set<string> };

/** The body in base64, which is two thirds of the bytes of bytea's own text and is read in less than half the time. */
type Row = {
  team_id: string;
  id: string;
  event_type: string;
  origin: string | null;
  body: string | null;
  held_for: string | null;
  unqueued_for: string | null;
};

/**
 * Events, each read and opened once: of those that are known, or wanted once more, only whether their user leaves is read, and
 * whether what was told is queued. Those that retention or an erasure removed are not there. Each is asked for in the order of its
 * key: by a plan that was made while a day had no events yet, those of its team might be gone through in the order of the feed.
 */
export async function loadEvents(ctx: Ctx, wanted: Wanted[]): Promise<Loaded> {
  const loaded: Loaded = { found: new Map(), unqueued: new Set() };
  if (wanted.length === 0) return loaded;
  const known = new Map<string, Event | null>();
  const repeated = wanted.map(({ id, known: event }) => {
    const isKnown = event !== null || known.has(id);
    if (!known.get(id)) known.set(id, event);
    return isKnown;
  });
  const { rows } = await sql<Row>`
    select events.team_id, events.id, events.event_type, events.origin, case when not wanted.known then encode(events.body, 'base64') end as body,
           case when ${userLeaves} then users.id end as held_for,
           case when wanted.told_to is not null and (
             select true from deliveries
              where deliveries.webhook_id = wanted.told_to and deliveries.event_id = wanted.id limit 1) is null
             then wanted.told_to end as unqueued_for
      from unnest(${plainArray(wanted.map((event) => event.team_id))}::uuid[], ${plainArray(wanted.map((event) => event.id))}::uuid[],
                  ${plainArray(repeated.map((isKnown) => (isKnown ? 't' : 'f')))}::boolean[],
                  ${plainArray(wanted.map((event) => event.toldTo))}::uuid[]) as wanted (team_id, id, known, told_to)
     cross join lateral (
       select * from events where events.team_id = wanted.team_id and events.id between wanted.id and wanted.id
        order by events.id limit 1
     ) as events
      left join lateral (
       select id, deleted_at from users where users.id between events.user_id and events.user_id order by users.id limit 1
     ) as users on true`.execute(ctx.db);
  const take = async (row: Row): Promise<void> => {
    if (row.unqueued_for !== null) loaded.unqueued.add(placeOf({ webhook_id: row.unqueued_for, event_id: row.id }));
    const event = row.body === null ? known.get(row.id) : await opened(ctx, row);
    if (event) loaded.found.set(row.id, { event, heldFor: row.held_for });
  };
  await Promise.all(rows.map(take));
  return loaded;
}

/** A value that was damaged is its own event's affair: the others of the round are sent. */
async function opened(ctx: Ctx, { team_id, id, event_type, origin, body }: Row): Promise<Found['event']> {
  const { cipher, log } = ctx;
  try {
    const sealed = Buffer.from(body as string, 'base64');
    return { event_type, origin, body: await cipher.openPackedBytes('events.body', { team_id, id }, sealed) };
  } catch (err) {
    if (err instanceof UnknownKey && (await findMissingKeys(ctx.db, cipher)).includes(err.key_version))
      return KEY_MISSING;
    log.error({ err, message_id: id, team_id }, 'a stored event cannot be opened; its deliveries fail');
    return { event_type, origin, body: null };
  }
}

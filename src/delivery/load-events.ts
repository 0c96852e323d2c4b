import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import { userIsScheduled } from '../events/deferred-events.ts';
import { plainArray } from '../db/session/plain-array.ts';
import { findMissingKeys } from '../privacy/processes.ts';
import { MissingEncryptionKey } from '../privacy/missing-encryption-key.ts';
import { deliveryKeyOf } from './queues/read-queue.ts';

/** The parts of an event that are the same for every endpoint. */
export type Event = {
  event_type: string;
  /** Null if the stored body cannot be decrypted. */
  body: Buffer | null;
  /** The origin of the data. Null if the event has none. */
  origin: string | null;
};

/**
 * The body is encrypted with a key that the deployment has but this process does not. Another worker sends the event.
 */
export const KEY_MISSING = 'key_missing';

/**
 * An event, and the current state of its user. The event never changes, but its user may be scheduled for deletion
 * later.
 */
type LoadedEvent = {
  event: Event | typeof KEY_MISSING;
  /** The id of the event's user if that user is scheduled for deletion. Then we send nothing. Otherwise null. */
  deferredFor: string | null;
};

/**
 * An event to load. `notifiedEndpoint` is set if this process knows the delivery only from a notification, and has not
 * read its row.
 */
export type EventToLoad = { team_id: string; id: string; known: Event | null; notifiedEndpoint: string | null };

/**
 * `found` has the events by id. `unqueued` has the keys (`deliveryKeyOf`) of deliveries that a notification named but
 * that are no longer in the queue.
 */
export type Loaded = { found: Map<string, LoadedEvent>; unqueued: Set<string> };

/**
 * A row that the statement returns. PostgreSQL encodes the body in base64. This takes two thirds of the bytes of the
 * text form of `bytea`, and we read it in less than half the time.
 */
type Row = {
  team_id: string;
  id: string;
  event_type: string;
  origin: string | null;
  body: string | null;
  deferred_for: string | null;
  unqueued_for: string | null;
};

/**
 * Reads and decrypts each event once. For an event that we already know, it reads only two facts again: whether the
 * user is scheduled for deletion, and whether a delivery that a notification named is in the queue. The result lacks
 * events that retention or an erasure removed.
 * The statement orders each lookup by the key. Otherwise PostgreSQL might use a plan from a time when a day had no
 * events, and read all events of the team.
 */
export async function loadEvents(ctx: Ctx, wanted: EventToLoad[]): Promise<Loaded> {
  const loaded: Loaded = { found: new Map(), unqueued: new Set() };
  if (wanted.length === 0) return loaded;
  const known = new Map<string, Event | null>();
  const repeated = wanted.map(({ id, known: event }) => {
    const isKnown = event !== null || known.has(id);
    if (!known.get(id)) known.set(id, event);
    return isKnown;
  });
  const { rows } = await sql<Row>`
    select events.team_id, events.id, events.event_type, events.origin, case
        when not wanted.known then encode(events.body, 'base64') end as body,
           case when ${userIsScheduled} then users.id end as deferred_for,
           case when wanted.told_to is not null and (
             select true from deliveries
              where deliveries.webhook_id = wanted.told_to and deliveries.event_id = wanted.id limit 1) is null
             then wanted.told_to end as unqueued_for
      from unnest(${plainArray(wanted.map((event) => event.team_id))}::uuid[],
          ${plainArray(wanted.map((event) => event.id))}::uuid[],
                  ${plainArray(repeated.map((isKnown) => (isKnown ? 't' : 'f')))}::boolean[],
                  ${plainArray(wanted.map((event) => event.notifiedEndpoint))}::uuid[]) as wanted (team_id, id, known,
                      told_to)
     cross join lateral (
       select * from events where events.team_id = wanted.team_id and events.id between wanted.id and wanted.id
        order by events.id limit 1
     ) as events
      left join lateral (
       select id, deleted_at from users where users.id between events.user_id and events.user_id order by users.id
           limit 1
     ) as users on true`.execute(ctx.db);
  const take = async (row: Row): Promise<void> => {
    if (row.unqueued_for !== null)
      loaded.unqueued.add(deliveryKeyOf({ webhook_id: row.unqueued_for, event_id: row.id }));
    const event = row.body === null ? known.get(row.id) : await opened(ctx, row);
    if (event) loaded.found.set(row.id, { event, deferredFor: row.deferred_for });
  };
  await Promise.all(rows.map(take));
  return loaded;
}

/**
 * Decrypts an event. Returns a null body if the stored body is damaged, instead of throwing. Otherwise one damaged
 * event would stop all events of the round.
 */
async function opened(ctx: Ctx, { team_id, id, event_type, origin, body }: Row): Promise<LoadedEvent['event']> {
  const { cipher, log } = ctx;
  try {
    const sealed = Buffer.from(body as string, 'base64');
    return { event_type, origin, body: await cipher.openPackedBytes('events.body', { team_id, id }, sealed) };
  } catch (err) {
    if (err instanceof MissingEncryptionKey && (await findMissingKeys(ctx.db, cipher)).includes(err.key_version))
      return KEY_MISSING;
    log.error({ err, message_id: id, team_id }, 'a stored event cannot be decrypted; its deliveries fail');
    return { event_type, origin, body: null };
  }
}

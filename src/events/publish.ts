import { setImmediate as others } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Static, TSchema } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { byteaArray } from '../db/session/binary-array.ts';
import { sendWithNext } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import type { EventType } from './define.ts';
import { filtersFor } from './names.ts';
import { EVENTS_CHANNEL } from './notify-readers.ts';
import { hasOrigin, type Origin } from './origin.ts';

/**
 * The channel on which workers listen for new deliveries. The payload lists endpoints, separated by commas. If there
 * are few deliveries, each entry also has the event (`endpoint/event`). An empty payload means that any endpoint may
 * have new deliveries.
 */
export const DELIVERIES_CHANNEL = 'phial_queued';

/**
 * The largest body of an event in bytes. Delivery queues and endpoints are not made for larger ones. If there is more
 * data, publish several events.
 */
export const MAX_EVENT_BYTES = 256 * 1024;

/**
 * After this many milliseconds, publishing lets other requests of the process run. It can take long: the schema of an
 * event type is compiled at its first event, and one push can have 52 series.
 */
const AT_ONCE_MS = 10;

/** An event to publish to the endpoints of the team. */
export type Publication<T extends TSchema = TSchema> = {
  type: EventType<T>;
  /** The user that the event is about; null for an event about no user. */
  user: { id: string; client_user_id: string } | null;
  data: Static<T>;
  /** How the data came. Only for event types that have an origin. */
  origin?: Origin;
};

type Publishable = Pick<TxCtx<TeamCtx>, 'db' | 'cipher' | 'traces'> & { team: { id: string } };

/**
 * PostgreSQL allows 8,000 bytes in the payload of a notification. MAX_PAIRS pairs of an endpoint and an event fit, or
 * MAX_NAMED endpoints.
 */
const MAX_PAIRS = 100;
const MAX_NAMED = 200;

/**
 * Publishes events: writes them, and a delivery for each event and subscribed endpoint, in the caller's transaction. So
 * an event exists only if the change that caused it is committed. One statement does this, with the same text for any
 * number of events. The statement also notifies requests that wait for events of the team. It is sent together with the
 * next statement of the transaction, or with the commit. The stored body of an event is the text that every delivery
 * attempt signs and sends. Returns the ids of the events, in the order of `events`.
 */
export async function publishEvents<const Types extends TSchema[]>(
  ctx: Publishable,
  events: readonly [...{ [K in keyof Types]: Publication<Types[K]> }],
): Promise<string[]> {
  const published: Publication[] = [...events];
  if (published.length === 0) return [];
  if (!ctx.db.isTransaction) {
    throw new Error(`Event ${published[0]?.type.name} was published outside a transaction.`);
  }
  const { team, cipher, traces } = ctx;
  const ids = published.map(() => newId());
  if (traces) for (const [n, { type }] of published.entries()) traces.notePublished(ids[n] as string, type.name);
  const bodies: Buffer[] = [];
  let begun = performance.now();
  for (const [n, event] of published.entries()) {
    bodies.push(
      await cipher.sealPacked('events.body', { team_id: team.id, id: ids[n] as string }, bodyOf(team, event)),
    );
    if (performance.now() - begun < AT_ONCE_MS) continue;
    await others();
    begun = performance.now();
  }
  const statement = sql`
    with event as (
      select * from unnest(
        ${ids}::uuid[], ${published.map(({ user }) => user?.id ?? null)}::uuid[],
        ${published.map(({ type }) => type.name)}::text[], ${published.map(({ type }) => type.operational)}::boolean[],
        ${published.map(({ type }) => filtersFor(type.name).join(' '))}::text[], ${byteaArray(bodies)}::bytea[],
        ${published.map(({ origin }) => origin ?? null)}::text[]
      ) as e (id, user_id, event_type, operational, filters, body, origin)
    ), written as (
      insert into events (team_id, id, user_id, event_type, body, origin)
      select ${team.id}, id, user_id, event_type, body, origin from event
    ), queued as (
      insert into deliveries (webhook_id, event_id, team_id)
      select webhooks.id, event.id, webhooks.team_id
        from event join webhooks on webhooks.team_id = ${team.id}
       where webhooks.filter_types && string_to_array(event.filters, ' ')
          or (webhooks.filter_types is null and not event.operational)
      returning webhook_id, event_id
    )
    select pg_notify(${DELIVERIES_CHANNEL},
             case when count(*) <= ${MAX_PAIRS} then string_agg(webhook_id || '/' || event_id, ',')
                  when count(distinct webhook_id) <= ${MAX_NAMED} then string_agg(distinct webhook_id::text, ',')
                  else '' end)
      from queued having count(*) > 0
    union all
    select pg_notify(${EVENTS_CHANNEL}, team_id::text) from event_readers where team_id = ${team.id} and until > now()
  `;
  await sendWithNext(ctx.db, statement);
  return ids;
}

/** Publishes one event with publishEvents, and returns its id. */
export async function publishEvent<T extends TSchema>(
  ctx: Publishable,
  type: EventType<T>,
  publication: Omit<Publication<T>, 'type'>,
): Promise<string> {
  const [id] = await publishEvents(ctx, [{ type, ...publication }] as [Publication<T>]);
  return id as string;
}

/**
 * Writes the example of an event type as an event for one endpoint, and returns its id. The body says that it is a
 * test. The event is about no user and is not in the change feed. The caller queues its delivery.
 */
export async function publishTest(
  { db, cipher, team, traces }: Publishable,
  { name, example, webhook_id }: { name: string; example: Record<string, unknown>; webhook_id: string },
): Promise<string> {
  const key = { team_id: team.id, id: newId() };
  traces?.notePublished(key.id, name);
  const text = JSON.stringify({ ...example, team_id: team.id, test: true });
  const body = await cipher.sealPacked('events.body', key, text);
  await db
    .insertInto('events')
    .values({
      ...key,
      event_type: name,
      body,
      test_for: webhook_id,
      origin: hasOrigin(name) ? String(example['origin']) : null,
    })
    .execute();
  return key.id;
}

function bodyOf(team: { id: string }, { type, user, data, origin }: Publication): string {
  if (type.hasOrigin !== (origin !== undefined))
    throw new Error(`Event ${type.name} ${type.hasOrigin ? 'does not say' : 'says'} how its data came.`);
  const rest = JSON.stringify({
    ...(origin && { origin }),
    team_id: team.id,
    user_id: user?.id ?? null,
    client_user_id: user?.client_user_id ?? null,
  });
  const body = `{"event_type":${JSON.stringify(type.name)},"data":${type.write(data)},${rest.slice(1)}`;
  if (Buffer.byteLength(body) > MAX_EVENT_BYTES) {
    throw new Error(`Event ${type.name} is larger than ${MAX_EVENT_BYTES} bytes.`);
  }
  return body;
}

import { setImmediate as others } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Static, TSchema } from 'typebox';
import type { TeamCtx, TxCtx } from '../context.ts';
import { byteaArray } from '../db/session/binary-array.ts';
import { runAhead } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import type { EventType } from './define.ts';
import { filtersFor } from './names.ts';
import { EVENTS_CHANNEL } from './notify-readers.ts';
import { bearsOrigin, type Origin } from './origin.ts';

/**
 * Workers listen to it: something was queued. The payload names the receivers with commas between them, each with its event
 * (`receiver/event`) where these are few, or is empty, which means any.
 */
export const DELIVERIES_CHANNEL = 'phial_queued';

/** Receivers and the queue are laid for bodies of this size; whoever tells of more tells it in several events. */
export const MOST_EVENT_BYTES = 256 * 1024;

/** Then other requests have a turn: the shape of a type is compiled when it is told of first, and a push can be of 52 series. */
const AT_ONCE_MS = 10;

/** Something that happened, to be told to the team's receivers. */
export type Publication<T extends TSchema = TSchema> = {
  type: EventType<T>;
  /** Whom it is about; null where it is about no user. */
  user: { id: string; client_user_id: string } | null;
  data: Static<T>;
  /** How the data came, of a type that says so; left out of all others. */
  origin?: Origin;
};

type Publishable = Pick<TxCtx<TeamCtx>, 'db' | 'cipher'> & { team: { id: string } };

/** As many pairs of ids, and as many ids, as surely find room in the payload of a notification (8,000 bytes). */
const MOST_PAIRS = 100;
const MOST_NAMED = 200;

/**
 * Writes events and a queue row per event and subscribed receiver into the caller's transaction, in one statement
 * whose text is the same for any number: they are there exactly when the change they tell of is. A stored body is the
 * very text that every attempt signs and sends. Returns the ids in the order of `events`. Who waits for a page of the
 * team's events is woken. The statement travels with the next one of the transaction, or with its commit.
 */
export async function publishEvents<const Types extends TSchema[]>(
  ctx: Publishable,
  events: readonly [...{ [K in keyof Types]: Publication<Types[K]> }],
): Promise<string[]> {
  const published: Publication[] = [...events];
  if (published.length === 0) return [];
  if (!ctx.db.isTransaction) {
    throw new Error(`Event ${published[0]?.type.name} was published outside the transaction that it tells of.`);
  }
  const { team, cipher } = ctx;
  const ids = published.map(() => newId());
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
             case when count(*) <= ${MOST_PAIRS} then string_agg(webhook_id || '/' || event_id, ',')
                  when count(distinct webhook_id) <= ${MOST_NAMED} then string_agg(distinct webhook_id::text, ',')
                  else '' end)
      from queued having count(*) > 0
    union all
    select pg_notify(${EVENTS_CHANNEL}, team_id::text) from event_readers where team_id = ${team.id} and until > now()
  `;
  await runAhead(ctx.db, statement);
  return ids;
}

/** publishEvents for one event. */
export async function publishEvent<T extends TSchema>(
  ctx: Publishable,
  type: EventType<T>,
  publication: Omit<Publication<T>, 'type'>,
): Promise<string> {
  const [id] = await publishEvents(ctx, [{ type, ...publication }] as [Publication<T>]);
  return id as string;
}

/**
 * Writes the example of a type as an event for one receiver, which says in its body that it is a test. It is of no user, no
 * news of the team, and queued by whoever calls.
 */
export async function publishTest(
  { db, cipher, team }: Publishable,
  { name, example, webhook_id }: { name: string; example: Record<string, unknown>; webhook_id: string },
): Promise<string> {
  const key = { team_id: team.id, id: newId() };
  const text = JSON.stringify({ ...example, team_id: team.id, test: true });
  const body = await cipher.sealPacked('events.body', key, text);
  await db
    .insertInto('events')
    .values({
      ...key,
      event_type: name,
      body,
      test_for: webhook_id,
      origin: bearsOrigin(name) ? String(example['origin']) : null,
    })
    .execute();
  return key.id;
}

function bodyOf(team: { id: string }, { type, user, data, origin }: Publication): string {
  if (type.bearsOrigin !== (origin !== undefined))
    throw new Error(`Event ${type.name} ${type.bearsOrigin ? 'does not say' : 'says'} how its data came.`);
  const rest = JSON.stringify({
    ...(origin && { origin }),
    team_id: team.id,
    user_id: user?.id ?? null,
    client_user_id: user?.client_user_id ?? null,
  });
  const body = `{"event_type":${JSON.stringify(type.name)},"data":${type.write(data)},${rest.slice(1)}`;
  if (Buffer.byteLength(body) > MOST_EVENT_BYTES) {
    throw new Error(`Event ${type.name} is larger than ${MOST_EVENT_BYTES} bytes.`);
  }
  return body;
}

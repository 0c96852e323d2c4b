import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../context.ts';
import { byteaArray } from '../db/session/binary-array.ts';
import { plainArray } from '../db/session/plain-array.ts';
import { newId } from '../ids.ts';
import { stillQueued, type Queued, type Trigger } from './lanes/queue.ts';
import { DISABLED_AFTER_DAYS, RETRY_DELAYS_SECONDS, retryDelaySeconds } from './schedule.ts';
import type { SendOutcome } from './sending/send.ts';
import { isOurs } from './sending/send-error.ts';

/** A delivery that its lane's owner took in hand. */
export type Delivery = Queued & Sent & { team_id: string; fence: number; event_type: string };

/** How it was sent: with which headers, and how often its receiver had moved by then. */
type Sent = { headers_id: string | null; moves: number };

/** What became of it, and the seconds until it is made again; null where it is done with. */
export type Settled = { delivery: Delivery; outcome: SendOutcome; delay: number | null };

export type Consequences = {
  /** What somebody else locks, who is about to delete it or takes that back; and successes that end the failures of a locked lane. */
  locked: Settled[];
  /** What nobody need write any more: its lane or its event is gone. */
  unwritten: Settled[];
  /** Receivers that are to be disabled unless they have moved on: gone by their own word, or failing for too long. */
  disable: { webhook_id: string; team_id: string; moves: number; reason: 'gone' | 'failing' }[];
  /** What was asked for once more while it was under way: it is due again. */
  asked: Settled[];
  /** Deliveries that were given up. */
  exhausted: Settled[];
};

export const delayAfter = (delivery: Delivery, outcome: SendOutcome): number | null =>
  outcome.ok ? null : retryDelaySeconds(delivery.attempt - delivery.schedule_from, outcome.retry_after_seconds);

const resultOf = ({ outcome, delay }: Settled): 'succeeded' | 'exhausted' | 'failed' =>
  outcome.ok ? 'succeeded' : delay === null ? 'exhausted' : 'failed';

/** Whether something of a batch is given up, of which an event tells. */
export const mayExhaust = (batch: Settled[]): boolean => batch.some((settled) => resultOf(settled) === 'exhausted');

/**
 * Writes what became of a batch in one statement: every row leaves the queue, what failed enters the retries by the
 * database's clock, each attempt goes to the log. Deliveries of a lane that was taken over are left to its new owner.
 * Whoever else locks a queued row is about to delete it, and a batch is of many teams: nothing waits for such a lock.
 * Rows are looked up one by one and deleted by their place, and each takes its outcome along: a join on keys would compare
 * each with each, or read the queue whole if its plan was made while that was empty. A retry is asked for in the order of
 * its key, or it might be looked for along the due times. One that was asked for while it was under way is due again at once.
 * What failed for reasons of our own says nothing about its receiver, nor what was sent to where that was before (record 315).
 * A success that ends failures is written with that or not yet: where somebody locks the lane it comes later, as what is locked itself.
 *
 * The commit does not wait for the disk, where dozens a second would stand in the way of the requests': what a crash of
 * PostgreSQL takes along is the last second's at most, and those deliveries are made again. Only an event that tells of
 * something given up must not be unknown after a crash.
 */
export async function settleDeliveries(ctx: Ctx | TxCtx, batch: Settled[]): Promise<Consequences> {
  const logs = batch.map((settled) => logged(ctx, settled));
  const plain = (key: PlainKey): string => plainArray(logs.map((row) => row[key]));
  const { rows } = await sql<Written>`
    with hurried as materialized (
      select case when ${!mayExhaust(batch)} then set_config('synchronous_commit', 'off', true) end
    ), outcome as materialized (
      select o.*, now() + make_interval(secs => delay) as next_attempt_at, first.ctid as first, again.ctid as again,
             again.count as asked_now, again.trigger as asked_by,
             again.ctid is not null and again.count is distinct from o.asked as is_asked,
             result = 'succeeded' and lanes.failing_since is not null and lanes.moves = o.moves as ends_failures
        from unnest(
          ${plain('webhook_id')}::uuid[], ${plain('event_id')}::uuid[], ${plain('fence')}::integer[],
          ${plain('attempt')}::smallint[], ${plain('result')}::text[], ${plain('delay')}::float8[], ${plain('id')}::uuid[],
          ${plain('http_status')}::smallint[], ${byteaArray(logs.map(({ error }) => error))}::bytea[],
          ${byteaArray(logs.map(({ response_body }) => response_body))}::bytea[], ${plain('duration_ms')}::integer[],
          ${plain('schedule_from')}::smallint[], ${plain('trigger')}::text[], ${plain('sent_at')}::float8[],
          ${logs.map(({ signature }) => signature)}::text[], ${logs.map(({ user_agent }) => user_agent)}::text[],
          ${plain('headers_id')}::uuid[], ${plain('asked')}::smallint[], ${plain('moves')}::integer[]
        ) with ordinality
          as o (webhook_id, event_id, fence, attempt, result, delay, id, http_status, error, response_body, duration_ms,
                schedule_from, trigger, sent_at, signature, user_agent, headers_id, asked, moves, n)
        join lanes on lanes.webhook_id = o.webhook_id and lanes.fence = o.fence
        left join lateral (
          select ctid from deliveries
           where deliveries.webhook_id = o.webhook_id and deliveries.event_id = o.event_id limit 1
             for update skip locked
        ) as first on true
        left join lateral (
          select ctid, asked as count, retries.trigger from retries
           where first.ctid is null
             and retries.webhook_id = o.webhook_id and retries.event_id between o.event_id and o.event_id
           order by retries.event_id limit 1 for update skip locked
        ) as again on true
    ), told as (
      select webhook_id, moves, bool_or(result = 'succeeded') as succeeded from outcome
       where moves is not null group by webhook_id, moves
    ), turned as (
      select lanes.webhook_id, told.succeeded
        from told join lanes on lanes.webhook_id = told.webhook_id and lanes.moves = told.moves
       where case when told.succeeded then failing_since is not null
             else failing_since is null or failing_since <= now() - make_interval(days => ${DISABLED_AFTER_DAYS}) end
         for update of lanes skip locked
    ), gone as (
      delete from deliveries using outcome where deliveries.ctid = outcome.first and ${isWritten} returning outcome.*, team_id
    ), gone_again as (
      delete from retries using outcome where retries.ctid = outcome.again and ${isWritten} returning outcome.*, team_id
    ), held as materialized (
      select * from gone union all select * from gone_again
    ), moved as (
      insert into retries (webhook_id, event_id, team_id, attempt, due_at, schedule_from, trigger, asked)
      select webhook_id, event_id, team_id, attempt, case when is_asked then now() else next_attempt_at end,
             case when result = 'failed' then schedule_from else attempt - ${RETRY_DELAYS_SECONDS.length}::smallint end,
             case when is_asked then asked_by end, case when is_asked then asked_now end
        from held where result = 'failed' or is_asked
    ), logged as (
      insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, http_status, error, response_body, duration_ms, next_attempt_at,
                            trigger, sent_at, signature, user_agent, headers_id)
      select team_id, id, webhook_id, event_id, attempt, result, http_status, error, response_body, duration_ms, next_attempt_at,
             trigger, to_timestamp(sent_at / 1000), signature, user_agent, headers_id
        from held
    ), failing as (
      update lanes set failing_since = case when not turned.succeeded then coalesce(failing_since, now()) end
        from turned where lanes.webhook_id = turned.webhook_id
      returning lanes.webhook_id, failing_since <= now() - make_interval(days => ${DISABLED_AFTER_DAYS}) as too_long
    )
    select string_agg(n::text, ' ') as held,
           string_agg(n::text, ' ') filter (where is_asked) as asked,
           string_agg(n::text, ' ') filter (where exists (
             select from failing where failing.webhook_id = held.webhook_id and too_long)) as failing,
           (select count(*) from hurried) as hurried
      from held`.execute(ctx.db);
  const consequences = consequencesOf(batch, rows[0] as Written);
  const left = consequences.unwritten.map((settled) => ({ ...settled.delivery, settled }));
  const locked = (await stillQueued(ctx.db, left)).map(({ settled }) => settled);
  return { ...consequences, locked };
}

/** Whether a row leaves the queue: not yet where it would end failures and its lane is locked. */
const isWritten = sql`(not outcome.ends_failures or outcome.webhook_id in (select webhook_id from turned))`;

/** Places in the batch, from 1, with spaces between them. */
type Written = {
  held: string | null;
  /** Of those, what was asked for once more. */
  asked: string | null;
  /** Of those, what belongs to receivers that have failed for too long. */
  failing: string | null;
};

type Logged = {
  webhook_id: string;
  event_id: string;
  fence: number;
  attempt: number;
  result: string;
  delay: number | null;
  id: string;
  http_status: number | null;
  error: Buffer | null;
  response_body: Buffer | null;
  duration_ms: number;
  schedule_from: number;
  trigger: Trigger | null;
  sent_at: number | null;
  signature: string | null;
  user_agent: string | null;
  headers_id: string | null;
  asked: number | null;
  /** Null where it does not tell how the receiver fares. */
  moves: number | null;
};

/** What holds ids, numbers and words. */
type PlainKey = Exclude<keyof Logged, 'error' | 'response_body' | 'signature' | 'user_agent'>;

function logged({ cipher }: Pick<Ctx, 'cipher'>, settled: Settled): Logged {
  const { delivery, outcome, delay } = settled;
  const row = { team_id: delivery.team_id, id: newId() };
  const { error, response_body } = outcome;
  return {
    webhook_id: delivery.webhook_id,
    event_id: delivery.event_id,
    fence: delivery.fence,
    attempt: delivery.attempt,
    result: resultOf(settled),
    delay,
    id: row.id,
    http_status: outcome.status,
    error: error === null ? null : cipher.sealText('attempts.error', row, error),
    response_body: response_body === '' ? null : cipher.sealText('attempts.response_body', row, response_body),
    duration_ms: outcome.duration_ms,
    schedule_from: delivery.schedule_from,
    trigger: delivery.trigger,
    sent_at: outcome.sent?.at_ms ?? null,
    signature: outcome.sent?.signature ?? null,
    user_agent: outcome.sent?.user_agent ?? null,
    headers_id: delivery.headers_id,
    asked: delivery.asked,
    moves: error !== null && isOurs(error) ? null : delivery.moves,
  };
}

const placesOf = (text: string | null): Set<number> => new Set(text === null ? [] : text.split(' ').map(Number));

function consequencesOf(batch: Settled[], written: Written): Omit<Consequences, 'locked'> {
  const held = placesOf(written.held);
  const failing = placesOf(written.failing);
  const askedAt = placesOf(written.asked);
  const disable = new Map<string, Consequences['disable'][number]>();
  const exhausted: Settled[] = [];
  const unwritten: Settled[] = [];
  for (const [index, settled] of batch.entries()) {
    const { webhook_id, team_id, moves } = settled.delivery;
    if (!held.has(index + 1)) {
      unwritten.push(settled);
      continue;
    }
    const reason = settled.outcome.gone ? 'gone' : failing.has(index + 1) ? 'failing' : null;
    if (reason) {
      const known = disable.get(webhook_id);
      // Of what was sent before and after a move the later tells.
      const isNews = !known || known.moves < moves || (known.moves === moves && known.reason === 'failing');
      if (isNews) disable.set(webhook_id, { webhook_id, team_id, moves, reason });
    }
    if (resultOf(settled) === 'exhausted') exhausted.push(settled);
  }
  const asked = batch.filter((_, index) => askedAt.has(index + 1));
  return { unwritten, disable: [...disable.values()], exhausted, asked };
}

/** Removes deliveries whose event is gone: retention or an erasure was faster. Answers those that left the queue. */
export async function dropDeliveries(
  db: Ctx['db'],
  dropped: Pick<Delivery, 'webhook_id' | 'event_id'>[],
): Promise<Pick<Delivery, 'webhook_id' | 'event_id'>[]> {
  if (dropped.length === 0) return [];
  const { rows } = await sql<Pick<Delivery, 'webhook_id' | 'event_id'>>`
    with gone as (
      select * from unnest(${dropped.map((d) => d.webhook_id)}::uuid[], ${dropped.map((d) => d.event_id)}::uuid[])
        as gone (webhook_id, event_id)
    ), retry as (
      delete from retries where ctid = any (array (
        select row.ctid from gone cross join lateral (
          select ctid from retries
           where retries.webhook_id = gone.webhook_id and retries.event_id between gone.event_id and gone.event_id
           order by retries.event_id limit 1 for update skip locked
        ) as row))
      returning webhook_id, event_id
    ), first as (
      delete from deliveries where ctid = any (array (
        select row.ctid from gone cross join lateral (
          select ctid from deliveries
           where deliveries.webhook_id = gone.webhook_id and deliveries.event_id = gone.event_id limit 1
             for update skip locked
        ) as row))
      returning webhook_id, event_id
    )
    select * from first union all select * from retry`.execute(db);
  return rows;
}

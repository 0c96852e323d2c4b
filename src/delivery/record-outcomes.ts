import { sql } from 'kysely';
import type { Ctx, TxCtx } from '../context.ts';
import { byteaArray } from '../db/session/binary-array.ts';
import { plainArray } from '../db/session/plain-array.ts';
import { newId } from '../ids.ts';
import { stillQueued, type Queued, type Trigger } from './queues/read-queue.ts';
import { DISABLED_AFTER_DAYS, RETRY_DELAYS_SECONDS, retryDelaySeconds } from './retry-schedule.ts';
import type { SendOutcome } from './sending/send.ts';
import { isOurs } from './sending/send-error.ts';

/** A delivery that the owner of its queue is sending. */
export type Delivery = Queued & SentState & { team_id: string; fence: number; event_type: string };

/**
 * `headers_id` is the stored header set that the request used. `url_changes` is how often the endpoint's URL had
 * changed when we sent the request.
 */
type SentState = { headers_id: string | null; url_changes: number };

/**
 * A delivery whose request has ended, with its outcome. `delay` is the number of seconds until the next attempt. It is
 * null if no attempt follows.
 */
export type EndedDelivery = { delivery: Delivery; outcome: SendOutcome; delay: number | null };

export type Consequences = {
  /**
   * Outcomes that we must write later, because another transaction locks a row that they change. It may lock the row of
   * the delivery, for example to erase a user. It may also lock the row of the endpoint queue. That delays only a
   * success that ends the failures of the endpoint.
   */
  locked: EndedDelivery[];
  /**
   * Outcomes that this call did not write. Those in `locked` must be written later. The others need not be written any
   * more, because the queue or the event is gone.
   */
  unwritten: EndedDelivery[];
  /**
   * Endpoints to disable because they responded with 410 or have failed for too long. `url_changes` is the value at the
   * failed attempt. If the endpoint has a higher value, it has another URL and stays enabled.
   */
  disable: { webhook_id: string; team_id: string; url_changes: number; reason: 'gone' | 'failing' }[];
  /** Deliveries that were requested again while they were under way. They are due again. */
  asked: EndedDelivery[];
  /** Deliveries that failed their last attempt and get no further one. */
  exhausted: EndedDelivery[];
};

export const delayAfter = (delivery: Delivery, outcome: SendOutcome): number | null =>
  outcome.ok ? null : retryDelaySeconds(delivery.attempt - delivery.schedule_from, outcome.retry_after_seconds);

const resultOf = ({ outcome, delay }: EndedDelivery): 'succeeded' | 'exhausted' | 'failed' =>
  outcome.ok ? 'succeeded' : delay === null ? 'exhausted' : 'failed';

/** True if a delivery of the batch failed its last attempt. An event about it must then be published. */
export const mayExhaust = (batch: EndedDelivery[]): boolean => batch.some((ended) => resultOf(ended) === 'exhausted');

/**
 * Writes the outcomes of a batch in one statement. It deletes every delivery from its queue table, inserts failed ones
 * into retries with a due time by the clock of the database, and writes each attempt to the log. If another worker has
 * taken a queue, it writes nothing for that queue, and the new owner makes these deliveries again.
 * A transaction that locks the row of a delivery usually deletes it. A batch has deliveries of many teams, so the
 * statement skips locked rows instead of waiting. It finds rows one by one and deletes them by ctid, PostgreSQL's
 * address of a row. A join on keys would compare every row with every outcome. If PostgreSQL planned the join when the
 * queue was empty, it would read the complete queue. Each lookup of a retry orders by the key, because PostgreSQL might
 * otherwise search by due time.
 * If somebody requested a delivery again while it was under way, it is due immediately. A failure that we caused does
 * not count against the endpoint, and neither does an outcome at a former URL. The same statement writes a success and
 * clears `failing_since`. So if another transaction locks the row of the endpoint queue, we write the success later.
 * The commit does not wait for the disk (synchronous_commit is off), because dozens of such waits a second would delay
 * the commits of requests. A crash of PostgreSQL loses at most the last second, and we make those deliveries again. A
 * batch with a delivery that failed its last attempt waits for the disk, because the event about that must survive a
 * crash.
 */
export async function recordOutcomes(ctx: Ctx | TxCtx, batch: EndedDelivery[]): Promise<Consequences> {
  const logs = batch.map((ended) => logged(ctx, ended));
  const plain = (key: PlainKey): string => plainArray(logs.map((row) => row[key]));
  const { rows } = await sql<WrittenPositions>`
    with hurried as materialized (
      select case when ${!mayExhaust(batch)} then set_config('synchronous_commit', 'off', true) end
    ), outcome as materialized (
      select o.*, now() + make_interval(secs => delay) as next_attempt_at, first.ctid as first, again.ctid as again,
             again.count as asked_now, again.trigger as asked_by,
             again.ctid is not null and again.count is distinct from o.asked as is_asked,
             result = 'succeeded' and endpoint_queues.failing_since is not null
               and endpoint_queues.url_changes = o.url_changes as ends_failures
        from unnest(
          ${plain('webhook_id')}::uuid[], ${plain('event_id')}::uuid[], ${plain('fence')}::integer[],
          ${plain('attempt')}::smallint[], ${plain('result')}::text[], ${plain('delay')}::float8[],
          ${plain('id')}::uuid[], ${plain('http_status')}::smallint[],
          ${byteaArray(logs.map(({ error }) => error))}::bytea[],
          ${byteaArray(logs.map(({ response_body }) => response_body))}::bytea[], ${plain('duration_ms')}::integer[],
          ${plain('schedule_from')}::smallint[], ${plain('trigger')}::text[], ${plain('sent_at')}::float8[],
          ${logs.map(({ signature }) => signature)}::text[], ${logs.map(({ user_agent }) => user_agent)}::text[],
          ${plain('headers_id')}::uuid[], ${plain('asked')}::smallint[], ${plain('url_changes')}::integer[]
        ) with ordinality
          as o (webhook_id, event_id, fence, attempt, result, delay, id, http_status, error, response_body, duration_ms,
                schedule_from, trigger, sent_at, signature, user_agent, headers_id, asked, url_changes, n)
        join endpoint_queues on endpoint_queues.webhook_id = o.webhook_id and endpoint_queues.fence = o.fence
        left join lateral (
          select ctid from deliveries
           where deliveries.webhook_id = o.webhook_id and deliveries.event_id = o.event_id
           limit 1 for update skip locked
        ) as first on true
        left join lateral (
          select ctid, asked as count, retries.trigger from retries
           where first.ctid is null and retries.webhook_id = o.webhook_id
             and retries.event_id between o.event_id and o.event_id
           order by retries.event_id limit 1 for update skip locked
        ) as again on true
    ), counted as (
      select webhook_id, url_changes, bool_or(result = 'succeeded') as succeeded from outcome
       where url_changes is not null group by webhook_id, url_changes
    ), changed as (
      select endpoint_queues.webhook_id, counted.succeeded
        from counted join endpoint_queues on endpoint_queues.webhook_id = counted.webhook_id
         and endpoint_queues.url_changes = counted.url_changes
       where case when counted.succeeded then failing_since is not null
             else failing_since is null or failing_since <= now() - make_interval(days => ${DISABLED_AFTER_DAYS}) end
         for update of endpoint_queues skip locked
    ), gone as (
      delete from deliveries using outcome where deliveries.ctid = outcome.first and ${isWritten}
      returning outcome.*, team_id
    ), gone_again as (
      delete from retries using outcome where retries.ctid = outcome.again and ${isWritten} returning outcome.*, team_id
    ), recorded as materialized (select * from gone union all select * from gone_again), moved as (
      insert into retries (webhook_id, event_id, team_id, attempt, due_at, schedule_from, trigger, asked)
      select webhook_id, event_id, team_id, attempt, case when is_asked then now() else next_attempt_at end,
             case when result = 'failed' then schedule_from else attempt - ${RETRY_DELAYS_SECONDS.length}::smallint end,
             case when is_asked then asked_by end, case when is_asked then asked_now end
        from recorded where result = 'failed' or is_asked
    ), logged as (
      insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, http_status, error, response_body,
                            duration_ms, next_attempt_at, trigger, sent_at, signature, user_agent, headers_id,
                            url_changes)
      select team_id, id, webhook_id, event_id, attempt, result, http_status, error, response_body, duration_ms,
             next_attempt_at, trigger, to_timestamp(sent_at / 1000), signature, user_agent, headers_id,
             url_changes from recorded
    ), failing as (
      update endpoint_queues set failing_since = case when not changed.succeeded then coalesce(failing_since, now()) end
        from changed where endpoint_queues.webhook_id = changed.webhook_id returning endpoint_queues.webhook_id,
             failing_since <= now() - make_interval(days => ${DISABLED_AFTER_DAYS}) as too_long
    )
    select string_agg(n::text, ' ') as recorded,
           string_agg(n::text, ' ') filter (where is_asked) as asked,
           string_agg(n::text, ' ') filter (where exists (
             select from failing where failing.webhook_id = recorded.webhook_id and too_long)) as failing,
           (select count(*) from hurried) as hurried
      from recorded`.execute(ctx.db);
  const consequences = consequencesOf(batch, rows[0] as WrittenPositions);
  const left = consequences.unwritten.map((ended) => ({ ...ended.delivery, ended }));
  const locked = (await stillQueued(ctx.db, left)).map(({ ended }) => ended);
  return { ...consequences, locked };
}

/**
 * True if the statement deletes the row from the queue. The row stays if its outcome would end the failures of an
 * endpoint, but another transaction locks the row of the endpoint queue.
 */
const isWritten = sql`(not outcome.ends_failures or outcome.webhook_id in (select webhook_id from changed))`;

/** The result of the statement. Each text lists positions in the batch, counted from 1 and separated by spaces. */
type WrittenPositions = {
  recorded: string | null;
  /** The positions of `recorded` whose deliveries were requested again. */
  asked: string | null;
  /** The positions of `recorded` whose endpoints have failed for too long. */
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
  /** Null if the outcome does not depend on the endpoint, for example a local error. */
  url_changes: number | null;
};

/** The columns whose values are only ids, numbers and fixed words. */
type PlainKey = Exclude<keyof Logged, 'error' | 'response_body' | 'signature' | 'user_agent'>;

function logged({ cipher }: Pick<Ctx, 'cipher'>, ended: EndedDelivery): Logged {
  const { delivery, outcome, delay } = ended;
  const row = { team_id: delivery.team_id, id: newId() };
  const { error, response_body } = outcome;
  return {
    webhook_id: delivery.webhook_id,
    event_id: delivery.event_id,
    fence: delivery.fence,
    attempt: delivery.attempt,
    result: resultOf(ended),
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
    url_changes: error !== null && isOurs(error) ? null : delivery.url_changes,
  };
}

const positionsOf = (text: string | null): Set<number> => new Set(text === null ? [] : text.split(' ').map(Number));

function consequencesOf(batch: EndedDelivery[], written: WrittenPositions): Omit<Consequences, 'locked'> {
  const recorded = positionsOf(written.recorded);
  const failing = positionsOf(written.failing);
  const askedAt = positionsOf(written.asked);
  const disable = new Map<string, Consequences['disable'][number]>();
  const exhausted: EndedDelivery[] = [];
  const unwritten: EndedDelivery[] = [];
  for (const [index, ended] of batch.entries()) {
    const { webhook_id, team_id, url_changes } = ended.delivery;
    if (!recorded.has(index + 1)) {
      unwritten.push(ended);
      continue;
    }
    const reason = ended.outcome.gone ? 'gone' : failing.has(index + 1) ? 'failing' : null;
    if (reason) {
      const known = disable.get(webhook_id);
      // A batch may have outcomes from before and after a change of the URL. Then the outcomes at the new URL decide.
      const isNewer =
        !known || known.url_changes < url_changes || (known.url_changes === url_changes && known.reason === 'failing');
      if (isNewer) disable.set(webhook_id, { webhook_id, team_id, url_changes, reason });
    }
    if (resultOf(ended) === 'exhausted') exhausted.push(ended);
  }
  const asked = batch.filter((_, index) => askedAt.has(index + 1));
  return { unwritten, disable: [...disable.values()], exhausted, asked };
}

/**
 * Deletes deliveries whose event no longer exists, because retention or an erasure removed it. Returns the deliveries
 * that it deleted.
 */
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

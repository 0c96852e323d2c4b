import { sql } from 'kysely';
import type { Db } from '../db/open.ts';
import { newId } from '../ids.ts';
import type { Claimed } from './claim.ts';
import { DISABLED_AFTER_DAYS, retryDelaySeconds } from './schedule.ts';
import type { SendOutcome } from './sending/send.ts';

export type Settled = { delivery: Claimed; outcome: SendOutcome };

export type Consequences = {
  /** Endpoints that are to be disabled: gone by their own word, or failing for too long. */
  disable: { webhook_id: string; team_id: string; reason: 'gone' | 'failing' }[];
  /** Deliveries that were given up. */
  exhausted: Settled[];
};

/**
 * Writes what became of a batch: successes leave the queue, failures move along the schedule by the database's clock,
 * each attempt goes to the log, all in one transaction. A delivery whose fence was taken over is left to its new holder.
 */
export async function settleDeliveries(db: Db, batch: Settled[]): Promise<Consequences> {
  const rows = batch.map(({ delivery, outcome }) => {
    const delay = outcome.ok ? null : retryDelaySeconds(delivery.attempt, outcome.retry_after_seconds);
    return { delivery, outcome, delay, result: outcome.ok ? 'succeeded' : delay === null ? 'exhausted' : 'failed' };
  });
  const column = <T>(pick: (row: (typeof rows)[number]) => T): T[] => rows.map(pick);
  const { rows: written } = await sql<{ webhook_id: string; event_id: string; failing: boolean }>`
    with outcome as (
      select * from unnest(
        ${column((row) => row.delivery.webhook_id)}::uuid[], ${column((row) => row.delivery.event_id)}::uuid[],
        ${column((row) => row.delivery.fence)}::integer[], ${column((row) => row.result)}::text[],
        ${column((row) => row.delay)}::float8[], ${column(() => newId())}::uuid[],
        ${column((row) => row.outcome.status)}::smallint[], ${column((row) => row.outcome.error)}::text[],
        ${column((row) => row.outcome.response_body)}::text[], ${column((row) => Math.round(row.outcome.duration_ms))}::integer[]
      ) as o (webhook_id, event_id, fence, result, delay, id, http_status, error, response_body, duration_ms)
    ), ended as (
      delete from deliveries using outcome
       where deliveries.webhook_id = outcome.webhook_id and deliveries.event_id = outcome.event_id
         and deliveries.fence = outcome.fence and outcome.result <> 'failed'
      returning deliveries.webhook_id, deliveries.event_id, team_id, attempt + 1 as attempt, null::timestamptz as next_attempt_at
    ), moved as (
      update deliveries set attempt = attempt + 1, next_attempt_at = now() + make_interval(secs => outcome.delay)
        from outcome
       where deliveries.webhook_id = outcome.webhook_id and deliveries.event_id = outcome.event_id
         and deliveries.fence = outcome.fence and outcome.result = 'failed'
      returning deliveries.webhook_id, deliveries.event_id, team_id, attempt, next_attempt_at
    ), held as (
      select * from ended union all select * from moved
    ), logged as (
      insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, http_status, error, response_body, duration_ms, next_attempt_at)
      select team_id, id, webhook_id, event_id, attempt, result, http_status, error, response_body, duration_ms, next_attempt_at
        from held join outcome using (webhook_id, event_id)
    ), recovered as (
      update webhooks set failing_since = null
       where failing_since is not null and id in (select webhook_id from outcome where result = 'succeeded')
    ), failing as (
      update webhooks set failing_since = coalesce(failing_since, now())
       where id in (select webhook_id from outcome where result <> 'succeeded')
         and id not in (select webhook_id from outcome where result = 'succeeded')
         and (failing_since is null or failing_since <= now() - make_interval(days => ${DISABLED_AFTER_DAYS}))
      returning id, failing_since <= now() - make_interval(days => ${DISABLED_AFTER_DAYS}) as too_long
    )
    select webhook_id, event_id,
           exists (select from failing where failing.id = webhook_id and too_long) as failing
      from held`.execute(db);
  return consequencesOf(batch, rows, written);
}

function consequencesOf(
  batch: Settled[],
  rows: { result: string }[],
  written: { webhook_id: string; event_id: string; failing: boolean }[],
): Consequences {
  const held = new Map(written.map((row) => [`${row.webhook_id} ${row.event_id}`, row]));
  const disable = new Map<string, Consequences['disable'][number]>();
  const exhausted: Settled[] = [];
  batch.forEach((settled, position) => {
    const { webhook_id, event_id, team_id } = settled.delivery;
    const row = held.get(`${webhook_id} ${event_id}`);
    if (!row) return;
    if (settled.outcome.gone) disable.set(webhook_id, { webhook_id, team_id, reason: 'gone' });
    else if (row.failing && !disable.has(webhook_id))
      disable.set(webhook_id, { webhook_id, team_id, reason: 'failing' });
    if (rows[position]?.result === 'exhausted') exhausted.push(settled);
  });
  return { disable: [...disable.values()], exhausted };
}

/** Gives claimed deliveries back as they were, due at once: no attempt was made. */
export async function releaseDeliveries(db: Db, deliveries: Claimed[]): Promise<void> {
  if (deliveries.length === 0) return;
  await sql`
    update deliveries set next_attempt_at = now()
      from unnest(${deliveries.map((d) => d.webhook_id)}::uuid[], ${deliveries.map((d) => d.event_id)}::uuid[],
                  ${deliveries.map((d) => d.fence)}::integer[]) as mine (webhook_id, event_id, fence)
     where deliveries.webhook_id = mine.webhook_id and deliveries.event_id = mine.event_id
       and deliveries.fence = mine.fence`.execute(db);
}

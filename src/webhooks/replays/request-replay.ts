import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockName } from '../../db/session/named-lock.ts';
import { notifyReplay } from '../../delivery/replays/notify.ts';
import { AppError, notFound } from '../../errors.ts';
import { distinct } from '../../events/filter.ts';
import { minIdAt, newId } from '../../ids.ts';
import { findReplay } from './find.ts';
import { DEFAULT_PER_SECOND, type RecoverInput, type Replay, type ReplayInput } from './schemas.ts';

/** The most replays of one endpoint that are not finished. One runs and the others wait. */
const MAX_OF_ENDPOINT = 5;
const MAX_OF_TEAM = 20;

type Input = Static<typeof RecoverInput> & Pick<Static<typeof ReplayInput>, 'event_types'>;

/**
 * Requests that an endpoint gets the events of a time window once more. `recover` sends the events whose newest attempt
 * failed. `replay` sends all events that match the endpoint's filters. Throws not_found, events_not_kept and
 * limit_reached.
 */
export function requestReplay(
  ctx: TeamCtx,
  webhook_id: string,
  kind: 'recover' | 'replay',
  input: Input,
): Promise<Static<typeof Replay>> {
  return inTransaction(ctx, async (ctx) => {
    await lockWebhook(ctx, webhook_id);
    // We check the window before the limits. A wrong window stays wrong, but a limit may be free again later.
    const { since, until } = await windowOf(ctx, input);
    await refuseBeyondLimits(ctx, webhook_id);
    const id = newId();
    await ctx.db
      .insertInto('webhook_replays')
      .values({
        webhook_id,
        id,
        team_id: ctx.team.id,
        kind,
        since,
        until,
        event_types: distinct(input.event_types ?? null),
        per_second: input.per_second ?? DEFAULT_PER_SECOND,
        done_to: minIdAt(Date.parse(since)),
      })
      .execute();
    await notifyReplay(ctx.db, id);
    return findReplay(ctx, { webhook_id, replay_id: id });
  });
}

/**
 * Locks the endpoint. A deletion of the endpoint at the same time then waits until the replay exists, and deletes it
 * too.
 */
async function lockWebhook({ db, team }: TxCtx<TeamCtx>, id: string): Promise<void> {
  const found = await db
    .selectFrom('webhooks')
    .select('id')
    .where('team_id', '=', team.id)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  if (!found) throw notFound('Webhook');
}

async function refuseBeyondLimits({ db, team }: TxCtx<TeamCtx>, webhookId: string): Promise<void> {
  await lockName(db, 'replays', team.id);
  const { rows } = await sql<{ webhook_id: string }>`
    select webhook_id from webhook_replays where team_id = ${team.id} and ended_at is null
        limit ${MAX_OF_TEAM}`.execute(db);
  const ofEndpoint = rows.filter(({ webhook_id }) => webhook_id === webhookId).length;
  if (ofEndpoint < MAX_OF_ENDPOINT && rows.length < MAX_OF_TEAM) return;
  const limit = ofEndpoint < MAX_OF_ENDPOINT ? MAX_OF_TEAM : MAX_OF_ENDPOINT;
  const whose = limit === MAX_OF_TEAM ? 'A team' : 'An endpoint';
  throw new AppError(
    'limit_reached',
    `${whose} may have at most ${limit} replays that wait or run. Cancel one, or ask again when one has ended.`,
    { fields: { limit } },
  );
}

/**
 * Returns the window with both ends cut at the present time of the database. Later events reach the endpoint without
 * the replay.
 */
async function windowOf({ db, config }: TxCtx<TeamCtx>, input: Input): Promise<{ since: string; until: string }> {
  const { rows } = await sql<{ since: string; until: string; stored_from: string; is_stored: boolean }>`
    with clock as (
      select least(${input.since}::timestamptz, now())::timestamptz(3) as since,
             least(coalesce(${input.until ?? null}::timestamptz, now()), now())::timestamptz(3) as until,
             date_trunc('day', now() at time zone 'UTC') at time zone 'UTC'
               - make_interval(days => ${config.retentionDays}::integer) as stored_from
    )
    select since, greatest(since, until) as until, stored_from, since >= stored_from as is_stored from clock`.execute(
    db,
  );
  const window = rows[0] as (typeof rows)[number];
  if (window.is_stored) return window;
  throw new AppError(
    'events_not_kept',
    `Events are kept for ${config.retentionDays} days: \`since\` should not be before ${window.stored_from}.`,
  );
}

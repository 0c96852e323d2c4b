import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { madeAt } from '../../ids.ts';
import type { Replay } from './schemas.ts';

type Row = Omit<Static<typeof Replay>, 'held_up_by' | 'done_until'> & {
  done_to: string;
  disabled: boolean;
  is_failing: boolean;
};

export type ReplayFilter = { webhook_id: string; replay_id: string | null; before: string | null; most: number };

/**
 * Returns at most `most` replays of an endpoint of the team, the newest first. `replay_id` selects one replay, and
 * `before` selects older replays than the replay with this id. Null means no condition.
 */
export async function readReplays(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  wanted: ReplayFilter,
): Promise<Static<typeof Replay>[]> {
  const { rows } = await sql<Row>`
    select replay.id, kind, status, since, until, event_types, per_second, done_to, events_found, events_delivered,
           events_failed, events_skipped, replay.created_at, replay.updated_at, ended_at,
           webhooks.disabled, endpoint_queues.failing_since is not null as is_failing
      from webhook_replays as replay
      join webhooks on webhooks.id = replay.webhook_id
      join endpoint_queues on endpoint_queues.webhook_id = replay.webhook_id
     where replay.team_id = ${ctx.team.id} and replay.webhook_id = ${wanted.webhook_id}
       and (${wanted.replay_id}::uuid is null or replay.id = ${wanted.replay_id})
       and (${wanted.before}::uuid is null or replay.id < ${wanted.before})
     order by replay.id desc limit ${wanted.most}`.execute(ctx.db);
  return rows.map(shown);
}

/** Returns a replay of an endpoint of the team. Throws not_found if there is none. */
export async function findReplay(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  { webhook_id, replay_id }: { webhook_id: string; replay_id: string },
): Promise<Static<typeof Replay>> {
  const [found] = await readReplays(ctx, { webhook_id, replay_id, before: null, most: 1 });
  if (!found) throw notFound('Replay');
  return found;
}

function shown({ done_to, disabled, is_failing, ...row }: Row): Static<typeof Replay> {
  const blockedBy = disabled ? 'endpoint_disabled' : is_failing ? 'endpoint_failing' : null;
  const doneUntil = row.status === 'succeeded' ? row.until : new Date(madeAt(done_to)).toISOString();
  return {
    ...row,
    held_up_by: row.ended_at === null ? blockedBy : null,
    done_until: row.status === 'queued' ? null : doneUntil,
  };
}

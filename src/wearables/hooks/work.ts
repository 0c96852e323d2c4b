import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx, TeamCtx } from '../../context.ts';
import { addJob, defineJob } from '../../db/define-job.ts';
import { inTransaction } from '../../db/transaction.ts';
import { AppError } from '../../errors.ts';
import { findTeamScope, forTeam } from '../../tenancy/teams/scope.ts';
import { findUser, type UserRow } from '../../users/find.ts';
import { pullNewest } from '../pulls/poll.ts';
import { isRetriable, PullError, type Puller } from '../pulls/puller.ts';
import { grantedResources, pullerOrNull } from '../pulls/pullers.ts';
import { storePiece } from '../pulls/store-pulled.ts';
import { eraseSummary } from '../summaries/erase.ts';
import { inboxKind } from './receive.ts';

type Job = Static<(typeof inboxKind)['payload']>;
type Row = { hash: Buffer; resources: string[]; object_resource: string | null; object_id: string | null };

/** After that the next poll brings what there is. */
const MOST_TRIES = 8;
const NEXT_TRY_SECONDS = 60;
const MOST_ROWS = 100;
const MOST_MS = 4 * 60_000;

/** Looks where a provider's notifications of a connection say that there is news. */
export const inboxWork = defineJob({
  ...inboxKind,
  waits: true,
  run: async (ctx: Ctx, job: Job) => {
    const team = await findTeamScope(ctx, job.team_id);
    if (!team) return;
    const scoped = forTeam(ctx, team);
    try {
      await work(scoped, job, await findUser(scoped, job.user_id));
    } catch (error) {
      // The user is gone, or leaving.
      if (!(error instanceof AppError)) throw error;
    }
  },
});

async function work(ctx: TeamCtx, job: Job, user: UserRow): Promise<void> {
  const connection = await ctx.db
    .selectFrom('connections')
    .select(['provider', 'demo', 'granted_scopes'])
    .where('user_id', '=', user.id)
    .where('provider', '=', job.provider)
    .where('team_id', '=', ctx.team.id)
    .where('status', '=', 'connected')
    .executeTakeFirst();
  const puller = connection && pullerOrNull(ctx, connection);
  if (!connection || !puller) return;
  // The try is counted before it is made: one that ends the process is not made for ever.
  const { rows } = await sql<Row>`
    update inbox set tries = tries + 1
     where user_id = ${user.id} and provider = ${job.provider} and team_id = ${ctx.team.id}
       and hash = any (array (
         select hash from inbox where user_id = ${user.id} and provider = ${job.provider} and team_id = ${ctx.team.id}
            and worked_at is null and tries < ${MOST_TRIES} order by received_at limit ${MOST_ROWS}))
    returning hash, resources, object_resource, object_id`.execute(ctx.db);
  if (rows.length === 0) return;
  const granted = grantedResources(puller, connection);
  try {
    const polled = new Set<string>();
    for (const row of rows)
      for (const resource of await lookAt(ctx, user, puller, { ...row, provider: job.provider })) polled.add(resource);
    const resources = granted.filter((resource) => polled.has(resource));
    const outcome = await pullNewest(ctx, user, { puller, resources });
    if (outcome && outcome.wait > 0) throw new PullError('provider_rate_limit_exceeded', outcome.wait);
    if (outcome) await markWorked(ctx, user, job.provider, rows);
  } catch (error) {
    if (!(error instanceof PullError)) throw error;
    if (!isRetriable(error.group)) return markWorked(ctx, user, job.provider, rows);
    const delaySeconds = Math.max(error.retryAfterSeconds ?? 0, NEXT_TRY_SECONDS);
    await inTransaction(ctx, ({ db }) =>
      addJob(db, inboxKind, job, { delaySeconds, key: `inbox ${user.id} ${job.provider}` }),
    );
  }
}

/** Looks at the one thing that is named; what is left to be polled. */
async function lookAt(
  ctx: TeamCtx,
  user: UserRow,
  puller: Puller,
  { provider, resources, object_resource: resource, object_id: id }: Row & { provider: string },
): Promise<string[]> {
  if (resource === null || id === null || !puller.findOne) return resources;
  const signal = AbortSignal.any([AbortSignal.timeout(MOST_MS), ...(ctx.stopping ? [ctx.stopping] : [])]);
  const found = await puller.findOne({ ctx, user, signal, past: false }, resource, id);
  if (found === null) return resources;
  if (found === 'gone') {
    await inTransaction(ctx, (tx) => eraseSummary(tx, user, { resource, provider, provider_id: id }));
    return [];
  }
  for (const piece of found) await storePiece(ctx, user, piece);
  return resources.filter((each) => each !== resource);
}

async function markWorked(ctx: TeamCtx, user: UserRow, provider: string, rows: Row[]): Promise<void> {
  await sql`
    update inbox set worked_at = now()
     where user_id = ${user.id} and provider = ${provider} and team_id = ${ctx.team.id}
       and hash = any (${rows.map(({ hash }) => hash)}::bytea[])`.execute(ctx.db);
}

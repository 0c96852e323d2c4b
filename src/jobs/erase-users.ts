import { sql } from 'kysely';
import { Type } from 'typebox';
import { recordAudit } from '../audit/record-audit.ts';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { refuseIfClockIsOff } from '../db/clock.ts';
import { addJob, addJobUnlessThere, defineJob, jobKind } from '../db/define-job.ts';
import { inTransaction } from '../db/transaction.ts';
import * as delivery from '../delivery/erase.ts';
import * as events from '../events/erase.ts';
import * as responses from '../http/response/erase.ts';
import { MIN_ID } from '../ids.ts';
import * as insurance from '../insurance/erase.ts';
import * as hl7 from '../labs/laboratories/hl7/erase.ts';
import * as orders from '../labs/orders/erase.ts';
import * as results from '../labs/results/erase.ts';
import * as labReports from '../labs/results/parser/erase.ts';
import { findTeamScopeOrNull, forTeam } from '../tenancy/teams/team-scope.ts';
import * as users from '../users/erase.ts';
import * as continuousQueries from '../wearables/aggregate/continuous/erase.ts';
import * as files from '../wearables/files/erase.ts';
import * as summaries from '../wearables/summaries/erase.ts';
import * as timeseries from '../wearables/timeseries/erase.ts';
import * as connections from '../wearables/connections/erase.ts';
import * as link from '../wearables/link/erase.ts';
import * as hooks from '../wearables/hooks/erase.ts';
import * as pulls from '../wearables/pulls/erase.ts';
import { Uuid } from '../wire/schema.ts';

/**
 * Every module with data of users, in the order in which we erase. The module of stored responses (of requests with an
 * idempotency key) is missing here. We erase responses earlier, because we decrypt them once for many users.
 */
const MODULES: { eraseUser: (ctx: TxCtx<TeamCtx>, user: { id: string }) => Promise<void> }[] = [
  delivery,
  events,
  hooks,
  pulls,
  connections,
  link,
  results,
  hl7,
  labReports,
  orders,
  insurance,
  files,
  continuousQueries,
  timeseries,
  summaries,
  users,
  // A transaction that writes about a user locks rows of the user. This erasure waits for such a transaction, and sees
  // what it wrote only after the wait. So we erase deliveries a second time, after the other rows.
  delivery,
];

/**
 * Runs one step of an erasure in a separate transaction. Resolves with null, and does nothing, if the run is over or if
 * the user or team must not be erased by this run.
 */
export type Step = <T>(work: (ctx: TxCtx<TeamCtx>) => Promise<T>) => Promise<T | null>;

/**
 * Erasures of data of which a user can have any amount. Each function erases one chunk, and returns true if there may
 * be more.
 */
export const CHUNKED_ERASURES = [
  delivery.eraseSomeEvents,
  events.eraseSomeDeferredEvents,
  timeseries.eraseSomeSamples,
  summaries.eraseSomeSummaries,
];

/**
 * Erases the events, samples and summaries of a user. A user can have any number of these rows, and a single
 * transaction would lock the user's rows for a long time. So this runs in many transactions, before the rest of the
 * erasure. Returns false if a step did not run.
 */
export async function eraseInChunks(step: Step, user: { id: string }): Promise<boolean> {
  for (const eraseSome of CHUNKED_ERASURES) {
    for (;;) {
      const more = await step((tx) => eraseSome(tx, user));
      if (more === null) return false;
      if (!more) break;
    }
  }
  return true;
}

/** Erases all data of a user in the caller's transaction. */
export async function eraseFromModules(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  for (const module of MODULES) await module.eraseUser(ctx, user);
}

/** The most users of one run. We decrypt the stored responses of their teams once for all of them. */
const BATCH = 100;
/** The most transactions of one run. Each of them does limited work, so other jobs can run. */
const STEPS_PER_ROUND = 500;

/** One run of the erasure. It starts after a given user in the order of ids, and requests the next run itself. */
const roundKind = jobKind({
  name: 'erase_some_deleted_users',
  payload: Type.Object({ after: Uuid }),
  key: () => 'erase deleted users',
  class: 'erasures',
});

const round = defineJob({
  ...roundKind,
  run: async (ctx, { after }) => {
    const { next } = await eraseSomeUsers(ctx, after);
    if (next !== null) await inTransaction(ctx, ({ db }) => addJob(db, roundKind, { after: next }));
  },
});

const beginning = defineJob({
  name: 'erase_deleted_users',
  payload: Type.Object({}),
  cron: { at: '*/10 * * * *', payload: {} },
  run: (ctx) => inTransaction(ctx, ({ db }) => addJobUnlessThere(db, roundKind, { after: MIN_ID })),
});

export const userErasureJobs = [round, beginning];

type DueUser = { id: string; team_id: string };
/** The result of a run. `next` is the user after whom the next run starts, or null if no user is left. */
type Round = { erased: number; next: string | null };

/**
 * Erases users whose grace period is over by the database's clock. Each user has separate transactions. It stops when
 * the run is over or the process stops. If one user fails, it logs the error and continues with the others, and a later
 * run tries again.
 */
export async function eraseSomeUsers(ctx: Ctx, after: string, steps = STEPS_PER_ROUND): Promise<Round> {
  await refuseIfClockIsOff(ctx);
  const { rows } = await sql<DueUser>`
    select id, team_id from users where ${users.dueForErasure} and id > ${after} order by id limit ${BATCH}`.execute(
    acrossTeams(ctx).db,
  );
  let left = steps;
  const isOver = (): boolean => left <= 0 || ctx.stopping?.aborted === true;
  const stepOf =
    (scoped: TeamCtx, user: DueUser): Step =>
    async (work) => {
      if (isOver()) return null;
      left -= 1;
      return inTransaction(scoped, async (tx) => ((await users.lockForErasure(tx, user)) ? work(tx) : null));
    };
  const teams = openTeams(ctx, rows);
  let [erased, last] = [0, after];
  for (const user of rows) {
    if (isOver()) return { erased, next: last };
    try {
      const team = await teams(user.team_id);
      if (team && (await eraseUser(team, stepOf(team.scoped, user), user))) erased += 1;
      // The run may have ended before this user was completely erased.
      else if (isOver()) return { erased, next: last };
    } catch (err) {
      ctx.log.error({ err, team_id: user.team_id, user_id: user.id }, 'a deleted user could not be erased');
    }
    last = user.id;
  }
  return { erased, next: rows.length < BATCH ? null : last };
}

type OpenTeam = { scoped: TeamCtx; responsesSince: string };

/**
 * Returns a function that opens a team. When it opens a team for the first time, it erases the stored responses that
 * name any of the team's users in this run.
 */
function openTeams(ctx: Ctx, rows: DueUser[]): (teamId: string) => Promise<OpenTeam | null> {
  const opened = new Map<string, OpenTeam | null>();
  return async (teamId) => {
    const known = opened.get(teamId);
    if (known !== undefined) return known;
    const team = await findTeamScopeOrNull(ctx, teamId);
    const scoped = team && forTeam(ctx, team);
    const responsesSince = await responses.responsesStillToCome(ctx);
    if (scoped) {
      const ids = rows.filter(({ team_id }) => team_id === teamId).map(({ id }) => id);
      await responses.eraseNaming(scoped, scoped.team.id, ids);
    }
    const open = scoped && { scoped, responsesSince };
    opened.set(teamId, open);
    return open;
  };
}

async function eraseUser({ scoped, responsesSince }: OpenTeam, step: Step, user: { id: string }): Promise<boolean> {
  if (!(await eraseInChunks(step, user))) return false;
  const erased = await step(async (tx) => {
    await responses.eraseNaming(tx, tx.team.id, [user.id], responsesSince);
    await eraseFromModules(tx, user);
    await recordAudit(tx, {
      team_id: scoped.team.id,
      action: 'user.erased',
      actor: 'erase_deleted_users',
      records: [user.id],
    });
    return true;
  });
  return erased ?? false;
}

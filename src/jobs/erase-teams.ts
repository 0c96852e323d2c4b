import { sql } from 'kysely';
import { Type } from 'typebox';
import { recordAudit } from '../audit/record-audit.ts';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { refuseIfClockIsOff } from '../db/clock.ts';
import { addJob, addJobs, defineJob } from '../db/define-job.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import * as demoClinic from '../demo-clinic/erase.ts';
import * as delivery from '../delivery/erase.ts';
import * as uploads from '../files/erase.ts';
import * as events from '../events/erase.ts';
import * as responses from '../http/response/erase.ts';
import * as insurance from '../insurance/erase.ts';
import * as catalogue from '../labs/catalogue/erase.ts';
import * as hl7 from '../labs/laboratories/hl7/erase.ts';
import * as orders from '../labs/orders/erase.ts';
import * as results from '../labs/results/erase.ts';
import * as labReports from '../labs/results/parser/erase.ts';
import * as tenancy from '../tenancy/erase.ts';
import { teamErasureKind } from '../tenancy/teams/deletion/delete.ts';
import {
  beginDeletion,
  endDeletion,
  recordErasedModules,
  recordErasedUser,
} from '../tenancy/teams/deletion/record-progress.ts';
import { forTeam } from '../tenancy/teams/team-scope.ts';
import * as pipelines from '../pipelines/erase.ts';
import * as users from '../users/erase.ts';
import * as continuousQueries from '../wearables/aggregate/continuous/erase.ts';
import * as connections from '../wearables/connections/erase.ts';
import * as credentials from '../wearables/credentials/erase.ts';
import * as link from '../wearables/link/erase.ts';
import * as priorities from '../wearables/priorities/erase.ts';
import * as pulls from '../wearables/pulls/erase.ts';
import * as webhooks from '../webhooks/erase.ts';
import { eraseInChunks, eraseFromModules, type Step } from './erase-users.ts';

/** Every module with data of teams, in the order in which we erase. */
const MODULES: { eraseTeam: (ctx: TxCtx<TeamCtx>, team: TeamCtx['team']) => Promise<void> }[] = [
  responses,
  demoClinic,
  delivery,
  events,
  webhooks,
  connections,
  link,
  credentials,
  priorities,
  pulls,
  continuousQueries,
  results,
  hl7,
  labReports,
  orders,
  insurance,
  users,
  catalogue,
  pipelines,
  uploads,
  tenancy,
];

const BATCH = 100;
/**
 * The most transactions of one run. Each of them does limited work. The next run waits behind other jobs, so a large
 * team does not delay the erasure of a small one.
 */
const STEPS_PER_ROUND = 200;

/** One run of the erasure of one deleted team. If it fails, it is retried. It does not delay other teams. */
const erasureRound = defineJob({
  ...teamErasureKind,
  run: async (ctx, { team_id }) => {
    if (await eraseSomeOfTeam(ctx, team_id)) {
      await inTransaction(ctx, ({ db }) => addJob(db, teamErasureKind, { team_id }));
    }
  },
});

/** Adds a job for every deleted team that is not erased yet. Its first job may be lost, or may have failed for good. */
const resumption = defineJob({
  name: 'erase_deleted_teams',
  payload: Type.Object({}),
  cron: { at: '*/10 * * * *', payload: {} },
  run: async (ctx) => {
    const { rows } = await sql<{ team_id: string }>`
      select id as team_id from teams where deleted_at is not null order by deleted_at`.execute(acrossTeams(ctx).db);
    const waiting = rows.map((payload) => ({ payload, shouldPreserveRunAt: true as const }));
    await inTransaction(ctx, ({ db }) => addJobs(db, teamErasureKind, waiting));
  },
});

export const teamErasureJobs = [erasureRound, resumption];

/**
 * Erases a part of a deleted team. Returns true if more is left. It erases users one by one, then deliveries in chunks,
 * then the data of the modules, so no transaction grows with the size of the team. If a run is killed, the next run
 * continues.
 */
export async function eraseSomeOfTeam(ctx: Ctx, teamId: string, steps = STEPS_PER_ROUND): Promise<boolean> {
  await refuseIfClockIsOff(ctx);
  const { rows } = await sql<TeamCtx['team']>`
    select id, org_id, settings from teams where id = ${teamId} and deleted_at is not null`.execute(
    acrossTeams(ctx).db,
  );
  const [team] = rows;
  if (!team) return false;
  const scoped = forTeam(ctx, team);
  let left = steps;
  /**
   * Runs one step in a transaction. Resolves with null if the run has used its steps, if the team does not exist, or if
   * another process is erasing the team.
   */
  const step: Step = (work) => {
    if (left === 0 || ctx.stopping?.aborted) return Promise.resolve(null);
    left -= 1;
    return inTransaction(scoped, async (tx) => ((await lockTeam(tx)) ? work(tx) : null));
  };
  await eraseTeam(scoped, step);
  return left === 0;
}

async function eraseTeam(ctx: TeamCtx, step: Step): Promise<void> {
  const { team } = ctx;
  const done = async (work: (tx: TxCtx<TeamCtx>) => Promise<void>): Promise<boolean> =>
    (await step(async (tx) => {
      await work(tx);
      return true;
    })) ?? false;

  const begun = await done(async (tx) => {
    await beginDeletion(tx, MODULES.length);
    await responses.eraseTeam(tx, team);
  });
  if (!begun || !(await eraseUsersOf(ctx, step))) return;
  await connections.beforeTeam(ctx);
  for (let more = true; more;) {
    const erased = await step((tx) => delivery.eraseSomeOfTeam(tx));
    if (erased === null) return;
    more = erased;
  }
  for (const [n, module] of MODULES.entries()) {
    const erased = await done(async (tx) => {
      await module.eraseTeam(tx, team);
      await recordErasedModules(tx, n + 1);
      if (n + 1 < MODULES.length) return;
      await endDeletion(tx);
      await recordAudit(tx, { team_id: team.id, action: 'team.erased', actor: 'erase_deleted_teams', records: [] });
    });
    if (!erased) return;
  }
}

/** Erases the users of the team. Returns false if a step did not run. */
async function eraseUsersOf({ db, team }: TeamCtx, step: Step): Promise<boolean> {
  for (;;) {
    const users = await db
      .selectFrom('users')
      .select('id')
      .where('team_id', '=', team.id)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const user of users) {
      if (!(await eraseInChunks(step, user))) return false;
      const erased = await step(async (tx) => {
        await eraseFromModules(tx, user);
        await recordErasedUser(tx);
        return true;
      });
      if (!erased) return false;
    }
    if (users.length < BATCH) return true;
  }
}

/**
 * Locks the team until the commit, so that no other erasure of the team runs. It does not block requests that began
 * before the deletion.
 */
async function lockTeam({ db, team }: TxCtx<TeamCtx>): Promise<boolean> {
  const { rows } = await sql`
    select from teams where id = ${team.id} and deleted_at is not null for no key update skip locked`.execute(db);
  return rows.length > 0;
}

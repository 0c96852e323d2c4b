import { sql } from 'kysely';
import { Type } from 'typebox';
import { recordAudit } from '../audit/record.ts';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { refuseIfClockIsOff } from '../db/clock.ts';
import { addJob, addJobs, defineJob } from '../db/define-job.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import * as delivery from '../delivery/erase.ts';
import * as uploads from '../files/erase.ts';
import * as events from '../events/erase.ts';
import * as answers from '../http/answer/erase.ts';
import * as insurance from '../insurance/erase.ts';
import * as catalogue from '../labs/catalogue/erase.ts';
import * as carriers from '../labs/laboratories/carriers/erase.ts';
import * as hl7 from '../labs/laboratories/hl7/erase.ts';
import * as orders from '../labs/orders/erase.ts';
import * as results from '../labs/results/erase.ts';
import * as labReports from '../labs/results/parser/erase.ts';
import * as tenancy from '../tenancy/erase.ts';
import { teamErasureKind } from '../tenancy/teams/deletion/delete.ts';
import { beginDeletion, endDeletion, tellErasedRooms, tellErasedUser } from '../tenancy/teams/deletion/progress.ts';
import { forTeam } from '../tenancy/teams/scope.ts';
import * as pipelines from '../pipelines/erase.ts';
import * as users from '../users/erase.ts';
import * as continuousQueries from '../wearables/aggregate/continuous/erase.ts';
import * as connections from '../wearables/connections/erase.ts';
import * as credentials from '../wearables/credentials/erase.ts';
import * as link from '../wearables/link/erase.ts';
import * as priorities from '../wearables/priorities/erase.ts';
import * as pulls from '../wearables/pulls/erase.ts';
import * as webhooks from '../webhooks/erase.ts';
import { eraseInPieces, eraseFromRooms, type Step } from './erase-users.ts';

/** Every room that owns something of teams, in the order of erasure. */
const ROOMS: { eraseTeam: (ctx: TxCtx<TeamCtx>, team: TeamCtx['team']) => Promise<void> }[] = [
  answers,
  delivery,
  events,
  webhooks,
  connections,
  link,
  credentials,
  priorities,
  pulls,
  continuousQueries,
  carriers,
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
/** Transactions in one turn, each of bounded work: then others have theirs, and other background work its places. */
const STEPS_A_TURN = 200;

/** A turn at the erasure of one deleted team. What goes wrong with it is tried again, and holds up no other team. */
const turn = defineJob({
  ...teamErasureKind,
  run: async (ctx, { team_id }) => {
    if (await eraseSomeOfTeam(ctx, team_id)) {
      await inTransaction(ctx, ({ db }) => addJob(db, teamErasureKind, { team_id }));
    }
  },
});

/** Asks for the erasure of every deleted team that is still there: a job may have been lost, or have failed. */
const resumption = defineJob({
  name: 'erase_deleted_teams',
  payload: Type.Object({}),
  cron: { at: '*/10 * * * *', payload: {} },
  run: async (ctx) => {
    const { rows } = await sql<{ team_id: string }>`
      select id as team_id from teams where deleted_at is not null order by deleted_at`.execute(acrossTeams(ctx).db);
    const waiting = rows.map((payload) => ({ payload, keepsMoment: true as const }));
    await inTransaction(ctx, ({ db }) => addJobs(db, teamErasureKind, waiting));
  },
});

export const teamErasureJobs = [turn, resumption];

/**
 * A turn at the erasure of a deleted team: whether there is more to do. Users go one by one, then deliveries in pieces, then the
 * rooms, so that no transaction grows with the team; a run that was killed is gone on with by the next.
 */
export async function eraseSomeOfTeam(ctx: Ctx, teamId: string, steps = STEPS_A_TURN): Promise<boolean> {
  await refuseIfClockIsOff(ctx);
  const { rows } = await sql<TeamCtx['team']>`
    select id, org_id, settings from teams where id = ${teamId} and deleted_at is not null`.execute(
    acrossTeams(ctx).db,
  );
  const [team] = rows;
  if (!team) return false;
  const scoped = forTeam(ctx, team);
  let left = steps;
  /** Null where the turn is over, the team is gone, or another process is at it. */
  const step: Step = (work) => {
    if (left === 0 || ctx.stopping?.aborted) return Promise.resolve(null);
    left -= 1;
    return inTransaction(scoped, async (tx) => ((await holdTeam(tx)) ? work(tx) : null));
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
    await beginDeletion(tx, ROOMS.length);
    await answers.eraseTeam(tx, team);
  });
  if (!begun || !(await eraseUsersOf(ctx, step))) return;
  await connections.beforeTeam(ctx);
  for (let more = true; more;) {
    const erased = await step((tx) => delivery.eraseSomeOfTeam(tx));
    if (erased === null) return;
    more = erased;
  }
  for (const [n, room] of ROOMS.entries()) {
    const erased = await done(async (tx) => {
      await room.eraseTeam(tx, team);
      await tellErasedRooms(tx, n + 1);
      if (n + 1 < ROOMS.length) return;
      await endDeletion(tx);
      await recordAudit(tx, { team_id: team.id, action: 'team.erased', actor: 'erase_deleted_teams', records: [] });
    });
    if (!erased) return;
  }
}

/** False where a step was not done. */
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
      if (!(await eraseInPieces(step, user))) return false;
      const erased = await step(async (tx) => {
        await eraseFromRooms(tx, user);
        await tellErasedUser(tx);
        return true;
      });
      if (!erased) return false;
    }
    if (users.length < BATCH) return true;
  }
}

/** Keeps other erasers from the team until the commit; requests that came in before the deletion are not held up. */
async function holdTeam({ db, team }: TxCtx<TeamCtx>): Promise<boolean> {
  const { rows } = await sql`
    select from teams where id = ${team.id} and deleted_at is not null for no key update skip locked`.execute(db);
  return rows.length > 0;
}

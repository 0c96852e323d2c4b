import { sql } from 'kysely';
import { Type } from 'typebox';
import { recordAudit } from '../audit/record.ts';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { refuseIfClockIsOff } from '../db/clock.ts';
import { addJob, addJobUnlessThere, defineJob, jobKind } from '../db/define-job.ts';
import { inTransaction } from '../db/transaction.ts';
import * as delivery from '../delivery/erase.ts';
import * as events from '../events/erase.ts';
import * as answers from '../http/answer/erase.ts';
import { LEAST_ID } from '../ids.ts';
import * as insurance from '../insurance/erase.ts';
import * as carriers from '../labs/laboratories/carriers/erase.ts';
import * as hl7 from '../labs/laboratories/hl7/erase.ts';
import * as orders from '../labs/orders/erase.ts';
import * as results from '../labs/results/erase.ts';
import * as labReports from '../labs/results/parser/erase.ts';
import { findTeamScopeOrNull, forTeam } from '../tenancy/teams/scope.ts';
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

/** Every room that owns something of users, in the order of erasure; answers, which are opened for many at once, go before. */
const ROOMS: { eraseUser: (ctx: TxCtx<TeamCtx>, user: { id: string }) => Promise<void> }[] = [
  delivery,
  events,
  hooks,
  pulls,
  connections,
  link,
  carriers,
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
  // Who tells of somebody holds a row of theirs: what was told while those rows were waited for is found only behind them.
  delivery,
];

/** Does one piece of an erasure in a transaction of its own; null where nothing is to be erased any more. */
export type Step = <T>(work: (ctx: TxCtx<TeamCtx>) => Promise<T>) => Promise<T | null>;

/** What a user can have any number of, a piece at a time; each tells whether there may be more. */
export const IN_PIECES = [
  delivery.eraseSomeEvents,
  events.eraseSomeHeldEvents,
  timeseries.eraseSomeSamples,
  summaries.eraseSomeSummaries,
];

/**
 * The events, samples and summaries of a user before all else: there can be any number of them, and a transaction that
 * grows with them would hold the user's row and theirs for as long. False where a step found nothing to erase.
 */
export async function eraseInPieces(step: Step, user: { id: string }): Promise<boolean> {
  for (const eraseSome of IN_PIECES) {
    for (;;) {
      const more = await step((tx) => eraseSome(tx, user));
      if (more === null) return false;
      if (!more) break;
    }
  }
  return true;
}

/** Everything of a user, in the caller's transaction. */
export async function eraseFromRooms(ctx: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  for (const room of ROOMS) await room.eraseUser(ctx, user);
}

/** Users of one turn: the stored answers of their teams are opened once for all of them. */
const BATCH = 100;
/** Transactions of one turn, each of bounded work: then others have theirs. */
const STEPS_A_TURN = 500;

/** A turn at the erasure of the users behind one, in the order of their ids; it asks for the next one itself. */
const turnKind = jobKind({
  name: 'erase_some_deleted_users',
  payload: Type.Object({ after: Uuid }),
  key: () => 'erase deleted users',
  class: 'erasures',
});

const turn = defineJob({
  ...turnKind,
  run: async (ctx, { after }) => {
    const { next } = await eraseSomeUsers(ctx, after);
    if (next !== null) await inTransaction(ctx, ({ db }) => addJob(db, turnKind, { after: next }));
  },
});

const beginning = defineJob({
  name: 'erase_deleted_users',
  payload: Type.Object({}),
  cron: { at: '*/10 * * * *', payload: {} },
  run: (ctx) => inTransaction(ctx, ({ db }) => addJobUnlessThere(db, turnKind, { after: LEAST_ID })),
});

export const userErasureJobs = [turn, beginning];

type Due = { id: string; team_id: string };
/** `next` is the user behind whom the next turn goes on; null where nobody is left. */
type Turn = { erased: number; next: string | null };

/**
 * Erases users whose grace period is over by the database's clock, each in transactions of its own, until the turn is over
 * or the process stops. What goes wrong with one is logged and holds up none of the others; a later run tries it again.
 */
export async function eraseSomeUsers(ctx: Ctx, after: string, steps = STEPS_A_TURN): Promise<Turn> {
  await refuseIfClockIsOff(ctx);
  const { rows } = await sql<Due>`
    select id, team_id from users where ${users.dueForErasure} and id > ${after} order by id limit ${BATCH}`.execute(
    acrossTeams(ctx).db,
  );
  let left = steps;
  const isOver = (): boolean => left <= 0 || ctx.stopping?.aborted === true;
  const stepOf =
    (scoped: TeamCtx, user: Due): Step =>
    async (work) => {
      if (isOver()) return null;
      left -= 1;
      return inTransaction(scoped, async (tx) => ((await users.holdForErasure(tx, user)) ? work(tx) : null));
    };
  const teams = openTeams(ctx, rows);
  let [erased, last] = [0, after];
  for (const user of rows) {
    if (isOver()) return { erased, next: last };
    try {
      const team = await teams(user.team_id);
      if (team && (await eraseUser(team, stepOf(team.scoped, user), user))) erased += 1;
      // It may have ended within this user.
      else if (isOver()) return { erased, next: last };
    } catch (err) {
      ctx.log.error({ err, team_id: user.team_id, user_id: user.id }, 'a deleted user could not be erased');
    }
    last = user.id;
  }
  return { erased, next: rows.length < BATCH ? null : last };
}

type OpenTeam = { scoped: TeamCtx; answersSince: string };

/** The teams of a turn. Who asks for one first has the stored answers erased that name any of its users in this turn. */
function openTeams(ctx: Ctx, rows: Due[]): (teamId: string) => Promise<OpenTeam | null> {
  const opened = new Map<string, OpenTeam | null>();
  return async (teamId) => {
    const known = opened.get(teamId);
    if (known !== undefined) return known;
    const team = await findTeamScopeOrNull(ctx, teamId);
    const scoped = team && forTeam(ctx, team);
    const answersSince = await answers.answersStillToCome(ctx);
    if (scoped) {
      const ids = rows.filter(({ team_id }) => team_id === teamId).map(({ id }) => id);
      await answers.eraseNaming(scoped, scoped.team.id, ids);
    }
    const open = scoped && { scoped, answersSince };
    opened.set(teamId, open);
    return open;
  };
}

async function eraseUser({ scoped, answersSince }: OpenTeam, step: Step, user: { id: string }): Promise<boolean> {
  if (!(await eraseInPieces(step, user))) return false;
  const erased = await step(async (tx) => {
    await answers.eraseNaming(tx, tx.team.id, [user.id], answersSince);
    await eraseFromRooms(tx, user);
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

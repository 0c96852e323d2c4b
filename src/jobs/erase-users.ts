import { sql } from 'kysely';
import { recordAudit } from '../audit/record.ts';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { refuseIfClockIsOff } from '../db/clock.ts';
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

/** Every room that owns something of users, in the order of erasure. */
const ROOMS: { eraseUser: (ctx: TxCtx<TeamCtx>, user: { id: string }) => Promise<void> }[] = [
  answers,
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

const BATCH = 100;

/**
 * Erases every user whose grace period is over by the database's clock, each in transactions of its own; tells how
 * many. What goes wrong with one is logged and holds up none of the others; the next run tries it again.
 */
export async function eraseUsers(ctx: Ctx): Promise<number> {
  await refuseIfClockIsOff(ctx);
  let erased = 0;
  let last = LEAST_ID;
  for (;;) {
    const { rows } = await sql<{ id: string; team_id: string }>`
      select id, team_id from users where ${users.dueForErasure} and id > ${last} order by id limit ${BATCH}`.execute(
      acrossTeams(ctx).db,
    );
    for (const user of rows) {
      try {
        if (await eraseUser(ctx, user)) erased += 1;
      } catch (err) {
        ctx.log.error({ err, team_id: user.team_id, user_id: user.id }, 'a deleted user could not be erased');
      }
    }
    if (rows.length < BATCH) return erased;
    last = rows.at(-1)?.id as string;
  }
}

async function eraseUser(ctx: Ctx, user: { id: string; team_id: string }): Promise<boolean> {
  const team = await findTeamScopeOrNull(ctx, user.team_id);
  if (!team) return false;
  const scoped = forTeam(ctx, team);
  const step: Step = (work) =>
    inTransaction(scoped, async (tx) => ((await users.holdForErasure(tx, user)) ? work(tx) : null));
  if (!(await eraseInPieces(step, user))) return false;
  const erased = await step(async (tx) => {
    await eraseFromRooms(tx, user);
    await recordAudit(tx, {
      team_id: team.id,
      action: 'user.erased',
      actor: 'erase_deleted_users',
      records: [user.id],
    });
    return true;
  });
  return erased ?? false;
}

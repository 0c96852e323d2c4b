import { sql } from 'kysely';
import { recordAudit } from '../audit/record.ts';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { refuseIfClockIsOff } from '../db/clock.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import * as delivery from '../delivery/erase.ts';
import * as answers from '../http/answer/erase.ts';
import * as insurance from '../insurance/erase.ts';
import * as catalogue from '../labs/catalogue/erase.ts';
import * as carriers from '../labs/laboratories/carriers/erase.ts';
import * as hl7 from '../labs/laboratories/hl7/erase.ts';
import * as orders from '../labs/orders/erase.ts';
import * as results from '../labs/results/erase.ts';
import * as labReports from '../labs/results/parser/erase.ts';
import * as tenancy from '../tenancy/erase.ts';
import { forTeam } from '../tenancy/teams/scope.ts';
import * as users from '../users/erase.ts';
import * as continuousQueries from '../wearables/aggregate/continuous/erase.ts';
import * as connections from '../wearables/connections/erase.ts';
import * as link from '../wearables/link/erase.ts';
import * as priorities from '../wearables/priorities/erase.ts';
import * as pulls from '../wearables/pulls/erase.ts';
import * as webhooks from '../webhooks/erase.ts';
import { eraseInPieces, eraseFromRooms, type Step } from './erase-users.ts';

/** Every room that owns something of teams, in the order of erasure. */
const ROOMS: { eraseTeam: (ctx: TxCtx<TeamCtx>, team: TeamCtx['team']) => Promise<void> }[] = [
  answers,
  delivery,
  webhooks,
  connections,
  link,
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
  tenancy,
];

const BATCH = 100;

/**
 * Erases every team that was deleted. What goes wrong with one is logged and holds up none of the others; the next run
 * goes on with it.
 */
export async function eraseTeams(ctx: Ctx): Promise<void> {
  await refuseIfClockIsOff(ctx);
  const { rows: teams } = await sql<TeamCtx['team']>`
    select id, org_id, settings from teams where deleted_at is not null order by deleted_at`.execute(
    acrossTeams(ctx).db,
  );
  for (const team of teams) {
    try {
      await eraseTeam(forTeam(ctx, team));
    } catch (err) {
      ctx.log.error({ err, team_id: team.id }, 'a deleted team could not be erased');
    }
  }
}

/** Users go one by one, so that no transaction grows with the team; a run that was killed goes on where it stood. */
async function eraseTeam(ctx: TeamCtx): Promise<void> {
  const { team } = ctx;
  /** Null where the team is gone or another process is at it. */
  const step: Step = (work) => inTransaction(ctx, async (tx) => ((await holdTeam(tx)) ? work(tx) : null));
  const done = async (work: (tx: TxCtx<TeamCtx>) => Promise<void>): Promise<boolean> =>
    (await step(async (tx) => {
      await work(tx);
      return true;
    })) ?? false;

  if (!(await done((tx) => answers.eraseTeam(tx, team)))) return;
  for (;;) {
    const users = await ctx.db
      .selectFrom('users')
      .select('id')
      .where('team_id', '=', team.id)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const user of users) {
      if (!(await eraseInPieces(step, user))) return;
      if (!(await done((tx) => eraseFromRooms(tx, user)))) return;
    }
    if (users.length < BATCH) break;
  }
  await connections.beforeTeam(ctx);
  await done(async (tx) => {
    for (const room of ROOMS) await room.eraseTeam(tx, team);
    await recordAudit(tx, { team_id: team.id, action: 'team.erased', actor: 'erase_deleted_teams', records: [] });
  });
}

/** Keeps other erasers from the team until the commit; requests that came in before the deletion are not held up. */
async function holdTeam({ db, team }: TxCtx<TeamCtx>): Promise<boolean> {
  const { rows } = await sql`
    select from teams where id = ${team.id} and deleted_at is not null for no key update skip locked`.execute(db);
  return rows.length > 0;
}

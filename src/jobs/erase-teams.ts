import { sql } from 'kysely';
import { recordAudit } from '../audit/record.ts';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { inTransaction } from '../db/transaction.ts';
import * as delivery from '../delivery/erase.ts';
import * as answers from '../http/answer/erase.ts';
import * as insurance from '../insurance/erase.ts';
import * as catalogue from '../labs/catalogue/erase.ts';
import * as orders from '../labs/orders/erase.ts';
import * as tenancy from '../tenancy/erase.ts';
import { findTeamScope, forTeam } from '../tenancy/teams/scope.ts';
import * as users from '../users/erase.ts';
import * as webhooks from '../webhooks/erase.ts';
import { eraseFromRooms } from './erase-users.ts';

/** Every room that owns something of teams, in the order of erasure. */
const ROOMS: { eraseTeam: (ctx: TxCtx<TeamCtx>, team: TeamCtx['team']) => Promise<void> }[] = [
  answers,
  delivery,
  webhooks,
  orders,
  insurance,
  users,
  catalogue,
  tenancy,
];

const BATCH = 100;

/**
 * Erases a team that was deleted; one that is there in full, or gone already, is left alone. Users go one by one, so
 * that no transaction grows with the team; a job that was killed goes on where it stood.
 */
export async function eraseTeam(ctx: Ctx, teamId: string): Promise<void> {
  const team = await findTeamScope(ctx, teamId);
  if (!team || !(await isDeleted(forTeam(ctx, team)))) return;
  const bound = forTeam(ctx, team);
  await inTransaction(bound, (ctx) => answers.eraseTeam(ctx, team));
  for (;;) {
    const users = await bound.db
      .selectFrom('users')
      .select('id')
      .where('team_id', '=', team.id)
      .orderBy('id')
      .limit(BATCH)
      .execute();
    for (const user of users) await inTransaction(bound, (ctx) => eraseFromRooms(ctx, user));
    if (users.length < BATCH) break;
  }
  await inTransaction(bound, async (ctx) => {
    for (const room of ROOMS) await room.eraseTeam(ctx, team);
    await recordAudit(ctx, { team_id: team.id, action: 'team.erased', actor: 'erase_team', records: [] });
  });
}

async function isDeleted({ db, team }: TeamCtx): Promise<boolean> {
  const { rows } = await sql`select from teams where id = ${team.id} and deleted_at is not null`.execute(db);
  return rows.length > 0;
}

import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../context.ts';
import { boundToManagedTeam } from '../db/session/bind.ts';
import * as ehr from './ehr/erase.ts';
import * as members from './members/erase.ts';
import { openRow, type ExportedRow, type Exports } from '../privacy/export-rows.ts';

export const EXPORTS: Exports = {
  ofTeam: [
    { type: 'team', tables: ['teams'], lines: theTeam },
    { type: 'physician', table: 'physicians', key: ['npi'] },
    // An export has only the first characters of an API key, because we do not store the keys.
    { type: 'team_api_key', table: 'team_api_keys', key: ['id'] },
  ],
};

async function* theTeam(ctx: TeamCtx): AsyncIterable<ExportedRow> {
  const rows = await ctx.db.selectFrom('teams').selectAll().where('id', '=', ctx.team.id).execute();
  for (const row of rows) yield openRow(ctx, 'teams', row, ['number', 'deleted_at']);
}

/**
 * Deletes the team's API keys and, as the last step, the team. A management key that is bound to the team stays bound
 * to its other teams. If it has no other team, the function revokes it.
 */
export async function eraseTeam(ctx: TxCtx<TeamCtx>, team: { id: string; org_id: string }): Promise<void> {
  const managed = boundToManagedTeam(ctx, team);
  const { db } = managed;
  await members.eraseTeam(managed, team);
  await ehr.eraseTeam(managed, team);
  await db.deleteFrom('team_api_keys').where('team_id', '=', team.id).execute();
  await sql`
    update management_keys
       set team_ids = array_remove(team_ids, ${team.id}::uuid),
           revoked_at = coalesce(revoked_at, case when team_ids = array[${team.id}::uuid] then now() end)
     where org_id = ${team.org_id} and ${team.id}::uuid = any (team_ids)`.execute(db);
  await db.deleteFrom('teams').where('id', '=', team.id).execute();
}

/**
 * Deletes the progress of team deletions that ended more than a year ago. The audit log still contains the deletions.
 */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from team_deletions where ended_at < now() - interval '1 year'`.execute(db);
}

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
    // Their first characters: the keys themselves are nowhere.
    { type: 'team_api_key', table: 'team_api_keys', key: ['id'] },
  ],
};

async function* theTeam(ctx: TeamCtx): AsyncIterable<ExportedRow> {
  const rows = await ctx.db.selectFrom('teams').selectAll().where('id', '=', ctx.team.id).execute();
  for (const row of rows) yield openRow(ctx, 'teams', row, ['number', 'deleted_at']);
}

/**
 * The team's keys and the team itself, last of all. A management key that was bound to it stays bound to its others;
 * one without others is revoked.
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

/** What is told of deletions whose team has been gone for a year: the audit log keeps that they were. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  await sql`delete from team_deletions where ended_at < now() - interval '1 year'`.execute(db);
}

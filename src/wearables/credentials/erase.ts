import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';

/**
 * The shortest time, in seconds, for which we store retired credentials (a team's former application at a provider). A
 * user who is still at the provider's page may return within this time.
 */
const MIN_SECONDS = 3_600;

/** Erases the credentials of a team. Runs after the erasure of the team's connections and token revocations. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('team_credentials').where('team_id', '=', team.id).execute();
}

/** Deletes retired applications that no connection, revocation or sign-in needs. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  const isNeeded = (table: string) => sql`
    exists (select from ${sql.table(table)} as needing where needing.team_id = retired.team_id
      and needing.credential_id = retired.id)`;
  await sql`
    delete from team_credentials as retired
     where retired_at < now() - make_interval(secs => ${MIN_SECONDS})
       and not ${isNeeded('connections')} and not ${isNeeded('token_revocations')}
         and not ${isNeeded('oauth_states')}`.execute(db);
}

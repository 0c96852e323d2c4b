import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';

/** Whoever is on the way back from a provider has connected by then. */
const LEAST_SECONDS = 3_600;

/** After its connections, and what is to be told of them. */
export async function eraseTeam({ db }: TxCtx<TeamCtx>, team: { id: string }): Promise<void> {
  await db.deleteFrom('team_credentials').where('team_id', '=', team.id).execute();
}

/** Applications that are used for nothing new, once nothing needs them any more. */
export async function dropExpired({ db }: Ctx): Promise<void> {
  const isNeeded = (table: string) => sql`
    exists (select from ${sql.table(table)} as needing where needing.team_id = retired.team_id and needing.credential_id = retired.id)`;
  await sql`
    delete from team_credentials as retired
     where retired_at < now() - make_interval(secs => ${LEAST_SECONDS})
       and not ${isNeeded('connections')} and not ${isNeeded('token_revocations')} and not ${isNeeded('oauth_states')}`.execute(
    db,
  );
}

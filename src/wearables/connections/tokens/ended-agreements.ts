// Records ended agreements. An agreement is a user's consent at a provider. Some providers require that we delete the
// user's data some days after the agreement has ended.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { connectorOrNull } from '../../providers/registry.ts';

type ConnectionKey = { user_id: string; provider: string };

/**
 * Records in this transaction that the user's agreement with the provider has ended. Records nothing if the provider
 * does not require that we delete its data.
 */
export async function endAgreement({ db, team }: TxCtx<TeamCtx>, { user_id, provider }: ConnectionKey): Promise<void> {
  const days = connectorOrNull(provider)?.deletes_data_after_days;
  if (days === undefined) return;
  await sql`
    insert into ended_agreements (user_id, provider, team_id, erase_at)
    values (${user_id}, ${provider}, ${team.id}, now() + make_interval(days => ${days}))
    on conflict (user_id, provider) do nothing`.execute(db);
}

/**
 * Deletes the record of an ended agreement. Call it if the user agrees again, so that the data may stay, or if all of
 * the data is erased. Does not check whether the provider requires deletions: the record may come from an earlier
 * release, in which other providers required them.
 */
export async function forgetEnded({ db, team }: TxCtx<TeamCtx>, { user_id, provider }: ConnectionKey): Promise<void> {
  await db
    .deleteFrom('ended_agreements')
    .where('user_id', '=', user_id)
    .where('provider', '=', provider)
    .where('team_id', '=', team.id)
    .execute();
}

/**
 * Locks the record of an ended agreement until the commit if its data is due for erasure. Returns false if there is no
 * such record.
 */
export async function lockEnded({ db, team }: TxCtx<TeamCtx>, { user_id, provider }: ConnectionKey): Promise<boolean> {
  const { rows } = await sql`
    select from ended_agreements
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id}
       and erase_at <= now() for update`.execute(db);
  return rows.length > 0;
}

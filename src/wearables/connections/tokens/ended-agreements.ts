// Some providers allow nothing of their data to be kept once the agreement has ended (record 171).
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { connectorOrNull } from '../../providers/registry.ts';

type Place = { user_id: string; provider: string };

/** Remembers that the user's agreement with the provider ends in this transaction, where that means that its data has to go. */
export async function endAgreement({ db, team }: TxCtx<TeamCtx>, { user_id, provider }: Place): Promise<void> {
  const days = connectorOrNull(provider)?.keeps_data_days;
  if (days === undefined) return;
  await sql`
    insert into ended_agreements (user_id, provider, team_id, erase_at)
    values (${user_id}, ${provider}, ${team.id}, now() + make_interval(days => ${days}))
    on conflict (user_id, provider) do nothing`.execute(db);
}

/**
 * Forgets that an agreement has ended: the user agrees anew, and what is there may stay, or all of it is erased. Whatever the
 * connector says now, since an earlier release may have remembered it.
 */
export async function forgetEnded({ db, team }: TxCtx<TeamCtx>, { user_id, provider }: Place): Promise<void> {
  await db
    .deleteFrom('ended_agreements')
    .where('user_id', '=', user_id)
    .where('provider', '=', provider)
    .where('team_id', '=', team.id)
    .execute();
}

/** Holds an agreement whose data is due to go, until the commit; false where there is none any more. */
export async function holdEnded({ db, team }: TxCtx<TeamCtx>, { user_id, provider }: Place): Promise<boolean> {
  const { rows } = await sql`
    select from ended_agreements
     where user_id = ${user_id} and provider = ${provider} and team_id = ${team.id} and erase_at <= now() for update`.execute(
    db,
  );
  return rows.length > 0;
}

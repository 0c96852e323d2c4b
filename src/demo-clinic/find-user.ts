import type { TeamCtx, TxCtx } from '../context.ts';
import { PEOPLE } from './people.ts';

/** Finds the user of a person. Null if the team has deleted the user meanwhile. */
export async function findUserIdOrNull({ db, team }: TxCtx<TeamCtx>, person: number): Promise<string | null> {
  const user = await db
    .selectFrom('users')
    .select('id')
    .where('team_id', '=', team.id)
    .where('client_user_id', '=', PEOPLE[person]?.client_user_id ?? '')
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return user?.id ?? null;
}

import { sql } from 'kysely';
import type { TeamCtx } from '../../../context.ts';

/** Returns those of the workouts that have stored points. The argument and the result are ids of the provider. */
export async function findStreamed(
  { db, team }: TeamCtx,
  user: { id: string },
  { provider, provider_ids }: { provider: string; provider_ids: string[] },
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('summaries')
    .select('provider_id')
    .where('user_id', '=', user.id)
    .where('team_id', '=', team.id)
    .where('resource', '=', 'workouts')
    .where('provider', '=', provider)
    .where(sql<boolean>`key = any (${provider_ids.map((id) => `id ${id}`)}::text[])`)
    .where('stream_hash', 'is not', null)
    .execute();
  return new Set(rows.map(({ provider_id }) => provider_id as string));
}

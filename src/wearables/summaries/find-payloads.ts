import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';

/** Returns the stored payloads of these summaries of a user, by the provider's ids. */
export async function findPayloads(
  { db, team, cipher }: TeamCtx,
  user: { id: string },
  { resource, provider, provider_ids }: { resource: string; provider: string; provider_ids: string[] },
): Promise<ReadonlyMap<string, unknown>> {
  const { rows } = await sql<{ id: string; team_id: string; provider_id: string; raw: Buffer }>`
    select id, team_id, provider_id, raw from summaries
     where user_id = ${user.id} and team_id = ${team.id} and resource = ${resource} and provider = ${provider}
       and key = any (${provider_ids.map((id) => `id ${id}`)}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.provider_id, cipher.openJson('summaries.raw', row, row.raw)]));
}

import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';

/** A stored summary: its key and the payload of its provider. */
export type StoredPayload = {
  id: string;
  resource: string;
  provider: string;
  source_type: string;
  key: string;
  stream_hash: Buffer | null;
  raw: unknown;
};

/**
 * The payloads to read: those of a provider and some kinds of summaries, from the day `since` on. Summaries without a
 * day are included.
 */
export type PayloadSelection = { provider: string; resources: string[]; since: string | null };

/** Returns some of a user's summaries with their payloads, ordered by id, after the id `after`. */
export async function readPayloads(
  { db, team, cipher }: TxCtx<TeamCtx>,
  user: { id: string },
  { provider, resources, since }: PayloadSelection,
  { after, most }: { after: string | null; most: number },
): Promise<StoredPayload[]> {
  const { rows } = await sql<Omit<StoredPayload, 'raw'> & { team_id: string; raw: Buffer }>`
    select id, team_id, resource, provider, source_type, key, stream_hash, raw
      from summaries
     where user_id = ${user.id} and team_id = ${team.id} and provider = ${provider}
       and resource = any (${resources}::text[])
       and (${since}::date is null or calendar_date is null or calendar_date >= ${since}::date)
       and (${after}::uuid is null or id > ${after}::uuid)
     order by id limit ${most}`.execute(db);
  return rows.map((row) => ({ ...row, raw: cipher.openJson('summaries.raw', row, row.raw) }));
}

/** Returns users of the team who have summaries of these kinds, ordered by id, after the id `after`. */
export async function usersWithPayloads(
  { db, team }: TeamCtx,
  { provider, resources }: Pick<PayloadSelection, 'provider' | 'resources'>,
  { after, most }: { after: string | null; most: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from users
     where team_id = ${team.id} and deleted_at is null and (${after}::uuid is null or id > ${after}::uuid)
       and exists (select from summaries
                    where summaries.user_id = users.id and summaries.team_id = ${team.id}
                      and resource = any (${resources}::text[]) and provider = ${provider})
     order by id limit ${most}`.execute(db);
  return rows.map(({ id }) => id);
}

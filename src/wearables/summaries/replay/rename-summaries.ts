import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';

/** A stored summary with its new source type and key. */
export type Renamed = { id: string; source_type: string; key: string };

/**
 * Changes the keys of stored summaries. When a summary with the new key arrives later, it replaces the stored summary.
 * Phial then publishes a changed summary and not a new one. If another summary of the same kind and provider has the
 * new key, the old key stays. Returns the ids of the summaries whose key has changed.
 */
export async function renameSummaries(
  { db, team }: TxCtx<TeamCtx>,
  user: { id: string },
  renamed: Renamed[],
): Promise<Set<string>> {
  const first = new Map(renamed.toReversed().map((each) => [`${each.source_type} ${each.key}`, each]));
  const unique = [...first.values()];
  if (unique.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    update summaries set source_type = new.source_type, key = new.key, content_hash = ''
      from unnest(${unique.map(({ id }) => id)}::uuid[], ${unique.map(({ source_type }) => source_type)}::text[],
                  ${unique.map(({ key }) => key)}::text[]) as new (id, source_type, key)
     where summaries.user_id = ${user.id} and summaries.team_id = ${team.id} and summaries.id = new.id
       and not exists (
         select from summaries as other
          where other.user_id = ${user.id} and other.resource = summaries.resource
            and other.provider = summaries.provider and other.source_type = new.source_type and other.key = new.key)
    returning summaries.id`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

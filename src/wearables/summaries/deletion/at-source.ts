import { sql, type RawBuilder } from 'kysely';
import type { Writer } from '../../one-writer.ts';
import { deleteSummaries, findBelonging, findDoomed, type Doomed } from './delete-summaries.ts';

/** Beyond what a provider names or has in a window. */
const MOST = 10_000;

type Whose = { id: string; client_user_id: string };

/** Deletes summaries that their provider no longer has, by its own ids of them; those that went, what belongs to them beside them. */
export const deleteAtSource = (
  ctx: Writer,
  user: Whose,
  { resource, provider, provider_ids }: { resource: string; provider: string; provider_ids: string[] },
): Promise<Doomed[]> =>
  deleteAll(
    ctx,
    user,
    sql`resource = ${resource} and provider = ${provider} and provider_id = any (${provider_ids}::text[])`,
  );

/**
 * Deletes what a provider named once and has no longer: of a kind, what lies within a span whose summaries were all read just now.
 * `kept` are the provider's ids of those.
 */
export const deleteAbsent = (
  ctx: Writer,
  user: Whose,
  {
    resource,
    provider,
    span: { from, to },
    kept,
  }: { resource: string; provider: string; span: { from: string; to: string }; kept: string[] },
): Promise<Doomed[]> =>
  deleteAll(
    ctx,
    user,
    sql`resource = ${resource} and provider = ${provider}
       and start_at >= ${from}::timestamptz and coalesce(end_at, start_at) < ${to}::timestamptz
       and provider_id is not null and provider_id <> all (${kept}::text[])`,
  );

/** With what belongs to it, whatever there is of that: a provider does not ask again in smaller pieces. */
async function deleteAll(ctx: Writer, user: Whose, which: RawBuilder<unknown>): Promise<Doomed[]> {
  const named = await findDoomed(ctx, user, { which, most: MOST });
  const all = [...named];
  for (;;) {
    const belonging = await findBelonging(ctx, user, named, MOST);
    await deleteSummaries(ctx, user, belonging);
    all.push(...belonging);
    if (belonging.length < MOST) break;
  }
  await deleteSummaries(ctx, user, named);
  return all;
}

import { sql, type RawBuilder } from 'kysely';
import type { Writer } from '../../user-writer.ts';
import { deleteSummaries, findBelonging, findDeletable, type Deletable } from './delete-summaries.ts';

/** More summaries than a provider names in one notification or has in one window. */
const MOST = 10_000;

type UserRef = { id: string; client_user_id: string };

/**
 * Deletes summaries that their provider has deleted, by the provider's ids. Returns all deleted summaries, also those
 * that belong to them, as a cycle belongs to a sleep.
 */
export const deleteAtSource = (
  ctx: Writer,
  user: UserRef,
  { resource, provider, provider_ids }: { resource: string; provider: string; provider_ids: string[] },
): Promise<Deletable[]> =>
  deleteAll(
    ctx,
    user,
    sql`resource = ${resource} and provider = ${provider} and provider_id = any (${provider_ids}::text[])`,
  );

/**
 * Deletes the summaries of a span that the provider no longer has. Call it after all the provider's summaries of the
 * span were pulled. `retained` has their ids.
 */
export const deleteAbsent = (
  ctx: Writer,
  user: UserRef,
  {
    resource,
    provider,
    span: { from, to },
    retained,
  }: { resource: string; provider: string; span: { from: string; to: string }; retained: string[] },
): Promise<Deletable[]> =>
  deleteAll(
    ctx,
    user,
    sql`resource = ${resource} and provider = ${provider}
       and start_at >= ${from}::timestamptz and coalesce(end_at, start_at) < ${to}::timestamptz
       and provider_id is not null and provider_id <> all (${retained}::text[])`,
  );

/**
 * Deletes these summaries, and all summaries that belong to them, however many there are. A provider reports a deletion
 * only once, so a limit would leave some of them stored forever.
 */
async function deleteAll(ctx: Writer, user: UserRef, which: RawBuilder<unknown>): Promise<Deletable[]> {
  const named = await findDeletable(ctx, user, { which, most: MOST });
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

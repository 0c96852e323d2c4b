import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { asWriter } from '../../user-writer.ts';
import { refusePulled } from '../../refuse-pulled.ts';
import { deleteSummaries, findBelonging, findDeletable } from './delete-summaries.ts';
import type { SummaryDeletionValue } from './summary-deletion.ts';
import type { SummaryResource } from '../resource.ts';
import type { DeletedSummaries } from '../schemas.ts';

/** The most summaries that one request deletes. Each deletion publishes an event. */
const MOST = 1_000;
/** The most other summaries that are deleted because they belong to the deleted ones, as a cycle belongs to a sleep. */
const MAX_BELONGING = 10_000;

/**
 * Deletes the summaries that an app or a device reports as deleted: all of them, or none. Ignores summaries that do not
 * exist. Throws too_many_matches, provider_not_deletable.
 */
export function deletePushedSummaries(
  ctx: TeamCtx,
  userId: string,
  { name }: SummaryResource,
  deletions: SummaryDeletionValue[],
): Promise<Static<typeof DeletedSummaries>> {
  refusePulled(
    ctx,
    'delete',
    deletions.flatMap(({ provider }) => (provider ? [{ provider }] : [])),
  );
  const ids = deletions.flatMap(({ id }) => id ?? []);
  const named = deletions.filter(({ provider_id }) => provider_id);
  const days = deletions.filter(({ start_date }) => start_date);
  return asWriter(ctx, { user_id: userId, origin: 'live' }, async (tx, user) => {
    const doomed = await findDeletable(tx, user, {
      which: sql`resource = ${name} and (
        id = any (${ids}::uuid[])
        or exists (
          select from unnest(${named.map(({ provider }) => provider)}::text[],
            ${named.map(({ provider_id }) => provider_id)}::text[],
                             ${named.map(({ source_type }) => source_type ?? null)}::text[])
                           as named (provider, provider_id, source_type)
           where named.provider = summaries.provider and named.provider_id = summaries.provider_id
             and coalesce(named.source_type, summaries.source_type) = summaries.source_type)
        or exists (
          select from unnest(${days.map(({ provider }) => provider)}::text[],
            ${days.map(({ start_date }) => start_date)}::date[],
                             ${days.map(({ end_date }) => end_date)}::date[],
                             ${days.map(({ source_type }) => source_type ?? null)}::text[])
                           as days (provider, first, last, source_type)
           where days.provider = summaries.provider and summaries.calendar_date between first and last
             and coalesce(days.source_type, summaries.source_type) = summaries.source_type))`,
      most: MOST + 1,
    });
    if (doomed.length > MOST) throw tooMany(`A request deletes at most ${MOST} summaries. Ask for fewer days at once.`);
    const belonging = await findBelonging(tx, user, doomed, MAX_BELONGING + 1);
    if (belonging.length > MAX_BELONGING) {
      throw tooMany(
        `More than ${MAX_BELONGING} summaries belong to these and would be deleted with them. Delete ` +
          'fewer at once, or delete those first.',
      );
    }
    // This checks the provider of every summary. An id can name a summary of any provider, and the summaries that
    // belong to it may come from another provider.
    refusePulled(tx, 'delete', [...doomed, ...belonging]);
    await deleteSummaries(tx, user, [...doomed, ...belonging]);
    return { deleted: doomed.length, ids: doomed.map(({ id }) => id) };
  });
}

const tooMany = (message: string): AppError => new AppError('too_many_matches', message);

import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { asWriter } from '../../one-writer.ts';
import { refusePulled } from '../../refuse-pulled.ts';
import { deleteSummaries, findBelonging, findDoomed } from './delete-summaries.ts';
import type { SummaryDeletionValue } from './input.ts';
import type { SummaryResource } from '../resource.ts';
import type { DeletedSummaries } from '../schemas.ts';

/** Summaries that one request deletes, each told by an event. */
const MOST = 1_000;
/** What belongs to those, and goes with them. */
const MOST_BELONGING = 10_000;

/** Deletes what an app or a device says is gone, all of it or nothing; what is not there is no mistake. Throws too_many_matches, provider_not_deletable. */
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
    const doomed = await findDoomed(tx, user, {
      which: sql`resource = ${name} and (
        id = any (${ids}::uuid[])
        or exists (
          select from unnest(${named.map(({ provider }) => provider)}::text[], ${named.map(({ provider_id }) => provider_id)}::text[],
                             ${named.map(({ source_type }) => source_type ?? null)}::text[]) as named (provider, provider_id, source_type)
           where named.provider = summaries.provider and named.provider_id = summaries.provider_id
             and coalesce(named.source_type, summaries.source_type) = summaries.source_type)
        or exists (
          select from unnest(${days.map(({ provider }) => provider)}::text[], ${days.map(({ start_date }) => start_date)}::date[],
                             ${days.map(({ end_date }) => end_date)}::date[],
                             ${days.map(({ source_type }) => source_type ?? null)}::text[]) as days (provider, first, last, source_type)
           where days.provider = summaries.provider and summaries.calendar_date between first and last
             and coalesce(days.source_type, summaries.source_type) = summaries.source_type))`,
      most: MOST + 1,
    });
    if (doomed.length > MOST) throw tooMany(`A request deletes at most ${MOST} summaries. Ask for fewer days at once.`);
    const belonging = await findBelonging(tx, user, doomed, MOST_BELONGING + 1);
    if (belonging.length > MOST_BELONGING) {
      throw tooMany(
        `More than ${MOST_BELONGING} summaries belong to these and would go with them. Delete fewer at once, or those first.`,
      );
    }
    // By an id anything may be named, and what belongs to it may come from elsewhere.
    refusePulled(tx, 'delete', [...doomed, ...belonging]);
    await deleteSummaries(tx, user, [...doomed, ...belonging]);
    return { deleted: doomed.length, ids: doomed.map(({ id }) => id) };
  });
}

const tooMany = (message: string): AppError => new AppError('too_many_matches', message);

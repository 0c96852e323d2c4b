import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { findUser } from '../../users/find.ts';
import type { Series } from '../series-type.ts';
import { FOREVER, readSamples } from './read-samples.ts';
import { renderSample } from './sample.ts';
import type { UngroupedQuery } from './schemas.ts';
import { findStreams } from './streams.ts';

/**
 * The most samples of a response: more than a month with one value a minute. This form has no pages, and the response
 * must fit in memory.
 */
const MOST = 50_000;

/**
 * Returns samples of all sources as one list in the order of time. With `kind`, returns only samples of this type; the
 * series must be keyed by type. Throws not_found or user_scheduled_for_deletion for the user, and too_many_samples.
 */
export async function readUngrouped(
  ctx: TeamCtx,
  { series, kind }: { series: Series; kind: string | null },
  userId: string,
  { provider, start_date: from, end_date: to = FOREVER }: Static<typeof UngroupedQuery>,
): Promise<Record<string, unknown>[]> {
  const streams = await findStreams(ctx, userId, { resource: series.name, provider });
  if (streams.length === 0) await findUser(ctx, userId);
  const all: { at: string; shown: Record<string, unknown> }[] = [];
  for (const stream of streams.filter((each) => kind === null || each.kind === kind)) {
    const samples = await readSamples(ctx, series, stream, { from, to, limit: MOST + 1 - all.length });
    for (const sample of samples) all.push({ at: sample.at, shown: renderSample(series, stream, sample) });
    if (all.length > MOST) {
      throw new AppError(
        'too_many_samples',
        `There are more than ${MOST} samples in this range. Ask for a shorter range, or read the samples in pages: ` +
          `GET /v2/timeseries/${'{user_id}'}/${series.name}/grouped.`,
      );
    }
  }
  return all.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at))).map(({ shown }) => shown);
}

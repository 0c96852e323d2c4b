import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { findUser } from '../../users/find.ts';
import type { Series } from '../resources.ts';
import { FOREVER, readSamples } from './read-samples.ts';
import { renderSample } from './sample.ts';
import type { UngroupedQuery } from './schemas.ts';
import { findStreams } from './streams.ts';

/** A month of a value a minute. This form has no pages, and an answer has to stay within memory. */
const MOST = 50_000;

/**
 * Samples of all sources as one list by time, or of one kind of a series that is keyed by it. Throws not_found or
 * user_scheduled_for_deletion for the user, too_many_samples.
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
        `There are more than ${MOST} samples in this range. Ask for a shorter one, or read them in pages: ` +
          `GET /v2/timeseries/${'{user_id}'}/${series.name}/grouped.`,
      );
    }
  }
  return all.sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at))).map(({ shown }) => shown);
}

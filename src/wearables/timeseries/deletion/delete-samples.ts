// Deletes samples that their source has deleted, as a push or a provider reports. The erasure of a user does not use
// this file, because it publishes no events.
import { publishEvents, type Publication } from '../../../events/publish.ts';
import { askForRuns } from '../../ask-for-runs.ts';
import { askForZones } from '../../ask-for-zones.ts';
import type { Writer } from '../../user-writer.ts';
import { seriesOrNull } from '../../series.ts';
import type { Series } from '../../series-type.ts';
import { renderSource } from '../../source.ts';
import { sampleEvent } from '../events.ts';
import { deleteSpans, type Bounds, type SpanToDelete, type DeletedOfStream } from './delete-spans.ts';

const MAX_INTERVALS = 1_000;

/**
 * Deletes at most `most` samples of these spans, except those at the `retained` moments. Publishes the deletion, and
 * returns the number of deleted samples. If it returns `most`, there may be more. With `orNothing`, it deletes all of
 * them or none: if there are more than `most`, it deletes none and returns a number above `most`.
 */
export async function deleteSamples(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  doomed: SpanToDelete[],
  bounds: Bounds,
): Promise<number> {
  if (doomed.length === 0) return 0;
  const { many, gone } = await deleteSpans(ctx, user, doomed, bounds);
  await publishDeleted(ctx, user, gone);
  await askForRuns(
    ctx,
    user,
    gone.map(({ stream }) => stream.resource),
  );
  const heartRates = gone.filter(({ stream }) => stream.resource === 'heartrate');
  await askForZones(
    ctx,
    user,
    heartRates.flatMap(({ chunks }) => chunks.flatMap(({ start, end }) => [start, end])),
  );
  return many;
}

/**
 * Publishes deletions even if they are from a backfill and the team has turned off the events of backfills. The team
 * may have copies of the samples, and would otherwise not learn that they are gone.
 */
async function publishDeleted(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  gone: DeletedOfStream[],
): Promise<void> {
  const publications: Publication[] = [];
  for (const { stream, source_id, version, intervals } of gone) {
    const type = sampleEvent(seriesOrNull(stream.resource) as Series, 'deleted');
    const source = renderSource(ctx.config, stream);
    for (let n = 0; type && n < intervals.length; n += MAX_INTERVALS) {
      const some = intervals.slice(n, n + MAX_INTERVALS);
      const data = { source, source_id, user_id: user.id, version, intervals: some };
      publications.push({ type, user, data, origin: ctx.origin });
    }
  }
  await publishEvents(ctx, publications as never);
}

// The one way by which samples go that their source has deleted, whoever says so; what an erasure of a person takes away is told to nobody.
import { publishEvents, type Publication } from '../../../events/publish.ts';
import { askForRuns } from '../../ask-for-runs.ts';
import { askForZones } from '../../ask-for-zones.ts';
import type { Writer } from '../../one-writer.ts';
import { seriesOrNull, type Series } from '../../resources.ts';
import { renderSource } from '../../source.ts';
import { sampleEvent } from '../events.ts';
import { takeAway, type Bounds, type Doomed, type GoneOf } from './take-away.ts';

const MOST_INTERVALS = 1_000;

/**
 * Deletes the samples of these spans but those at the `kept` moments, at most `most`, and tells of them; how many. Where that is
 * `most`, there may be more of them. With `orNothing` all of them go, or none where there are more than `most`: more is answered.
 */
export async function deleteSamples(
  ctx: Writer,
  user: { id: string; client_user_id: string },
  doomed: Doomed[],
  bounds: Bounds,
): Promise<number> {
  if (doomed.length === 0) return 0;
  const { many, gone } = await takeAway(ctx, user, doomed, bounds);
  await tell(ctx, user, gone);
  await askForRuns(
    ctx,
    user,
    gone.map(({ stream }) => stream.resource),
  );
  const heartRates = gone.filter(({ stream }) => stream.resource === 'heartrate');
  await askForZones(
    ctx,
    user,
    heartRates.flatMap(({ pieces }) => pieces.flatMap(({ start, end }) => [start, end])),
  );
  return many;
}

/** Of a backfill as well, whatever the team has chosen: what is gone was told of once, or may have been read. */
async function tell(ctx: Writer, user: { id: string; client_user_id: string }, gone: GoneOf[]): Promise<void> {
  const publications: Publication[] = [];
  for (const { stream, source_id, version, intervals } of gone) {
    const type = sampleEvent(seriesOrNull(stream.resource) as Series, 'deleted');
    const source = renderSource(ctx.config, stream);
    for (let n = 0; type && n < intervals.length; n += MOST_INTERVALS) {
      const told = intervals.slice(n, n + MOST_INTERVALS);
      const data = { source, source_id, user_id: user.id, version, intervals: told };
      publications.push({ type, user, data, origin: ctx.origin });
    }
  }
  await publishEvents(ctx, publications as never);
}

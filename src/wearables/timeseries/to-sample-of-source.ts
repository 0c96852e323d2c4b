import type { UserRow } from '../../users/find.ts';
import { calendarDateOf, clockOf } from '../calendar-date.ts';
import { isWithinIngestionDates } from '../../users/ingestion-bounds.ts';
import { seriesOrNull } from '../series.ts';
import type { Series } from '../series-type.ts';
import type { SampleInputValue } from './sample-input.ts';
import { toSample } from './sample.ts';
import type { SampleOfSource } from './store-samples.ts';

/** Makes a sample with its series and source from a checked input. */
export function toSampleOfSource(input: SampleInputValue): SampleOfSource {
  const series = seriesOrNull(input.resource) as Series;
  const { provider, source_type = 'unknown', app_id = null, device_id = null } = input;
  return {
    series,
    source: { provider, source_type, app_id, device_id },
    kind: series.keyedByType ? (input.type as string) : '',
    sample: toSample(series, input),
    record: input.record_id ?? null,
  };
}

/**
 * Returns the samples of days within the user's ingestion dates. The day is the local day where the sample was
 * measured.
 */
export function withinBounds(user: UserRow, samples: SampleOfSource[]): SampleOfSource[] {
  if (user.ingestion_start === null && user.ingestion_end === null) return samples;
  return samples.filter(({ sample }) => isWithinIngestionDates(user, calendarDateOf(sample.at, clockOf(sample, user))));
}

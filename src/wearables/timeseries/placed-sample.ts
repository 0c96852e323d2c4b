import type { UserRow } from '../../users/find.ts';
import { calendarDateOf, clockOf } from '../calendar-date.ts';
import { takesDay } from '../../users/ingestion-bounds.ts';
import { seriesOrNull, type Series } from '../resources.ts';
import type { SampleInputValue } from './sample-input.ts';
import { toSample } from './sample.ts';
import type { SampleOfSource } from './store-samples.ts';

/** What was sent, with its series and source; it has been checked. */
export function placedSample(input: SampleInputValue): SampleOfSource {
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

/** What lies on the days that the user's data is taken of, by the calendar of where it was taken. */
export function withinBounds(user: UserRow, samples: SampleOfSource[]): SampleOfSource[] {
  if (user.ingestion_start === null && user.ingestion_end === null) return samples;
  return samples.filter(({ sample }) => takesDay(user, calendarDateOf(sample.at, clockOf(sample, user))));
}

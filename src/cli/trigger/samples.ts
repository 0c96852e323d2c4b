import type { components } from '@phial/client';
import type { Series } from '../../wearables/series-type.ts';

type Sample = components['schemas']['SampleInput'];

const HALF_HOUR_MS = 1_800_000;
const OF_TYPE_ANY = 'peanut';
/** Within the range of every series of numbers. A changed sample has more. */
const [VALUE, CHANGED_VALUE] = [2.5, 3.5];

/** Returns an invented sample of the series. A changed one is at the same time, with another value. */
export function sampleOf(series: Series, at: Date, { isChanged = false } = {}): Sample {
  const timestamp = at.toISOString();
  const end = new Date(at.getTime() + HALF_HOUR_MS / (isChanged ? 2 : 1)).toISOString();
  return {
    resource: series.name,
    provider: 'manual',
    source_type: 'watch',
    unit: series.unit,
    ...typeOf(series),
    ...(series.interval ? { start: timestamp, end } : { timestamp }),
    ...valueOf(series, isChanged),
  } as Sample;
}

function typeOf({ type }: Series): { type?: string } {
  if (type === null) return {};
  return { type: type === 'any' ? OF_TYPE_ANY : (type[0] as string) };
}

function valueOf({ value, only }: Series, isChanged: boolean): Partial<Sample> {
  if (value === 'text') return { value: isChanged ? 'Three eggs' : 'Two eggs' };
  if (value === 'blood_pressure') return { systolic: isChanged ? 125 : 120, diastolic: 80 };
  return { value: only ?? (isChanged ? CHANGED_VALUE : VALUE) };
}

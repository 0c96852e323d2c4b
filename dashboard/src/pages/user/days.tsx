import { Group, SegmentedControl, Stack } from '@mantine/core';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { Glucose } from './glucose-chart.tsx';
import { HeartRate } from './heart-rate-chart.tsx';
import { Steps } from './steps-chart.tsx';

const DAY_MS = 86_400_000;
const RANGES = { day: 1, fortnight: 14, quarter: 90, year: 365 } as const;
const FILTERS = { range: oneOf('day', 'fortnight', 'quarter', 'year') };

/** The wearable days of a user: heart rate with sleep, glucose with meals, steps. */
export function Days({ userId }: { userId: string }) {
  const [{ range = 'fortnight' }, change] = useFilters(FILTERS);
  // Whole hours, so that the same page asks the same question again.
  const now = Math.ceil(Date.now() / 3_600_000) * 3_600_000;
  const span = { start: new Date(now - RANGES[range] * DAY_MS).toISOString(), end: new Date(now).toISOString() };
  return (
    <Stack gap="lg">
      <Group>
        <SegmentedControl
          aria-label="How far back"
          value={range}
          onChange={(value) => change({ range: value === 'fortnight' ? null : (value as keyof typeof RANGES) })}
          data={[
            { value: 'day', label: 'A day' },
            { value: 'fortnight', label: 'Two weeks' },
            { value: 'quarter', label: '90 days' },
            { value: 'year', label: 'A year' },
          ]}
        />
      </Group>
      <HeartRate userId={userId} span={span} />
      <Glucose userId={userId} span={span} />
      <Steps userId={userId} span={span} />
    </Stack>
  );
}

export type Span = { start: string; end: string };

import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { Loading } from '../../parts/states.tsx';
import { VIEWERS_ZONE } from '../../parts/zone.ts';
import { Glucose } from './glucose-chart.tsx';
import { HeartRate } from './heart-rate-chart.tsx';
import { Journeys } from './journeys.tsx';
import { Nights } from './nights.tsx';
import { spanOf } from './span.ts';
import { Steps } from './steps-chart.tsx';
import { activityQuery, userQuery } from './summaries.ts';

const RANGES = { day: 2, fortnight: 14, quarter: 90, year: 365 } as const;
const FILTERS = { range: oneOf('day', 'fortnight', 'quarter', 'year') };

/** The zone of the patient: as the team has set it, or else where most days of the last two weeks were. */
function useZone(userId: string): { zone: string | null; isPending: boolean } {
  const { data: user } = useQuery(userQuery(userId));
  const set = user?.fallback_time_zone?.id ?? null;
  const { first, last } = spanOf(RANGES.fortnight, VIEWERS_ZONE);
  const activity = useQuery({ ...activityQuery(userId, { first, last }), enabled: user !== undefined && set === null });
  const measured = mostFrequent(activity.data?.activity.flatMap(({ time_zone }) => time_zone ?? []) ?? []);
  return { zone: set ?? measured, isPending: user === undefined || (set === null && activity.isPending) };
}

function mostFrequent(zones: readonly string[]): string | null {
  const days = new Map<string, number>();
  for (const zone of zones) days.set(zone, (days.get(zone) ?? 0) + 1);
  const [most] = [...days].toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? null;
}

/** The wearable days of a user: heart rate with sleep, glucose with meals, steps. */
export function Days({ userId }: { userId: string }) {
  const [{ range = 'fortnight' }, change] = useFilters(FILTERS);
  const { zone, isPending } = useZone(userId);
  const span = useMemo(() => spanOf(RANGES[range], zone ?? VIEWERS_ZONE), [range, zone]);
  return (
    <Stack gap="lg">
      <Group>
        <SegmentedControl
          aria-label="How far back"
          value={range}
          onChange={(value) => change({ range: value === 'fortnight' ? null : (value as keyof typeof RANGES) })}
          data={[
            { value: 'day', label: 'Two days' },
            { value: 'fortnight', label: 'Two weeks' },
            { value: 'quarter', label: '90 days' },
            { value: 'year', label: 'A year' },
          ]}
        />
        <Text size="sm" c="dimmed">
          {zone === null
            ? `Times are yours (${VIEWERS_ZONE}): the zone of the patient is not known.`
            : `Times are those of the patient: ${zone}.`}
        </Text>
      </Group>
      {isPending ? (
        <Loading />
      ) : (
        <>
          {zone !== null && <Journeys userId={userId} span={span} zone={zone} />}
          <Nights userId={userId} span={span} />
          <HeartRate userId={userId} span={span} />
          <Glucose userId={userId} span={span} />
          <Steps userId={userId} span={span} />
        </>
      )}
    </Stack>
  );
}

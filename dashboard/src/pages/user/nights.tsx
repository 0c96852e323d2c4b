import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { FigureTile } from '../../parts/figure-tile.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { CalendarDate } from '../../parts/time.tsx';
import type { Span } from './span.ts';
import { activityQuery, sleepQuery } from './summaries.ts';

/** A longer table is no overview. */
const SHOWN = 14;

type Night = { date: string; asleep: number | null; resting: number | null };

/** How long the user slept on each day, and the resting heart rate. */
export function Nights({ userId, span }: { userId: string; span: Span }) {
  const dates = { first: span.first, last: span.last };
  const query = useQuery({
    ...sleepQuery(userId, dates),
    select: ({ sleep }) => sleep,
  });
  const { data: activity } = useQuery(activityQuery(userId, dates));
  return (
    <Section title="Sleep and resting heart rate">
      <Loaded query={query}>
        {(sleeps) => {
          const nights = nightsOf(sleeps, activity?.activity ?? []);
          return nights.length === 0 ? (
            <Text c="dimmed">No sleep and no resting heart rate in this time.</Text>
          ) : (
            <Shown nights={nights} />
          );
        }}
      </Loaded>
    </Section>
  );
}

function Shown({ nights }: { nights: Night[] }) {
  const [asleep, resting] = [meanOf(nights, 'asleep'), meanOf(nights, 'resting')];
  const newest = nights.slice(0, SHOWN);
  return (
    <Stack gap="md">
      <SimpleGrid cols={2}>
        <FigureTile
          label="Sleep"
          value={asleep && inHours(asleep.mean)}
          note={asleep ? `A day, mean of ${asleep.count}` : 'Not measured'}
        />
        <FigureTile
          label="Resting heart rate"
          value={resting && `${Math.round(resting.mean)} bpm`}
          note={resting ? `Mean of ${resting.count} days` : 'Not measured'}
        />
      </SimpleGrid>
      {/* On a narrow screen each day is a card, and the charts would begin far below. */}
      <details open={matchMedia('(min-width: 48em)').matches}>
        <summary>{newest.length < nights.length ? `The newest ${SHOWN} of ${nights.length} days` : 'Each day'}</summary>
        <DataTable caption="Days" columns={COLUMNS} rows={newest} keyOf={({ date }) => date} />
      </details>
    </Stack>
  );
}

type Sleep = { calendar_date: string; total: number; hr_resting: number | null; source: { name: string } };
type Activity = { calendar_date: string; heart_rate: { resting_bpm: number | null } | null };

/** One row a date, the newest first. If several sources saw the same sleep, the one that saw most of it counts. */
function nightsOf(sleeps: readonly Sleep[], activities: readonly Activity[]): Night[] {
  const slept = new Map<string, Map<string, number>>();
  const resting = new Map<string, number>();
  for (const { calendar_date, heart_rate } of activities)
    if (heart_rate?.resting_bpm != null) resting.set(calendar_date, heart_rate.resting_bpm);
  for (const { calendar_date, total, hr_resting, source } of sleeps) {
    const bySource = slept.get(calendar_date) ?? new Map<string, number>();
    slept.set(calendar_date, bySource.set(source.name, (bySource.get(source.name) ?? 0) + total));
    if (hr_resting !== null) resting.set(calendar_date, hr_resting);
  }
  const dates = [...new Set([...slept.keys(), ...resting.keys()])].toSorted().toReversed();
  return dates.map((date) => ({
    date,
    asleep: slept.has(date) ? Math.max(...(slept.get(date)?.values() ?? [])) : null,
    resting: resting.get(date) ?? null,
  }));
}

function meanOf(nights: readonly Night[], name: 'asleep' | 'resting'): { mean: number; count: number } | null {
  const values = nights.map((night) => night[name]).filter((value) => value !== null);
  return values.length === 0
    ? null
    : { mean: values.reduce((sum, value) => sum + value, 0) / values.length, count: values.length };
}

function inHours(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const COLUMNS: Column<Night>[] = [
  { label: 'Day', isHeader: true, render: ({ date }) => <CalendarDate date={date} /> },
  { label: 'Asleep', align: 'right', render: ({ asleep }) => (asleep === null ? '–' : inHours(asleep)) },
  {
    label: 'Resting heart rate',
    align: 'right',
    render: ({ resting }) => (resting === null ? '–' : `${Math.round(resting)} bpm`),
  },
];

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { align, colourOf } from '../../parts/align.ts';
import { Chart } from '../../parts/chart.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { middleOf } from '../../parts/zone.ts';
import type { Span } from './span.ts';
import { activityQuery } from './summaries.ts';

type Days = { source: string; dates: string[]; values: number[] };

/** The steps of each day: what each source counted, and the sum without what two of them counted twice. */
export function Steps({ userId, span }: { userId: string; span: Span }) {
  const { first, last } = span;
  const counted = useQuery({ ...activityQuery(userId, { first, last }), select: ({ activity }) => bySource(activity) });
  const merged = useQuery({
    queryKey: ['steps', userId, first, last],
    queryFn: () => readMerged(userId, first, last),
  });
  return (
    <Section title="Steps a day">
      <Loaded query={merged}>
        {(sum) => (
          <Loaded query={counted}>
            {(sources) =>
              sum.dates.length === 0 && sources.length === 0 ? (
                <Text c="dimmed">No steps in this time.</Text>
              ) : (
                <Drawn sum={sum} sources={sources} span={span} />
              )
            }
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}

const MERGED = 'All sources, merged';

function Drawn({ sum, sources, span }: { sum: Days; sources: Days[]; span: Span }) {
  // What one source counted is the sum: it would stand in the chart twice.
  const days = useMemo(() => [sum, ...(sources.length > 1 || sum.dates.length === 0 ? sources : [])], [sum, sources]);
  const data = useMemo(
    () => align(days.map(({ dates, values }) => ({ at: dates.map((date) => middleOf(date, span.zone)), values }))),
    [days, span.zone],
  );
  const lines = days.map(({ source }, n) => ({
    label: source,
    colour: colourOf(n),
    kind: source === MERGED ? ('bars' as const) : ('points' as const),
  }));
  return (
    <Chart
      label="Steps"
      unit="steps"
      lines={lines}
      data={data}
      syncKey="days"
      zone={span.zone}
      span={span.axis}
      isDaily
    />
  );
}

type Activity = { steps: number | null; calendar_date: string; source: { name: string } };

function bySource(activity: readonly Activity[]): Days[] {
  const found = new Map<string, Days>();
  for (const { steps, calendar_date, source } of activity) {
    if (steps === null) continue;
    const days = found.get(source.name) ?? { source: source.name, dates: [], values: [] };
    found.set(source.name, days);
    days.dates.push(calendar_date);
    days.values.push(steps);
  }
  return [...found.values()];
}

/** The sum of each day over all sources, in which overlapping intervals count once. */
async function readMerged(user_id: string, first: string, last: string): Promise<Days> {
  const days = Math.round((Date.parse(last) - Date.parse(first)) / 86_400_000) + 1;
  // The response may also be Parquet, so the client does not say which of them it is.
  const { results } = (await unwrap(
    phial.POST('/aggregate/v1/user/{user_id}/query', {
      params: { path: { user_id } },
      body: {
        timeframe: { type: 'relative', anchor: last, past: { unit: 'day', value: days } },
        queries: [
          {
            select: [{ group_key: 0 }, { func: 'sum', arg: { timeseries: 'steps' } }],
            group_by: [{ date_trunc: { unit: 'day' } }],
          },
        ],
      },
    }),
  )) as { results: { table: Record<string, unknown[]> }[] };
  const [keys = [], sums = []] = Object.values(results[0]?.table ?? {});
  const known = keys
    .map((key, n) => [String(key).slice(0, 10), sums[n]] as const)
    .filter((row): row is readonly [string, number] => typeof row[1] === 'number');
  return { source: MERGED, dates: known.map(([date]) => date), values: known.map(([, sum]) => sum) };
}

import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { align, colourOf } from '../../parts/align.ts';
import { Chart } from '../../parts/chart.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import type { Span } from './days.tsx';

const DAY_MS = 86_400_000;

type Days = { source: string; at: number[]; values: number[] };

/** The steps of each day: what each source counted, and the sum without what two of them counted twice. */
export function Steps({ userId, span }: { userId: string; span: Span }) {
  const query = useQuery({ queryKey: ['steps', userId, span], queryFn: () => readSteps(userId, span) });
  return (
    <Section title="Steps a day">
      <Loaded query={query}>
        {(days) => (days.length === 0 ? <Text c="dimmed">No steps in this time.</Text> : <Drawn days={days} />)}
      </Loaded>
    </Section>
  );
}

function Drawn({ days }: { days: Days[] }) {
  const data = useMemo(() => align(days), [days]);
  const lines = days.map(({ source }, n) => ({
    label: source,
    colour: colourOf(n),
    kind: source === MERGED ? ('bars' as const) : ('points' as const),
  }));
  return <Chart label="Steps" unit="steps" lines={lines} data={data} syncKey="days" />;
}

const MERGED = 'All sources, merged';

async function readSteps(user_id: string, span: Span): Promise<Days[]> {
  const [{ activity }, merged] = await Promise.all([
    unwrap(
      phial.GET('/v2/summary/activity/{user_id}', {
        params: { path: { user_id }, query: { start_date: span.start.slice(0, 10), end_date: span.end.slice(0, 10) } },
      }),
    ),
    readMerged(user_id, span),
  ]);
  const bySource = new Map<string, Days>();
  for (const { steps, calendar_date, source } of activity) {
    if (steps === null) continue;
    const days = bySource.get(source.name) ?? { source: source.name, at: [], values: [] };
    bySource.set(source.name, days);
    days.at.push(Date.parse(calendar_date) / 1000);
    days.values.push(steps);
  }
  return [...(merged.at.length > 0 ? [merged] : []), ...bySource.values()];
}

/** The sum of each day over all sources, in which overlapping intervals count once. */
async function readMerged(user_id: string, { start, end }: Span): Promise<Days> {
  const days = Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS);
  // The response may also be Parquet, so the client does not say which of them it is.
  const { results } = (await unwrap(
    phial.POST('/aggregate/v1/user/{user_id}/query', {
      params: { path: { user_id } },
      body: {
        timeframe: { type: 'relative', anchor: end.slice(0, 10), past: { unit: 'day', value: days } },
        queries: [
          {
            select: [{ group_key: 0 }, { func: 'sum', arg: { timeseries: 'steps' } }],
            group_by: [{ date_trunc: { unit: 'day' } }],
          },
        ],
      },
    }),
  )) as { results: { table: Record<string, unknown[]> }[] };
  const [moments = [], sums = []] = Object.values(results[0]?.table ?? {});
  const known = moments
    .map((moment, n) => [Date.parse(String(moment)) / 1000, sums[n]] as const)
    .filter((row): row is readonly [number, number] => typeof row[1] === 'number');
  return { source: MERGED, at: known.map(([at]) => at), values: known.map(([, sum]) => sum) };
}

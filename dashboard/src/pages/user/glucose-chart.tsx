import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { phial, unwrap } from '../../api/client.ts';
import { align, colourOf } from '../../parts/align.ts';
import { Chart } from '../../parts/chart.tsx';
import { useGroupedSamples } from '../../parts/grouped-samples.ts';
import { Section } from '../../parts/section.tsx';
import { Failed } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import type { Span } from './days.tsx';

type Meal = { at: string; name: string; energy: string };

/** The glucose of a user, with a line at each meal. */
export function Glucose({ userId, span }: { userId: string; span: Span }) {
  const { sources, isDone, error } = useGroupedSamples('glucose', userId, span);
  const { data: meals = NO_MEALS } = useQuery({
    queryKey: ['meals', userId, span],
    queryFn: () => readMeals(userId, span),
  });
  const draw = useCallback((plot: uPlot) => drawMeals(plot, meals), [meals]);
  const data = useMemo(() => align(sources), [sources]);
  const lines = sources.map(({ source }, n) => ({ label: source, colour: colourOf(n) }));
  return (
    <Section title="Glucose and meals">
      {error !== null && <Failed error={error} />}
      {sources.length === 0 && isDone ? (
        <Text c="dimmed">No glucose in this time.</Text>
      ) : (
        <Chart label="Glucose" unit="mmol/L" lines={lines} data={data} drawOver={draw} syncKey="days" />
      )}
      {meals.length > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {meals.length} meals, the newest: {meals.at(-1)?.name} <Time at={meals.at(-1)?.at ?? ''} />{' '}
          {meals.at(-1)?.energy}
        </Text>
      )}
    </Section>
  );
}

const NO_MEALS: Meal[] = [];

async function readMeals(user_id: string, { start, end }: Span): Promise<Meal[]> {
  const { meals } = await unwrap(
    phial.GET('/v2/summary/meal/{user_id}', {
      params: { path: { user_id }, query: { start_date: start.slice(0, 10), end_date: end.slice(0, 10) } },
    }),
  );
  return meals
    .map(({ timestamp, name, energy }) => ({
      at: timestamp,
      name: name ?? 'a meal',
      energy: energy ? `${energy.value} ${energy.unit}` : '',
    }))
    .toSorted((one, other) => one.at.localeCompare(other.at));
}

function drawMeals(plot: uPlot, meals: readonly Meal[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = '#a1461f';
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const { at } of meals) {
    const x = plot.valToPos(Date.parse(at) / 1000, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

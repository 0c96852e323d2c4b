import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type uPlot from 'uplot';
import type { components } from '../../api/client.ts';
import { align, colourOf } from '../../parts/align.ts';
import { pointAtOne } from '../../parts/chart-touch.ts';
import { Chart, Swatch } from '../../parts/chart.tsx';
import { useGroupedSamples } from '../../parts/grouped-samples.ts';
import { Section } from '../../parts/section.tsx';
import { Failed } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { rangeOf, type Span } from './span.ts';
import { mealQuery } from './summaries.ts';

/** The target of the international consensus on time in range (Battelino et al., Diabetes Care 2019), in mmol/L. */
const TARGET = { least: 3.9, most: 10 };
const [TARGET_COLOUR, MEAL_COLOUR] = ['#3f9a5f', '#c9713f'];
/** A cursor so near to a meal means the meal, in parts of the width of the chart. */
const NEAR = 0.015;

type Meal = { at: number; words: string };

/** The glucose of a user, with a line at each meal and the band in which it should be. */
export function Glucose({ userId, span }: { userId: string; span: Span }) {
  const { sources, isDone, error } = useGroupedSamples('glucose', userId, rangeOf(span));
  const { zone, first, last } = span;
  const select = useCallback(({ meals }: { meals: EatenMeal[] }) => mealsOf(meals, zone), [zone]);
  const { data: meals = NO_MEALS } = useQuery({ ...mealQuery(userId, { first, last }), select });
  const draw = useCallback((plot: uPlot) => drawTargetAndMeals(plot, meals), [meals]);
  const [near, setNear] = useState<Meal | null>(null);
  const width = span.axis[1] - span.axis[0];
  const data = useMemo(() => align(sources), [sources]);
  return (
    <Section title="Glucose (mmol/L) and meals">
      {error !== null && <Failed error={error} />}
      {sources.length === 0 && isDone ? (
        <Text c="dimmed">No glucose in this time.</Text>
      ) : (
        <>
          <Chart
            label="Glucose"
            unit="mmol/L"
            lines={sources.map(({ source }, n) => ({ label: inWords(source), colour: colourOf(n) }))}
            data={data}
            drawOver={draw}
            syncKey="days"
            zone={zone}
            span={span.axis}
            onPoint={(at) => setNear(at === null ? null : nearest(meals, at, width * NEAR))}
          />
          <Legend near={near} hasMeals={meals.length > 0} />
          <Text size="sm" c="dimmed" mt="xs">
            Sensors report mmol/L. Laboratories in the United States report mg/dL: 1 mmol/L is 18 mg/dL.
          </Text>
        </>
      )}
      {meals.length > 0 && (
        <details>
          <summary>{meals.length === 1 ? 'One meal' : `All ${meals.length} meals`}</summary>
          <ul>
            {meals.toReversed().map(({ at, words }) => (
              <li key={`${at} ${words}`}>{words}</li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

function Legend({ near, hasMeals }: { near: Meal | null; hasMeals: boolean }) {
  return (
    <Group gap="md" mt="xs">
      <Group gap={6} wrap="nowrap">
        <Swatch colour={`${TARGET_COLOUR}55`} />
        <Text size="sm">Target 3.9–10.0 mmol/L (70–180 mg/dL), the consensus for time in range</Text>
      </Group>
      {hasMeals && (
        <Group gap={6} wrap="nowrap">
          <Swatch colour={MEAL_COLOUR} />
          <Text size="sm">{near === null ? `Dashed: meals. ${pointAtOne()} to read what it was.` : near.words}</Text>
        </Group>
      )}
    </Group>
  );
}

const NO_MEALS: Meal[] = [];
type EatenMeal = Pick<components['schemas']['Meal'], 'timestamp' | 'name' | 'energy'>;

function mealsOf(meals: readonly EatenMeal[], zone: string): Meal[] {
  const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short', timeZone: zone });
  return meals
    .map(({ timestamp, name, energy }) => {
      const at = Date.parse(timestamp);
      const eaten = energy ? `, ${Math.round(energy.value)} ${energy.unit}` : '';
      return { at: at / 1000, words: `${name || 'A meal'}, ${clock.format(at)}${eaten}` };
    })
    .toSorted((one, other) => one.at - other.at);
}

/** The meal at the moment, give or take some seconds. */
function nearest(meals: readonly Meal[], moment: number, seconds: number): Meal | null {
  const distance = ({ at }: Meal): number => Math.abs(at - moment);
  const [found] = meals
    .filter((meal) => distance(meal) <= seconds)
    .toSorted((one, other) => distance(one) - distance(other));
  return found ?? null;
}

function drawTargetAndMeals(plot: uPlot, meals: readonly Meal[]): void {
  const { ctx, bbox } = plot;
  const bottom = bbox.top + bbox.height;
  const clip = (y: number): number => Math.min(Math.max(y, bbox.top), bottom);
  ctx.save();
  const [top, base] = [clip(plot.valToPos(TARGET.most, 'y', true)), clip(plot.valToPos(TARGET.least, 'y', true))];
  ctx.fillStyle = `${TARGET_COLOUR}22`;
  ctx.fillRect(bbox.left, top, bbox.width, base - top);
  ctx.strokeStyle = MEAL_COLOUR;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const { at } of meals) {
    const x = plot.valToPos(at, 'x', true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bottom);
    ctx.stroke();
  }
  ctx.restore();
}

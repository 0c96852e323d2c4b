import { Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import type { components } from '../../api/client.ts';
import { align, colourOf } from '../../parts/align.ts';
import { howToZoom } from '../../parts/chart-touch.ts';
import { Chart, Swatch } from '../../parts/chart.tsx';
import { useGroupedSamples } from '../../parts/grouped-samples.ts';
import { Section } from '../../parts/section.tsx';
import { Failed } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { rangeOf, type Span } from './span.ts';
import { cycleQuery } from './summaries.ts';

/** Stages as in sleep cycles: their colour and their height beneath the curve, deep sleep lowest. */
const STAGES: Record<number, { name: string; colour: string; level: number }> = {
  1: { name: 'Deep sleep', colour: '#5b4b9a', level: 0 },
  2: { name: 'Light sleep', colour: '#2f7fbf', level: 1 },
  3: { name: 'REM sleep', colour: '#2b8a8c', level: 2 },
  4: { name: 'Awake in bed', colour: '#c9713f', level: 3 },
};
const BAND_PX = 5;

type Stage = { begin: number; end: number; type: number };

/** The heart rate of a user, with the stages of sleep beneath it. */
export function HeartRate({ userId, span }: { userId: string; span: Span }) {
  const { sources, isDone, error } = useGroupedSamples('heartrate', userId, rangeOf(span));
  const { data: stages } = useQuery({
    ...cycleQuery(userId, { first: span.first, last: span.last }),
    select: stagesOf,
  });
  const drawSleep = useCallback((plot: uPlot) => drawStages(plot, stages ?? []), [stages]);
  const data = useMemo(() => align(sources), [sources]);
  const lines = sources.map(({ source }, n) => ({ label: inWords(source), colour: colourOf(n) }));
  const count = sources.reduce((sum, { at }) => sum + at.length, 0);
  return (
    <Section title="Heart rate and sleep">
      {error !== null && <Failed error={error} />}
      {!isDone && <Progress value={100} animated aria-label="Samples are being read" mb="sm" />}
      {count === 0 && isDone ? (
        <Text c="dimmed">No heart rate in this time.</Text>
      ) : (
        <>
          <Chart
            label="Heart rate"
            unit="bpm"
            lines={lines}
            data={data}
            drawOver={drawSleep}
            syncKey="days"
            zone={span.zone}
            span={span.axis}
          />
          {stages && stages.length > 0 && <Legend />}
          <Text size="sm" c="dimmed" mt="xs">
            {count.toLocaleString()} samples. {howToZoom()}
          </Text>
        </>
      )}
    </Section>
  );
}

/** What the bands beneath the curve are, from the top down. */
const Legend = () => (
  <Group gap="md" mt="xs">
    {Object.values(STAGES)
      .toReversed()
      .map(({ name, colour }) => (
        <Group key={name} gap={6} wrap="nowrap">
          <Swatch colour={colour} />
          <Text size="sm">{name}</Text>
        </Group>
      ))}
  </Group>
);

type Cycles = components['schemas']['SleepCycle'][];

const stagesOf = ({ sleep_cycle }: { sleep_cycle: Cycles }): Stage[] =>
  sleep_cycle.flatMap(({ session_start, stage_start_offset_second, stage_end_offset_second, stage_type }) => {
    const from = Date.parse(session_start) / 1000;
    return stage_type.map((type, n) => ({
      begin: from + (stage_start_offset_second[n] ?? 0),
      end: from + (stage_end_offset_second[n] ?? 0),
      type,
    }));
  });

function drawStages(plot: uPlot, stages: readonly Stage[]): void {
  const { ctx, bbox } = plot;
  const band = BAND_PX * devicePixelRatio;
  ctx.save();
  for (const { begin, end, type } of stages) {
    const stage = STAGES[type];
    if (!stage) continue;
    const left = Math.max(plot.valToPos(begin, 'x', true), bbox.left);
    const right = Math.min(plot.valToPos(end, 'x', true), bbox.left + bbox.width);
    if (right <= left) continue;
    ctx.fillStyle = stage.colour;
    ctx.fillRect(left, bbox.top + bbox.height - band * (stage.level + 1), right - left, band - 1);
  }
  ctx.restore();
}

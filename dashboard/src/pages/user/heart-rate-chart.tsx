import { Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import { phial, unwrap } from '../../api/client.ts';
import { align, colourOf } from '../../parts/align.ts';
import { Chart } from '../../parts/chart.tsx';
import { useGroupedSamples } from '../../parts/grouped-samples.ts';
import { Section } from '../../parts/section.tsx';
import { Failed } from '../../parts/states.tsx';
import type { Span } from './days.tsx';

/** Stages as in sleep cycles: their colour and their height beneath the curve, deep sleep lowest. */
const STAGES: Record<number, { name: string; colour: string; level: number }> = {
  1: { name: 'Deep', colour: '#5b4b9a', level: 0 },
  2: { name: 'Light', colour: '#17588f', level: 1 },
  3: { name: 'REM', colour: '#1f7073', level: 2 },
  4: { name: 'Awake', colour: '#a1461f', level: 3 },
};
const BAND_PX = 5;

type Stage = { begin: number; end: number; type: number };

/** The heart rate of a user, with the stages of sleep beneath it. */
export function HeartRate({ userId, span }: { userId: string; span: Span }) {
  const { sources, isDone, error } = useGroupedSamples('heartrate', userId, span);
  const { data: stages } = useQuery({
    queryKey: ['sleep_cycle', userId, span],
    queryFn: () => readStages(userId, span),
  });
  const drawSleep = useCallback((plot: uPlot) => drawStages(plot, stages ?? []), [stages]);
  const data = useMemo(() => align(sources), [sources]);
  const lines = sources.map(({ source }, n) => ({ label: source, colour: colourOf(n) }));
  const count = sources.reduce((sum, { at }) => sum + at.length, 0);
  return (
    <Section title="Heart rate and sleep">
      {error !== null && <Failed error={error} />}
      {!isDone && <Progress value={100} animated aria-label="Samples are being read" mb="sm" />}
      {count === 0 && isDone ? (
        <Text c="dimmed">No heart rate in this time.</Text>
      ) : (
        <>
          <Chart label="Heart rate" unit="bpm" lines={lines} data={data} drawOver={drawSleep} syncKey="days" />
          <Text size="sm" c="dimmed" mt="xs">
            {count.toLocaleString()} samples. Drag to zoom, double-click to see all. Beneath:{' '}
            {Object.values(STAGES)
              .map(({ name }) => name.toLowerCase())
              .join(', ')}{' '}
            sleep, from the lowest line up.
          </Text>
        </>
      )}
    </Section>
  );
}

async function readStages(user_id: string, { start, end }: Span): Promise<Stage[]> {
  const { sleep_cycle } = await unwrap(
    phial.GET('/v2/summary/sleep_cycle/{user_id}', {
      params: { path: { user_id }, query: { start_date: start.slice(0, 10), end_date: end.slice(0, 10) } },
    }),
  );
  return sleep_cycle.flatMap(({ session_start, stage_start_offset_second, stage_end_offset_second, stage_type }) => {
    const from = Date.parse(session_start) / 1000;
    return stage_type.map((type, n) => ({
      begin: from + (stage_start_offset_second[n] ?? 0),
      end: from + (stage_end_offset_second[n] ?? 0),
      type,
    }));
  });
}

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

import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { align, colourOf } from '../../parts/align.ts';
import { Chart, type Colour, type Line } from '../../parts/chart.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { unitInWords } from '../../parts/unit.ts';
import { momentOf, type Point, type Trend } from './trend.ts';

const DAY_S = 86_400;
/** One result, or several of one day, stand in the middle of this time. */
const LEAST_SPAN_S = 60 * DAY_S;
/** The room between the newest result and the edge. */
const EDGE_S = 2 * DAY_S;

/** What stands out is larger too: colour alone says nothing. */
const LOOKS: Record<string, { colour: Colour; size: number }> = {
  critical: { colour: ['#b42332', '#ff9aa2'], size: 13 },
  abnormal: { colour: ['#8a5a00', '#e8b84a'], size: 10 },
};
const ORDINARY = { colour: colourOf(0), size: 7 };

type Measured = { at: number; point: Point };

/** The results of a marker over time, in colours of their meaning, between the ends of their ranges. */
export function Curve({ line }: { line: Trend }) {
  const measured = useMemo(
    () =>
      (line.points ?? [])
        .filter((point) => point.value !== null && momentOf(point) !== '')
        .map((point) => ({ at: Date.parse(momentOf(point)) / 1000, point }))
        .toSorted((one, other) => one.at - other.at),
    [line],
  );
  const span = useMemo(() => spanOf(measured), [measured]);
  const drawn = useMemo(() => (span ? rowsOf(measured, span) : null), [measured, span]);
  if (!span || !drawn) return <Text c="dimmed">These results are words, so there is no curve.</Text>;
  return <Chart label={line.name} unit={unitInWords(line.unit)} data={drawn.data} lines={drawn.lines} span={span} />;
}

/** A little more than the time of the results, so that none stands at the edge. */
function spanOf(measured: readonly Measured[]): readonly [number, number] | null {
  const [first, last] = [measured[0]?.at, measured.at(-1)?.at];
  if (first === undefined || last === undefined) return null;
  const margin = Math.max((last - first) * 0.05, (LEAST_SPAN_S - (last - first)) / 2);
  // No result lies in the future, so the axis ends soon after now.
  const end = Math.min(last + margin, Math.max(Date.now() / 1000, last) + EDGE_S);
  return [Math.min(first - margin, end - LEAST_SPAN_S), end];
}

function rowsOf(measured: readonly Measured[], [begin, end]: readonly [number, number]) {
  const meanings = [...new Set(measured.map(({ point }) => point.interpretation))].toSorted();
  const rows = meanings.map((meaning) => {
    const of = measured.filter(({ point }) => point.interpretation === meaning);
    return {
      line: { label: inWords(meaning), kind: 'points' as const, ...(LOOKS[meaning] ?? ORDINARY) } as Line,
      at: of.map(({ at }) => at),
      values: of.map(({ point }) => point.value),
    };
  });
  const ends = (
    [
      ['Lower end of the range', 'min_range_value', 3],
      ['Upper end of the range', 'max_range_value', 4],
    ] as const
  ).flatMap(([label, name, colour]) => {
    const values = measured.map(({ point }) => point[name]);
    if (values.every((value) => value === null)) return [];
    // The first and the last range go on to the edges: a single result has a line then too.
    return [
      {
        line: { label, colour: colourOf(colour), isReference: true } as Line,
        at: [begin, ...measured.map(({ at }) => at), end],
        values: [values[0] ?? null, ...values, values.at(-1) ?? null],
      },
    ];
  });
  const all = [...rows, ...ends];
  return { data: align(all), lines: all.map(({ line }) => line) };
}

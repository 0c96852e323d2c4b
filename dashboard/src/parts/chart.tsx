import uPlot, { type AlignedData, type Options, type Series } from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import classes from './chart.module.css';

type Line = {
  label: string;
  /** Colours of the two schemes, each readable on its ground. */
  colour: readonly [light: string, dark: string];
  /** Bars for sums of a day. Default: a line. */
  kind?: 'bars' | 'points';
};

type ChartProps = {
  /** What the chart shows, for screen readers. */
  label: string;
  unit: string;
  lines: readonly Line[];
  /** The first row has the moments in seconds since 1970, then a row a line. A missing value is null. */
  data: AlignedData;
  height?: number;
  /** Draws over the chart, for example bands of sleep. */
  drawOver?: (plot: uPlot) => void;
  /** Charts with the same key move together. */
  syncKey?: string;
};

/** A long series. Drag to zoom, double-click to see all, arrow keys to pan, plus and minus to zoom. */
export function Chart({ label, unit, lines, data, height = 240, drawOver, syncKey }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const scheme = useComputedColorScheme('light');
  const shown = useRef(data);
  shown.current = data;
  const shape = lines.map(({ label: name, kind }) => `${name} ${kind}`).join();
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const options = optionsOf({ lines, unit, height, width: element.clientWidth, isDark: scheme === 'dark', syncKey });
    const made = new uPlot({ ...options, hooks: { drawClear: drawOver ? [drawOver] : [] } }, shown.current, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
    // The data has an effect of its own: it comes in pages, and a new chart for each would lose the zoom.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [shape, unit, height, scheme, syncKey, drawOver]);
  useEffect(() => plot.current?.setData(data, false), [data]);
  useEffect(() => {
    const moments = data[0];
    const [first, last] = [moments[0], moments.at(-1)];
    if (first !== undefined && last !== undefined && last > first)
      plot.current?.setScale('x', { min: first, max: last });
  }, [data]);
  return (
    <div
      ref={frame}
      className={classes['frame']}
      role="img"
      aria-label={`${label}, in ${unit}. ${summaryOf(data)}`}
      tabIndex={0}
      onKeyDown={(event) => {
        const step = STEPS[event.key];
        if (!plot.current || !step) return;
        event.preventDefault();
        move(plot.current, step);
      }}
    />
  );
}

type Step = { pan?: number; zoom?: number };
const STEPS: Partial<Record<string, Step>> = {
  ArrowLeft: { pan: -0.2 },
  ArrowRight: { pan: 0.2 },
  '+': { zoom: 0.5 },
  '-': { zoom: 2 },
};

function move(plot: uPlot, { pan = 0, zoom = 1 }: Step): void {
  const { min, max } = plot.scales['x'] ?? {};
  if (min === undefined || max === undefined || min === null || max === null) return;
  const width = (max - min) * zoom;
  const middle = (min + max) / 2 + (max - min) * pan;
  plot.setScale('x', { min: middle - width / 2, max: middle + width / 2 });
}

/** What a person who does not see the chart learns first. */
function summaryOf(data: AlignedData): string {
  let [least, most, count] = [Infinity, -Infinity, 0];
  for (const row of data.slice(1))
    for (const value of row as Iterable<number | null | undefined>) {
      if (value == null || Number.isNaN(value)) continue;
      least = Math.min(least, value);
      most = Math.max(most, value);
      count += 1;
    }
  return count === 0 ? 'No values.' : `${count} values, from ${least} to ${most}.`;
}

type Drawn = Pick<ChartProps, 'lines' | 'unit' | 'syncKey'> & { height: number; width: number; isDark: boolean };

function optionsOf({ lines, unit, height, width, isDark, syncKey }: Drawn): Options {
  const [ink, grid] = isDark ? ['#a2aab3', '#373e47'] : ['#57606a', '#e3e6e8'];
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  return {
    width,
    height,
    cursor: { drag: { x: true, y: false }, ...(syncKey && { sync: { key: syncKey } }) },
    scales: { x: { time: true } },
    axes: [
      axis,
      { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => `${tick}`), label: unit, labelSize: 18 },
    ],
    series: [{}, ...lines.map((line) => seriesOf(line, unit, isDark))],
  };
}

function seriesOf({ label, colour, kind }: Line, unit: string, isDark: boolean): Series {
  const stroke = colour[isDark ? 1 : 0];
  const value = (_: uPlot, shown: number | null): string => (shown === null ? '–' : `${shown} ${unit}`);
  if (kind === 'bars')
    return {
      label,
      stroke,
      fill: `${stroke}66`,
      value,
      paths: uPlot.paths.bars?.({ size: [0.7, 60] }) ?? null,
    } as Series;
  if (kind === 'points') return { label, stroke, value, width: 0, points: { show: true, size: 7, fill: stroke } };
  return { label, stroke, value, width: 1.3, points: { show: false } };
}

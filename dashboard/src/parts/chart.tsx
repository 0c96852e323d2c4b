import uPlot, { type AlignedData, type Options, type Series } from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { Checkbox, Group, Text, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { followTouch } from './chart-touch.ts';
import classes from './chart.module.css';

/** Of the light and of the dark scheme. */
export type Colour = readonly [light: string, dark: string];

export type Line = {
  label: string;
  /** Colours of the two schemes, each readable on its ground. */
  colour: Colour;
  /** Bars for sums of a day. Default: a line. */
  kind?: 'bars' | 'points';
  /** The width of a point in pixels. Default: 7. */
  size?: number;
  /** It is no measured value, such as the end of a range. What describes the chart does not count it. */
  isReference?: true;
};

type ChartProps = {
  /** What the chart shows, for screen readers. */
  label: string;
  unit: string;
  lines: readonly Line[];
  /** The first row has the moments in seconds since 1970, then a row a line. A missing value is null. */
  data: AlignedData;
  height?: number;
  /** Draws beneath the lines, for example bands of sleep. */
  drawOver?: (plot: uPlot) => void;
  /** Charts with the same key move together. */
  syncKey?: string;
  /** Whose clocks the axis shows. Default: those of the viewer. */
  zone?: string;
  /** The first and the last moment of the axis. Default: those of the data. */
  span?: readonly [first: number, last: number];
  /** For sums of days: values begin at 0, and moments are dates. */
  isDaily?: boolean;
  /** Is told the moment under the cursor. */
  onPoint?: (at: number | null) => void;
};

/** A long series. `howToZoom` says how to zoom. Arrow keys pan, plus and minus zoom. */
export function Chart(props: ChartProps) {
  const { label, unit, lines, data, height = 240, drawOver, syncKey, zone, span, isDaily = false, onPoint } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const scheme = useComputedColorScheme('light');
  const shown = useRef(data);
  shown.current = data;
  const told = useRef(onPoint);
  told.current = onPoint;
  const [first, last] = span ?? [data[0][0], data[0].at(-1)];
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const shape = lines.map(({ label: name, kind, size }) => `${name} ${kind} ${size}`).join();
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const drawn = {
      lines,
      unit,
      height,
      width: element.clientWidth,
      isDark: scheme === 'dark',
      syncKey,
      zone,
      isDaily,
    };
    const setCursor = ({ cursor, posToVal }: uPlot): void => {
      const isPointed = cursor.idx != null && cursor.left !== undefined && cursor.left >= 0;
      element.toggleAttribute('data-pointed', isPointed);
      told.current?.(isPointed ? posToVal(cursor.left as number, 'x') : null);
    };
    const hooks = { drawClear: drawOver ? [drawOver] : [], setCursor: [setCursor], ready: [followTouch] };
    const made = new uPlot({ ...optionsOf(drawn), hooks }, shown.current, element);
    plot.current = made;
    fit(made, first, last);
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
    // The data has an effect of its own: it comes in pages, and a new chart for each would lose the zoom.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [shape, unit, height, scheme, syncKey, drawOver, zone, isDaily]);
  useEffect(() => plot.current?.setData(data, false), [data]);
  useEffect(() => fit(plot.current, first, last), [data, first, last]);
  useEffect(() => {
    for (const [n, line] of lines.entries()) plot.current?.setSeries(n + 1, { show: !hidden.includes(line.label) });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [hidden, shape]);
  return (
    <>
      <Lines lines={lines} hidden={hidden} change={setHidden} isDark={scheme === 'dark'} />
      <div
        ref={frame}
        className={classes['frame']}
        role="img"
        aria-label={`${label}, in ${unit}. ${summaryOf(data, lines)}`}
        tabIndex={0}
        onKeyDown={(event) => {
          const step = STEPS[event.key];
          if (!plot.current || !step) return;
          event.preventDefault();
          move(plot.current, step);
        }}
      />
    </>
  );
}

/** Shows the whole time. A single moment has none. */
function fit(plot: uPlot | null, min: number | undefined, max: number | undefined): void {
  if (min !== undefined && max !== undefined && max > min) plot?.setScale('x', { min, max });
}

type LinesProps = Pick<ChartProps, 'lines'> & {
  hidden: readonly string[];
  change: (hidden: readonly string[]) => void;
  isDark: boolean;
};

/** Which lines are drawn, each with its colour. */
function Lines({ lines, hidden, change, isDark }: LinesProps) {
  const named = ({ label, colour }: Line) => (
    <Group key={label} gap={6} wrap="nowrap" component="span">
      <Swatch colour={colour[isDark ? 1 : 0]} />
      <Text size="sm" component="span">
        {label}
      </Text>
    </Group>
  );
  if (lines.length < 2) return lines.map(named);
  return (
    <Group gap="md" mb="xs" role="group" aria-label="Lines of the chart">
      {lines.map((line) => (
        <Checkbox
          key={line.label}
          size="xs"
          label={named(line)}
          checked={!hidden.includes(line.label)}
          onChange={({ currentTarget: { checked } }) =>
            change(checked ? hidden.filter((other) => other !== line.label) : [...hidden, line.label])
          }
        />
      ))}
    </Group>
  );
}

/** A patch of the colour that a chart draws something in. */
export const Swatch = ({ colour }: { colour: string }) => (
  <span className={classes['swatch']} style={{ background: colour }} aria-hidden />
);

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
function summaryOf(data: AlignedData, lines: readonly Line[]): string {
  let [least, most, count] = [Infinity, -Infinity, 0];
  for (const row of data.slice(1).filter((_, n) => !lines[n]?.isReference))
    for (const value of row as Iterable<number | null | undefined>) {
      if (value == null || Number.isNaN(value)) continue;
      least = Math.min(least, value);
      most = Math.max(most, value);
      count += 1;
    }
  return count === 0
    ? 'No values.'
    : count === 1
      ? `One value, ${least}.`
      : `${count} values, from ${least} to ${most}.`;
}

type Drawn = Pick<ChartProps, 'lines' | 'unit' | 'syncKey' | 'zone' | 'isDaily'> & {
  height: number;
  width: number;
  isDark: boolean;
};

const DAY: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'short', day: 'numeric' };

function optionsOf({ lines, unit, height, width, isDark, syncKey, zone, isDaily }: Drawn): Options {
  const [ink, grid] = isDark ? ['#a2aab3', '#373e47'] : ['#57606a', '#e3e6e8'];
  const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
  const shown = new Intl.DateTimeFormat(undefined, {
    ...DAY,
    ...(!isDaily && { hour: 'numeric', minute: '2-digit' }),
    ...(zone && { timeZone: zone }),
  });
  return {
    width,
    height,
    ...(zone && { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), zone) }),
    cursor: { drag: { x: true, y: false }, ...(syncKey && { sync: { key: syncKey } }) },
    scales: {
      x: { time: true },
      ...(isDaily && { y: { range: (_: uPlot, __: number, most: number) => [0, Math.max(most * 1.1, 1)] as const } }),
    } as Options['scales'] & object,
    axes: [
      axis,
      { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => `${tick}`), label: unit, labelSize: 18 },
    ],
    series: [
      {
        label: isDaily ? 'Day' : 'Time',
        value: (_: uPlot, at: number | null) => (at === null ? '–' : shown.format(at * 1000)),
      },
      ...lines.map((line) => seriesOf(line, unit, isDark)),
    ],
  };
}

function seriesOf({ label, colour, kind, size = 7 }: Line, unit: string, isDark: boolean): Series {
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
  if (kind === 'points') return { label, stroke, value, width: 0, points: { show: true, size, fill: stroke } };
  return { label, stroke, value, width: 1.3, points: { show: false } };
}

// Checks data of providers by the limits of pushed data.
import type { TObject } from 'typebox';
import type { Logger } from '../../../log.ts';
import { invalidPathsOf, type Path } from '../../schema-check.ts';
import { pastMoment } from '../../../wire/moment.ts';
import { isPlausible, seriesOrNull } from '../../series.ts';
import type { Series } from '../../series-type.ts';
import type { StoredSource } from '../../source.ts';
import type { IncomingSummary } from '../../summaries/new-summary.ts';
import type { SummaryItem, SummaryResource } from '../../summaries/resource.ts';
import type { SampleExtra } from '../../timeseries/sample.ts';
import { FURTHEST_OFFSET_S, LONGEST_MS } from '../../timeseries/sample-input.ts';
import type { SampleOfSource } from '../../timeseries/store-samples.ts';
import type { Mapper, Pulled } from '../importer.ts';
import { secondsOf, type ProviderObject } from './read-response.ts';

/** A summary from a provider's response; null if the response contains none. */
export type Item = SummaryItem | null;

/**
 * The most rounds of removing invalid values. The check does not report all errors at once, so one round is not enough.
 */
const MAX_ROUNDS = 50;
const SUMMARIES_PER_CHUNK = 100;
const SAMPLES_PER_CHUNK = 2_000;
const FIRST_MOMENT = '1900-01-01';

/**
 * Makes valid summaries from raw payloads, in chunks. One invalid summary would prevent the storage of its whole chunk.
 * So this function removes each value that is outside of its limits or of the session. It leaves out a summary that is
 * still invalid then. The raw payload retains the removed values. Counts each summary that lost a value or is left out.
 * `points` are the points of a workout, if they come in a response of their own.
 */
export function* summariesOf(
  log: Logger,
  mapper: Mapper,
  raws: readonly ProviderObject[],
  points?: Readonly<Record<string, unknown>>,
): Iterable<Pulled> {
  const { resource } = mapper;
  let left_out = 0;
  let provider = '';
  const fitting = raws.flatMap((raw): IncomingSummary[] => {
    const mapped = mapper.toItem(raw);
    if (mapped === null) return [];
    const { item, isWhole } = fit(resource, { ...mapped, ...points });
    if (!isWhole) {
      left_out += 1;
      provider = mapped.provider;
    }
    return item === null ? [] : [{ item, raw }];
  });
  if (left_out > 0) {
    log.warn({ resource: resource.name, left_out }, "values of a provider's summaries are out of bounds");
    yield { skipped: { provider, resource: resource.name, many: left_out } };
  }
  for (let n = 0; n < fitting.length; n += SUMMARIES_PER_CHUNK)
    yield { summaries: { resource, incoming: fitting.slice(n, n + SUMMARIES_PER_CHUNK) } };
}

const checks = new WeakMap<TObject, (item: unknown) => Path[]>();

function invalidPathsIn(input: TObject, item: SummaryItem): Path[] {
  const check = checks.get(input) ?? invalidPathsOf(input);
  checks.set(input, check);
  return check(item);
}

/** `item` is null if the summary is invalid even without the removed fields. */
type Fitting = { item: SummaryItem | null; isWhole: boolean };

/** Removes the values of a summary that are outside of their limits or of the session. */
export function fit({ input, withinSession }: SummaryResource, item: SummaryItem): Fitting {
  const fitted: Record<string, unknown> = structuredClone(item);
  const required: readonly string[] = (input as { required?: string[] }).required ?? [];
  for (const [name, value] of Object.entries(fitted)) if (value === null || value === undefined) delete fitted[name];
  if (fitted['sleep_stream']) fitted['sleep_stream'] = withinBed(fitted);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const wrong = invalidPathsIn(input, fitted as SummaryItem);
    if (wrong.length === 0) {
      const within = withinSession ? withinSession(fitted as SummaryItem) : (fitted as SummaryItem);
      return { item: within, isWhole: round === 0 && within === fitted };
    }
    for (const [name = '', within] of wrong) {
      if (isColumn(fitted[name], within)) delete (fitted[name] as Record<string, unknown>)[within as string];
      else if (required.includes(name)) return { item: null, isWhole: false };
      else delete fitted[name];
    }
  }
  return { item: null, isWhole: false };
}

/**
 * Cuts the sleep stages to the time of the sleep. At some providers each stage has five minutes, so the last stage may
 * end later than the sleep.
 */
function withinBed({ sleep_stream, bedtime_start, bedtime_stop }: Record<string, unknown>): unknown {
  const { hypnogram, ...others } = sleep_stream as { hypnogram?: { start: number[]; end: number[]; value: number[] } };
  if (!hypnogram) return sleep_stream;
  const [from, to] = [secondsOf(String(bedtime_start)), secondsOf(String(bedtime_stop))];
  const lies = hypnogram.start.map((start, n) => start < to && (hypnogram.end[n] as number) > from);
  const columnOf = (column: number[]): number[] =>
    column.filter((_, n) => lies[n]).map((at) => Math.min(Math.max(at, from), to));
  if (!lies.includes(true)) return others;
  const { start, end, value } = hypnogram;
  return {
    ...others,
    hypnogram: { start: columnOf(start), end: columnOf(end), value: value.filter((_, n) => lies[n]) },
  };
}

/** Whether a path leads into a column of points. Every such column may be removed, except the times. */
const isColumn = (value: unknown, within: string | undefined): boolean =>
  typeof value === 'object' && value !== null && within !== undefined && within !== 'time' && !Array.isArray(value);

export type Measured = {
  /** The moment of a sample, or the start of its interval, as `2026-03-01T09:00:00.000Z`. */
  at: string;
  value: number | null;
  /** The length of the interval in milliseconds; 0 if it is not known. */
  duration_ms?: number;
  timezone_offset?: number | null;
  extra?: SampleExtra;
};

/**
 * Returns samples of a series in chunks. `unit` is the unit of the values; without it, they are in the unit of the
 * series. Impossible values are left out.
 */
export function* samplesOf(name: string, source: StoredSource, measured: Measured[], unit?: string): Iterable<Pulled> {
  const series = seriesOrNull(name) as Series;
  const convert = unit === undefined || unit === series.unit ? (value: number) => value : series.units[unit];
  if (!convert) throw new Error(`${name} does not accept the unit ${unit}.`);
  const samples = measured.flatMap(
    ({ at, value: reading, duration_ms = 0, timezone_offset = null, extra }): SampleOfSource[] => {
      const value = reading === null ? null : convert(reading, null);
      if (value === null || !isMeasurable(series, value, extra)) return [];
      if (at < FIRST_MOMENT || pastMoment(at) === null || duration_ms < 0 || duration_ms > LONGEST_MS) return [];
      return [
        {
          series,
          source,
          kind: '',
          sample: {
            at,
            value,
            duration_ms: series.interval ? duration_ms : null,
            timezone_offset: Math.abs(timezone_offset ?? 0) > FURTHEST_OFFSET_S ? null : timezone_offset,
            extra: extra ?? null,
            text: null,
          },
        },
      ];
    },
  );
  const many = measured.filter(({ value }) => value !== null).length - samples.length;
  if (many > 0) yield { skipped: { provider: source.provider, resource: name, many } };
  for (let n = 0; n < samples.length; n += SAMPLES_PER_CHUNK)
    yield { samples: samples.slice(n, n + SAMPLES_PER_CHUNK) };
}

function isMeasurable(series: Series, value: number, extra: SampleExtra | undefined): boolean {
  if (series.only !== null) return value === series.only;
  if (series.value !== 'blood_pressure') return isPlausible(series, value);
  const diastolic = extra?.diastolic ?? NaN;
  return isPlausible(series, value) && isPlausible(series, diastolic) && value > diastolic;
}

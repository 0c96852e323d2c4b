// What providers send is held to the same bounds as what is pushed.
import type { TObject } from 'typebox';
import type { Logger } from '../../../log.ts';
import { placesOfWrong, type Place } from '../../fits.ts';
import { pastMoment } from '../../../wire/moment.ts';
import { isPlausible, seriesOrNull, type Series } from '../../resources.ts';
import type { StoredSource } from '../../source.ts';
import type { Incoming } from '../../summaries/candidate.ts';
import type { SummaryItem, SummaryResource } from '../../summaries/resource.ts';
import type { SampleExtra } from '../../timeseries/sample.ts';
import { FURTHEST_OFFSET_S, LONGEST_MS } from '../../timeseries/sample-input.ts';
import type { SampleOfSource } from '../../timeseries/store-samples.ts';
import type { Mapper, Pulled } from '../importer.ts';
import { secondsOf, type Found } from './read-answer.ts';

/** A summary as a provider's words make it; null where it is none. */
export type Item = SummaryItem | null;

/** Rounds of leaving out: each tells of some of what is wrong. */
const MOST_ROUNDS = 50;
const SUMMARIES_A_PIECE = 100;
const SAMPLES_A_PIECE = 2_000;
const FIRST_MOMENT = '1900-01-01';

/**
 * What raw payloads are as summaries, those that their kind takes, in pieces. A field beyond its bounds or its session is left out,
 * and so is a summary that is none without it: it would keep all others from coming. The raw payload keeps what was left out, and
 * each summary that lost something is counted.
 * `points` are those of a workout, which are told apart from it.
 */
export function* summariesOf(
  log: Logger,
  mapper: Mapper,
  raws: readonly Found[],
  points?: Readonly<Record<string, unknown>>,
): Iterable<Pulled> {
  const { resource } = mapper;
  let left_out = 0;
  let provider = '';
  const fitting = raws.flatMap((raw): Incoming[] => {
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
    log.warn({ resource: resource.name, left_out }, 'summaries of a provider do not fit');
    yield { skipped: { provider, resource: resource.name, many: left_out } };
  }
  for (let n = 0; n < fitting.length; n += SUMMARIES_A_PIECE)
    yield { summaries: { resource, incoming: fitting.slice(n, n + SUMMARIES_A_PIECE) } };
}

const checks = new WeakMap<TObject, (item: unknown) => Place[]>();

function placesIn(input: TObject, item: SummaryItem): Place[] {
  const check = checks.get(input) ?? placesOfWrong(input);
  checks.set(input, check);
  return check(item);
}

/** `item`: null where it is none without what does not fit. */
type Fitting = { item: SummaryItem | null; isWhole: boolean };

/** A summary without what is beyond its bounds and its session. */
export function fit({ input, withinSession }: SummaryResource, item: SummaryItem): Fitting {
  const kept: Record<string, unknown> = structuredClone(item);
  const required: readonly string[] = (input as { required?: string[] }).required ?? [];
  for (const [name, value] of Object.entries(kept)) if (value === null || value === undefined) delete kept[name];
  if (kept['sleep_stream']) kept['sleep_stream'] = withinBed(kept);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const wrong = placesIn(input, kept as SummaryItem);
    if (wrong.length === 0) {
      const within = withinSession ? withinSession(kept as SummaryItem) : (kept as SummaryItem);
      return { item: within, isWhole: round === 0 && within === kept };
    }
    for (const [name = '', within] of wrong) {
      if (isColumn(kept[name], within)) delete (kept[name] as Record<string, unknown>)[within as string];
      else if (required.includes(name)) return { item: null, isWhole: false };
      else delete kept[name];
    }
  }
  return { item: null, isWhole: false };
}

/** Stages of a sleep end with it: the last ones of some providers last to the end of their five minutes. */
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

/** Of points a column can be missing, but for their times. */
const isColumn = (value: unknown, within: string | undefined): boolean =>
  typeof value === 'object' && value !== null && within !== undefined && within !== 'time' && !Array.isArray(value);

export type Measured = {
  /** Its moment, or the start of its interval: UTC, three fractional digits, Z. */
  at: string;
  value: number | null;
  /** Of an interval; 0 where it is not known. */
  duration_ms?: number;
  timezone_offset?: number | null;
  extra?: SampleExtra;
};

/** Samples of a series in its own unit or another that it takes, in pieces; what cannot have been measured is left out. */
export function* samplesOf(name: string, source: StoredSource, measured: Measured[], unit?: string): Iterable<Pulled> {
  const series = seriesOrNull(name) as Series;
  const convert = unit === undefined || unit === series.unit ? (value: number) => value : series.units[unit];
  if (!convert) throw new Error(`${name} takes no ${unit}.`);
  const samples = measured.flatMap(
    ({ at, value: told, duration_ms = 0, timezone_offset = null, extra }): SampleOfSource[] => {
      const value = told === null ? null : convert(told, null);
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
  for (let n = 0; n < samples.length; n += SAMPLES_A_PIECE) yield { samples: samples.slice(n, n + SAMPLES_A_PIECE) };
}

function isMeasurable(series: Series, value: number, extra: SampleExtra | undefined): boolean {
  if (series.only !== null) return value === series.only;
  if (series.value !== 'blood_pressure') return isPlausible(series, value);
  const diastolic = extra?.diastolic ?? NaN;
  return isPlausible(series, value) && isPlausible(series, diastolic) && value > diastolic;
}

// Makes a sleep and its sleep cycle from the stages of a night. The parsers of archives and of FIT files use this.
import type { ParsedSample, ParsedSummary } from './parsed-line.ts';
import { withoutOverlaps } from './without-overlaps.ts';

/** A stage of a night, in milliseconds since 1970. `stage` is the number of the stage in sleep cycles. */
export type Stage = { start: number; end: number; stage: number };

const AWAKE = 4;

type Source = Pick<ParsedSample, 'provider' | 'source_type' | 'timezone_offset'>;
/** The time in bed. It may begin before the first stage and end after the last one. */
type Times = { start?: number | undefined; end?: number | undefined };

/**
 * Returns the sleep; null if the person did not sleep. `said` has what the file states for the whole night, under the
 * names of the fields of a sleep.
 */
export function nightOf(
  stages: Stage[],
  source: Source,
  { start, end, ...said }: Times & Record<string, unknown> = {},
): ParsedSummary | null {
  const sequence = withoutOverlaps(stages);
  const [first] = sequence;
  if (!first || sequence.every(({ stage }) => stage === AWAKE)) return null;
  const begin = Math.min(first.start, start ?? Infinity);
  const stop = Math.max(...sequence.map((each) => each.end), end ?? -Infinity);
  const seconds = (...which: number[]): number =>
    Math.round(
      sequence.reduce((sum, each) => (which.includes(each.stage) ? sum + each.end - each.start : sum), 0) / 1_000,
    );
  const [from, to] = [new Date(begin).toISOString(), new Date(stop).toISOString()];
  return {
    resource: 'sleep',
    item: {
      ...source,
      bedtime_start: from,
      bedtime_stop: to,
      total: seconds(-1, 1, 2, 3),
      awake: seconds(AWAKE),
      light: seconds(2),
      rem: seconds(3),
      deep: seconds(1),
      ...said,
      sleep_stream: {
        ...(said['sleep_stream'] as object | undefined),
        hypnogram: {
          start: sequence.map((each) => Math.floor(each.start / 1_000)),
          end: sequence.map((each) => Math.floor(each.end / 1_000)),
          value: sequence.map(({ stage }) => stage),
        },
      },
    },
    cycle: {
      ...source,
      session_start: from,
      session_end: to,
      stage_start_offset_second: sequence.map((each) => Math.round((each.start - begin) / 1_000)),
      stage_end_offset_second: sequence.map((each) => Math.round((each.end - begin) / 1_000)),
      stage_type: sequence.map(({ stage }) => stage),
    },
  };
}

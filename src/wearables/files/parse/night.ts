// A sleep with its cycle, made of its stages: what archives and FIT files tell of a night, told in one shape.
import type { ParsedSample, ParsedSummary } from './record.ts';
import { withoutOverlaps } from './without-overlaps.ts';

/** Milliseconds since 1970, and the stage as sleep cycles number them. */
export type Stage = { start: number; end: number; stage: number };

const AWAKE = 4;

type Source = Pick<ParsedSample, 'provider' | 'source_type' | 'timezone_offset'>;
/** In bed before the first stage or after the last one. */
type Times = { start?: number | undefined; end?: number | undefined };

/** Null where nobody slept. `said` is what the file says of the night itself, as a sleep's fields are called. */
export function nightOf(
  stages: Stage[],
  source: Source,
  { start, end, ...said }: Times & Record<string, unknown> = {},
): ParsedSummary | null {
  const told = withoutOverlaps(stages);
  const [first] = told;
  if (!first || told.every(({ stage }) => stage === AWAKE)) return null;
  const begin = Math.min(first.start, start ?? Infinity);
  const stop = Math.max(...told.map((each) => each.end), end ?? -Infinity);
  const seconds = (...which: number[]): number =>
    Math.round(told.reduce((sum, each) => (which.includes(each.stage) ? sum + each.end - each.start : sum), 0) / 1_000);
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
          start: told.map((each) => Math.floor(each.start / 1_000)),
          end: told.map((each) => Math.floor(each.end / 1_000)),
          value: told.map(({ stage }) => stage),
        },
      },
    },
    cycle: {
      ...source,
      session_start: from,
      session_end: to,
      stage_start_offset_second: told.map((each) => Math.round((each.start - begin) / 1_000)),
      stage_end_offset_second: told.map((each) => Math.round((each.end - begin) / 1_000)),
      stage_type: told.map(({ stage }) => stage),
    },
  };
}

// A night of Apple's is a record a stage; what belongs together is one sleep.
import { momentOf } from './time.ts';
import { sourceTypeOf } from '../source-type.ts';
import type { Sink } from '../record.ts';
import type { Element } from '../xml.ts';
import { ownOf } from '../../../../wire/own.ts';

type Stage = { start: number; end: number; stage: number | null };
type Session = { start: number; end: number; offset: number; stages: Stage[] };

export const SLEEP_TYPE = 'HKCategoryTypeIdentifierSleepAnalysis';

/** Stages as sleep cycles number them; null of time in bed. `Asleep` is the word of years before stages were told. */
const STAGES: Record<string, number | null> = {
  HKCategoryValueSleepAnalysisInBed: null,
  HKCategoryValueSleepAnalysisAsleep: -1,
  HKCategoryValueSleepAnalysisAsleepUnspecified: -1,
  HKCategoryValueSleepAnalysisAsleepDeep: 1,
  HKCategoryValueSleepAnalysisAsleepCore: 2,
  HKCategoryValueSleepAnalysisAsleepREM: 3,
  HKCategoryValueSleepAnalysisAwake: 4,
};

/** Whoever is up for longer has ended a sleep. */
const BETWEEN_MS = 3_600_000;
const LONGEST_MS = 48 * 3_600_000;
const MOST_STAGES = 2_880;

/** Gathers the records of sleep by kind of device, and tells each sleep when another begins; `end` tells the last ones. */
export function sleepsInto(sink: Sink): { add: (record: Element['attributes']) => void; end: () => void } {
  const sessions = new Map<string, Session>();

  const tell = (source_type: string, session: Session): void => {
    const { start, end, offset, stages } = session;
    const asleep = stages.filter(({ stage }) => stage !== null && stage !== 4);
    // Time in bed alone is no sleep.
    if (asleep.length === 0) return sink.skip(SLEEP_TYPE, 'not_kept', stages.length);
    const told = stages.filter(({ stage }) => stage !== null).toSorted((a, b) => a.start - b.start || a.end - b.end);
    const seconds = (...which: number[]): number =>
      Math.round(
        told.reduce((sum, each) => (which.includes(each.stage as number) ? sum + each.end - each.start : sum), 0) /
          1_000,
      );
    const origin = { provider: 'apple_health_kit', source_type, timezone_offset: offset };
    const [from, to] = [new Date(start).toISOString(), new Date(end).toISOString()];
    sink.summary({
      resource: 'sleep',
      item: {
        ...origin,
        bedtime_start: from,
        bedtime_stop: to,
        total: seconds(-1, 1, 2, 3),
        awake: seconds(4),
        light: seconds(2),
        rem: seconds(3),
        deep: seconds(1),
        sleep_stream: {
          hypnogram: {
            start: told.map((each) => Math.floor(each.start / 1_000)),
            end: told.map((each) => Math.floor(each.end / 1_000)),
            value: told.map(({ stage }) => stage),
          },
        },
      },
      cycle: {
        ...origin,
        session_start: from,
        session_end: to,
        stage_start_offset_second: told.map((each) => Math.round((each.start - start) / 1_000)),
        stage_end_offset_second: told.map((each) => Math.round((each.end - start) / 1_000)),
        stage_type: told.map(({ stage }) => stage),
      },
    });
  };

  return {
    add: (record) => {
      const [begin, end] = [momentOf(record['startDate']), momentOf(record['endDate'])];
      const stage = ownOf(STAGES, record['value'] ?? '');
      if (!begin || !end || stage === undefined || end.at < begin.at || end.at - begin.at > LONGEST_MS)
        return sink.skip(SLEEP_TYPE, 'unreadable');
      const source = sourceTypeOf(record);
      const open = sessions.get(source);
      const part: Stage = { start: begin.at, end: end.at, stage };
      if (open && belongs(open, part)) {
        open.stages.push(part);
        open.start = Math.min(open.start, part.start);
        open.end = Math.max(open.end, part.end);
        return undefined;
      }
      if (open) tell(source, open);
      sessions.set(source, { start: part.start, end: part.end, offset: begin.offset, stages: [part] });
      return undefined;
    },
    end: () => {
      for (const [source, session] of sessions) tell(source, session);
      sessions.clear();
    },
  };
}

const belongs = ({ start, end, stages }: Session, part: Stage): boolean =>
  part.start <= end + BETWEEN_MS &&
  part.end >= start - BETWEEN_MS &&
  Math.max(end, part.end) - Math.min(start, part.start) <= LONGEST_MS &&
  stages.length < MOST_STAGES;

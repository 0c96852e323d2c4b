// Makes sleeps from records. An Apple export has a record for each stage of a night. Records that follow each other
// become one sleep. The heart rates of the watch are added to it.
import { nightOf } from '../night.ts';
import { sourceTextOf, sourceTypeOf } from '../source-type.ts';
import type { SourceType } from '../../../source.ts';
import type { ParsedSummary, Sink } from '../parsed-line.ts';
import type { Element } from '../xml.ts';
import { ownProperty } from '../../../../wire/own-property.ts';
import { chooseSleeps } from './choose-sleeps.ts';
import type { gatherHeartRates } from './heart-rates.ts';
import { momentOf } from './time.ts';

type Stage = { start: number; end: number; stage: number | null };
/**
 * A session of sleep records. `stages` is a flat list of three numbers for each stage: its start, its end, and the
 * number of the stage. In this form, the nights of many years fit in memory.
 */
type Session = { source_type: SourceType; start: number; end: number; offset: number; stages: number[] };
type HeartRates = ReturnType<typeof gatherHeartRates>;

export const SLEEP_TYPE = 'HKCategoryTypeIdentifierSleepAnalysis';

const IN_BED = 0;
const AWAKE = 4;
const UNSPECIFIED = -1;
/** The number of each stage in sleep cycles. Older exports have no stages; they write `Asleep`. */
const STAGES: Record<string, number> = {
  HKCategoryValueSleepAnalysisInBed: IN_BED,
  HKCategoryValueSleepAnalysisAsleep: UNSPECIFIED,
  HKCategoryValueSleepAnalysisAsleepUnspecified: UNSPECIFIED,
  HKCategoryValueSleepAnalysisAsleepDeep: 1,
  HKCategoryValueSleepAnalysisAsleepCore: 2,
  HKCategoryValueSleepAnalysisAsleepREM: 3,
  HKCategoryValueSleepAnalysisAwake: AWAKE,
};

/** If this time passes without a record, the sleep has ended. The next record begins another sleep. */
const BETWEEN_MS = 3_600_000;
const LONGEST_MS = 48 * 3_600_000;
const MAX_STAGES = 2_880;
/**
 * The most sources that we distinguish. A person has some ten apps and watches. But the text that describes a watch in
 * the export changes with each version of its software.
 */
const MAX_SOURCES = 1_000;
const LONGEST_SOURCE = 1_000;

type Sleeps = {
  add: (record: Element['attributes']) => void;
  /** Passes on one sleep for each night and source type. */
  end: (heartRates: HeartRates) => Promise<void>;
};

/**
 * Collects the sleep records of each app and device. Makes the sleeps at the end, when the heart rates of all nights
 * are known.
 */
export function gatherSleeps(sink: Sink): Sleeps {
  const open = new Map<string, Session>();
  const sessions: Session[] = [];
  /**
   * Returns the key of a record's source. After MAX_SOURCES sources, the key of a further source is only its source
   * type.
   */
  const keyOf = (record: Element['attributes'], source_type: SourceType): string => {
    const source = `${source_type}\n${sourceTextOf(record)}`;
    return open.has(source) || (open.size < MAX_SOURCES && source.length <= LONGEST_SOURCE) ? source : source_type;
  };

  return {
    add: (record) => {
      const [begin, end] = [momentOf(record['startDate']), momentOf(record['endDate'])];
      const stage = ownProperty(STAGES, record['value'] ?? '');
      if (!begin || !end || stage === undefined) return sink.skip(SLEEP_TYPE, 'unreadable');
      if (end.at < begin.at || end.at - begin.at > LONGEST_MS) return sink.skip(SLEEP_TYPE, 'impossible');
      const source_type = sourceTypeOf(record);
      const key = keyOf(record, source_type);
      const session = open.get(key);
      if (session && belongs(session, begin.at, end.at)) {
        session.stages.push(begin.at, end.at, stage);
        session.start = Math.min(session.start, begin.at);
        session.end = Math.max(session.end, end.at);
        return undefined;
      }
      const next = {
        source_type,
        start: begin.at,
        end: end.at,
        offset: begin.offset,
        stages: [begin.at, end.at, stage],
      };
      open.set(key, next);
      sessions.push(next);
      return undefined;
    },
    end: async (heartRates) => {
      const sleeps = sessions.splice(0).map((session) => ({ ...session, ...contentOf(session) }));
      const { chosen, others } = chooseSleeps(sleeps.filter(({ isSleep }) => isSleep));
      // A session that has only time in bed and no sleep is not stored. Its records count as skipped.
      for (const { stages } of [...others, ...sleeps.filter(({ isSleep }) => !isSleep)])
        sink.skip(SLEEP_TYPE, 'not_kept', stages.length / 3);
      for (const session of chosen) {
        const sleep = sleepOf(session, heartRates.between(session.start, session.end));
        if (sleep) sink.summary(sleep);
        else sink.skip(SLEEP_TYPE, 'not_kept', session.stages.length / 3);
        await sink.flush(1);
      }
    },
  };
}

const belongs = ({ start, end, stages }: Session, from: number, to: number): boolean =>
  from <= end + BETWEEN_MS &&
  to >= start - BETWEEN_MS &&
  Math.max(end, to) - Math.min(start, from) <= LONGEST_MS &&
  stages.length < MAX_STAGES * 3;

/** Returns whether a session contains sleep, and whether it contains sleep stages. */
function contentOf(session: Session): { isSleep: boolean; hasStages: boolean } {
  const asleep = stagesOf(session).filter(({ start, end, stage }) => end > start && stage !== null && stage !== AWAKE);
  return { isSleep: asleep.length > 0, hasStages: asleep.some(({ stage }) => stage !== UNSPECIFIED) };
}

function stagesOf({ stages }: Session): Stage[] {
  const all: Stage[] = [];
  for (let n = 0; n < stages.length; n += 3) {
    const [start, end, stage] = stages.slice(n, n + 3) as [number, number, number];
    all.push({ start, end, stage: stage === IN_BED ? null : stage });
  }
  return all;
}

function sleepOf(session: Session, heart: { time: number[]; value: number[] }): ParsedSummary | null {
  const { source_type, start, end, offset } = session;
  const source = { provider: 'apple_health_kit', source_type, timezone_offset: offset } as const;
  const asleep = stagesOf(session).flatMap(({ stage, ...times }) => (stage === null ? [] : [{ stage, ...times }]));
  return nightOf(asleep, source, {
    start,
    end,
    ...heartOf(heart.value),
    sleep_stream: heart.time.length === 0 ? {} : { heartrate: heart },
  });
}

function heartOf(values: number[]): { hr_lowest?: number; hr_average?: number } {
  if (values.length === 0) return {};
  return {
    hr_lowest: Math.round(values.reduce((a, b) => (b < a ? b : a))),
    hr_average: Math.round(values.reduce((sum, each) => sum + each, 0) / values.length),
  };
}

import { Type } from 'typebox';
import { millisecondsOf } from '../../../wire/moment.ts';
import type { Breach } from '../../../wire/rule.ts';
import { column, moment } from '../fields.ts';
import { measurable, origin, ownDay, timeZone, timezoneOffset } from '../item.ts';
import { keyAndTimesFrom, type SummaryResource } from '../resource.ts';
import { flatSource, shapeOf } from '../shape.ts';
import { SLEEP_STAGES, STAGE_WORDS } from '../summary-streams/schemas.ts';

const LONGEST_HOURS = 48;
/** The most stages of a cycle: one for each minute of the longest session. */
const MAX_STAGES = 2_880;
/**
 * The most cycles of a sleep. Each device has one cycle, or several if somebody sends the cycle in parts. All cycles
 * are deleted with the sleep in one transaction, so their number is limited.
 */
const MAX_OF_A_SLEEP = 2_000;

const offsets = (which: string) => ({
  ...column(
    `When each stage ${which}, in seconds after session_start.`,
    { most: LONGEST_HOURS * 3_600, whole: true },
    false,
  ),
  maxItems: MAX_STAGES,
});

const fields = {
  sleep_id: Type.String({ format: 'uuid', description: 'Id of the sleep whose stages these are.' }),
  session_start: moment('When the session began.'),
  session_end: moment('When the session ended.'),
  stage_start_offset_second: offsets('begins'),
  stage_end_offset_second: offsets('ends'),
  stage_type: {
    ...column(`The stages: ${STAGE_WORDS}.`, { least: -1, most: 5, whole: true }, false),
    maxItems: MAX_STAGES,
  },
  time_zone: timeZone,
};

const secondsBetween = (from: unknown, to: unknown): number =>
  (millisecondsOf(String(to)) - millisecondsOf(String(from))) / 1_000;

const stages: readonly unknown[] = SLEEP_STAGES;

function unlikeStages(value: Record<string, unknown>): Breach[] {
  const [begins, ends, types] = ['stage_start_offset_second', 'stage_end_offset_second', 'stage_type'].map((name) =>
    Array.isArray(value[name]) ? (value[name] as number[]) : [],
  ) as [number[], number[], number[]];
  const at = (name: string, msg: string, index?: number): Breach => ({
    at: index === undefined ? [name] : [name, String(index)],
    type: 'value_error',
    msg,
  });
  const odd = types.findIndex((type) => !stages.includes(type));
  const negative = ends.findIndex((end, n) => end < (begins[n] ?? 0));
  const session = secondsBetween(value['session_start'], value['session_end']);
  const outside = ends.findIndex((end) => end > Math.ceil(session));
  return [
    ...(odd === -1 ? [] : [at('stage_type', `Input should be one of ${stages.join(', ')}`, odd)]),
    ...(negative === -1 ? [] : [at('stage_end_offset_second', 'Value should not be before its start', negative)]),
    ...(outside === -1 ? [] : [at('stage_end_offset_second', 'Value should be within the session', outside)]),
    ...(ends.length === begins.length
      ? []
      : [at('stage_end_offset_second', 'List should be as long as stage_start_offset_second')]),
    ...(types.length === begins.length
      ? []
      : [at('stage_type', 'List should be as long as stage_start_offset_second')]),
  ];
}

const input = Type.Object(
  { ...origin, calendar_date: ownDay, timezone_offset: timezoneOffset, ...fields },
  {
    fulfils: measurable(
      { from: 'session_start', to: 'session_end', maxHours: LONGEST_HOURS },
      unlikeStages,
      'The lists of stages are equally long, no stage ends before it begins, and all lie within the session.',
    ),
  },
);

export const sleepCycle: SummaryResource = {
  name: 'sleep_cycle',
  title: 'SleepCycle',
  path: 'sleep_cycle',
  one: 'sleep cycle',
  many: 'sleep cycles',
  list: 'sleep_cycle',
  input,
  most: { items: 100, valuesEach: 2_500, bytes: 2 * 1024 * 1024 },
  shape: shapeOf(fields, flatSource),
  sealed: [],
  references: { sleep_id: 'sleep' },
  mostNaming: MAX_OF_A_SLEEP,
  clockFrom: 'session_end',
  keyAndTimesOf: (item, clock) =>
    keyAndTimesFrom(item, clock, { from: 'session_start', to: 'session_end', day: 'session_end' }),
};

import { unwrap, type components, type Phial } from '@phial/client';
import { Type } from 'typebox';
import { SERIES } from '../../wearables/series.ts';
import type { Series } from '../../wearables/series-type.ts';
import { describeFields } from './describe-fields.ts';
import { countDays, day, provider, userId } from './inputs.ts';
import { ToolError, tool, type Tool } from './tool.ts';

/** The kinds of summaries, each with its schema in the OpenAPI document. */
const KINDS = {
  activity: 'Activity',
  sleep: 'Sleep',
  body: 'Body',
  workouts: 'Workout',
  meal: 'Meal',
} as const;
type Kind = keyof typeof KINDS;

const MOST_DAYS = 92;

/** Series of numbers. Texts, such as notes, cannot be combined. */
const NUMBERS = SERIES.filter(({ value }) => value !== 'text');

/** Periods into which values are combined, each with the longest time that one call may ask for. */
const PERIODS = {
  five_minutes: { unit: 'minute', value: 5, mostDays: 2 },
  hour: { unit: 'hour', value: 1, mostDays: 31 },
  day: { unit: 'day', value: 1, mostDays: 366 },
  week: { unit: 'week', value: 1, mostDays: 1_100 },
} as const;
type Period = keyof typeof PERIODS;

export const WEARABLE_TOOLS: Tool[] = [
  tool({
    name: 'list_days',
    title: 'Days of a user',
    description:
      'Lists what wearables reported for the days of a user: activity, sleep, body measurements, workouts or meals, ' +
      'the oldest first, each with its source. `fields` has the meaning and the unit of each value. Two sources may ' +
      `report the same day: do not add them up. At most ${MOST_DAYS} days.`,
    input: Type.Object(
      {
        user_id: userId,
        kind: Type.Enum(Object.keys(KINDS) as [Kind, ...Kind[]], { description: 'What to list.' }),
        since: day('The first day, YYYY-MM-DD.'),
        until: day('The last day, YYYY-MM-DD.'),
        provider: Type.Optional(provider),
      },
      { additionalProperties: false },
    ),
    read: async (phial, { user_id, kind, since, until, provider: slug }) => {
      refuseLong(countDays(since, until), MOST_DAYS, 'Ask for fewer days.');
      const query = { start_date: since, end_date: until, provider: slug };
      const summaries = await readSummaries(phial, kind, user_id, query);
      const described = describeFields(KINDS[kind], summaries);
      return { user_id, kind, fields: described.fields, list: { name: kind, items: described.items } };
    },
  }),
  tool({
    name: 'get_series',
    title: 'Time series of a user',
    description:
      'Reads a time series of a user, such as heart rate or glucose, combined by hour, day or week and by provider: ' +
      'mean, least and greatest value and count, or the sum of what adds up, such as steps. `unit` is the unit of ' +
      'all values. Two providers may report the same: do not add them up. Without data the list is empty.',
    input: Type.Object(
      {
        user_id: userId,
        series: Type.Enum(NUMBERS.map(({ name }) => name) as [string, ...string[]], {
          description: 'The series.',
        }),
        since: day("The first day of the user's calendar, YYYY-MM-DD."),
        until: day("The last day of the user's calendar, YYYY-MM-DD."),
        every: Type.Enum(Object.keys(PERIODS) as [Period, ...Period[]], {
          description: Object.entries(PERIODS)
            .map(([name, { mostDays }]) => `${name} for at most ${mostDays} days`)
            .join(', '),
        }),
      },
      { additionalProperties: false },
    ),
    read: async (phial, { user_id, series: name, since, until, every }) => {
      const { mostDays, ...period } = PERIODS[every];
      const days = countDays(since, until);
      refuseLong(days, mostDays, 'Ask for fewer days, or for longer periods.');
      const series = NUMBERS.find((each) => each.name === name) as Series;
      const answer = await unwrap(
        phial.POST('/aggregate/v1/user/{user_id}/query', {
          params: { path: { user_id } },
          body: {
            timeframe: { type: 'relative', anchor: until, past: { unit: 'day', value: days } },
            queries: [queryOf(series, period)],
          },
        }),
      );
      const { results } = answer as components['schemas']['AggregationResponse'];
      const items = rowsOf(results[0]?.table ?? {}, series);
      return { user_id, series: name, what: series.what, unit: series.unit, every, list: { name: 'values', items } };
    },
  }),
];

function refuseLong(days: number, most: number, advice: string): void {
  if (!(days >= 1)) throw new ToolError('range_invalid', 'since and until must be days, until not before since.');
  if (days > most) throw new ToolError('range_too_long', `This asks for ${days} days of at most ${most}. ${advice}`);
}

type Range = { start_date: string; end_date: string; provider: string | undefined };

async function readSummaries(phial: Phial, kind: Kind, user_id: string, query: Range): Promise<object[]> {
  const params = { path: { user_id }, query };
  if (kind === 'activity') return (await unwrap(phial.GET('/v2/summary/activity/{user_id}', { params }))).activity;
  if (kind === 'sleep') return (await unwrap(phial.GET('/v2/summary/sleep/{user_id}', { params }))).sleep;
  if (kind === 'body') return (await unwrap(phial.GET('/v2/summary/body/{user_id}', { params }))).body;
  if (kind === 'workouts') return (await unwrap(phial.GET('/v2/summary/workouts/{user_id}', { params }))).workouts;
  return (await unwrap(phial.GET('/v2/summary/meal/{user_id}', { params }))).meals;
}

type Func = 'mean' | 'min' | 'max' | 'sum' | 'count';

const funcsOf = ({ additive }: Series): Func[] =>
  additive === null ? ['mean', 'min', 'max', 'count'] : ['sum', 'count'];
const fieldsOf = ({ value }: Series): string[] => (value === 'blood_pressure' ? ['systolic', 'diastolic'] : ['value']);
/** What groups values besides their time: where they are from, and which of several values they are. */
const groupsOf = ({ keyedByType }: Series): string[] => ['start', 'provider', ...(keyedByType ? ['type'] : [])];

type Query = components['schemas']['Query'];

/** The names of `series` are those of the interface, of which the compiler does not know. */
const queryOf = (series: Series, period: { unit: string; value: number }): Query =>
  ({
    select: [
      { group_key: '*' as const },
      ...fieldsOf(series).flatMap((field) =>
        funcsOf(series).map((func) => ({ func, arg: { timeseries: series.name, field } })),
      ),
    ],
    group_by: [
      { date_trunc: period },
      { source: 'source_provider' as const },
      ...(series.keyedByType ? [{ timeseries: series.name, field: 'type' }] : []),
    ],
  }) as Query;

/** Returns the rows of a table whose columns are lists. */
function rowsOf(table: Record<string, readonly unknown[]>, series: Series): object[] {
  const names = [
    ...groupsOf(series).map((name, at) => [name, `group_key.${at}`]),
    ...fieldsOf(series).flatMap((field) =>
      funcsOf(series).map((func) => [field === 'value' ? func : `${field}_${func}`, `${func}.${series.name}.${field}`]),
    ),
  ] as [string, string][];
  const starts = table['group_key.0'] ?? [];
  return starts.map((_, row) =>
    Object.fromEntries(names.map(([name, column]) => [name, table[column]?.[row] ?? null])),
  );
}

// Chooses the summaries that a query uses. If several sources report one session, meal or body measurement, the query
// uses one of the reports. For a summary of a day, it uses the best source of the day. An activity takes those fields
// that its best source does not report from the other sources.
import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { ownProperty } from '../../../wire/own-property.ts';
import { localTime } from '../columns/local-time.ts';
import type { QueryScope } from '../query-scope.ts';
import type { SummarySelection } from './counted-rows.ts';
import { rankRows, type Ranked, type Source } from '../../rank.ts';
import { repeatedMeals } from './repeated-meals.ts';
import { repeatedSessions } from './repeated-sessions.ts';
import { groupSql, matching } from './summary-rows.ts';

type Expression = RawBuilder<unknown>;

/** The kinds of summaries that have a start and an end, so that two reports of one session overlap. */
const SESSIONS = new Set(['workouts', 'sleep', 'sleep_cycle', 'electrocardiogram', 'menstrual_cycle']);

const NAMES =
  'id provider source_type app_id device_id provider_id calendar_date start_at end_at created_at updated_at'.split(' ');
const COLUMNS = sql.join(NAMES.map((name) => sql.id(name)));
/** The columns of an activity that always come from the best source of the day. */
const OF_ROW = [...NAMES, 'local_at'];

export async function countedSummaries(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  asked: SummarySelection,
  scope: QueryScope,
): Promise<Expression> {
  const { summary } = asked;
  const all = sql`
    select ${COLUMNS}, "values", ${localTimeOfSummary(summary, scope)} as local_at
      from summaries where ${matching(asked, scope)}`;
  if (SESSIONS.has(summary) || summary === 'meal') {
    const repeated = await (summary === 'meal' ? repeatedMeals : repeatedSessions)(ctx, asked, scope);
    return sql`counted as (${all}${repeated.length > 0 ? sql` and id <> all (${repeated}::uuid[])` : sql``})`;
  }
  const sources = await findSources(ctx, asked, scope);
  if (sources.every(({ position }) => position === 1)) return sql`counted as (${all})`;
  const of = <T>(value: (source: Ranked<Row>) => T): T[] => sources.map(value);
  return sql`
    sources as (
      select * from unnest(
        ${of((each) => each.provider)}::text[], ${of((each) => each.source_type)}::text[],
        ${of((each) => each.app_id)}::text[], ${of((each) => each.device_id)}::uuid[],
        ${of(({ group }) => group)}::text[], ${of(({ rank_group }) => rank_group)}::integer[],
        ${of(({ position }) => position)}::integer[]
      ) as s (provider, source_type, app_id, device_id, "group", rank_group, position)
    ), ranked as materialized (
      select ${COLUMNS}, "values", local_at, rank_group, position,
             min(position) over (partition by rank_group, calendar_date) as best
        from (select summary.*, ${groupSql(asked)} as "group" from (${all}) as summary) as summary
        join (select provider, source_type, app_id as app, device_id as device, "group", rank_group, position
                from sources) as s
             using (provider, source_type, "group")
       where app is not distinct from app_id and device is not distinct from device_id
    ), ${ownProperty(WHICH_OF, summary) ?? sql`counted as (select * from ranked where position = best)`}`;
}

/**
 * SQL for body measurements. Apps round times to minutes. So from each measurement we use the numbers that no better
 * source reports for the same minute. If an app copies a measurement of another app, the copy adds only the numbers
 * that the original lacks. The statement has no join. The planner expects one row for a user, so with a join it would
 * compare each row with each other row.
 */
const newMeasurements = sql`
  counted as (
    select ${COLUMNS}, local_at, jsonb_object_agg(key, value) as "values"
      from (
        select summary.*,
               position = min(position) over (partition by rank_group, date_trunc('minute', start_at), key) as is_new
          from (select ranked.*, key, value,
                       jsonb_typeof(value) = 'number' and key <> 'timezone_offset' as is_measured
                  from ranked cross join lateral jsonb_each("values")) as summary
      ) as summary
     where is_new or not is_measured group by ${COLUMNS}, local_at having bool_or(is_measured)
  )`;

const HEART_RATE = sql`
  case when jsonb_typeof("values" -> 'heart_rate') = 'object' then "values" -> 'heart_rate' else '{}' end`;

/**
 * Returns SQL that takes each field of a day from the best source that has this field; null if no source has any field.
 */
const together = (part: 'day' | 'beats'): Expression =>
  sql`jsonb_object_agg(key, value order by position desc) filter (where part = ${part})`;

/**
 * Returns SQL for a column of the best source of each day. We cannot add the totals of two sources, because both may
 * have counted the same hours.
 */
const firstOf = (name: string): Expression => sql`first_value(${sql.id(name)}) over best as ${sql.id(name)}`;

const filledDays = sql`
  days as (
    select rank_group, position, "values", ${sql.join(OF_ROW.map(firstOf))}
      from ranked window best as (partition by rank_group, calendar_date order by position, id)
  ), counted as (
    select ${COLUMNS}, local_at, coalesce(${together('day')}, '{}') || case when ${together('beats')} is null then '{}'
           else jsonb_build_object('heart_rate', ${together('beats')}) end as "values"
      from days cross join lateral (
        select 'day' as part, key, value from jsonb_each("values") where key <> 'heart_rate'
        union all select 'beats', key, value from jsonb_each(${HEART_RATE})
      ) as summary
     where value <> 'null' group by rank_group, ${sql.join(OF_ROW.map((name) => sql.id(name)))}
  )`;

const WHICH_OF: Readonly<Record<string, Expression>> = { activity: filledDays, body: newMeasurements };

type Row = Source & { group: string };

const MAX_SOURCES = 1_000;

async function findSources(
  { db }: TeamCtx | TxCtx<TeamCtx>,
  asked: SummarySelection,
  scope: QueryScope,
): Promise<Ranked<Row>[]> {
  const { rows } = await sql<Row>`
    select distinct provider, source_type, app_id, device_id, ${groupSql(asked)} as "group" from summaries
     where ${matching(asked, scope)} limit ${MAX_SOURCES + 1}`.execute(db);
  if (rows.length > MAX_SOURCES) {
    throw new AppError(
      'too_many_matches',
      `More than ${MAX_SOURCES} apps and devices would be compared. Ask for a shorter timeframe.`,
    );
  }
  return rankRows(rows, scope.providers);
}

/**
 * Returns SQL for the local time at which a summary counts. An activity and a sleep count at the beginning of their
 * day. Other summaries count at their start, or at the beginning of their day if they started on another day. A profile
 * belongs to no day; it counts at the time at which Phial stored it.
 */
const localTimeOfSummary = (summary: string, { timeZone }: QueryScope): Expression =>
  summary === 'profile'
    ? sql`created_at at time zone ${timeZone}`
    : sql`
      case when resource in ('activity', 'sleep') or (${localTime(sql`start_at`, timeZone)})::date <> calendar_date
           then calendar_date::timestamp else ${localTime(sql`start_at`, timeZone)} end`;

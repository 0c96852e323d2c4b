// Which summaries count. A session, a meal or a measurement of the body that several sources tell of counts once; of what is told
// of a day, the best source of the day counts, and of an activity others fill in what it does not tell (records 402 and 466).
import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { ownOf } from '../../../wire/own.ts';
import { localTime } from '../columns/local-time.ts';
import type { QueryScope } from '../scope.ts';
import type { SummariesAsked } from './counted-rows.ts';
import { rankRows, type Ranked, type Source } from '../../rank.ts';
import { repeatedMeals } from './repeated-meals.ts';
import { repeatedSessions } from './repeated-sessions.ts';
import { groupSql, matching } from './summary-rows.ts';

type Expression = RawBuilder<unknown>;

/** What has a begin and an end, each of which is there once whoever tells of it. */
const SESSIONS = new Set(['workouts', 'sleep', 'sleep_cycle', 'electrocardiogram', 'menstrual_cycle']);

const NAMES =
  'id provider source_type app_id device_id provider_id calendar_date start_at end_at created_at updated_at'.split(' ');
const COLUMNS = sql.join(NAMES.map((name) => sql.id(name)));
/** What a day has from its best source alone. */
const OF_ROW = [...NAMES, 'local_at'];

export async function countedSummaries(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  asked: SummariesAsked,
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
  if (sources.every(({ place }) => place === 1)) return sql`counted as (${all})`;
  const of = <T>(value: (source: Ranked<Row>) => T): T[] => sources.map(value);
  return sql`
    sources as (
      select * from unnest(
        ${of((each) => each.provider)}::text[], ${of((each) => each.source_type)}::text[], ${of((each) => each.app_id)}::text[],
        ${of((each) => each.device_id)}::uuid[], ${of(({ group }) => group)}::text[], ${of(({ rivals }) => rivals)}::integer[],
        ${of(({ place }) => place)}::integer[]
      ) as s (provider, source_type, app_id, device_id, "group", rivals, place)
    ), ranked as materialized (
      select ${COLUMNS}, "values", local_at, rivals, place, min(place) over (partition by rivals, calendar_date) as best
        from (select told.*, ${groupSql(asked)} as "group" from (${all}) as told) as told
        join (select provider, source_type, app_id as app, device_id as device, "group", rivals, place from sources) as s
             using (provider, source_type, "group")
       where app is not distinct from app_id and device is not distinct from device_id
    ), ${ownOf(WHICH_OF, summary) ?? sql`counted as (select * from ranked where place = best)`}`;
}

/**
 * Of a moment, whose minute apps round: what no better source tells of the same minute. A measurement that an app has copied tells
 * nothing more than the one that it was copied from, and one that the app adds to stands beside it with what it adds. No part of a
 * statement is joined here: of a single user the planner expects one row, and would compare each with each.
 */
const newMeasurements = sql`
  counted as (
    select ${COLUMNS}, local_at, jsonb_object_agg(key, value) as "values"
      from (
        select told.*, place = min(place) over (partition by rivals, date_trunc('minute', start_at), key) as is_new
          from (select ranked.*, key, value, jsonb_typeof(value) = 'number' and key <> 'timezone_offset' as is_measured
                  from ranked cross join lateral jsonb_each("values")) as told
      ) as told
     where is_new or not is_measured group by ${COLUMNS}, local_at having bool_or(is_measured)
  )`;

const HEART_RATE = sql`
  case when jsonb_typeof("values" -> 'heart_rate') = 'object' then "values" -> 'heart_rate' else '{}' end`;

/** Of a day's fields what the best source tells that has each; null where none has any. */
const together = (part: 'day' | 'beats'): Expression =>
  sql`jsonb_object_agg(key, value order by place desc) filter (where part = ${part})`;

/** Of each day one row, of the best source. Totals of a day cannot be added: nobody knows of which hours they are. */
const filledDays = sql`
  days as (
    select rivals, place, "values", ${sql.join(OF_ROW.map((name) => sql`first_value(${sql.id(name)}) over best as ${sql.id(name)}`))}
      from ranked window best as (partition by rivals, calendar_date order by place, id)
  ), counted as (
    select ${COLUMNS}, local_at, coalesce(${together('day')}, '{}') || case when ${together('beats')} is null then '{}'
           else jsonb_build_object('heart_rate', ${together('beats')}) end as "values"
      from days cross join lateral (
        select 'day' as part, key, value from jsonb_each("values") where key <> 'heart_rate'
        union all select 'beats', key, value from jsonb_each(${HEART_RATE})
      ) as told
     where value <> 'null' group by rivals, ${sql.join(OF_ROW.map((name) => sql.id(name)))}
  )`;

const WHICH_OF: Readonly<Record<string, Expression>> = { activity: filledDays, body: newMeasurements };

type Row = Source & { group: string };

const MOST_SOURCES = 1_000;

async function findSources(
  { db }: TeamCtx | TxCtx<TeamCtx>,
  asked: SummariesAsked,
  scope: QueryScope,
): Promise<Ranked<Row>[]> {
  const { rows } = await sql<Row>`
    select distinct provider, source_type, app_id, device_id, ${groupSql(asked)} as "group" from summaries
     where ${matching(asked, scope)} limit ${MOST_SOURCES + 1}`.execute(db);
  if (rows.length > MOST_SOURCES) {
    throw new AppError(
      'too_many_matches',
      `More than ${MOST_SOURCES} apps and devices would be compared. Ask for a shorter timeframe.`,
    );
  }
  return rankRows(rows, scope.providers);
}

/** Its day, at the hour at which it began where that lies on it; a profile belongs to no day and lies where it came in. */
const localTimeOfSummary = (summary: string, { timeZone }: QueryScope): Expression =>
  summary === 'profile'
    ? sql`created_at at time zone ${timeZone}`
    : sql`
      case when resource in ('activity', 'sleep') or (${localTime(sql`start_at`, timeZone)})::date <> calendar_date
           then calendar_date::timestamp else ${localTime(sql`start_at`, timeZone)} end`;

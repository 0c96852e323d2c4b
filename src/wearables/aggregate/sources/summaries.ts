// Which summaries count. A session or a meal that several sources tell of counts once; of what is told of a day, the best source
// of the day counts, and of an activity others fill in what it does not tell (record 402).
import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { localTime } from '../columns/local-time.ts';
import type { QueryScope } from '../scope.ts';
import type { SummariesAsked } from './counted-rows.ts';
import { rankRows, type Ranked } from '../../rank.ts';
import { repeatedMeals } from './repeated-meals.ts';
import { repeatedSessions } from './repeated-sessions.ts';
import { groupSql, isEachByItself, matching } from './summary-rows.ts';

type Expression = RawBuilder<unknown>;

/** What has a begin and an end, each of which is there once whoever tells of it. */
const SESSIONS = new Set(['workouts', 'sleep', 'sleep_cycle', 'electrocardiogram', 'menstrual_cycle']);

const COLUMNS = sql`
  id, provider, source_type, app_id, device_id, provider_id, calendar_date, start_at, end_at, created_at, updated_at`;

export async function countedSummaries(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  asked: SummariesAsked,
  scope: QueryScope,
): Promise<Expression> {
  const { summary } = asked;
  const all = sql`
    select ${COLUMNS}, "values", ${localTimeOfSummary(summary, scope)} as local_at
      from summaries where ${matching(asked, scope)}`;
  if (isEachByItself(asked)) return sql`counted as (${all})`;
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
        ${of((each) => each.provider)}::text[], ${of((each) => each.source_type)}::text[], ${of(({ group }) => group)}::text[],
        ${of(({ rivals }) => rivals)}::integer[], ${of(({ place }) => place)}::integer[]
      ) as s (provider, source_type, "group", rivals, place)
    ), ranked as materialized (
      select told.*, rivals, place, min(place) over (partition by rivals, calendar_date) as best
        from (${all}) as told join sources using (provider, source_type)
       where sources.group = ${groupSql(asked)}
    ), ${summary === 'activity' ? filledDays : sql`counted as (select * from ranked where place = best)`}`;
}

/** What sources of a day tell together: of each field what the best one tells that has it. */
const together = (fields: Expression): Expression => sql`
  select rivals, calendar_date, jsonb_object_agg(key, value order by place desc) as told
    from ranked cross join lateral jsonb_each(${fields}) where value <> 'null' group by rivals, calendar_date`;

const HEART_RATE = sql`
  case when jsonb_typeof("values" -> 'heart_rate') = 'object' then "values" -> 'heart_rate' else '{}' end`;

/** Of each day one row, of the best source. Totals of a day cannot be added: nobody knows of which hours they are. */
const filledDays = sql`
  fields as (${together(sql`"values"`)}), beats as (${together(HEART_RATE)}), counted as (
    select ${COLUMNS}, local_at, fields.told || case when beats.told is null then '{}'
           else jsonb_build_object('heart_rate', beats.told) end as "values"
      from ranked join fields using (rivals, calendar_date) left join beats using (rivals, calendar_date)
     where place = best
  )`;

type Row = { provider: string; source_type: string; group: string };

async function findSources(
  { db }: TeamCtx | TxCtx<TeamCtx>,
  asked: SummariesAsked,
  scope: QueryScope,
): Promise<Ranked<Row>[]> {
  const { rows } = await sql<Row>`
    select distinct provider, source_type, ${groupSql(asked)} as "group" from summaries
     where ${matching(asked, scope)}`.execute(db);
  return rankRows(rows, scope.providers);
}

/** Its day, at the hour at which it began where that lies on it; a profile belongs to no day and lies where it came in. */
const localTimeOfSummary = (summary: string, { timeZone }: QueryScope): Expression =>
  summary === 'profile'
    ? sql`created_at at time zone ${timeZone}`
    : sql`
      case when resource in ('activity', 'sleep') or (${localTime(sql`start_at`, timeZone)})::date <> calendar_date
           then calendar_date::timestamp else ${localTime(sql`start_at`, timeZone)} end`;

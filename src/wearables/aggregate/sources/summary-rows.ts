// The summaries that a query reads, before it is chosen which of them count.
import { sql, type RawBuilder } from 'kysely';
import type { QueryScope } from '../scope.ts';
import type { SourceColumn, SummariesAsked } from './counted-rows.ts';

type Expression = RawBuilder<unknown>;

/** Which rows, and so many days more on either side: what began before the timeframe may be the same as what is counted. */
export const matching = (
  { summary, sourceFilter }: SummariesAsked,
  { userId, teamId, from, until, timeZone }: QueryScope,
  daysAround = 0,
): Expression => sql`
  user_id = ${userId} and team_id = ${teamId} and resource = ${summary}
   and ${
     summary === 'profile'
       ? sql`created_at at time zone ${timeZone} < ${until}::timestamp`
       : sql`calendar_date >= ${from}::date - ${daysAround}::integer and calendar_date < ${until}::date + ${daysAround}::integer`
   }${sourceFilter ? sql` and ${sourceFilter}` : sql``}`;

const COLUMNS: Readonly<Record<Exclude<SourceColumn, 'kind'>, Expression>> = {
  provider: sql`provider`,
  source_type: sql`source_type`,
  app_id: sql`app_id`,
  device_id: sql`device_id`,
  workout_id: sql`id`,
  sport: sql`"values" ->> 'sport'`,
};

/** By what a query groups its sources, as one text: where it differs, rows are no rivals. */
export const groupSql = ({ apart }: Pick<SummariesAsked, 'apart'>): Expression =>
  apart.length === 0
    ? sql`''`
    : sql`jsonb_build_array(${sql.join(apart.map((column) => COLUMNS[column as keyof typeof COLUMNS]))})::text`;

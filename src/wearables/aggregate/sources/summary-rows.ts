// The summaries of all sources that a query reads, before it chooses between sources that report the same.
import { sql, type RawBuilder } from 'kysely';
import type { QueryScope } from '../query-scope.ts';
import type { SourceColumn, SummarySelection } from './counted-rows.ts';

type Expression = RawBuilder<unknown>;

/**
 * Returns SQL for the rows of the timeframe, and of `daysAround` days before and after it. A session that began before
 * the timeframe may be the same as a session within it.
 */
export const matching = (
  { summary, sourceFilter }: SummarySelection,
  { userId, teamId, from, until, timeZone }: QueryScope,
  daysAround = 0,
): Expression => sql`
  user_id = ${userId} and team_id = ${teamId} and resource = ${summary}
   and ${
     summary === 'profile'
       ? sql`created_at at time zone ${timeZone} < ${until}::timestamp`
       : sql`calendar_date >= ${from}::date - ${daysAround}::integer
             and calendar_date < ${until}::date + ${daysAround}::integer`
   }${sourceFilter ? sql` and ${sourceFilter}` : sql``}`;

const COLUMNS: Readonly<Record<Exclude<SourceColumn, 'kind'>, Expression>> = {
  provider: sql`provider`,
  source_type: sql`source_type`,
  app_id: sql`app_id`,
  device_id: sql`device_id`,
  workout_id: sql`id`,
  sport: sql`"values" ->> 'sport'`,
};

/**
 * Returns SQL for one text from the source columns by which a query groups. Rows with different texts are in different
 * groups. So the query uses both rows, even if they report the same session.
 */
export const groupSql = ({ apart }: Pick<SummarySelection, 'apart'>): Expression =>
  apart.length === 0
    ? sql`''`
    : sql`jsonb_build_array(${sql.join(apart.map((column) => COLUMNS[column as keyof typeof COLUMNS]))})::text`;

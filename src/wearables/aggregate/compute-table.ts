import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { UserRow } from '../../users/find.ts';
import { prioritiesOf } from '../priorities/list.ts';
import { PRIORITY_TYPES, type PriorityType } from '../priorities/schemas.ts';
import { openedBytes, tableOfRows, type Row, type Table } from './query-result.ts';
import type { ByteAllowance } from './byte-allowance.ts';
import { openTexts } from './opened-texts.ts';
import { querySql, TEXT_BYTES } from './query-sql.ts';
import type { QueryPlan } from './read-query.ts';
import type { QueryConfig } from './schemas.ts';
import type { QueryScope } from './query-scope.ts';

/**
 * Computes one query over the data of one user in one SQL statement. If the query reads encrypted columns, another
 * statement reads them first. Throws too_many_matches if the table would have more than `maxRows` rows, more than
 * `maxValues` values, or more bytes of texts than `bytes` allows. The database stops at these limits too, so it never
 * returns a larger table. Subtracts the bytes that the query used from `bytes`.
 */
export async function computeTable(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  user: UserRow,
  plan: QueryPlan,
  { maxRows, maxValues, bytes, config, ...days }: Scope,
): Promise<Table> {
  const most = Math.min(maxRows, Math.floor(maxValues / plan.columns.length));
  const scope: QueryScope = {
    ...days,
    userId: user.id,
    teamId: ctx.team.id,
    timeZone: zoneOf(user),
    weekStartsOn: config?.week_starts_on ?? 'monday',
    providers: [...(config?.provider_priority_overrides ?? []), ...(await prioritiesOf(ctx, priorityTypeOf(plan)))],
    limit: most + 1,
    maxTextBytes: bytes.answered,
  };
  const opened = await openTexts(ctx, plan, scope, bytes);
  const { rows } = await sql<Row>`${await querySql(ctx, plan, scope, opened)}`.execute(ctx.db);
  if (rows.length > most) {
    throw new AppError(
      'too_many_matches',
      most < maxRows
        ? 'The answer would have too many values. Ask for a shorter timeframe, larger groups, or fewer columns and ' +
            'queries.'
        : `The answer would have more than ${maxRows} rows. Ask for a shorter timeframe or larger groups.`,
    );
  }
  bytes.answered -= Number(rows[0]?.[TEXT_BYTES] ?? 0) + openedBytes(plan, rows, opened);
  if (bytes.answered < 0) {
    throw new AppError(
      'too_many_matches',
      'The answer would have more than 4 MiB of texts. Ask for a shorter timeframe, or for fewer columns and groups ' +
        'of long texts.',
    );
  }
  return tableOfRows(plan, rows, opened);
}

/** Returns the time zone for samples and summaries that state no time zone. */
export const zoneOf = ({ fallback_time_zone }: Pick<UserRow, 'fallback_time_zone'>): string =>
  fallback_time_zone ?? 'UTC';

type Scope = Pick<QueryScope, 'from' | 'until' | 'window'> & {
  maxRows: number;
  maxValues: number;
  bytes: ByteAllowance;
  config: Static<typeof QueryConfig> | null;
};

/**
 * Returns the number of values that the database computed for a table. Two equal columns of a query are one column of
 * the table, but the database computed both, so both count.
 */
export const valuesOf = ({ columns }: QueryPlan, table: Table): number =>
  (Object.values(table)[0]?.length ?? 0) * columns.length;

/** Returns the type of data whose order of providers applies to the query. A team sets an order for each type. */
const priorityTypeOf = ({ table }: QueryPlan): PriorityType =>
  (table.series === null && PRIORITY_TYPES.find((type) => type === table.resource)) || 'timeseries';

// A column of a query: the kind of its values, and the SQL that reads a value from a row of `counted`. `counted` is the
// common table expression with the rows that the query uses (sources/counted-rows.ts).
import { sql, type RawBuilder } from 'kysely';
import { LABORATORY_SLUGS } from '../../laboratory-slugs.ts';
import { PROVIDER_SLUGS } from '../../providers/provider-catalogue.ts';
import { SOURCE_TYPES } from '../../source.ts';
import type { QueryScope } from '../query-scope.ts';
import type { SourceColumn } from '../sources/counted-rows.ts';

export type Expression = RawBuilder<unknown>;

/**
 * The kind of a column's values. `moment` is a point in time. `clock` is a local time of day in seconds
 * (clock-column.ts). `words` is a list of words.
 */
export type Kind = 'number' | 'text' | 'boolean' | 'date' | 'moment' | 'clock' | 'words';

/** A path in the encrypted part of a row, for example `title` or `map.polyline`. */
export type SealedPath = string;

export type Column = {
  kind: Kind;
  /**
   * SQL for the value in a row of `counted`. For an encrypted column, the value is not the text but the position of the
   * text in the sorted list of all texts (opened-texts.ts).
   */
  sql: (scope: Pick<QueryScope, 'timeZone'>) => Expression;
  sealed?: SealedPath;
  /**
   * Set if the column describes the source of a row, for example its provider. A condition on such a column only
   * chooses which sources the query reads.
   */
  ofSource?: SourceColumn;
  /** All words that a value of the column can be. Missing if the list is open. */
  words?: readonly string[];
  /** True if the values are UUIDs, in lower case. */
  isUuid?: true;
  /** For a column of kind `clock`, the hour at which its day begins. */
  dayBeginsAt?: number;
};

export type Columns = Readonly<Record<string, Column>>;

const path = (dotted: string): Expression => sql`${dotted.split('.')}::text[]`;

/**
 * Returns a column for a number of a summary. `factor` converts the number into the unit in the column's name: 60 for
 * `intensity_low_second`, because the summary has minutes.
 */
export const number = (dotted: string, factor = 1): Column => ({
  kind: 'number',
  sql: () =>
    factor === 1
      ? sql`("values" #>> ${path(dotted)})::float8`
      : sql`("values" #>> ${path(dotted)})::float8 * ${factor}::float8`,
});

/** Returns a column for a text of a summary. `words` lists all values that it can have; null if the list is open. */
export const word = (dotted: string, words: readonly string[] | null = null): Column => ({
  kind: 'text',
  sql: () => sql`("values" #>> ${path(dotted)})`,
  ...(words && { words }),
});

export const flag = (dotted: string): Column => ({
  kind: 'boolean',
  sql: () => sql`("values" #>> ${path(dotted)})::boolean`,
});

/**
 * Returns a column whose value is an SQL expression over the row, for example `created_at`. `words` lists all values
 * that the column can have; null if the list is open.
 */
export const ofRow = (kind: Kind, expression: Expression, words: readonly string[] | null = null): Column => ({
  kind,
  sql: () => expression,
  ...(words && { words }),
});

/**
 * Returns an encrypted column. The process decrypts its texts, and gives the database only their positions in sorted
 * order (opened-texts.ts).
 */
export const sealed = (at: SealedPath, kind: 'text' | 'date' = 'text'): Column => ({
  kind,
  sealed: at,
  sql: () => sql`${sql.id('opened', at)}`,
});

/** Returns a column that queries may name but that Phial never fills: its value is always null. */
export const neverFilled = (kind: 'number' | 'text'): Column => ({
  kind,
  sql: () => (kind === 'number' ? sql`null::float8` : sql`null::text`),
});

/**
 * Returns a column for a UUID. If the UUID describes the source of a row, `ofSourceColumn` states what the UUID
 * identifies: the device or the workout.
 */
export const uuid = (expression: Expression, ofSourceColumn: SourceColumn | null = null): Column => ({
  kind: 'text',
  sql: () => sql`${expression}::text`,
  isUuid: true,
  ...(ofSourceColumn && { ofSource: ofSourceColumn }),
});

/** Returns a column that describes the source of a row. */
export const ofSource = (name: SourceColumn, expression: Expression, words?: readonly string[]): Column => ({
  kind: 'text',
  sql: () => expression,
  ofSource: name,
  ...(words && { words }),
});

/** All providers and laboratories that data can come from. */
export const SOURCE_SLUGS: readonly string[] = [...new Set([...PROVIDER_SLUGS, ...LABORATORY_SLUGS])];

/**
 * The columns that describe the source of a row. Every table has them. A `source` item in a query can name them too.
 */
export const SOURCE_COLUMNS = {
  source_provider: ofSource('provider', sql`provider`, SOURCE_SLUGS),
  source_type: ofSource('source_type', sql`source_type`, SOURCE_TYPES),
  source_app_id: ofSource('app_id', sql`app_id`),
  source_device_id: uuid(sql`device_id`, 'device_id'),
} as const satisfies Columns;

/** Returns SQL that writes an offset from UTC in seconds as ±HH:MM. */
export const offsetText = (seconds: Expression): Expression => sql`
  (case when ${seconds} < 0 then '-' else '+' end || to_char(make_interval(secs => abs(${seconds})), 'HH24:MI'))`;

/**
 * Returns SQL for the value of a column. With collation C, PostgreSQL orders texts by code points, whatever collation
 * the database has.
 */
export const valueSql = (column: Column, scope: Pick<QueryScope, 'timeZone'>): Expression =>
  column.kind === 'text' && !column.sealed ? sql`(${column.sql(scope)}) collate "C"` : column.sql(scope);

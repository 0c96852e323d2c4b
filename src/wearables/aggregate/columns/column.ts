// A column of a query: the kind of its values, and the SQL that reads a value from a row of `counted`.
import { sql, type RawBuilder } from 'kysely';
import { LABORATORY_SLUGS } from '../../laboratory-slugs.ts';
import { PROVIDER_SLUGS } from '../../providers/provider-catalogue.ts';
import { SOURCE_TYPES } from '../../source.ts';
import type { QueryScope } from '../query-scope.ts';
import type { SourceColumn } from '../sources/counted-rows.ts';

export type Expression = RawBuilder<unknown>;

/**
 * The kind of the values of a column. `moment` is a point in time. `clock` is a local time of day in seconds
 * (clock-column.ts). `words` is a list of words.
 */
export type Kind = 'number' | 'text' | 'boolean' | 'date' | 'moment' | 'clock' | 'words';

/** A path in the sealed part of a row, for example `title` or `map.polyline`. */
export type SealedPath = string;

export type Column = {
  kind: Kind;
  /**
   * SQL for the value in a row of `counted`. For a sealed column, this is the position of the text among all texts
   * (opened-texts.ts).
   */
  sql: (scope: Pick<QueryScope, 'timeZone'>) => Expression;
  sealed?: SealedPath;
  /**
   * Set if the column describes the source of a row. Conditions on such columns only choose the sources that take part.
   */
  ofSource?: SourceColumn;
  /** All words that a value of the column can be; missing if other words are possible. */
  words?: readonly string[];
  /** True if the values are UUIDs, in lower case. */
  isUuid?: true;
  /** For a column of kind `clock`, the hour at which its day begins. */
  dayBeginsAt?: number;
};

export type Columns = Readonly<Record<string, Column>>;

const path = (dotted: string): Expression => sql`${dotted.split('.')}::text[]`;

/** Returns a column for a number of a summary. `factor` converts it into the unit that the column's name states. */
export const number = (dotted: string, factor = 1): Column => ({
  kind: 'number',
  sql: () =>
    factor === 1
      ? sql`("values" #>> ${path(dotted)})::float8`
      : sql`("values" #>> ${path(dotted)})::float8 * ${factor}::float8`,
});

/** Returns a column for a word of a summary. `words` are all words that it can be; null if other words are possible. */
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
 * Returns a column that is stored in the row and not in its `values`. `words` are all words that it can be; null if
 * other words are possible.
 */
export const ofRow = (kind: Kind, expression: Expression, words: readonly string[] | null = null): Column => ({
  kind,
  sql: () => expression,
  ...(words && { words }),
});

/** Returns a sealed column. The process opens its texts, and the database gets only their positions. */
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

/** Returns a column for an id that Phial made. `ofSourceColumn` is set if the id describes the source of a row. */
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

/** The columns that describe the source of a row. All tables have them under these names, and so has `source`. */
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
 * Returns SQL for the value of a column. PostgreSQL orders its texts by code points, also if the database has another
 * collation.
 */
export const valueSql = (column: Column, scope: Pick<QueryScope, 'timeZone'>): Expression =>
  column.kind === 'text' && !column.sealed ? sql`(${column.sql(scope)}) collate "C"` : column.sql(scope);

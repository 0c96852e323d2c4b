// What a column of a query is: how it is called, what its values are, and how they are read from a counted row.
import { sql, type RawBuilder } from 'kysely';
import { LABORATORY_SLUGS } from '../../laboratory-slugs.ts';
import { PROVIDER_SLUGS } from '../../providers/catalogue.ts';
import { SOURCE_TYPES } from '../../source.ts';
import type { QueryScope } from '../scope.ts';
import type { SourceColumn } from '../sources/counted-rows.ts';

export type Expression = RawBuilder<unknown>;

/**
 * What the values of a column are. `moment` is a point in time, `clock` a local time of day as `clock.ts` counts it, `words`
 * a list of words.
 */
export type Kind = 'number' | 'text' | 'boolean' | 'date' | 'moment' | 'clock' | 'words';

/** A way into what a row keeps sealed: `title`, or `map.polyline`. */
export type SealedPath = string;

export type Column = {
  kind: Kind;
  /** Its value in a row of `counted`; of a sealed column, the place of its text among all texts (opened-texts.ts). */
  sql: (scope: Pick<QueryScope, 'timeZone'>) => Expression;
  sealed?: SealedPath;
  /** It tells where a row is from: conditions on such columns alone choose which sources take part. */
  ofSource?: SourceColumn;
  /** All words that its values are of; missing where there are others. */
  words?: readonly string[];
  /** Its values are UUIDs, in lower case. */
  isUuid?: true;
  /** Of a clock: the hour at which its day begins. */
  dayBeginsAt?: number;
};

export type Columns = Readonly<Record<string, Column>>;

const path = (dotted: string): Expression => sql`${dotted.split('.')}::text[]`;

/** A number of a summary, multiplied into the unit that its name says. */
export const number = (dotted: string, factor = 1): Column => ({
  kind: 'number',
  sql: () =>
    factor === 1
      ? sql`("values" #>> ${path(dotted)})::float8`
      : sql`("values" #>> ${path(dotted)})::float8 * ${factor}::float8`,
});

/** A word of a summary, and which ones there are; null where anybody may write others. */
export const word = (dotted: string, words: readonly string[] | null = null): Column => ({
  kind: 'text',
  sql: () => sql`("values" #>> ${path(dotted)})`,
  ...(words && { words }),
});

export const flag = (dotted: string): Column => ({
  kind: 'boolean',
  sql: () => sql`("values" #>> ${path(dotted)})::boolean`,
});

/** What the row itself keeps, and not its values; of words, which ones there are, where nobody may write others. */
export const ofRow = (kind: Kind, expression: Expression, words: readonly string[] | null = null): Column => ({
  kind,
  sql: () => expression,
  ...(words && { words }),
});

/** What is kept sealed: opened by the process and never compared by the database. */
export const sealed = (at: SealedPath, kind: 'text' | 'date' = 'text'): Column => ({
  kind,
  sealed: at,
  sql: () => sql`${sql.id('opened', at)}`,
});

/** What nothing fills here: allowed, and always null. */
export const neverFilled = (kind: 'number' | 'text'): Column => ({
  kind,
  sql: () => (kind === 'number' ? sql`null::float8` : sql`null::text`),
});

/** An id that the service gave; `ofSourceColumn` where it tells where a row is from. */
export const uuid = (expression: Expression, ofSourceColumn: SourceColumn | null = null): Column => ({
  kind: 'text',
  sql: () => sql`${expression}::text`,
  isUuid: true,
  ...(ofSourceColumn && { ofSource: ofSourceColumn }),
});

/** A column that tells where a row is from. */
export const ofSource = (name: SourceColumn, expression: Expression, words?: readonly string[]): Column => ({
  kind: 'text',
  sql: () => expression,
  ofSource: name,
  ...(words && { words }),
});

/** Whoever data can be from. */
export const SOURCE_SLUGS: readonly string[] = [...new Set([...PROVIDER_SLUGS, ...LABORATORY_SLUGS])];

/** Where a row is from, by the names that `source` and the columns of all tables have for it. */
export const SOURCE_COLUMNS = {
  source_provider: ofSource('provider', sql`provider`, SOURCE_SLUGS),
  source_type: ofSource('source_type', sql`source_type`, SOURCE_TYPES),
  source_app_id: ofSource('app_id', sql`app_id`),
  source_device_id: uuid(sql`device_id`, 'device_id'),
} as const satisfies Columns;

/** How far the clock of a row is from UTC as ±HH:MM, from seconds. */
export const offsetText = (seconds: Expression): Expression => sql`
  (case when ${seconds} < 0 then '-' else '+' end || to_char(make_interval(secs => abs(${seconds})), 'HH24:MI'))`;

/** The value of a column; texts are in the order of their characters' numbers, whatever the language of the database. */
export const valueSql = (column: Column, scope: Pick<QueryScope, 'timeZone'>): Expression =>
  column.kind === 'text' && !column.sealed ? sql`(${column.sql(scope)}) collate "C"` : column.sql(scope);

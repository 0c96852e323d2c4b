import pg from 'pg';
import { expect } from 'vitest';
import {
  SEALED_COLUMNS,
  type SealedColumn,
  type PackedColumn,
  type TextColumn,
} from '../src/privacy/sealed-columns.ts';
import type { TestApp } from './test-app.ts';

/** A place where a text was found. A postal code must be a whole word, because ids may contain its digits by chance. */
const patternOf = (text: string): string =>
  /^\d{5}$/.test(text) ? `(?<!\\w)${text}(?!\\w)` : text.replaceAll(/[^\w ]/g, (character) => `\\${character}`);

type Column = { schema: string; table: string; name: string; data_type: string };

/** The rows of a partition belong to its table. */
const wholeTable = (table: string): string => table.replace(/_(default|\d{4}|\d{6,8})$/, '');

/**
 * Columns of every table of every schema, including the job queue, that contain one of the texts, read as the owner of
 * the database: `stored` in the bytes (text as it is, and hex decoded), `opened` after the seals were opened with the
 * service's keys.
 */
export async function findTraces(
  app: Pick<TestApp, 'databaseUrl' | 'ctx'>,
  texts: string[],
  as: 'stored' | 'opened' = 'opened',
): Promise<string[]> {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  try {
    const { rows: columns } = await client.query<Column>(`
      select table_schema as schema, table_name as table, column_name as name, data_type
        from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`);
    expect(columns.map(({ schema, table }) => `${schema}.${table}`)).toEqual(
      expect.arrayContaining(['public.orders', 'public.attempts_default', 'graphile_worker._private_jobs']),
    );
    const found = new Set<string>();
    for (const column of columns) {
      const columnName = `${wholeTable(column.table)}.${column.name}`;
      const sealed = as === 'opened' && column.data_type === 'bytea' && columnName in SEALED_COLUMNS;
      const there = sealed
        ? await opensTo(client, app, column, columnName as SealedColumn, texts)
        : await hasText(client, column, texts);
      if (there) found.add(column.schema === 'public' ? columnName : `${column.schema}.${columnName}`);
    }
    return [...found].toSorted();
  } finally {
    await client.end();
  }
}

async function hasText(
  client: pg.Client,
  { schema, table, name, data_type }: Column,
  texts: string[],
): Promise<boolean> {
  const column = pg.escapeIdentifier(name);
  const text = data_type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`;
  const { rowCount } = await client.query(
    `select from ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)} where ${text} ~* any ($1) limit 1`,
    [texts.map(patternOf)],
  );
  return rowCount !== 0;
}

async function opensTo(
  client: pg.Client,
  { ctx }: Pick<TestApp, 'ctx'>,
  { table, name }: Column,
  sealedColumn: SealedColumn,
  texts: string[],
): Promise<boolean> {
  const { as, row, team } = SEALED_COLUMNS[sealedColumn];
  const id = row.map((column) => `${pg.escapeIdentifier(column)}::text`).join(` || '/' || `);
  const { rows } = await client.query<{ team_id: string; id: string; sealed: Buffer }>(
    `select ${pg.escapeIdentifier(team)} as team_id, ${id} as id, ${pg.escapeIdentifier(name)} as sealed
       from public.${pg.escapeIdentifier(table)} where ${pg.escapeIdentifier(name)} is not null`,
  );
  // Parses JSON after it is opened.
  const opened = await Promise.all(
    rows.map(({ sealed, ...at }) =>
      as === 'packed'
        ? ctx.cipher.openPacked(sealedColumn as PackedColumn, at, sealed)
        : ctx.cipher.openText(sealedColumn as TextColumn, at, sealed),
    ),
  );
  const patterns = texts.map((text) => new RegExp(patternOf(text), 'i'));
  return opened.some((text) => patterns.some((pattern) => pattern.test(text)));
}

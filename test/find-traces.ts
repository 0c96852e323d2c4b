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

type Column = { name: string; data_type: string };
type Table = { schema: string; table: string; columns: Column[] };

/** The rows of a partition belong to its table. */
const wholeTable = (table: string): string => table.replace(/_(default|\d{4}|\d{6,8})$/, '');

/** Every table that has rows of its own, so a partition and not the table that it belongs to. */
const TABLES = `
  select nspname as schema, relname as table,
         json_agg(json_build_object('name', attname, 'data_type', format_type(atttypid, null))) as columns
    from pg_attribute join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
   where relkind = 'r' and attnum > 0 and not attisdropped
         and nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
   group by nspname, relname`;

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
    const { rows: tables } = await client.query<Table>(TABLES);
    expect(tables.map(({ schema, table }) => `${schema}.${table}`)).toEqual(
      expect.arrayContaining(['public.orders', 'public.attempts_default', 'graphile_worker._private_jobs']),
    );
    const found = new Set<string>();
    for (const { schema, table, columns } of tables) {
      const nameOf = ({ name }: Column): string => `${wholeTable(table)}.${name}`;
      const isSealed = (column: Column): boolean =>
        as === 'opened' && column.data_type === 'bytea' && nameOf(column) in SEALED_COLUMNS;
      const plain = columns.filter((column) => !isSealed(column));
      const there = await withText(client, { schema, table, columns: plain }, texts);
      for (const column of columns.filter(isSealed))
        if (await opensTo(client, app, { table, name: column.name }, nameOf(column) as SealedColumn, texts))
          there.push(column);
      for (const column of there) found.add(schema === 'public' ? nameOf(column) : `${schema}.${nameOf(column)}`);
    }
    return [...found].toSorted();
  } finally {
    await client.end();
  }
}

/** The columns that contain one of the texts, by one statement for the whole table. */
async function withText(client: pg.Client, { schema, table, columns }: Table, texts: string[]): Promise<Column[]> {
  const found = columns.map(({ name, data_type }) => {
    const column = pg.escapeIdentifier(name);
    const text = data_type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`;
    return `bool_or(${text} ~* $1)`;
  });
  const { rows } = await client.query<(boolean | null)[]>({
    text: `select ${found.join(', ')} from ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`,
    values: [texts.map((text) => `(?:${patternOf(text)})`).join('|')],
    rowMode: 'array',
  });
  return columns.filter((_, n) => rows[0]?.[n]);
}

async function opensTo(
  client: pg.Client,
  { ctx }: Pick<TestApp, 'ctx'>,
  { table, name }: { table: string; name: string },
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

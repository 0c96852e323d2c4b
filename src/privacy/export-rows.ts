// The types with which a module declares its part of the export of a team: stored rows with decrypted values, or lines
// that the module makes itself.
import { sql, type RawBuilder } from 'kysely';
import type { TeamCtx } from '../context.ts';
import type { DB } from '../db/tables.ts';
import {
  SEALED_COLUMNS,
  type BytesColumn,
  type JsonColumn,
  type PackedColumn,
  type SealedColumn,
  type TextColumn,
} from './sealed-columns.ts';
import { throwIfKeyIsUnknown } from './missing-encryption-key.ts';

export type ExportedRow = Record<string, unknown>;

/**
 * Rows of a table in the order of `key`. The pages of an export follow this order. For rows of a user, `key` is the
 * primary key without the user's id.
 */
type RowsOfTable = {
  type: string;
  table: keyof DB & string;
  key: readonly string[];
  /** Columns that the export does not contain, because they give access to something or are for internal use. */
  without?: readonly string[];
};

/** Lines that a module makes itself. `tables` names the tables whose data the lines contain. */
type OwnLines<W> = {
  type: string;
  tables: readonly (keyof DB & string)[];
  lines: (ctx: TeamCtx, whose: W) => AsyncIterable<ExportedRow>;
};

/** The exports of a module: data of each user, and data of the team itself. */
export type Exports = {
  ofUser?: readonly (RowsOfTable | OwnLines<{ id: string }>)[];
  ofTeam?: readonly (RowsOfTable | OwnLines<null>)[];
};

const PAGE = 100;
/**
 * A page of rows ends when its sealed columns reach this many bytes, because such columns can contain pictures and
 * documents.
 */
const PAGE_BYTES = 2 * 1024 * 1024;

/**
 * Reads the rows of one user, or of the team itself. Only one page is in memory at a time, and no transaction is open
 * between pages.
 */
export async function* exportedRows(
  ctx: TeamCtx,
  { table, key, without = [] }: RowsOfTable,
  user: { id: string } | null,
): AsyncIterable<ExportedRow> {
  const own = user ? sql`user_id = ${user.id} and team_id = ${ctx.team.id}` : sql`team_id = ${ctx.team.id}`;
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const sealed = sealedColumnsOf(table);
  let behind: RawBuilder<unknown> = sql``;
  for (;;) {
    const next = sql`from ${sql.table(table)} where ${own} ${behind} order by ${columns}`;
    const { rows } = await sql<ExportedRow>`
      select * ${next} limit ${sealed.length === 0 ? sql`${PAGE}` : rowsOfPage(sealed, columns, next)}`.execute(ctx.db);
    for (const row of rows) yield await openRow(ctx, table, row, without);
    const last = rows.at(-1);
    const bytes = rows.flatMap((row) => sealed.map((name) => (row[name] as Buffer | null)?.length ?? 0));
    if (!last || (rows.length < PAGE && bytes.reduce((sum, each) => sum + each, 0) < PAGE_BYTES)) return;
    behind = sql`and (${columns}) > (${sql.join(key.map((name) => last[name]))})`;
  }
}

const sealedColumnsOf = (table: string): string[] =>
  Object.keys(SEALED_COLUMNS).flatMap((column) =>
    column.startsWith(`${table}.`) ? column.slice(table.length + 1) : [],
  );

/**
 * Returns a query that counts the rows of the next page. For a long value, PostgreSQL knows the length without reading
 * the value.
 */
function rowsOfPage(sealed: string[], order: RawBuilder<unknown>, next: RawBuilder<unknown>): RawBuilder<unknown> {
  const bytes = sql.join(
    sealed.map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`),
    sql` + `,
  );
  return sql`(select count(*) from (
    select sum(${bytes}) over (order by ${order} rows unbounded preceding) - (${bytes}) as before ${next} limit ${PAGE}
  ) as sized where before < ${PAGE_BYTES})`;
}

/**
 * Decrypts a row for an export, and writes bytes in sealed columns as base64. It omits hashes and all other unsealed
 * bytes. If it cannot decrypt a value, the value is null and its column is in `unreadable`, so the rest of the export
 * still works.
 */
export async function openRow(
  ctx: TeamCtx,
  table: string,
  row: ExportedRow,
  without: readonly string[] = [],
): Promise<ExportedRow> {
  const opened: ExportedRow = {};
  const unreadable: string[] = [];
  for (const [name, value] of Object.entries(row)) {
    if (without.includes(name) || name === 'team_id' || name.endsWith('_hash')) continue;
    if (!Buffer.isBuffer(value)) opened[name] = value;
    else if (`${table}.${name}` in SEALED_COLUMNS) {
      try {
        opened[name] = await open(ctx, `${table}.${name}` as SealedColumn, row, value);
      } catch (err) {
        throwIfKeyIsUnknown(err);
        ctx.log.error(
          { err, team_id: ctx.team.id, table },
          'a stored value cannot be opened, and is missing in an export',
        );
        opened[name] = null;
        unreadable.push(name);
      }
    }
  }
  return unreadable.length === 0 ? opened : { ...opened, unreadable };
}

async function open({ cipher }: TeamCtx, column: SealedColumn, row: ExportedRow, sealed: Buffer): Promise<unknown> {
  const { as, row: names, team } = SEALED_COLUMNS[column];
  const sealedRow = { team_id: String(row[team]), id: names.map((name) => String(row[name])).join('/') };
  if (as === 'text') return cipher.openText(column as TextColumn, sealedRow, sealed);
  if (as === 'json') return cipher.openJson(column as JsonColumn, sealedRow, sealed);
  if (as === 'bytes') return cipher.openBytes(column as BytesColumn, sealedRow, sealed).toString('base64');
  return JSON.parse(await cipher.openPacked(column as PackedColumn, sealedRow, sealed)) as unknown;
}

// How rooms say what of theirs an export of a team holds: rows as they are stored, opened, or lines of their own making.
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
} from './columns.ts';
import { throwIfKeyIsUnknown } from './unknown-key.ts';

export type ExportedRow = Record<string, unknown>;

/** Rows of a table, in the order of `key`, by which pages go: of a user's, the rest of the primary key. */
type RowsOfTable = {
  type: string;
  table: keyof DB & string;
  key: readonly string[];
  /** Columns that are left out: what opens something, and what is the service's own. */
  without?: readonly string[];
};

/** Lines that a room makes by itself, and the tables that they tell of. */
type OwnLines<W> = {
  type: string;
  tables: readonly (keyof DB & string)[];
  lines: (ctx: TeamCtx, whose: W) => AsyncIterable<ExportedRow>;
};

/** What a room exports: of each user, and of the team itself. */
export type Exports = {
  ofUser?: readonly (RowsOfTable | OwnLines<{ id: string }>)[];
  ofTeam?: readonly (RowsOfTable | OwnLines<null>)[];
};

const PAGE = 100;
/** Of sealed columns, as pictures and documents are: a page ends with the row that comes to as much. */
const PAGE_BYTES = 2 * 1024 * 1024;

/** The rows of one user, or of the team itself, a page in memory at a time and no transaction open between pages. */
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

/** How many of the next rows a page has. Lengths are known without reading what is stored aside. */
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
 * A row as its owner may read it: sealed columns opened, bytes as base64, hashes left out, since all bytes that are not
 * sealed are. What cannot be opened is null and named in `unreadable`: the rest of the export is not lost for it.
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
          'a stored value cannot be opened; it is missing in an export',
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
  const place = { team_id: String(row[team]), id: names.map((name) => String(row[name])).join('/') };
  if (as === 'text') return cipher.openText(column as TextColumn, place, sealed);
  if (as === 'json') return cipher.openJson(column as JsonColumn, place, sealed);
  if (as === 'bytes') return cipher.openBytes(column as BytesColumn, place, sealed).toString('base64');
  return JSON.parse(await cipher.openPacked(column as PackedColumn, place, sealed)) as unknown;
}

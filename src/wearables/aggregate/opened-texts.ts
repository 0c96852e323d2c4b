// Encrypted columns, for example the title of a workout. The process decrypts the texts and sorts them. It gives the
// database only the position of each text in the sorted list. The database groups, compares and orders these positions,
// and never gets a text.
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { ByteAllowance } from './byte-allowance.ts';
import type { Column, Expression, SealedPath } from './columns/column.ts';
import type { QueryPlan } from './read-query.ts';
import type { QueryScope } from './query-scope.ts';
import { columnsIn } from './where/condition-sql.ts';

export type OpenedTexts = {
  /**
   * Returns SQL that joins `opened` to rows by the given id. `opened` has a column of positions for each encrypted
   * column.
   */
  join: (id: Expression) => Expression;
  /** Returns the text at a position. */
  textAt: (position: number) => string;
  /** Returns the number of bytes that the text at a position has in UTF-8. */
  bytesAt: (position: number) => number;
  /**
   * Returns the positions of a text. `from` is the first position, and `to` is the position after the last one. The two
   * are equal if no row has the text.
   */
  positionsOf: (value: string) => { from: number; to: number };
};

const MAX_ROWS = 10_000;
/** After this number of rows, the process does other work before it continues. */
const ROWS_AT_ONCE = 500;

/** Returns the encrypted columns that a plan reads. */
function sealedIn({ columns, groups, where }: QueryPlan): SealedPath[] {
  const read: Column[] = [
    ...columns.flatMap((each) => ('column' in each ? [each.column] : [])),
    ...groups.flatMap((group) => ('column' in group ? [group.column] : [])),
    ...columnsIn(where),
  ];
  return [...new Set(read.flatMap(({ sealed }) => sealed ?? []))];
}

/**
 * Decrypts the texts of the encrypted columns that a query reads. Returns null if it reads none. Throws
 * too_many_matches if the query would decrypt more than 10,000 rows, or more bytes than `bytes` allows. Subtracts the
 * decrypted bytes from `bytes`.
 */
export async function openTexts(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  plan: QueryPlan,
  scope: Pick<QueryScope, 'userId' | 'teamId' | 'from' | 'until'>,
  bytes: ByteAllowance,
): Promise<OpenedTexts | null> {
  const paths = sealedIn(plan);
  if (paths.length === 0) return null;
  const rows = await (plan.table.series ? openNotes(ctx, plan, scope, bytes) : openSummaries(ctx, plan, scope, bytes));
  const columns = paths.map((path) => rows.map(({ texts }) => textWithin(texts, path)));
  const texts = inOrder(columns.flat());
  const positions = new Map(texts.map(({ text }, position) => [text, position]));
  const positionColumns = columns.map((column) =>
    column.map((text) => (text === null ? null : (positions.get(text) as number))),
  );
  const arrays = positionColumns.map((column, n) => sql`${column}::integer[] as ${sql.id(`of ${paths[n]}`)}`);
  const found = (id: Expression): Expression[] =>
    paths.map((path) => sql`case when ids[n] = ${id} then ${sql.id(`of ${path}`)}[n] end as ${sql.id(path)}`);
  return {
    // `width_bucket` finds the id by binary search. A plain join would be slow: the planner of PostgreSQL expects only
    // one row for a user, so it would compare each row with each text.
    join: (id) => sql`
      cross join lateral (
        select ${sql.join(found(id))}
          from (select ${rows.map((row) => row.id)}::uuid[] as ids, ${sql.join(arrays)}) as texts
         cross join lateral width_bucket(${id}, ids) as n
      ) as opened`,
    textAt: (position) => (texts[position] as Text).text,
    bytesAt: (position) => (texts[position] as Text).bytes.length,
    positionsOf: (value) => {
      const from = positionOf(texts, Buffer.from(value));
      return { from, to: texts[from]?.text === value ? from + 1 : from };
    },
  };
}

/** A text and its bytes in UTF-8. We order texts by these bytes, as PostgreSQL orders plain texts with collation C. */
type Text = { text: string; bytes: Buffer };

const inOrder = (texts: (string | null)[]): Text[] =>
  [...new Set(texts.filter((text) => text !== null))]
    .map((text) => ({ text, bytes: Buffer.from(text) }))
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes));

/** Returns the position of the first sorted text that is equal to `bytes` or comes after it. */
function positionOf(texts: Text[], bytes: Buffer): number {
  let [from, until] = [0, texts.length];
  while (from < until) {
    const middle = (from + until) >> 1;
    if (Buffer.compare((texts[middle] as Text).bytes, bytes) < 0) from = middle + 1;
    else until = middle;
  }
  return from;
}

type Row = { id: string; texts: unknown };

async function openSummaries(
  ctx: TeamCtx,
  { table }: QueryPlan,
  { userId, teamId, from, until }: Pick<QueryScope, 'userId' | 'teamId' | 'from' | 'until'>,
  bytes: ByteAllowance,
): Promise<Row[]> {
  const { rows } = await sql<{ id: string; team_id: string; texts: Buffer | null; bytes: number }>`
    select id, team_id, case when bytes <= ${bytes.opened} then texts end as texts, bytes::float8 from (
      select id, team_id, texts, sum(octet_length(texts)) over (order by id) as bytes from summaries
       where user_id = ${userId} and team_id = ${teamId} and resource = ${table.resource} and texts is not null
         and (calendar_date is null or calendar_date >= ${from}::date and calendar_date < ${until}::date)
       order by id limit ${MAX_ROWS + 1}
    ) as counted`.execute(ctx.db);
  subtractBytes(rows, bytes);
  return openEach(rows, (row) => ctx.cipher.openJson('summaries.texts', row, row.texts as Buffer));
}

async function openNotes(
  ctx: TeamCtx,
  { table }: QueryPlan,
  { userId, teamId, from, until }: Pick<QueryScope, 'userId' | 'teamId' | 'from' | 'until'>,
  bytes: ByteAllowance,
): Promise<Row[]> {
  const { rows } = await sql<{ id: string; team_id: string; text: Buffer | null; bytes: number }>`
    select id, team_id, case when bytes <= ${bytes.opened} then text end as text, bytes::float8 from (
      select n.id, n.team_id, n.text, sum(octet_length(n.text)) over (order by n.id) as bytes
        from streams s join sample_notes n on n.stream_id = s.id and n.team_id = s.team_id
       where s.user_id = ${userId} and s.team_id = ${teamId} and s.resource = ${table.resource}
         and n.at >= ${from}::timestamptz - interval '1 day' and n.at < ${until}::timestamptz + interval '1 day'
       order by n.id limit ${MAX_ROWS + 1}
    ) as counted`.execute(ctx.db);
  subtractBytes(rows, bytes);
  return openEach(rows, (row) => ({ content: ctx.cipher.openText('sample_notes.text', row, row.text as Buffer) }));
}

async function openEach<T extends { id: string }>(rows: T[], open: (row: T) => unknown): Promise<Row[]> {
  const opened: Row[] = [];
  for (const row of rows) {
    opened.push({ id: row.id, texts: open(row) });
    if (opened.length % ROWS_AT_ONCE === 0) await nextImmediate();
  }
  return opened;
}

function subtractBytes(rows: { bytes: number }[], bytes: ByteAllowance): void {
  const own = rows.at(-1)?.bytes ?? 0;
  if (rows.length > MAX_ROWS || own > bytes.opened) {
    throw new AppError(
      'too_many_matches',
      `A query would open more than ${MAX_ROWS} texts, or the whole request more than 16 MiB of texts. Ask for a ` +
        'shorter timeframe, or for fewer queries at once.',
    );
  }
  bytes.opened -= own;
}

function textWithin(texts: unknown, path: SealedPath): string | null {
  let within = texts;
  for (const name of path.split('.')) within = (within as Record<string, unknown> | null | undefined)?.[name];
  return typeof within === 'string' ? within : null;
}

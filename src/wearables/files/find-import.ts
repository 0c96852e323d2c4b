import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { decodeCursor, isId, takePage } from '../../db/cursor.ts';
import { notFound } from '../../errors.ts';
import { findUser } from '../../users/find.ts';
import { failureOf } from './failures.ts';
import type { FileImport, FileImportPage } from './schemas.ts';

const COLUMNS = [
  'id',
  'user_id',
  'kind',
  'status',
  'bytes',
  'progress',
  'created',
  'updated',
  'unchanged',
  'outside_ingestion_bounds',
  'skipped',
  'skipped_by_type',
  'error',
  'created_at',
  'started_at',
  'ended_at',
] as const;

/** A row of an import, as the database client returns it: bigint columns are numbers. */
type Row = Omit<Static<typeof FileImport>, 'error'> & { error: string | null };
type Scope = TeamCtx | TxCtx<TeamCtx>;

/** Returns an import of a user of the caller's team. Throws not_found, and user_scheduled_for_deletion for the user. */
export async function findImport(ctx: Scope, userId: string, importId: string): Promise<Static<typeof FileImport>> {
  await findUser(ctx, userId);
  const row = await importsOf(ctx, userId).where('id', '=', importId).executeTakeFirst();
  if (!row) throw notFound('Import');
  return render(row);
}

/** Returns the imports of a user, the newest first. */
export async function listImports(
  ctx: TeamCtx,
  userId: string,
  { next_cursor, page_size }: { next_cursor?: string; page_size: number },
): Promise<Static<typeof FileImportPage>> {
  await findUser(ctx, userId);
  const before = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
  const rows = await importsOf(ctx, userId)
    .$if(before !== null, (query) => query.where('id', '<', before as string))
    .orderBy('id', 'desc')
    .limit(page_size + 1)
    .execute();
  const { page, ...rest } = takePage(rows, page_size, ({ id }) => id);
  return { data: page.map(render), ...rest };
}

/** Selects the imports of a user, without those whose file is still being uploaded. */
const importsOf = ({ db, team }: Scope, userId: string) =>
  (db as TeamCtx['db'])
    .selectFrom('imports')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .where('team_id', '=', team.id)
    .where('status', '<>', 'uploading')
    .$castTo<Row>();

const render = ({ error, ...row }: Row): Static<typeof FileImport> => ({
  ...row,
  error: error === null ? null : failureOf(error),
});

import { sql } from 'kysely';
import type { Ctx, TeamCtx, TxCtx } from '../../context.ts';
import { oldUploads, removeUpload } from './upload-folder.ts';
import type { Exports } from '../../privacy/export-rows.ts';

export const EXPORTS: Exports = { ofUser: [{ type: 'import', table: 'imports', key: ['id'] }] };

/** Erases the imports of a user with their files. An import that is running notices this and stores no more data. */
export async function eraseUser({ db, team, config }: TxCtx<TeamCtx>, user: { id: string }): Promise<void> {
  const erased = await db
    .deleteFrom('imports')
    .where('user_id', '=', user.id)
    .where('team_id', '=', team.id)
    .returning('id')
    .execute();
  // The transaction may still fail and run again. It does not need the files for that, so we remove them now.
  if (config.uploadDir !== null) for (const { id } of erased) await removeUpload(config, id);
}

/** The most hours that an upload takes. An upload that began earlier was interrupted. */
const ARRIVES_WITHIN_HOURS = 3;

/**
 * Deletes imports that ended before the retention time of events, and uploads whose process was killed. Removes the
 * files that no import needs.
 */
export async function dropExpired({ db, config }: Ctx): Promise<void> {
  await sql`
    delete from ${sql.table('imports')}
     where ended_at < now() - make_interval(days => ${config.retentionDays})
        or (status = 'uploading' and created_at < now() - make_interval(hours => ${ARRIVES_WITHIN_HOURS}))`.execute(db);
  for await (const ids of oldUploads(config, ARRIVES_WITHIN_HOURS * 3_600_000)) {
    const { rows } = await sql<{ id: string }>`
      select id from imports where id = any(${ids}::uuid[]) and status in ('uploading', 'queued', 'running')`.execute(
      db,
    );
    const wanted = new Set(rows.map(({ id }) => id));
    for (const id of ids) if (!wanted.has(id)) await removeUpload(config, id);
  }
}

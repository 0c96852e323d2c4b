import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockName } from '../../db/session/named-lock.ts';
import { AppError } from '../../errors.ts';
import type { FileKind } from './file-kind.ts';

/** The most files of a team that may be uploaded, waiting or imported at a time. Their bytes have a limit too. */
const MAX_FILES = 50;

export type Upload = { id: string; user_id: string; kind: FileKind };

/**
 * Reserves `bytes` of the team's quota for a file that is being uploaded. Replaces an earlier reservation for the file.
 * Throws limit_reached if the other files of the team or organisation leave no space.
 */
export function reserveQuota(ctx: TeamCtx, { id, user_id, kind }: Upload, bytes: number): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const { db, team, config } = tx;
    // Without the lock, two uploads of an organisation at the same time could both take the last free space.
    await lockName(db, 'uploads', team.org_id);
    const { rows } = await sql<{ files: number; bytes: number; org_bytes: number }>`
      select (count(*) filter (where team_id = ${team.id}))::float8 as files,
             coalesce(sum(bytes) filter (where team_id = ${team.id}), 0)::float8 as bytes,
             coalesce(sum(bytes), 0)::float8 as org_bytes
        from imports
       where team_id in (select teams.id from teams where org_id = ${team.org_id})
         and status in ('uploading', 'queued', 'running') and id <> ${id}`.execute(acrossTeams(tx).db);
    const others = rows[0] as { files: number; bytes: number; org_bytes: number };
    if (others.files >= MAX_FILES) {
      throw new AppError(
        'limit_reached',
        `A team can have at most ${MAX_FILES} files that wait to be imported. Send this file when some are imported.`,
        { fields: { limit: MAX_FILES } },
      );
    }
    if (others.bytes + bytes > config.uploads.teamBytes) {
      throw new AppError(
        'limit_reached',
        `The files of this team that wait to be imported can have at most ${config.uploads.teamBytes} bytes in ` +
          'total. Send this file when some are imported.',
        { fields: { limit: config.uploads.teamBytes } },
      );
    }
    if (others.org_bytes + bytes > config.orgBytes.uploads) {
      throw new AppError(
        'limit_reached',
        'The files of this organisation that wait to be imported can have at most ' +
          `${config.orgBytes.uploads} bytes in total. Send this file when some are imported.`,
        { fields: { limit: config.orgBytes.uploads } },
      );
    }
    await sql`
      insert into imports (user_id, id, team_id, kind, bytes) values (${user_id}, ${id}, ${team.id}, ${kind}, ${bytes})
      on conflict (user_id, id) do update set bytes = excluded.bytes`.execute(db);
  });
}

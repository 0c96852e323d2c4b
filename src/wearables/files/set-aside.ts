import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { lockName } from '../../db/session/named-lock.ts';
import { AppError } from '../../errors.ts';
import type { FileKind } from './file-kind.ts';

/** Files of a team that wait or are on their way; with their bytes they are all that a team may have lying here. */
const MOST_FILES = 50;

export type Upload = { id: string; user_id: string; kind: FileKind };

/**
 * Sets `bytes` of the team's quota aside for a file that is on its way, in place of what was set aside for it before.
 * Throws limit_reached where the team's other files leave no room for it.
 */
export function setAside(ctx: TeamCtx, { id, user_id, kind }: Upload, bytes: number): Promise<void> {
  return inTransaction(ctx, async (tx) => {
    const { db, team, config } = tx;
    // Two uploads of an organisation that look at once would each find room for itself.
    await lockName(db, 'uploads', team.org_id);
    const { rows } = await sql<{ files: number; bytes: number; org_bytes: number }>`
      select (count(*) filter (where team_id = ${team.id}))::float8 as files,
             coalesce(sum(bytes) filter (where team_id = ${team.id}), 0)::float8 as bytes,
             coalesce(sum(bytes), 0)::float8 as org_bytes
        from imports
       where team_id in (select teams.id from teams where org_id = ${team.org_id})
         and status in ('uploading', 'queued', 'running') and id <> ${id}`.execute(acrossTeams(tx).db);
    const others = rows[0] as { files: number; bytes: number; org_bytes: number };
    if (others.files >= MOST_FILES) {
      throw new AppError(
        'limit_reached',
        `A team can have at most ${MOST_FILES} files waiting to be imported. Send this one when some are done.`,
        { fields: { limit: MOST_FILES } },
      );
    }
    if (others.bytes + bytes > config.uploads.teamBytes) {
      throw new AppError(
        'limit_reached',
        `The files of this team that wait to be imported may have at most ${config.uploads.teamBytes} bytes. ` +
          'Send this one when some are done.',
        { fields: { limit: config.uploads.teamBytes } },
      );
    }
    if (others.org_bytes + bytes > config.orgBytes.uploads) {
      throw new AppError(
        'limit_reached',
        `The files of this organisation that wait to be imported may have at most ${config.orgBytes.uploads} bytes. ` +
          'Send this one when some are done.',
        { fields: { limit: config.orgBytes.uploads } },
      );
    }
    await sql`
      insert into imports (user_id, id, team_id, kind, bytes) values (${user_id}, ${id}, ${team.id}, ${kind}, ${bytes})
      on conflict (user_id, id) do update set bytes = excluded.bytes`.execute(db);
  });
}

// Records the progress of an erasure, in the transactions that erase.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';

/** Records the start of an erasure, with the number of users and modules to erase. Only the first run does that. */
export async function beginDeletion({ db, team }: TxCtx<TeamCtx>, modules: number): Promise<void> {
  await sql`
    update team_deletions
       set started_at = now(), rooms = ${modules}, users = (select count(*) from users where team_id = ${team.id})
     where id = ${team.id} and started_at is null`.execute(db);
}

export async function recordErasedUser({ db, team }: TxCtx<TeamCtx>): Promise<void> {
  await sql`update team_deletions set erased_users = erased_users + 1 where id = ${team.id}`.execute(db);
}

/**
 * Records how many modules are erased. After an interruption, the next run begins again with the first module and finds
 * nothing left in it. The recorded number must not decrease then.
 */
export async function recordErasedModules({ db, team }: TxCtx<TeamCtx>, modules: number): Promise<void> {
  await sql`
    update team_deletions set erased_rooms = greatest(erased_rooms, ${modules}::integer) where id = ${team.id}`.execute(
    db,
  );
}

/**
 * Records the end of an erasure. Some users may have been erased meanwhile because somebody deleted them. The number of
 * erased users must include them, so we set it to the number of users.
 */
export async function endDeletion({ db, team }: TxCtx<TeamCtx>): Promise<void> {
  await sql`
    update team_deletions set ended_at = now(), erased_users = greatest(users, erased_users)
     where id = ${team.id}`.execute(db);
}

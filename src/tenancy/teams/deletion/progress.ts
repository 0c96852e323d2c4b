// What an erasure tells of itself, in the transactions in which it erases.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';

/** The first to come counts what there is to do. */
export async function beginDeletion({ db, team }: TxCtx<TeamCtx>, rooms: number): Promise<void> {
  await sql`
    update team_deletions
       set started_at = now(), rooms = ${rooms}, users = (select count(*) from users where team_id = ${team.id})
     where id = ${team.id} and started_at is null`.execute(db);
}

export async function tellErasedUser({ db, team }: TxCtx<TeamCtx>): Promise<void> {
  await sql`update team_deletions set erased_users = erased_users + 1 where id = ${team.id}`.execute(db);
}

/** A run that was stopped begins again with the first room: of what was erased nothing is left to erase. */
export async function tellErasedRooms({ db, team }: TxCtx<TeamCtx>, rooms: number): Promise<void> {
  await sql`
    update team_deletions set erased_rooms = greatest(erased_rooms, ${rooms}::integer) where id = ${team.id}`.execute(
    db,
  );
}

/** Users that were erased for reasons of their own meanwhile are among those that are gone. */
export async function endDeletion({ db, team }: TxCtx<TeamCtx>): Promise<void> {
  await sql`
    update team_deletions set ended_at = now(), erased_users = greatest(users, erased_users) where id = ${team.id}`.execute(
    db,
  );
}

// The owner of the server holds a session lock, which ends with its process. A lock file would remain after a crash. So
// only the session lock shows whether a running server has an owner.
import type { Client } from 'pg';

/**
 * The key of the advisory lock, which is in the database `postgres`. The program uses these two numbers for nothing
 * else.
 */
const lockKey = [1_885_890_924, 1] as const;

/** Takes the owner's lock. Returns null if it was free, or the name of the connection that has it. */
export async function takeOwnership(client: Client): Promise<string | null> {
  const {
    rows: [attempt],
  } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [...lockKey]);
  if (attempt?.taken) return null;
  const {
    rows: [holder],
  } = await client.query<{ name: string }>(
    `select a.application_name as name
       from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.objsubid = 2 and l.granted
        and l.database = (select oid from pg_database where datname = current_database())`,
    [...lockKey],
  );
  return holder?.name || 'another process';
}

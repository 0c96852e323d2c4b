// The owner of the server holds a session lock. The lock ends with the process that holds it. So, unlike a file, it
// shows whether a running server has an owner or is left over from a killed one.
import type { Client } from 'pg';

/**
 * The key of the advisory lock. No other advisory lock of the program uses these two numbers. The lock is in the
 * database `postgres`.
 */
const lockKey = [1_885_890_924, 1] as const;

/** Takes the owner's lock. Returns null if it took the lock, or the name of the connection that holds it. */
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

// A session lock, not a file, tells an owner from a left-over server: it ends with the process that holds it.
import type { Client } from 'pg';

/** Two numbers that no other advisory lock of the program uses; the lock is taken in the database `postgres`. */
const lockKey = [1_885_890_924, 1] as const;

/** Takes the lock of the owner; null when taken, else the name that its holder gave to its connection. */
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

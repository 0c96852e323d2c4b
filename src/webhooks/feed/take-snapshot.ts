import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { MAX_RUNNING, type Snapshot } from './cursor.ts';

type Row = { text: string; epoch: number; at: number; is_durable: boolean };

/**
 * Returns a snapshot of the transactions that have ended by now. `at` is the time of the database in seconds since
 * 1970.
 */
export async function takeSnapshot({ db }: TeamCtx): Promise<{ snapshot: Snapshot; at: number }> {
  const { rows } = await sql<Row>`
    select pg_current_snapshot()::text as text, event_epoch() as epoch, extract(epoch from now())::float8 as at,
           pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() as is_durable`.execute(db);
  const { text, epoch, at, is_durable } = rows[0] as Row;
  // PostgreSQL writes some commits to the disk a little later. If it crashes before, it gives the ids of these
  // transactions to new ones. A cursor that names such an id as ended would skip the events of the new transaction. So
  // we commit a transaction that waits for the disk. This also writes all earlier commits.
  if (!is_durable) {
    await db
      .transaction()
      .execute((tx) => sql`select pg_logical_emit_message(true, 'phial', '') is not null`.execute(tx));
  }
  return { snapshot: snapshotOf(text, epoch), at };
}

/** Reads PostgreSQL's text `xmin:xmax:running,running`. The running transactions are in ascending order. */
export function snapshotOf(text: string, epoch: number): Snapshot {
  const [, end = '', list = ''] = text.split(':');
  const all = list === '' ? [] : list.split(',').map((id) => epoch + Number(id));
  return { until: all[MAX_RUNNING] ?? epoch + Number(end), running: all.slice(0, MAX_RUNNING) };
}

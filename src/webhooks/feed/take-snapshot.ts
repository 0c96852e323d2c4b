import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { MOST_RUNNING, type Snapshot } from './cursor.ts';

type Row = { text: string; epoch: number; at: number; is_durable: boolean };

/** Which transactions are over at this moment, which is `at` by the database's clock, in seconds since 1970. */
export async function takeSnapshot({ db }: TeamCtx): Promise<{ snapshot: Snapshot; at: number }> {
  const { rows } = await sql<Row>`
    select pg_current_snapshot()::text as text, event_epoch() as epoch, extract(epoch from now())::float8 as at,
           pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() as is_durable`.execute(db);
  const { text, epoch, at, is_durable } = rows[0] as Row;
  // A server that crashed gives the ids of transactions again whose end was not on its disk yet, and a cursor that has
  // them as over would pass by the new ones. A commit that waits for the disk takes all before it along.
  if (!is_durable) {
    await db
      .transaction()
      .execute((tx) => sql`select pg_logical_emit_message(true, 'phial', '') is not null`.execute(tx));
  }
  return { snapshot: snapshotOf(text, epoch), at };
}

/** What PostgreSQL writes as `xmin:xmax:running,running`, the running ones in their order. */
export function snapshotOf(text: string, epoch: number): Snapshot {
  const [, end = '', list = ''] = text.split(':');
  const all = list === '' ? [] : list.split(',').map((id) => epoch + Number(id));
  return { until: all[MOST_RUNNING] ?? epoch + Number(end), running: all.slice(0, MOST_RUNNING) };
}

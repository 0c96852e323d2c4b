import pg from 'pg';
import { LINE_COLUMNS } from './line-columns.ts';

export type AuditSelection = {
  /** The first and the last day in UTC, `YYYY-MM-DD`. */
  from: string;
  to: string;
  org?: string | undefined;
  team?: string | undefined;
};

const ROWS_AT_ONCE = 1_000;

/**
 * Reads lines of the audit log as NDJSON, ordered by id. It uses a cursor, so only a part of the lines is in memory at
 * a time.
 */
export async function* exportAudit(
  ownerUrl: string,
  { from, to, org = undefined, team = undefined }: AuditSelection,
): AsyncGenerator<string> {
  const client = new pg.Client({ connectionString: ownerUrl, options: '-c timezone=UTC' });
  await client.connect();
  try {
    await client.query('begin read only');
    // An id contains the time of the process that made it, which can differ from the database's time. So we read one
    // more day of ids on each side to select the partitions.
    await client.query(
      `declare lines no scroll cursor for
       select row_to_json(line)::text as text from (
         select ${LINE_COLUMNS}
           from audit_log
          where id >= uuid_v7_floor($1::date - 1) and id < uuid_v7_floor($2::date + 2)
            and created_at >= $1::date and created_at < $2::date + 1
            and ($3::uuid is null or org_id = $3) and ($4::uuid is null or team_id = $4)
          order by id) as line`,
      [from, to, org ?? null, team ?? null],
    );
    for (;;) {
      const { rows } = await client.query<{ text: string }>(`fetch ${ROWS_AT_ONCE} from lines`);
      if (rows.length === 0) break;
      yield rows.map(({ text }) => `${text}\n`).join('');
    }
    await client.query('commit');
  } finally {
    await client.end();
  }
}

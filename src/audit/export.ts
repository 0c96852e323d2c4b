import pg from 'pg';

export type AuditSelection = {
  /** First and last day in UTC, `YYYY-MM-DD`. */
  from: string;
  to: string;
  org?: string | undefined;
  team?: string | undefined;
};

const ROWS_AT_ONCE = 1_000;

/** The lines of the audit log as NDJSON in the order of their ids, read by a cursor: never in memory as a whole. */
export async function* exportAudit(
  ownerUrl: string,
  { from, to, org = undefined, team = undefined }: AuditSelection,
): AsyncGenerator<string> {
  const client = new pg.Client({ connectionString: ownerUrl, options: '-c timezone=UTC' });
  await client.connect();
  try {
    await client.query('begin read only');
    // Ids tell the time of a process, which may be a little off the database's: with a day more, they choose the months.
    await client.query(
      `declare lines no scroll cursor for
       select row_to_json(line)::text as text from (
         select id, to_char(created_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at, org_id, team_id, key_id, actor, action, status, records, request_id, host(address) as address
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

import { cpus, loadavg, totalmem } from 'node:os';
import pg from 'pg';

/** Describes this machine and its load in one line. */
export function describeMachine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return (
    `Node ${process.version}, ${cpus().length} cores, ${gigabytes} GB, load average ` +
    `${loadavg()[0]?.toFixed(2)} at the start`
  );
}

/** Describes a PostgreSQL server in one line. */
export async function describeDatabase(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const {
      rows: [row],
    } = await client.query<Record<string, string>>(
      `select current_setting('server_version') as version, current_setting('fsync') as fsync,
              current_setting('synchronous_commit') as synchronous_commit`,
    );
    return `PostgreSQL ${row?.['version']}, fsync ${row?.['fsync']}, synchronous_commit ${row?.['synchronous_commit']}`;
  } finally {
    await client.end();
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN, sorted[middle] ?? NaN];
  return (low + high) / 2;
}

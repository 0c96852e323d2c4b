// Processor time of the service and of its PostgreSQL, as Linux counts it.
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** Linux counts processor time in ticks. USER_HZ, the number of ticks in a second, is 100 on every Linux. */
const MS_PER_TICK = 10;

type Stat = { parent: number; cpuMs: number };

function statOf(pid: number): Stat | null {
  try {
    // The name in parentheses may contain spaces. The fields after it do not.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return { parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK };
  } catch {
    return null;
  }
}

export type CpuTime = { node: number; postgres: number };

/** Returns the milliseconds of processor time that both have used so far, or null if there is no /proc. */
export async function cpuTime(servicePid: number, databaseUrl: string): Promise<CpuTime | null> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const service = statOf(servicePid);
  const postmaster = statOf(rows[0]?.pid ?? 0)?.parent;
  await client.end();
  if (!service || postmaster === undefined) return null;
  const postgres = readdirSync('/proc')
    .map((name) => statOf(Number(name)))
    .reduce((sum, stat) => (stat?.parent === postmaster ? sum + stat.cpuMs : sum), 0);
  return { node: service.cpuMs, postgres };
}

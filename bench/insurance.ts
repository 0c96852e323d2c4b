// Measures how many insurance records a second pass through the whole stack, compared with the same rows by bare pg.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { median } from './describe-machine.ts';
import type { Done, Work } from './insurance-worker.ts';
import type { MeasuredProgram } from './measured-program.ts';
import { withProgram } from './with-program.ts';
import { judge } from './judge.ts';

const GOAL = 0.4;
const ROUNDS = 5;
const BARE_CONNECTIONS = 10;
const HTTP_CONNECTIONS = 24;
const WARM_UP_MS = 1_500;
const MEASURE_MS = 5_000;
/** The first warm-up of the service, until V8 has compiled the hot code. A real service runs for days. */
const SERVICE_WARM_UP_MS = 10_000;

/** Bare pg and HTTP alternate on one server and one table. Returns true if the goal is reached. */
export const benchInsurance = ({ policies }: { policies: boolean }): Promise<boolean> =>
  withProgram({}, async (program, databaseUrl) => {
    if (!policies) await takePoliciesDown(databaseUrl);
    return compare(program, databaseUrl);
  });

/** Switches row-level security off in the benchmark's database, to measure its cost. The program has no such switch. */
async function takePoliciesDown(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity`,
  );
  for (const { name } of rows) await client.query(`alter table ${name} disable row level security`);
  await client.end();
  console.log(`row-level security is off on ${rows.length} tables`);
}

async function compare(program: MeasuredProgram, databaseUrl: string): Promise<boolean> {
  const { team_id: teamId, team_api_key: teamApiKey } = program.credentials();
  const userId = await createUser(program.baseUrl, teamApiKey);
  const common = { teamId, teamApiKey, userId, warmUpMs: WARM_UP_MS, measureMs: MEASURE_MS };
  const bare: number[] = [];
  const http: number[] = [];
  const byHttp = { ...common, by: 'http', url: program.baseUrl, connections: HTTP_CONNECTIONS } as const;
  let { made } = await work({ ...byHttp, warmUpMs: 0, measureMs: SERVICE_WARM_UP_MS });
  for (let round = 1; round <= ROUNDS; round += 1) {
    const barely = await work({ ...common, by: 'bare pg', url: databaseUrl, connections: BARE_CONNECTIONS });
    const whole = await work(byHttp);
    made += barely.made + whole.made;
    bare.push(barely.counted / barely.seconds);
    http.push(whole.counted / whole.seconds);
    console.log(
      `round ${round}: bare pg ${bare.at(-1)?.toFixed(0)}/s, HTTP ${http.at(-1)?.toFixed(0)}/s, ratio ` +
        `${ratioOf(round - 1).toFixed(2)}`,
    );
  }
  function ratioOf(round: number): number {
    return (http[round] ?? NaN) / (bare[round] ?? NaN);
  }
  await expectRows(databaseUrl, made);
  const ratio = median(bare.map((_, round) => ratioOf(round)));
  console.log(`medians: bare pg ${median(bare).toFixed(0)}/s, HTTP ${median(http).toFixed(0)}/s`);
  return judge('rate, of bare pg', ratio, 'at least', GOAL);
}

async function createUser(baseUrl: string, teamApiKey: string): Promise<string> {
  const response = await fetch(`${baseUrl}/v2/user`, {
    method: 'POST',
    headers: { 'x-service-api-key': teamApiKey, 'content-type': 'application/json' },
    body: '{"client_user_id":"bench"}',
  });
  return ((await response.json()) as { user_id: string }).user_id;
}

/** Runs the work in one client process. Bare pg and HTTP both have one, so its cost affects both. */
function work(work: Work): Promise<Done> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'insurance-worker.js'));
    child.once('message', (done) => resolve(done as Done));
    child.once('exit', (code) => reject(new Error(`The client process ended with ${code}.`)));
    child.send(work);
  });
}

/** Throws unless the table has a row for each insert. With missing rows, the comparison would mean nothing. */
async function expectRows(databaseUrl: string, made: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const {
    rows: [row],
  } = await client.query<{ count: string }>('select count(*) from insurances');
  await client.end();
  if (Number(row?.count) !== made) throw new Error(`${made} inserts were answered, but there are ${row?.count} rows.`);
}

// Pages of orders of a team that has 200,000, beside the bare statements that read and count the same rows.
import pg from 'pg';
import { openEmbedded } from '../src/db/embedded/open.ts';
import { openLog } from '../src/log.ts';
import { describeDatabase, describeMachine, median } from './environment.ts';
import { makeFolder, removeFolder, startMeasured, type MeasuredProgram } from './measured-program.ts';

const ORDERS = 200_000;
const WARM_UP = 20;
const TIMES = 40;
/** Of a page of 50, in the median. */
const GOAL_MS = 150;

/** What is asked for, and the condition that finds the same rows by bare pg. */
const PAGES: Record<string, { query: string; where: string }> = {
  'first page': { query: '', where: 'true' },
  'by status': { query: '&status=lost', where: `last_low_level_status = 'lost'` },
  'by interpretation': { query: '&interpretation=critical', where: `interpretation = 'critical'` },
};

/** True where every page is answered within the goal. */
export async function benchOrdersList(): Promise<boolean> {
  console.log(describeMachine());
  const folder = makeFolder();
  const program = await startMeasured(folder, [process.execPath, 'bin/phial.mjs', 'serve']);
  try {
    const database = await openEmbedded({
      dataDir: program.dataDir,
      applicationName: 'phial bench',
      lock: 'if-free',
      log: openLog('silent'),
    });
    console.log(await describeDatabase(database.url));
    const reached = await measure(program, database.url);
    await database.stop();
    return reached;
  } finally {
    await program.stop();
    removeFolder(folder);
  }
}

async function measure(program: MeasuredProgram, databaseUrl: string): Promise<boolean> {
  const { team_id: teamId, team_api_key: key } = program.credentials();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await fill(client, teamId);
  let reached = true;
  for (const [name, { query, where }] of Object.entries(PAGES)) {
    const bare = await medianOf(async () => {
      await client.query(`select count(*) from orders where team_id = $1 and ${where}`, [teamId]);
      await client.query(`select * from orders where team_id = $1 and ${where} order by id desc limit 50`, [teamId]);
    });
    const http = await medianOf(async () => {
      const answer = await fetch(`${program.baseUrl}/orders?size=50${query}`, {
        headers: { 'x-service-api-key': key },
      });
      const { orders } = (await answer.json()) as { orders: unknown[] };
      if (orders.length !== 50) throw new Error(`${name}: ${orders.length} orders came.`);
    });
    console.log(
      `${name}: bare pg ${bare.toFixed(1)} ms, HTTP ${http.toFixed(1)} ms, ${(http / bare).toFixed(2)} of it (goal ${GOAL_MS} ms)`,
    );
    reached &&= http <= GOAL_MS;
  }
  await client.end();
  return reached;
}

async function medianOf(once: () => Promise<void>): Promise<number> {
  for (let times = 0; times < WARM_UP; times += 1) await once();
  const took: number[] = [];
  for (let times = 0; times < TIMES; times += 1) {
    const begin = performance.now();
    await once();
    took.push(performance.now() - begin);
  }
  return median(took);
}

/** As the service would not: without triggers, and all at once. One in a hundred is lost, one in a hundred critical. */
async function fill(client: pg.Client, teamId: string): Promise<void> {
  await client.query('set session_replication_role = replica');
  const userId = '01900000-0000-7000-8000-000000000001';
  await client.query(`insert into users (id, team_id, client_user_id) values ($1, $2, 'bench')`, [userId, teamId]);
  await client.query(
    `insert into order_transactions (user_id, id, team_id)
     select $1, gen_random_uuid(), $2 from generate_series(1, ${ORDERS})`,
    [userId, teamId],
  );
  await client.query(
    `insert into orders (user_id, id, team_id, order_transaction_id, origin, lab_test_id, details_id, method, last_status,
       last_low_level_status, last_event_id, interpretation)
     select user_id, id, team_id, id, 'initial', (select id from lab_tests where team_id = $2 limit 1), id, 'testkit',
       'received.testkit.ordered', case when random() < 0.01 then 'lost' else 'ordered' end, 1,
       case when random() < 0.01 then 'critical' end
       from order_transactions where user_id = $1`,
    [userId, teamId],
  );
  await client.query(
    `insert into order_events (user_id, order_id, team_id, id, status)
     select user_id, id, team_id, 1, 'received.testkit.ordered' from orders where user_id = $1`,
    [userId],
  );
  await client.query('set session_replication_role = origin');
  await client.query('vacuum analyze orders, order_events, order_transactions');
}

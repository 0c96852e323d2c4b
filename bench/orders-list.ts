// Reads pages of 100 orders of a team with more and more orders: how many a second, and the processor time of each.
import pg from 'pg';
import { boundToTeam } from '../src/db/session/bind.ts';
import { besideProgram } from './beside-program.ts';
import { cpuTime } from './cpu-time.ts';
import { fillOrders } from './filled-orders.ts';
import { openKeepAlive } from './keep-alive.ts';
import type { MeasuredProgram } from './measured-program.ts';
import { judge } from './judge.ts';

const SIZES = { full: [10_000, 300_000, 1_000_000], quick: [10_000, 30_000] };
const CONNECTIONS = 4;
const WARM_UP_MS = 3_000;
const MEASURE_MS = 5_000;
/**
 * The goal for the first page; and the largest ratio of the slowest page of the largest team to that of the smallest.
 */
const GOALS = { rate: 150, growth: 1.3 };

const PAGES: Record<string, string> = {
  'first page': '',
  'by status': '&status=lost',
  'by interpretation': '&interpretation=critical',
};

type Page = { rate: number; nodeMs: number; postgresMs: number };

/** True where pages reach the goal, and those of the largest team are not slower. */
export function benchOrdersList({ quick }: { quick: boolean }): Promise<boolean> {
  // Without a rate limit and without a random autovacuum: statistics are as they are right after a load.
  return besideProgram({ PHIAL_RATE_LIMIT_PER_SECOND: '0' }, async (program, ctx, ownerUrl) => {
    const { team_id: id } = program.credentials();
    const client = new pg.Client({ connectionString: ownerUrl });
    client.on('error', () => undefined); // the running query fails
    await client.connect();
    const { rows } = await client.query<{ id: string; org_id: string }>(
      `select lab_tests.id, teams.org_id from lab_tests join teams on teams.id = team_id where team_id = $1 limit 1`,
      [id],
    );
    const { id: labTestId, org_id } = rows[0] as { id: string; org_id: string };
    const team = { ...boundToTeam(ctx, id), team: { id, org_id, settings: {} } };
    let filled = 0;
    const measured: Page[][] = [];
    for (const size of SIZES[quick ? 'quick' : 'full']) {
      await fillOrders(client, team, labTestId, size - filled);
      filled = size;
      const pages: Page[] = [];
      for (const [name, query] of Object.entries(PAGES)) {
        const page = await measure(program, ownerUrl, query);
        console.log(
          `${size} orders, ${name}: ${page.rate.toFixed(0)}/s; ms of processor time each: node ` +
            `${page.nodeMs.toFixed(2)}, PostgreSQL ${page.postgresMs.toFixed(2)}`,
        );
        pages.push(page);
      }
      measured.push(pages);
    }
    await client.end();
    return verdict(measured);
  });
}

function verdict(measured: Page[][]): boolean {
  const [smallest, largest] = [measured[0] as Page[], measured.at(-1) as Page[]];
  const growth = Math.max(...largest.map(({ rate }, n) => (smallest[n] as Page).rate / rate));
  const slowest = Math.min(...largest.map(({ rate }) => rate));
  return [
    judge('slowest pages a second of the largest team', slowest, 'at least', GOALS.rate),
    judge('growth from the smallest to the largest', growth, 'at most', GOALS.growth),
  ].every(Boolean);
}

async function measure(program: MeasuredProgram, ownerUrl: string, query: string): Promise<Page> {
  const request = Buffer.from(
    `GET /v3/orders?size=100${query} HTTP/1.1\r\nhost: localhost\r\nx-service-api-key: ` +
      `${program.credentials().team_api_key}\r\n\r\n`,
  );
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => openKeepAlive(program.baseUrl, request)));
  const during = async (ms: number): Promise<{ made: number; seconds: number }> => {
    const begin = performance.now();
    let made = 0;
    await Promise.all(
      clients.map(async ({ send }) => {
        while (performance.now() < begin + ms) {
          const status = await send();
          if (status !== 200) throw new Error(`A page of orders got ${status}.`);
          made += 1;
        }
      }),
    );
    return { made, seconds: (performance.now() - begin) / 1000 };
  };
  await during(WARM_UP_MS);
  const before = await cpuTime(program.pid, ownerUrl);
  const { made, seconds } = await during(MEASURE_MS);
  const after = await cpuTime(program.pid, ownerUrl);
  for (const { close } of clients) close();
  return {
    rate: made / seconds,
    nodeMs: before && after ? (after.node - before.node) / made : NaN,
    postgresMs: before && after ? (after.postgres - before.postgres) / made : NaN,
  };
}

// Measures how many pages of 100 orders a client reads a second, and their processor time. The team has more and more
// orders.
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
 * `rate` is the goal for the slowest kind of page of the largest team, in pages a second. `growth` is how many times
 * slower a kind of page may be for the largest team than for the smallest.
 */
const GOALS = { rate: 150, growth: 1.3 };

const PAGES: Record<string, string> = {
  'first page': '',
  'by status': '&status=lost',
  'by interpretation': '&interpretation=critical',
};

type Page = { rate: number; nodeMs: number; postgresMs: number };

/** Returns true if both goals are reached. */
export function benchOrdersList({ quick }: { quick: boolean }): Promise<boolean> {
  // Without a rate limit, only the speed of the service limits the client.
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

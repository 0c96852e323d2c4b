import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { query } from '../../../test/global-setup.ts';
import { subscribe, webhookPath } from '../../../test/factories.ts';
import { startEndpoint } from '../../../test/endpoint.ts';
import { rowsRead } from '../../../test/rows-read.ts';
import { minIdAt } from '../../ids.ts';

/** The number of attempts on each of two days. One in 10,000 was given up, and one in 20 failed. */
const ATTEMPTS = 50_000;

let app: TestApp;
let path: string;
let tables: string[];
let eventPath: string;
beforeAll(async () => {
  app = await startTestApp({}, { poolSize: 1 });
  const endpoint = await startEndpoint();
  const webhook = await subscribe(app.team, endpoint);
  await endpoint.close();
  path = `${webhookPath(app.team)}/${webhook}/attempt`;
  const days = [Date.now() - 86_400_000, Date.now() - 3_600_000];
  for (const day of days) {
    const event = minIdAt(day);
    await query(
      app.databaseUrl,
      `insert into events (team_id, id, event_type, body)
       values ('${app.team.id}', '${event}', 'daily.data.steps.created', '');
       insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, duration_ms)
       select '${app.team.id}', (lpad(to_hex(${day} + n), 12, '0') || repeat('0', 20))::uuid, '${webhook}',
           '${event}', 1,
              case when n % 10000 = 0 then 'exhausted' when n % 20 = 0 then 'failed' else 'succeeded' end, 1
         from generate_series(1, ${ATTEMPTS}) as n`,
    );
    eventPath = `${webhookPath(app.team).replace(/webhook$/, 'event')}/${event}/attempt`;
  }
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relname ~ '^(attempts|events|deliveries|retries|deferred_deliveries)'
        and relkind = 'r'`.execute(app.db);
  tables = rows.map(({ name }) => name);
}, 120_000);
afterAll(() => app.close());

type Page = { data: { created_at: string }[]; next_cursor: string | null };
const costOf = async (address: string): Promise<{ found: number; read: number; page: Page }> => {
  let page: Page | undefined;
  const read = await rowsRead(app.db, tables, async () => {
    page = (await app.api<Page>('GET', address)).body;
  });
  return { found: page?.data.length ?? NaN, read, page: page as Page };
};

/**
 * Asks three times. PostgreSQL may count reads of another connection or of its own statistics meanwhile, so a count can
 * be too high.
 */
async function leastCostOf(address: string): Promise<{ found: number[]; read: number }> {
  const costs = [];
  for (let n = 0; n < 3; n += 1) costs.push(await costOf(address));
  return { found: costs.map(({ found }) => found), read: Math.min(...costs.map(({ read }) => read)) };
}

describe.each(['before its statistics are taken', 'with its statistics'])('among 100,000 attempts, %s,', (when) => {
  beforeAll(async () => {
    if (when === 'with its statistics') await query(app.databaseUrl, 'vacuum analyze');
  });

  test.each([
    ['?limit=50', 50],
    ['?limit=50&status=failed', 50],
    ['?limit=50&status=exhausted', 10],
    ['?limit=50&status=failed,exhausted', 50],
    ['?limit=50&status=failed&event_type=daily.data.steps.created', 50],
    ['?limit=50&status=succeeded', 50],
    ['?limit=50&event_type=daily.data.sleep.created', 0],
  ])('a page of %s reads few rows', async (filter, expected) => {
    const { found, read } = await leastCostOf(`${path}${filter}`);
    expect(found).toEqual([expected, expected, expected]);
    // A page reads at most 1,000 attempts, each with its event.
    expect(read).toBeLessThan(2_500);
  });

  test('a page from the middle reads no more than the first', async () => {
    const { page } = await costOf(`${path}?limit=50&status=failed`);
    const { found, read } = await leastCostOf(`${path}?limit=50&until=${page.data[49]?.created_at}&status=failed`);
    expect(found).toEqual([50, 50, 50]);
    expect(read).toBeLessThan(1_000);
  });

  test('a page of one event reads few rows, however many attempts the event has', async () => {
    const { found, read } = await leastCostOf(`${eventPath}?limit=50`);
    expect(found).toEqual([50, 50, 50]);
    expect(read).toBeLessThan(1_000);
  });
});

test('a filter with few matches continues after the rows that were read', async () => {
  const { page } = await costOf(`${path}?event_type=daily.data.sleep.created`);
  expect([page.data, typeof page.next_cursor]).toEqual([[], 'string']);
});

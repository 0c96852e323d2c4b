// What samples of many apps cost, by how often the database looks for samples: what else the machine does leaves that alone.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/app.ts';
import { makeUser } from '../../../test/factories.ts';

let app: TestApp;
let team: Team;
let user_id: string;
beforeAll(async () => {
  // One connection, so that what it has counted is told at once.
  app = await startTestApp({}, { poolSize: 1 });
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  ({ user_id } = await makeUser(team));
});

const MOST = 5_000;
const APPS = 50;
const day = Date.parse('2026-01-05T00:00:00Z');
const PLACES = ['apple_health_kit', 'health_connect'].flatMap((provider) =>
  ['watch', 'phone', 'ring', 'chest_strap', 'app'].flatMap((source_type) =>
    ['heartrate', 'respiratory_rate'].map((resource) => ({ provider, source_type, resource })),
  ),
);
const sample = (
  n: number,
  { places, apps, value }: { places: number; apps: (n: number) => number; value: number },
) => ({
  ...PLACES[n % places],
  app_id: `com.example.app${apps(n)}`,
  timestamp: new Date(day + n * 1_000).toISOString(),
  unit: 'bpm',
  value,
});

async function searches(): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(app.db);
  const { rows } = await sql<{ many: number }>`
    select sum(idx_scan)::float8 as many from pg_stat_user_indexes where relname like 'samples_%'`.execute(app.db);
  return rows[0]?.many as number;
}

/** Counts of a push with the processor time of this process in milliseconds, and with searches in indexes of samples. */
async function push(samples: object[]): Promise<{ counts: object; usedMs: number; searches: number }> {
  const searchesBefore = await searches();
  const before = process.cpuUsage();
  const { status, body } = await team.api<object>('POST', `/v2/timeseries/${user_id}/samples`, samples);
  const { user, system } = process.cpuUsage(before);
  expect([status, body]).toEqual([200, expect.anything()]);
  return { counts: body, usedMs: (user + system) / 1_000, searches: (await searches()) - searchesBefore };
}

describe.each([1, 20])('samples of 50 apps in each of %i places', (places) => {
  const batch = (more: { value: number; turn?: number }) =>
    Array.from({ length: MOST }, (_, n) =>
      sample(n, { places, value: more.value, apps: (n) => (Math.floor(n / places) + (more.turn ?? 0)) % APPS }),
    );

  test('are looked for once an app and piece, whether they are new, the same, others or of the next app', async () => {
    const first = await push(batch({ value: 60 }));
    expect(first.counts).toMatchObject({ created: MOST });
    const again = await push(batch({ value: 60 }));
    expect(again.counts).toMatchObject({ unchanged: MOST });
    const others = await push(batch({ value: 61 }));
    expect(others.counts).toMatchObject({ updated: MOST });
    const moved = await push(batch({ value: 61, turn: 1 }));
    expect(moved.counts).toMatchObject({ unchanged: MOST });
    const replaced = await push(batch({ value: 62, turn: 2 }));
    expect(replaced.counts).toMatchObject({ updated: MOST });
    for (const { usedMs, searches } of [first, again, others, moved, replaced]) {
      expect(usedMs).toBeLessThan(1_500);
      expect(searches).toBeLessThan(50_000);
    }
  });
});

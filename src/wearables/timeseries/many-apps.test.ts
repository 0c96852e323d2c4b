// The cost of samples of many apps, as index searches of the database. Other work of the machine does not change them.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { usedBy } from '../../../test/slowness.ts';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';

let app: TestApp;
let team: Team;
let user_id: string;
beforeAll(async () => {
  // With one connection, its statistics can be flushed and read at once.
  app = await startTestApp({}, { poolSize: 1 });
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  ({ user_id } = await makeUser(team));
});

const SAMPLES = 2_500;
const APPS = 50;
const day = Date.parse('2026-01-05T00:00:00Z');
const SOURCES = ['apple_health_kit', 'health_connect'].flatMap((provider) =>
  ['watch', 'phone', 'ring', 'chest_strap', 'app'].flatMap((source_type) =>
    ['heartrate', 'respiratory_rate'].map((resource) => ({ provider, source_type, resource })),
  ),
);
const sample = (
  n: number,
  { sources, apps, value }: { sources: number; apps: (n: number) => number; value: number },
) => ({
  ...SOURCES[n % sources],
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

/** The counts of a push, its processor time in milliseconds, and the searches in indexes of samples. */
async function push(samples: object[]): Promise<{ counts: object; usedMs: number; searches: number }> {
  const searchesBefore = await searches();
  let counts = {};
  const usedMs = await usedBy(async () => {
    const { status, body } = await team.api<object>('POST', `/v2/timeseries/${user_id}/samples`, samples);
    expect(status).toBe(200);
    counts = body;
  });
  return { counts, usedMs, searches: (await searches()) - searchesBefore };
}

describe.each([1, 20])('samples of 50 apps in each of %i sources', (sources) => {
  const batch = (more: { value: number; round?: number }) =>
    Array.from({ length: SAMPLES }, (_, n) =>
      sample(n, { sources, value: more.value, apps: (n) => (Math.floor(n / sources) + (more.round ?? 0)) % APPS }),
    );

  test('are searched once for each app and chunk, whether new, equal, changed or of another app', async () => {
    const first = await push(batch({ value: 60 }));
    expect(first.counts).toMatchObject({ created: SAMPLES });
    const again = await push(batch({ value: 60 }));
    expect(again.counts).toMatchObject({ unchanged: SAMPLES });
    const others = await push(batch({ value: 61 }));
    expect(others.counts).toMatchObject({ updated: SAMPLES });
    const moved = await push(batch({ value: 61, round: 1 }));
    expect(moved.counts).toMatchObject({ unchanged: SAMPLES });
    const replaced = await push(batch({ value: 62, round: 2 }));
    expect(replaced.counts).toMatchObject({ updated: SAMPLES });
    for (const { usedMs, searches } of [first, again, others, moved, replaced]) {
      expect(usedMs).toBeLessThan(1_000);
      expect(searches).toBeLessThan(25_000);
    }
  });
});

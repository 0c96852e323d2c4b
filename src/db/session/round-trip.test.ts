import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { countMajorCollections } from '../../../test/major-collections.ts';
import { openDatabase, type Database } from '../open-database.ts';

let app: TestApp;
let database: Database;
beforeAll(async () => {
  app = await startTestApp();
  // The pool has only one connection. So the second run of a statement uses what the first run prepared there.
  database = openDatabase({ url: app.databaseUrl, poolSize: 1, role: 'phial_app', log: app.ctx.log });
});
afterAll(async () => {
  await database.close();
  await app.close();
});

describe('an answer', () => {
  test('is the same from a newly prepared statement and from one that was prepared before', async () => {
    const read = async (n: number | null): Promise<unknown> => {
      const { rows } = await sql`
        select ${n}::int as number, 'text' as word, null::text as nothing,
          '2026-01-02 03:04:05.678901Z'::timestamptz as at,
               '2026-01-02'::date as day, 7::bigint as long, '{"a": [1]}'::jsonb as json, '\\x00ff'::bytea as bytes,
               array['x', null] as list
          from generate_series(1, 2)`.execute(database.db);
      return rows;
    };
    const row = {
      word: 'text',
      nothing: null,
      at: '2026-01-02T03:04:05.678Z',
      day: '2026-01-02',
      long: 7,
      json: { a: [1] },
      bytes: Buffer.from([0, 255]),
      list: ['x', null],
    };
    for (const number of [1, 2, null]) {
      const expected = { number, ...row };
      expect(await read(number)).toEqual([expected, expected]);
    }
  });

  test('counts the changed rows, also for a prepared statement that returns no rows', async () => {
    await sql`create temp table counted (n int)`.execute(database.db);
    for (const count of [3, 1, 0]) {
      const added = await sql`insert into counted select * from generate_series(1, ${count}::int)`.execute(database.db);
      expect(added.numAffectedRows).toBe(BigInt(count));
      expect(added.rows).toEqual([]);
    }
    const { rows } = await sql`select count(*)::int as n from counted`.execute(database.db);
    expect(rows).toEqual([{ n: 4 }]);
  });

  test('can be collected as soon as the caller drops it', async () => {
    // Reads 300 MB of rows in 300 results, one after the other.
    const read = async (): Promise<void> => {
      for (let n = 0; n < 300; n += 1)
        await sql`select repeat('x', 10000) as text from generate_series(1, 100)`.execute(database.db);
    };
    expect(await countMajorCollections(read)).toBeLessThan(3);
  });
});

describe('a list of bytes', () => {
  test.each([
    ['of several lengths', [Buffer.from('a'), Buffer.alloc(0), Buffer.alloc(70_000, 1)]],
    ['with empty items', [null, Buffer.from([0, 255]), null]],
    ['that is empty', []],
    ['of nulls only', [null, null]],
  ])('%s arrives as we sent it', async (_, list) => {
    const { rows } = await sql<{ item: Buffer | null }>`select item from unnest(${list}::bytea[]) as item`.execute(
      database.db,
    );
    expect(rows.map(({ item }) => item)).toEqual(list);
  });
});

test('no timer waits after an answer, even where the runner of jobs borrows the pool', async () => {
  const jobs = openDatabase({
    url: app.databaseUrl,
    poolSize: 1,
    role: 'phial_app',
    name: 'phial jobs',
    log: app.ctx.log,
  });
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  await sql`select 1`.execute(jobs.db);
  const before = timers();
  for (let n = 0; n < 50; n += 1) await sql`select 1`.execute(jobs.db);
  expect(timers()).toBeLessThan(before + 25);
  await jobs.close();
});

test('a value that cannot be serialised fails only its own statement', async () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  await expect(sql`select ${circle}::jsonb`.execute(database.db)).rejects.toThrow();
  const { rows } = await sql`select 1 as one`.execute(database.db);
  expect(rows).toEqual([{ one: 1 }]);
});

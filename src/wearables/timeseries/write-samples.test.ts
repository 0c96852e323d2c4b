import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';

let app: TestApp;
/** Connected as the owner of the tables, to whom no policy applies. */
let owner: pg.Client;
let userId: string;
beforeAll(async () => {
  app = await startTestApp();
  owner = new pg.Client({ connectionString: app.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await app.close();
});
beforeEach(async () => {
  userId = (await makeUser(app.team)).user_id;
});

const DAY = Date.UTC(2012, 2, 5);
const heartRates = (many: number, value: number) =>
  Array.from({ length: many }, (_, minute) => ({
    resource: 'heartrate',
    provider: 'apple_health_kit',
    timestamp: new Date(DAY + minute * 60_000).toISOString(),
    unit: 'bpm',
    value,
  }));
const push = async (samples: unknown) => {
  const { body } = await app.api<object>('POST', `/v2/timeseries/${userId}/samples`, samples);
  return body;
};
/** Returns the version of each stored row (`ctid`), and the last transaction that locked or replaced it (`xmax`). */
const rows = async () => {
  const { rows } = await owner.query<{ ctid: string; xmax: string }>(
    `select samples.ctid::text, samples.xmax::text from samples join streams on streams.id = stream_id
      where user_id = $1 order by at`,
    [userId],
  );
  return rows;
};

test('a sample that is stored already is neither written nor locked', async () => {
  const samples = heartRates(1_200, 60);
  expect(await push(samples)).toMatchObject({ created: 1_200 });
  const before = await rows();
  expect(before).toHaveLength(1_200);
  expect(await push(samples)).toMatchObject({ created: 0, updated: 0, unchanged: 1_200 });
  expect(await rows()).toEqual(before);
  expect(new Set(before.map(({ xmax }) => xmax))).toEqual(new Set(['0']));
});

test('in a batch of several chunks each sample is counted as new, changed or equal', async () => {
  await push(heartRates(1_100, 60));
  const mixed = heartRates(1_300, 60).map((sample, n) => (n % 3 === 0 ? { ...sample, value: 61 } : sample));
  const others = mixed.filter(({ value }, n) => value === 61 && n < 1_100).length;
  expect(await push(mixed)).toMatchObject({ created: 200, updated: others, unchanged: 1_100 - others });
  expect(await push(mixed)).toMatchObject({ created: 0, updated: 0, unchanged: 1_300 });
});

test('in a batch that one statement writes each sample is counted, and the rows of equal samples stay', async () => {
  await push(heartRates(9, 60));
  const before = await rows();
  const mixed = heartRates(12, 60).map((sample, n) => (n < 4 ? { ...sample, value: 61 } : sample));
  expect(await push(mixed)).toMatchObject({ created: 3, updated: 4, unchanged: 5 });
  expect((await rows()).slice(4, 9)).toEqual(before.slice(4));
  expect(await push(mixed)).toMatchObject({ created: 0, updated: 0, unchanged: 12 });
  expect(await push(heartRates(12, 62))).toMatchObject({ created: 0, updated: 12, unchanged: 0 });
});

test('samples of several streams are counted, whether the time of the batch was empty or not', async () => {
  const every = (many: number, of: object, from = 0, step = 1) =>
    heartRates(many * step + from, 60)
      .filter((_, minute) => minute >= from && (minute - from) % step === 0)
      .map((sample) => ({ ...sample, ...of }));
  const [watch, ring, phone] = ['watch', 'ring', 'phone'].map((source_type) => ({ source_type }));
  expect(await push(every(100, watch as object, 0, 2))).toMatchObject({ created: 100 });
  // The next push lies between the stored samples, and the push after it lies after them.
  expect(await push(every(100, watch as object, 1, 2))).toMatchObject({ created: 100, unchanged: 0 });
  expect(await push(every(50, watch as object, 400))).toMatchObject({ created: 50 });
  const mixed = [...every(300, ring as object), ...every(300, watch as object), ...every(300, phone as object)];
  expect(await push(mixed)).toMatchObject({ created: 700, updated: 0, unchanged: 200 });
  const steps = mixed.map(({ timestamp, ...sample }, n) => ({
    ...sample,
    resource: 'steps',
    unit: 'count',
    start: timestamp,
    end: new Date(Date.parse(timestamp) + 60_000).toISOString(),
    ...(n % 2 === 0 ? { timezone_offset: 3_600 } : {}),
  }));
  expect(await push([...steps.slice(0, 300), ...every(300, { source_type: 'scale' })])).toMatchObject({ created: 600 });
  expect(await push(steps)).toMatchObject({ created: 600, unchanged: 300 });
  const { rows: counts } = await owner.query<{ resource: string; many: string; lasting: string; zoned: string }>(
    `select resource, count(*) as many, count(duration_ms) as lasting, count(timezone_offset) as zoned
       from samples join streams on streams.id = stream_id where user_id = $1 group by 1 order by 1`,
    [userId],
  );
  expect(counts).toEqual([
    { resource: 'heartrate', many: '1250', lasting: '0', zoned: '0' },
    { resource: 'steps', many: '900', lasting: '900', zoned: '450' },
  ]);
});

test('create_samples uses the key, also with a plan that was made while the table was empty', async () => {
  await owner.query('vacuum analyze samples');
  await push(heartRates(300, 60));
  const { rows: streams } = await owner.query<{ id: string }>('select id from streams where user_id = $1', [userId]);
  const sent = heartRates(300, 61).map(({ timestamp, value }) => ({ id: streams[0]?.id, at: timestamp, value }));
  await owner.query('begin');
  const { rowCount } = await owner.query(
    `select from create_samples($1::bigint[], $2::timestamptz[], $3::timestamptz[], array[300],
                                $4::bigint[], $5::timestamptz[], $6::float8[], '{}', '{}', '{}', 1)`,
    [
      [sent[0]?.id],
      [sent[0]?.at],
      [sent.at(-1)?.at],
      sent.map(({ id }) => id),
      sent.map(({ at }) => at),
      sent.map(({ value }) => value),
    ],
  );
  expect(rowCount).toBe(0);
  const { rows: scans } = await owner.query<{ whole: string }>(
    `select sum(seq_scan) as whole from pg_stat_xact_user_tables where relname like 'samples%'`,
  );
  await owner.query('rollback');
  expect(scans[0]?.whole).toBe('0');
});

test('samples_that_differ uses the key, also with a plan that was made while the table was empty', async () => {
  await owner.query('vacuum analyze samples');
  await push(heartRates(300, 60));
  const { rows: streams } = await owner.query<{ id: string }>('select id from streams where user_id = $1', [userId]);
  const sent = heartRates(300, 61);
  const differing = (): Promise<pg.QueryResult> =>
    owner.query(
      `select from samples_that_differ(
         $1::bigint[], $2::timestamptz[], $3::float8[], $4::integer[], $5::integer[], $6::jsonb[])`,
      [
        sent.map(() => streams[0]?.id),
        sent.map(({ timestamp }) => timestamp),
        sent.map(({ value }) => value),
        ...[0, 1, 2].map(() => sent.map(() => null)),
      ],
    );
  await owner.query('begin');
  expect((await differing()).rowCount).toBe(300);
  const { rows: scans } = await owner.query<{ whole: string; along: string }>(
    `select sum(seq_scan) as whole, sum(idx_scan) filter (where relname = 'samples_2010') as along
       from pg_stat_xact_user_tables where relname like 'samples%'`,
  );
  await owner.query('rollback');
  expect(scans[0]?.whole).toBe('0');
  // There is a search for each of the 300 samples. The count can be higher, because the planner also reads the index.
  expect(Number(scans[0]?.along)).toBeGreaterThanOrEqual(300);
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { createQuery, runPendingQueries } from '../../../../test/continuous.ts';
import { makeUser, pushSummaries } from '../../../../test/factories.ts';
import { asksFor } from '../../../operation/media.ts';

let app: TestApp;
let userId: string;
const today = new Date().toISOString().slice(0, 10);
beforeAll(async () => {
  app = await startTestApp();
  userId = (await makeUser(app.team)).user_id;
  const heartRate = (time: string, value: number) => ({
    resource: 'heartrate',
    provider: 'oura',
    timestamp: `${today}T${time}Z`,
    unit: 'bpm',
    value,
  });
  const samples = [heartRate('00:00:00', 60), heartRate('00:00:01', 65.5), heartRate('00:00:02', 61)];
  await app.api('POST', `/v2/timeseries/${userId}/samples`, samples);
});
afterAll(() => app.close());

type Table = Record<string, (number | string | boolean | string[] | null)[]>;
const funcs = ['count', 'mean', 'stddev'].map((func) => ({ func, arg: { timeseries: 'heartrate' } }));
const byDay = { select: [{ group_key: '*' }, ...funcs], group_by: [{ date_trunc: { unit: 'day' } }] };
const steps = { select: [{ func: 'sum', arg: { timeseries: 'steps' } }] };
const none = { select: [{ group_key: 0 }, ...steps.select], group_by: [{ source: 'provider' }] };

const PARQUET = 'application/vnd.apache.parquet';
const ARCHIVE = 'application/vnd.phial.tar+gzip+parquet';

/** Sends a request and returns the answer as bytes, because the client of the other tests reads text. */
async function fileOf(method: string, path: string, accept: string, body?: object): Promise<Buffer> {
  const response = await fetch(app.baseUrl + path, {
    method,
    headers: { 'x-service-api-key': app.team.api_key, accept, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, accept]);
  return Buffer.from(await response.arrayBuffer());
}

/** The columns of a file, as an independent reader returns them. */
async function readParquet(file: Buffer, names: string[]): Promise<Table> {
  const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer;
  const rows = await parquetReadObjects({ file: bytes });
  return Object.fromEntries(names.map((name) => [name, rows.map((row) => row[name] as Table[string][number])]));
}

describe('as Parquet', () => {
  test('the table of a continuous query is the same as in JSON', async () => {
    const { body: query } = await createQuery(app.team, { query: byDay });
    const path = `/aggregate/v1/user/${userId}/continuous_query/${query.slug}/result_table`;
    for (const rows of [0, 1]) {
      const { table } = (await app.api<{ table: Table }>('GET', path)).body;
      const file = await fileOf('GET', path, PARQUET);
      expect(await readParquet(file, Object.keys(table))).toEqual(table);
      expect(table['group_key.0']?.length).toBe(rows);
      await runPendingQueries(app);
    }
  });

  test('the answers of a batch are an archive with a file for each, in their order', async () => {
    const path = `/aggregate/v1/user/${userId}/query`;
    const body = { timeframe: { anchor: today, past: { unit: 'day' } }, queries: [byDay, steps, none] };
    const { results } = (await app.api<{ results: { table: Table }[] }>('POST', path, body)).body;
    const folder = mkdtempSync(join(tmpdir(), 'archive-'));
    writeFileSync(join(folder, 'all.tar.gz'), await fileOf('POST', path, ARCHIVE, body));
    execFileSync('tar', ['-xzf', 'all.tar.gz'], { cwd: folder });
    expect(readdirSync(folder).toSorted()).toEqual(['0.parquet', '1.parquet', '2.parquet', 'all.tar.gz']);
    for (const [index, { table }] of results.entries()) {
      const file = readFileSync(join(folder, `${index}.parquet`));
      expect(await readParquet(file, Object.keys(table))).toEqual(table);
    }
    expect(results[1]?.table).toEqual({ 'sum.steps.value': [null] });
    rmSync(folder, { recursive: true });
  });
});

test('a Parquet file has numbers, texts, truth values, lists of words, and nulls in each', async () => {
  const path = `/aggregate/v1/user/${userId}/query`;
  const at = {
    start: `${today}T00:00:00Z`,
    end: `${today}T00:01:00Z`,
    resource: 'note',
    provider: 'manual',
    unit: 'text',
  };
  await app.api('POST', `/v2/timeseries/${userId}/samples`, [
    { ...at, value: 'Two eggs', tags: ['food', 'exercise'] },
    { ...at, start: `${today}T00:01:00Z`, value: 'Tea' },
  ]);
  await pushSummaries(app.team, userId, 'activity', [
    { provider: 'oura', calendar_date: today, wheelchair_use: true, steps: 5 },
  ]);
  const words = ['steps', 'wheelchair_use', 'date', 'time_zone', 'intensity_sedentary_second'];
  const body = {
    timeframe: { anchor: today, past: { unit: 'day' } },
    queries: [
      { select: words.map((activity) => ({ activity })) },
      { select: ['content', 'tags', 'type'].map((field) => ({ timeseries: 'note', field })) },
      { select: [{ group_key: 0 }, { func: 'count', arg: { index: 'activity' } }], group_by: [{ date_part: 'year' }] },
    ],
  };
  const { results } = (await app.api<{ results: { table: Table }[] }>('POST', path, body)).body;
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  writeFileSync(join(folder, 'all.tar.gz'), await fileOf('POST', path, ARCHIVE, body));
  execFileSync('tar', ['-xzf', 'all.tar.gz'], { cwd: folder });
  for (const [index, { table }] of results.entries()) {
    const file = readFileSync(join(folder, `${index}.parquet`));
    expect(await readParquet(file, Object.keys(table))).toEqual(table);
  }
  expect(results[1]?.table).toEqual({
    'note.content': ['Two eggs', 'Tea'],
    'note.tags': [['food', 'exercise'], null],
    'note.type': [null, null],
  });
  rmSync(folder, { recursive: true });
});

test.each([
  [null, false],
  ['*/*', false],
  ['application/*', false],
  ['text/csv', false],
  [PARQUET, true],
  ['Application/Vnd.Apache.Parquet;q=0.5, */*', true],
  [`application/json;q=0.9, ${PARQUET}`, true],
  [`application/json, ${PARQUET};q=0.9`, false],
  [`${PARQUET};q=0`, false],
  [`${PARQUET};q=much`, false],
])('a caller who accepts %s gets it: %s', (accept, gets) => {
  expect(asksFor(accept, PARQUET)).toBe(gets);
});

test('the answer is JSON if a caller accepts another type only', async () => {
  const { status, headers } = await app.api(
    'POST',
    `/aggregate/v1/user/${userId}/query`,
    { timeframe: { anchor: today, past: { unit: 'day' } }, queries: [steps] },
    { headers: { accept: 'text/csv' } },
  );
  expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
    200,
    'application/json; charset=utf-8',
    'accept',
  ]);
});

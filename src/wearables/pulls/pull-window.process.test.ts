// A process is killed during a pull of the past, and another process continues it.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../test/factories.ts';
import { endPrograms, serve } from '../../../test/program.ts';
import { startProvider, type DataResponse, type DataRequest, type Provider } from '../../../test/provider.ts';
import { publishedTo } from '../../../test/publish-event.ts';
import { resumePulls } from './resume-pulls.ts';

let provider: Provider;
let app: TestApp;
beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('oura'));
});
afterAll(async () => {
  await endPrograms();
  await app.close();
  await provider.close();
});

const DAY_MS = 86_400_000;
type PageRequest = { from: string; to: string; page: string | null };
/** Where the first process hangs: at the second page of the third window, whose first page is stored by then. */
const HANGS_AT = { window: 2, page: 'second' };

/** The last second of the day (UTC) of a moment. */
const lastSecondFrom = (moment: string): number => Date.parse(`${moment.slice(0, 10)}T23:59:59.000Z`);

/** Two pages for each window: a heart rate at the last second of each of its days, the newer half first. */
function responseOf({ from, to, page }: PageRequest): DataResponse {
  const times: number[] = [];
  for (let at = lastSecondFrom(from); at < Date.parse(to); at += DAY_MS) times.push(at);
  const half = Math.ceil(times.length / 2);
  const shown = page === null ? times.slice(half) : times.slice(0, half);
  const data = shown.map((at, n) => ({ timestamp: new Date(at).toISOString(), bpm: 60 + n, source: 'awake' }));
  return { json: { data, next_token: page === null ? HANGS_AT.page : null } };
}

test('another process continues an interrupted pull: it asks for the rest once and repeats nothing', async () => {
  const asked: PageRequest[] = [];
  let hangs = true;
  const windows = (): string[] => [...new Set(asked.map(({ from }) => from))];
  provider.play(({ query }: DataRequest): DataResponse | Promise<DataResponse> => {
    const question = {
      from: query.get('start_datetime') ?? '',
      to: query.get('end_datetime') ?? '',
      page: query.get('next_token'),
    };
    asked.push(question);
    const isThere = windows().length === HANGS_AT.window + 1 && question.page === HANGS_AT.page;
    return hangs && isThere ? new Promise<never>(() => undefined) : responseOf(question);
  });
  const { user_id } = await makeUser(app.team);
  await importConnection(app.team, user_id, { oauth_scopes: ['heartrate'] });
  const pull = async () =>
    await app.db.selectFrom('pulls').selectAll().where('user_id', '=', user_id).executeTakeFirstOrThrow();
  const stored = async (): Promise<number> => {
    const { rows } = await sql<{ many: number }>`
      select count(*)::float8 as many from samples join streams on streams.id = stream_id
       where user_id = ${user_id}`.execute(app.db);
    return rows[0]?.many as number;
  };

  const env = { DATABASE_URL: app.databaseUrl, ...provider.env('oura') };
  const first = await serve({ args: ['worker'], env });
  await expect
    .poll(() => asked.at(-1)?.page === HANGS_AT.page && windows().length === 3, { timeout: 20_000 })
    .toBe(true);
  await first.kill('SIGKILL');
  const [cutOff, before] = [await pull(), await stored()];
  expect(cutOff).toMatchObject({ status: 'in_progress', leased_until: expect.any(String), ended_at: null });
  expect([cutOff.pulled_from, before > 60]).toEqual([asked.at(-1)?.to, true]);

  hangs = false;
  const ofFirst = asked.splice(0);
  // Five minutes later the lease is over, and the job of each minute finds the pull.
  await sql`
    update pulls set leased_until = now() - interval '1 second', due_at = now() - interval '2 minutes'
     where user_id = ${user_id}`.execute(app.db);
  await resumePulls(app.ctx);
  const second = await serve({ args: ['worker'], env, dataDir: first.dataDir });
  await expect.poll(async () => (await pull()).status, { timeout: 20_000 }).toBe('success');
  await second.kill('SIGTERM');

  const [done, { range_start, range_end }] = [await pull(), cutOff];
  expect(done).toMatchObject({ range_start, range_end, error_details: null, ended_at: expect.any(String) });
  // The interrupted window is asked for again from its first page; the windows before it are not.
  expect(asked[0]).toEqual({ ...ofFirst.at(-1), page: null });
  expect(new Set(asked.map((each) => JSON.stringify(each))).size).toBe(asked.length);
  expect(asked.at(-1)?.from).toBe(range_start);
  const days = Math.ceil((Date.parse(range_end) - lastSecondFrom(range_start)) / DAY_MS);
  expect([await stored(), done.days_with_data]).toEqual([days, days]);

  const events = (await publishedTo(app, app.team)).filter((event) => event.user_id === user_id);
  const times = events.flatMap(({ event_type, body }) =>
    event_type === 'daily.data.heartrate.created'
      ? (JSON.parse(body) as { data: { data: { timestamp: string }[] } }).data.data.map(({ timestamp }) => timestamp)
      : [],
  );
  expect([times.length, new Set(times).size]).toEqual([days, days]);
  expect(events.filter(({ event_type }) => event_type.endsWith('.updated'))).toEqual([]);
  expect(events.filter(({ event_type }) => event_type.startsWith('historical'))).toHaveLength(1);
});

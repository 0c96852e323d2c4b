import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { orderKit } from '../../../test/factories.ts';
import { steps } from '../../../test/invented-events.ts';
import { problemsOf } from '../../../test/people.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { boundToTeam } from '../../db/session/bind.ts';
import { publishEvent } from '../../events/publish.ts';

type Page = { data: { id: string; body: { data: { id?: string; n?: number } } }[]; next_cursor: string; code: string };

const HOUR = 3_600_000;

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
});
afterEach(() => vi.restoreAllMocks());

const ask = (after: string): Promise<Answer<Page>> =>
  team.api<Page>('GET', `/v2/events?after=${encodeURIComponent(after)}`);
const read = async (after: string): Promise<Page> => {
  const { status, body } = await ask(after);
  expect(status).toBe(200);
  return body;
};
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
const numbers = ({ data }: Page) => data.map(({ body }) => body.data.n);

/** Begins a transaction that has a position in the feed. `publish` publishes an event in it, `commit` ends it. */
async function openTransaction() {
  const tx = await boundToTeam(app.ctx, team.id).db.startTransaction().execute();
  await sql`select event_position()`.execute(tx);
  return {
    publish: (n: number) => publishEvent({ ...app.ctx, db: tx, team }, steps, { user: null, data: { n } }),
    commit: () => tx.commit().execute(),
  };
}

test('The feed begins with the events since a time, and its cursor continues after them', async () => {
  const older = await orderKit(team);
  const clock = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => clock() + 2 * HOUR);
  const newer = await orderKit(team);
  const page = await read(ago(HOUR));
  expect(page.data.map(({ body }) => body.data.id)).toEqual([newer.id, newer.id]);
  const whole = await read(ago(3 * HOUR));
  expect(whole.data.map(({ body }) => body.data.id)).toEqual([older.id, older.id, newer.id, newer.id]);
  const newest = await orderKit(team);
  const rest = await read(page.next_cursor);
  expect(rest.data.map(({ body }) => body.data.id)).toEqual([newest.id, newest.id]);
});

test('A time that is malformed and one in the future are told apart', async () => {
  const refused = async (after: string) => (await ask(after)) as Answer<unknown>;
  const says = (msg: string) => ({ status: 422, body: { detail: [{ loc: ['query', 'after'], msg }] } });
  expect(await refused('2026-13-45')).toMatchObject(says('Input should be a date and time as ISO 8601'));
  expect(await refused(ago(-HOUR))).toMatchObject(says('Value should not be in the future'));
});

test('A time without events begins with the next one', async () => {
  const page = await read(ago(0));
  expect(page.data).toEqual([]);
  await publishTo(app, team, steps, { n: 1 });
  expect(numbers(await read(page.next_cursor))).toEqual([1]);
});

test('An event of a transaction that is older than the first event of the time is not skipped', async () => {
  const older = await openTransaction();
  await publishTo(app, team, steps, { n: 2 });
  await older.publish(1);
  await older.commit();
  expect(numbers(await read(ago(HOUR)))).toEqual([1, 2]);
});

test('An event of a transaction that runs while the feed begins is not skipped', async () => {
  const running = await openTransaction();
  await publishTo(app, team, steps, { n: 2 });
  const page = await read(ago(HOUR));
  expect(numbers(page)).toEqual([2]);
  await running.publish(1);
  await running.commit();
  expect(numbers(await read(page.next_cursor))).toEqual([1]);
});

test('A time without an offset is in UTC, and a date is its first moment', async () => {
  await publishTo(app, team, steps, { n: 1 });
  for (const after of [ago(HOUR).slice(0, 19), ago(24 * HOUR).slice(0, 10), ago(HOUR).replace('Z', '+00:00')])
    expect(numbers(await read(after))).toEqual([1]);
});

test.each([
  ['2026-02-30', 'no such day'],
  ['2026-01-05T25:00', 'no such hour'],
  [new Date(Date.now() + HOUR).toISOString(), 'ahead of now'],
])('A time that cannot be is refused: %s (%s)', async (after) => {
  const response = await ask(after);
  expect([response.status, problemsOf(response)]).toEqual([422, ['query.after datetime_parsing']]);
});

test('A time before the stored events is refused, because events may be missing', async () => {
  const stored = await ask(ago((app.config.retentionDays - 1) * 24 * HOUR));
  const old = await ask(ago((app.config.retentionDays + 1) * 24 * HOUR));
  const first = await ask('1970-01-01');
  expect([stored.status, old.status, old.body.code, first.body.code]).toEqual([
    200,
    410,
    'cursor_expired',
    'cursor_expired',
  ]);
});

import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/app.ts';
import { critical, steps } from '../../../test/events.ts';
import { orderKit, subscribe } from '../../../test/factories.ts';
import { problemsOf } from '../../../test/people.ts';
import { publishTo } from '../../../test/publish.ts';
import { startReceiver } from '../../../test/receiver.ts';
import { query } from '../../../test/global-setup.ts';
import { boundToTeam } from '../../db/session/bind.ts';
import { migrate } from '../../db/migrate.ts';
import { MIGRATIONS } from '../../db/place.ts';
import { attemptExhausted } from '../../delivery/events.ts';
import { publishEvent, publishEvents } from '../../events/publish.ts';
import { LONGEST_CURSOR, MOST_RUNNING, readCursor, writeCursor } from './cursor.ts';
import { snapshotOf } from './take-snapshot.ts';

type Event = { id: string; event_type: string; user_id: string | null; body: Record<string, unknown> };
type Page = { data: Event[]; next_cursor: string; has_more: boolean };

/** Of positions, with a server that was moved once. */
const EPOCH = 2 ** 40;

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
});

const read = async (asked: string): Promise<Page> => {
  const answer = await team.api<Page>('GET', `/v2/events${asked}`);
  expect(answer.status).toBe(200);
  return answer.body;
};
const numbers = ({ data: events }: Page): unknown[] => events.map(({ body }) => (body['data'] as { n: number }).n);
const tell = (n: number, type = steps): Promise<string> => publishTo(app, team, type, { n });
/** Everything that follows, page by page. */
async function readAll(cursor: string | null, more = ''): Promise<{ told: unknown[]; cursor: string; pages: number }> {
  const told: unknown[] = [];
  for (let pages = 1; ; pages += 1) {
    const page = await read(`?${new URLSearchParams(cursor === null ? {} : { after: cursor }).toString()}${more}`);
    told.push(...numbers(page));
    cursor = page.next_cursor;
    if (!page.has_more) return { told, cursor, pages };
  }
}
/** A transaction that has told of `n` and commits when it is asked to. */
async function begin(n: number): Promise<() => Promise<unknown>> {
  let commit = (): void => undefined;
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let told = (): void => undefined;
  const isTold = new Promise<void>((resolve) => {
    told = resolve;
  });
  const done = boundToTeam(app.ctx, team.id)
    .db.transaction()
    .execute(async (db) => {
      await publishEvent({ ...app.ctx, db, team }, steps, { user: null, data: { n } });
      told();
      await mayCommit;
    });
  await isTold;
  return async () => {
    commit();
    await done;
  };
}

describe('the feed', () => {
  test('shows what webhooks are told, body for body, also to a team that has none', async () => {
    const order = await orderKit(team);
    const before = await read('');
    expect(before.data.map(({ event_type, body }) => [event_type, (body['data'] as { id: string }).id])).toEqual([
      ['labtest.order.created', order.id],
      ['labtest.order.updated', order.id],
    ]);
    const receiver = await startReceiver();
    await subscribe(team, receiver);
    await orderKit(team);
    await app.deliver();
    const page = await read(`?after=${before.next_cursor}`);
    expect(page.data.map(({ id, body }) => [id, JSON.stringify(body)]).toSorted()).toEqual(
      receiver.received.map(({ id, raw }) => [id, raw]).toSorted(),
    );
    expect(page.data).toHaveLength(2);
    expect(page.data[0]).toMatchObject({
      team_id: team.id,
      user_id: page.data[0]?.body['user_id'],
      client_user_id: page.data[0]?.body['client_user_id'],
      created_at: expect.stringMatching(/Z$/),
    });
    await receiver.close();
  });

  test('goes on where its cursor ended, also where a page was empty, and shows nothing twice', async () => {
    for (const n of [1, 2, 3, 4, 5]) await tell(n);
    const first = await read('?limit=2');
    const second = await read(`?limit=2&after=${first.next_cursor}`);
    await tell(6);
    const third = await read(`?limit=2&after=${second.next_cursor}`);
    const fourth = await read(`?limit=2&after=${third.next_cursor}`);
    const fifth = await read(`?limit=2&after=${fourth.next_cursor}`);
    expect([first, second, third, fourth, fifth].map(numbers)).toEqual([[1, 2], [3, 4], [5], [6], []]);
    expect([first, second, third, fourth, fifth].map(({ has_more }) => has_more)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(numbers(await read(`?after=${fifth.next_cursor}`))).toEqual([]);
  });

  test('begins with now where it is asked to', async () => {
    await tell(1);
    const now = await read('?after=now');
    expect([now.data, now.has_more]).toEqual([[], false]);
    await tell(2);
    expect(numbers(await read(`?after=${now.next_cursor}`))).toEqual([2]);
  });

  test('skips nothing of a transaction that commits after a newer one was read', async () => {
    const commitOlder = await begin(1);
    await tell(2);
    const page = await read('');
    expect(numbers(page)).toEqual([2]);
    const still = await read(`?after=${page.next_cursor}`);
    expect(numbers(still)).toEqual([]);
    await commitOlder();
    const { told, cursor } = await readAll(still.next_cursor);
    expect(told).toEqual([1]);
    expect((await readAll(cursor)).told).toEqual([]);
  });

  test('skips nothing of what commits while it is read page by page', async () => {
    const commits = [await begin(1), await begin(2)];
    for (const n of [3, 4, 5]) await tell(n);
    const first = await read('?limit=1');
    await commits[0]?.();
    await tell(6);
    const { told, cursor } = await readAll(first.next_cursor, '&limit=1');
    await commits[1]?.();
    const rest = await readAll(cursor, '&limit=1');
    expect([numbers(first), told, rest.told]).toEqual([[3], [4, 5, 1, 6], [2]]);
  });

  test('pages through what one transaction has told', async () => {
    await boundToTeam(app.ctx, team.id)
      .db.transaction()
      .execute((db) =>
        publishEvents(
          { ...app.ctx, db, team },
          Array.from({ length: 7 }, (_, n) => ({ type: steps, user: null, data: { n } })),
        ),
      );
    const { told, pages } = await readAll(null, '&limit=3');
    expect([told, pages]).toEqual([[0, 1, 2, 3, 4, 5, 6], 4]);
  });

  test('of more transactions under way than a cursor names, ends before the next one, which is given a little later', () => {
    const [first, end] = [9_000, 9_500];
    const named = Array.from({ length: MOST_RUNNING }, (_, n) => first + 2 * n);
    const more = [first + 2 * MOST_RUNNING, first + 2 * MOST_RUNNING + 3];
    const seen = (running: number[]) => snapshotOf(`${first}:${end}:${running.join(',')}`, EPOCH);
    const positions = named.map((id) => EPOCH + id);
    expect(seen(named)).toEqual({ until: EPOCH + end, running: positions });
    expect(seen([...named, ...more])).toEqual({ until: EPOCH + first + 2 * MOST_RUNNING, running: positions });
    expect(snapshotOf(`${end}:${end}:`, EPOCH)).toEqual({ until: EPOCH + end, running: [] });
  });

  test('finds room for all transactions that a cursor names, however far apart they are', () => {
    const running = Array.from({ length: MOST_RUNNING }, (_, n) => 9_007_199_254_000_000 - n * 40_000_000_000);
    const seen = { until: 9_007_199_254_740_991, running };
    const text = writeCursor({
      seen,
      reading: { upTo: seen, after: { position: 1, id: team.id } },
      from: 1_800_000_000,
    });
    expect(text.length).toBeLessThan(LONGEST_CURSOR);
    expect(readCursor(text).seen).toEqual(seen);
  });

  test("shows nothing of another team's, whoever made the cursor", async () => {
    const { next_cursor } = await read('?after=now');
    await tell(1);
    const other = await app.makeTeam();
    for (const asked of ['', `?after=${next_cursor}`])
      expect((await other.api<Page>('GET', `/v2/events${asked}`)).body.data).toEqual([]);
  });

  test('ends a page at a mebibyte, and tells that there is more', async () => {
    const long = 'é'.repeat(100_000);
    for (let n = 0; n < 8; n += 1) await publishTo(app, team, steps, { n, s: long });
    const first = await read('?limit=250');
    expect([first.data.length, first.has_more]).toEqual([5, true]);
    expect((await readAll(first.next_cursor)).told).toEqual([5, 6, 7]);
  });

  test('shows an event whose stored body is damaged without it', async () => {
    const id = await tell(1);
    await sql`update events set body = '\\x00' where id = ${id}`.execute(app.db);
    const page = await read('');
    expect(page.data.map(({ body }) => body)).toEqual([null]);
  });
});

describe('its types', () => {
  test('are chosen by name, by a beginning, and several at once; unknown ones match nothing', async () => {
    await tell(1);
    await tell(2, critical);
    const told = async (asked: string): Promise<unknown[]> => numbers(await read(asked));
    expect(await told('?event_type=labtest.result.critical')).toEqual([2]);
    expect(await told('?event_type=labtest.*')).toEqual([2]);
    expect(await told('?event_type=labtest.*,daily.data.steps.created')).toEqual([1, 2]);
    expect(await told('?event_type=labtest.*&event_type=daily.*')).toEqual([1, 2]);
    expect(await told('?event_type=labtest.unknown')).toEqual([]);
    expect(await told('?event_type=labtest')).toEqual([]);
  });

  test('are the operational ones only where somebody names them', async () => {
    const about = {
      endpoint_id: team.id,
      message_id: team.id,
      event_type: 'x',
      attempts: 8,
      last_status: null,
      last_error: null,
    };
    await publishTo(app, team, attemptExhausted, about);
    expect((await read('')).data).toEqual([]);
    expect((await read('?event_type=message.attempt.exhausted')).data).toHaveLength(1);
  });

  test('that are rare are looked for piece by piece, so that no page looks through everything', async () => {
    await sql`
      insert into events (team_id, id, event_type, body)
      select ${team.id}, gen_random_uuid(), 'daily.data.steps.created', '' from generate_series(1, 4500)`.execute(
      app.db,
    );
    await tell(1, critical);
    const { told, pages } = await readAll(null, '&event_type=labtest.*');
    expect([told, pages]).toEqual([[1], 4]);
  });
});

describe('a cursor', () => {
  test.each(['x', 'bm90IGpzb24', '', Buffer.from('[1,[2,3]]').toString('base64url')])(
    'that no page gave out is refused: %j',
    async (cursor) => {
      const answer = await team.api('GET', `/v2/events?after=${cursor}`);
      expect([answer.status, problemsOf(answer)]).toEqual([
        422,
        [cursor === '' ? 'query.after string_too_short' : 'query.after value_error'],
      ]);
    },
  );

  test('that is older than what is kept is refused, rather than that something is skipped', async () => {
    const { next_cursor } = await read('?after=now');
    const aged = (days: number) => writeCursor({ ...readCursor(next_cursor), from: Date.now() / 1000 - days * 86_400 });
    const kept = await team.api('GET', `/v2/events?after=${aged(app.config.retentionDays - 1)}`);
    const old = await team.api<{ code: string }>('GET', `/v2/events?after=${aged(app.config.retentionDays + 1)}`);
    expect([kept.status, old.status, old.body.code]).toEqual([200, 410, 'cursor_expired']);
  });

  test('goes on with a server to which everything was brought, whose transactions count from elsewhere', async () => {
    await tell(1);
    const { cursor } = await readAll(null);
    await tell(2);
    const { rows } = await sql<{ epoch: number }>`select event_epoch() as epoch`.execute(app.db);
    await query(app.databaseUrl, `update event_epochs set cluster = 'elsewhere'`);
    await migrate({ ownerUrl: app.databaseUrl, directory: MIGRATIONS });
    await tell(3);
    const after = await sql<{ epoch: number }>`select event_epoch() as epoch`.execute(app.db);
    expect(after.rows[0]?.epoch).toBe((rows[0]?.epoch ?? NaN) + 2 ** 44);
    const rest = await readAll(cursor);
    expect([rest.told, (await readAll(null)).told]).toEqual([
      [2, 3],
      [1, 2, 3],
    ]);
    await tell(4);
    expect((await readAll(rest.cursor)).told).toEqual([4]);
  });
});

import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { critical, steps } from '../../../test/invented-events.ts';
import { orderKit, subscribe } from '../../../test/factories.ts';
import { problemsOf } from '../../../test/people.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { startEndpoint } from '../../../test/endpoint.ts';
import { query } from '../../../test/global-setup.ts';
import { boundToTeam } from '../../db/session/bind.ts';
import { migrate } from '../../db/migrate.ts';
import { MIGRATIONS } from '../../db/database-server.ts';
import { attemptExhausted } from '../../delivery/events.ts';
import { publishEvent, publishEvents } from '../../events/publish.ts';
import { LONGEST_CURSOR, MAX_RUNNING, readCursor, writeCursor } from './cursor.ts';
import { snapshotOf } from './take-snapshot.ts';

type Event = { id: string; event_type: string; user_id: string | null; body: Record<string, unknown> };
type Page = { data: Event[]; next_cursor: string; has_more: boolean };

/** Positions of transactions begin with this number after the database has moved to another server once. */
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
  const response = await team.api<Page>('GET', `/v2/events${asked}`);
  expect(response.status).toBe(200);
  return response.body;
};
const numbers = ({ data: events }: Page): unknown[] => events.map(({ body }) => (body['data'] as { n: number }).n);
const publish = (n: number, type = steps): Promise<string> => publishTo(app, team, type, { n });
/** Reads everything after a cursor, page by page. */
async function readAll(
  cursor: string | null,
  more = '',
): Promise<{ received: unknown[]; cursor: string; pages: number }> {
  const received: unknown[] = [];
  for (let pages = 1; ; pages += 1) {
    const page = await read(`?${new URLSearchParams(cursor === null ? {} : { after: cursor }).toString()}${more}`);
    received.push(...numbers(page));
    cursor = page.next_cursor;
    if (!page.has_more) return { received, cursor, pages };
  }
}
/** Begins a transaction that publishes the event `n`. The returned function commits the transaction. */
async function begin(n: number): Promise<() => Promise<unknown>> {
  let commit = (): void => undefined;
  const mayCommit = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let markPublished = (): void => undefined;
  const willBePublished = new Promise<void>((resolve) => {
    markPublished = resolve;
  });
  const done = boundToTeam(app.ctx, team.id)
    .db.transaction()
    .execute(async (db) => {
      await publishEvent({ ...app.ctx, db, team }, steps, { user: null, data: { n } });
      markPublished();
      await mayCommit;
    });
  await willBePublished;
  return async () => {
    commit();
    await done;
  };
}

describe('the feed', () => {
  test('shows what webhooks send, body by body, also to a team without endpoints', async () => {
    const order = await orderKit(team);
    const before = await read('');
    expect(before.data.map(({ event_type, body }) => [event_type, (body['data'] as { id: string }).id])).toEqual([
      ['labtest.order.created', order.id],
      ['labtest.order.updated', order.id],
    ]);
    const endpoint = await startEndpoint();
    await subscribe(team, endpoint);
    await orderKit(team);
    await app.deliver();
    const page = await read(`?after=${before.next_cursor}`);
    expect(page.data.map(({ id, body }) => [id, JSON.stringify(body)]).toSorted()).toEqual(
      endpoint.received.map(({ id, raw }) => [id, raw]).toSorted(),
    );
    expect(page.data).toHaveLength(2);
    expect(page.data[0]).toMatchObject({
      team_id: team.id,
      user_id: page.data[0]?.body['user_id'],
      client_user_id: page.data[0]?.body['client_user_id'],
      created_at: expect.stringMatching(/Z$/),
    });
    await endpoint.close();
  });

  test('continues at its cursor, also after an empty page, and shows nothing twice', async () => {
    for (const n of [1, 2, 3, 4, 5]) await publish(n);
    const first = await read('?limit=2');
    const second = await read(`?limit=2&after=${first.next_cursor}`);
    await publish(6);
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

  test('starts from now on request', async () => {
    await publish(1);
    const now = await read('?after=now');
    expect([now.data, now.has_more]).toEqual([[], false]);
    await publish(2);
    expect(numbers(await read(`?after=${now.next_cursor}`))).toEqual([2]);
  });

  test('skips nothing of a transaction that commits after a newer one was read', async () => {
    const commitOlder = await begin(1);
    await publish(2);
    const page = await read('');
    expect(numbers(page)).toEqual([2]);
    const still = await read(`?after=${page.next_cursor}`);
    expect(numbers(still)).toEqual([]);
    await commitOlder();
    const { received, cursor } = await readAll(still.next_cursor);
    expect(received).toEqual([1]);
    expect((await readAll(cursor)).received).toEqual([]);
  });

  test('skips nothing that commits while it is read page by page', async () => {
    const commits = [await begin(1), await begin(2)];
    for (const n of [3, 4, 5]) await publish(n);
    const first = await read('?limit=1');
    await commits[0]?.();
    await publish(6);
    const { received, cursor } = await readAll(first.next_cursor, '&limit=1');
    await commits[1]?.();
    const rest = await readAll(cursor, '&limit=1');
    expect([numbers(first), received, rest.received]).toEqual([[3], [4, 5, 1, 6], [2]]);
  });

  test('has pages within the events of one transaction', async () => {
    await boundToTeam(app.ctx, team.id)
      .db.transaction()
      .execute((db) =>
        publishEvents(
          { ...app.ctx, db, team },
          Array.from({ length: 7 }, (_, n) => ({ type: steps, user: null, data: { n } })),
        ),
      );
    const { received, pages } = await readAll(null, '&limit=3');
    expect([received, pages]).toEqual([[0, 1, 2, 3, 4, 5, 6], 4]);
  });

  test('ends a snapshot before the first running transaction for which a cursor has no room', () => {
    const [first, end] = [9_000, 9_500];
    const named = Array.from({ length: MAX_RUNNING }, (_, n) => first + 2 * n);
    const more = [first + 2 * MAX_RUNNING, first + 2 * MAX_RUNNING + 3];
    const seen = (running: number[]) => snapshotOf(`${first}:${end}:${running.join(',')}`, EPOCH);
    const positions = named.map((id) => EPOCH + id);
    expect(seen(named)).toEqual({ until: EPOCH + end, running: positions });
    expect(seen([...named, ...more])).toEqual({ until: EPOCH + first + 2 * MAX_RUNNING, running: positions });
    expect(snapshotOf(`${end}:${end}:`, EPOCH)).toEqual({ until: EPOCH + end, running: [] });
  });

  test('has room in a cursor for the most transactions, however far apart they are', () => {
    const running = Array.from({ length: MAX_RUNNING }, (_, n) => 9_007_199_254_000_000 - n * 40_000_000_000);
    const seen = { until: 9_007_199_254_740_991, running };
    const text = writeCursor({
      seen,
      reading: { upTo: seen, after: { position: 1, id: team.id } },
      from: 1_800_000_000,
    });
    expect(text.length).toBeLessThan(LONGEST_CURSOR);
    expect(readCursor(text).seen).toEqual(seen);
  });

  test('shows no events of another team, whichever team the cursor is from', async () => {
    const { next_cursor } = await read('?after=now');
    await publish(1);
    const other = await app.makeTeam();
    for (const asked of ['', `?after=${next_cursor}`])
      expect((await other.api<Page>('GET', `/v2/events${asked}`)).body.data).toEqual([]);
  });

  test('ends a page at a mebibyte, and states that there is more', async () => {
    const long = 'é'.repeat(100_000);
    for (let n = 0; n < 8; n += 1) await publishTo(app, team, steps, { n, s: long });
    const first = await read('?limit=250');
    expect([first.data.length, first.has_more]).toEqual([5, true]);
    expect((await readAll(first.next_cursor)).received).toEqual([5, 6, 7]);
  });

  test('shows an event with a damaged body without it', async () => {
    const id = await publish(1);
    await sql`update events set body = '\\x00' where id = ${id}`.execute(app.db);
    const page = await read('');
    expect(page.data.map(({ body }) => body)).toEqual([null]);
  });
});

describe('the types of the feed', () => {
  test('are selected by names and prefixes, and unknown ones match nothing', async () => {
    await publish(1);
    await publish(2, critical);
    const numbersOf = async (asked: string): Promise<unknown[]> => numbers(await read(asked));
    expect(await numbersOf('?event_type=labtest.result.critical')).toEqual([2]);
    expect(await numbersOf('?event_type=labtest.*')).toEqual([2]);
    expect(await numbersOf('?event_type=labtest.*,daily.data.steps.created')).toEqual([1, 2]);
    expect(await numbersOf('?event_type=labtest.*&event_type=daily.*')).toEqual([1, 2]);
    expect(await numbersOf('?event_type=labtest.unknown')).toEqual([]);
    expect(await numbersOf('?event_type=labtest')).toEqual([]);
  });

  test('include operational ones only by name', async () => {
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

  test('that are rare are searched in parts, so that no page reads everything', async () => {
    await sql`
      insert into events (team_id, id, event_type, body)
      select ${team.id}, gen_random_uuid(), 'daily.data.steps.created', '' from generate_series(1, 4500)`.execute(
      app.db,
    );
    await publish(1, critical);
    const { received, pages } = await readAll(null, '&event_type=labtest.*');
    expect([received, pages]).toEqual([[1], 4]);
  });
});

describe('a cursor', () => {
  test.each(['x', 'bm90IGpzb24', '', Buffer.from('[1,[2,3]]').toString('base64url')])(
    'that no page returned is refused: %j',
    async (cursor) => {
      const response = await team.api('GET', `/v2/events?after=${cursor}`);
      expect([response.status, problemsOf(response)]).toEqual([
        422,
        [cursor === '' ? 'query.after string_too_short' : 'query.after value_error'],
      ]);
    },
  );

  test('that is older than the stored events is refused, because events may be missing', async () => {
    const { next_cursor } = await read('?after=now');
    const aged = (days: number) => writeCursor({ ...readCursor(next_cursor), from: Date.now() / 1000 - days * 86_400 });
    const retained = await team.api('GET', `/v2/events?after=${aged(app.config.retentionDays - 1)}`);
    const old = await team.api<{ code: string }>('GET', `/v2/events?after=${aged(app.config.retentionDays + 1)}`);
    expect([retained.status, old.status, old.body.code]).toEqual([200, 410, 'cursor_expired']);
  });

  test('continues on a server to which the data were moved, whose transaction ids differ', async () => {
    await publish(1);
    const { cursor } = await readAll(null);
    await publish(2);
    const { rows } = await sql<{ epoch: number }>`select event_epoch() as epoch`.execute(app.db);
    await query(app.databaseUrl, `update event_epochs set cluster = 'elsewhere'`);
    await migrate({ ownerUrl: app.databaseUrl, directory: MIGRATIONS });
    await publish(3);
    const after = await sql<{ epoch: number }>`select event_epoch() as epoch`.execute(app.db);
    expect(after.rows[0]?.epoch).toBe((rows[0]?.epoch ?? NaN) + 2 ** 44);
    const rest = await readAll(cursor);
    expect([rest.received, (await readAll(null)).received]).toEqual([
      [2, 3],
      [1, 2, 3],
    ]);
    await publish(4);
    expect((await readAll(rest.cursor)).received).toEqual([4]);
  });
});

import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { steps } from '../../../test/invented-events.ts';
import { makeUser } from '../../../test/factories.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { eraseUsers } from '../../../test/erase-due-users.ts';

type Page = { data: { id: string }[]; next_cursor: string; has_more: boolean };

let app: TestApp;
let team: Team;
let user: { user_id: string; client_user_id: string };
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  user = await makeUser(team);
});

const read = async (asked = ''): Promise<Page> => (await team.api<Page>('GET', `/v2/events${asked}`)).body;
const ids = ({ data }: Page): string[] => data.map(({ id }) => id);
const publish = (n: number, of: typeof user | null = user): Promise<string> =>
  publishTo(app, team, steps, { n }, of && { id: of.user_id, client_user_id: of.client_user_id });
const leave = () => team.api('DELETE', `/v2/user/${user.user_id}`);
const comeBack = () => team.api('POST', `/v2/user/undo_delete?user_id=${user.user_id}`);
const countDeferred = async (): Promise<number> =>
  (await sql`select from deferred_events where team_id = ${team.id}`.execute(app.db)).rows.length;

describe('an event of a user who is scheduled for deletion', () => {
  test('is not shown, and readers that skipped it get it after an undo', async () => {
    const event = await publish(1);
    await leave();
    const other = await publish(2, null);
    const while_away = await read();
    expect(ids(while_away)).toEqual([other]);
    await comeBack();
    const after = await read(`?after=${while_away.next_cursor}`);
    expect(ids(after)).toEqual([event]);
    expect(ids(await read(`?after=${after.next_cursor}`))).toEqual([]);
  });

  test('keeps its position for readers that did not skip it', async () => {
    const events = [await publish(1), await publish(2, null)];
    await leave();
    await comeBack();
    expect(ids(await read())).toEqual(events);
  });

  test('comes page by page after an undo, and wakes a request that waits', async () => {
    const events = [await publish(1), await publish(2), await publish(3)];
    await leave();
    const { next_cursor } = await read();
    const waiting = read(`?after=${next_cursor}&limit=2&wait=30`);
    while (app.ctx.polls?.count === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await comeBack();
    const first = await waiting;
    const second = await read(`?after=${first.next_cursor}&limit=2`);
    expect([...ids(first), ...ids(second)].toSorted()).toEqual(events.toSorted());
    expect(first.data).toHaveLength(2);
  });

  test('is deferred again when the user is deleted again', async () => {
    const event = await publish(1);
    await leave();
    const first = await read();
    await comeBack();
    await leave();
    const second = await read(`?after=${first.next_cursor}`);
    await comeBack();
    const third = await read(`?after=${second.next_cursor}`);
    expect([ids(first), ids(second), ids(third)]).toEqual([[], [], [event]]);
  });

  test('is stored as deferred only when its type was requested', async () => {
    await publish(1);
    await leave();
    expect(ids(await read('?event_type=labtest.*'))).toEqual([]);
    expect(await countDeferred()).toBe(0);
  });

  test('is shown when the deletion is taken back during the read', async () => {
    const event = await publish(1);
    await leave();
    let commit = (): void => undefined;
    const mayCommit = new Promise<void>((resolve) => (commit = resolve));
    const undoing = app.db.transaction().execute(async (db) => {
      await sql`update users set deleted_at = null where id = ${user.user_id}`.execute(db);
      await mayCommit;
    });
    const reading = read();
    await untilBlocked(app.db);
    commit();
    await undoing;
    expect(ids(await reading)).toEqual([event]);
    expect(await countDeferred()).toBe(0);
  });

  test('is erased with the user', async () => {
    await publish(1);
    const other = await publish(2, null);
    await leave();
    const before = await read();
    expect(await countDeferred()).toBe(1);
    await sql`update users set deleted_at = now() - interval '8 days' where id = ${user.user_id}`.execute(app.db);
    await eraseUsers(app.ctx);
    expect([ids(before), ids(await read()), ids(await read(`?after=${before.next_cursor}`))]).toEqual([
      [other],
      [other],
      [],
    ]);
    expect(await countDeferred()).toBe(0);
  });
});

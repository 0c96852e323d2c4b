import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { dueNow, queued } from '../../test/deliveries.ts';
import { steps } from '../../test/invented-events.ts';
import { makeUser, subscribe } from '../../test/factories.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { eraseUsers } from '../../test/erase-due-users.ts';

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
let webhook: string;
let user: { id: string; client_user_id: string };
beforeAll(async () => {
  app = await startTestApp();
  endpoint = await startEndpoint({ invented: true });
});
afterAll(async () => {
  await app.close();
  await endpoint.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
  webhook = await subscribe(team, endpoint);
  const made = await makeUser(team);
  user = { id: made.user_id, client_user_id: made.client_user_id };
  endpoint.answer(null);
});

const publish = (about: typeof user | null = user) => publishTo(app, team, steps, {}, about);
const listDeferred = () =>
  app.db.selectFrom('deferred_deliveries').select(['event_id', 'attempt']).where('user_id', '=', user.id).execute();
const arrived = () => endpoint.received.filter(({ body }) => body.team_id === team.id).map(({ id }) => id);
const remove = () => team.api('DELETE', `/v2/user/${user.id}`);
const undo = () => team.api('POST', `/v2/user/undo_delete?user_id=${user.id}`);

describe('a delivery about a user who is scheduled for deletion', () => {
  test('is deferred while others go on, and is sent after an undo', async () => {
    endpoint.answer((response) => response.writeHead(500).end());
    const failed = await publish();
    await app.deliver();
    endpoint.answer(null);
    const waiting = await publish();
    await remove();
    const other = await publish(null);
    await dueNow(app, webhook);
    await app.deliver();
    expect(arrived()).toEqual([other]);
    expect([await queued(app, webhook), await listDeferred()]).toEqual([
      [],
      expect.arrayContaining([
        { event_id: failed, attempt: 1 },
        { event_id: waiting, attempt: 0 },
      ]),
    ]);
    await undo();
    await app.deliver();
    expect(arrived().toSorted()).toEqual([failed, waiting, other].toSorted());
    expect([await queued(app, webhook), await listDeferred()]).toEqual([[], []]);
  });

  test('is deferred as a retry too, although its event is still under way to another endpoint', async () => {
    const hanging = await startEndpoint({ invented: true });
    const answers: ServerResponse[] = [];
    hanging.answer((response) => answers.push(response));
    await subscribe(team, hanging);
    endpoint.answer((response) => response.writeHead(500).end());
    const before = endpoint.requests();
    const event = await publish();
    const delivering = app.deliver();
    await expect.poll(async () => [answers.length, await queued(app, webhook)]).toMatchObject([1, [{ attempt: 1 }]]);
    await remove();
    endpoint.answer(null);
    await dueNow(app, webhook);
    await expect.poll(listDeferred).toEqual([{ event_id: event, attempt: 1 }]);
    expect(endpoint.requests()).toBe(before + 1);
    await undo();
    await expect.poll(arrived).toEqual([event]);
    answers[0]?.writeHead(204).end();
    await delivering;
    await hanging.close();
  });

  test.each(['undone', 'erased'])('waits while that user is being %s, and delays no other', async (how) => {
    const event = await publish();
    await remove();
    const another = await app.makeTeam();
    const elsewhere = await startEndpoint({ invented: true });
    const theirs = await subscribe(another, elsewhere);
    const theirEvent = await publishTo(app, another, steps, {});
    await acrossTeams(app.ctx)
      .db.transaction()
      .execute(async (tx) => {
        await tx.selectFrom('users').select('id').where('id', '=', user.id).forUpdate().execute();
        if (how === 'undone')
          await tx.updateTable('users').set({ deleted_at: null }).where('id', '=', user.id).execute();
        await app.deliver();
        expect(elsewhere.received.map(({ id }) => id)).toEqual([theirEvent]);
        expect([await queued(app, theirs), await queued(app, webhook), await listDeferred()]).toMatchObject([
          [],
          [{ event_id: event, attempt: 0 }],
          [],
        ]);
      });
    await app.deliver();
    const once = [{ event_id: event, attempt: 0 }];
    expect([arrived(), await listDeferred()]).toEqual(how === 'undone' ? [[event], []] : [[], once]);
    await elsewhere.close();
  });

  test('is erased with the user', async () => {
    await publish();
    await remove();
    await app.deliver();
    expect((await listDeferred()).length).toBe(1);
    await acrossTeams(app.ctx)
      .db.updateTable('users')
      .set({ deleted_at: '2026-01-01T00:00:00Z' })
      .where('id', '=', user.id)
      .execute();
    await eraseUsers(app.ctx);
    await app.deliver();
    expect([await listDeferred(), arrived()]).toEqual([[], []]);
  });
});

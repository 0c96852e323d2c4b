import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import { dueNow, queued } from '../../test/deliveries.ts';
import { steps } from '../../test/events.ts';
import { makeUser, subscribe } from '../../test/factories.ts';
import { publishTo } from '../../test/publish.ts';
import { startReceiver, type Receiver } from '../../test/receiver.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { eraseUsers } from '../../test/erase-users.ts';

let app: TestApp;
let team: Team;
let receiver: Receiver;
let webhook: string;
let user: { id: string; client_user_id: string };
beforeAll(async () => {
  app = await startTestApp();
  receiver = await startReceiver({ invented: true });
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
  webhook = await subscribe(team, receiver);
  const made = await makeUser(team);
  user = { id: made.user_id, client_user_id: made.client_user_id };
  receiver.answer(null);
});

const tell = (about: typeof user | null = user) => publishTo(app, team, steps, {}, about);
const held = () =>
  app.db.selectFrom('held_deliveries').select(['event_id', 'attempt']).where('user_id', '=', user.id).execute();
const arrived = () => receiver.received.filter(({ body }) => body.team_id === team.id).map(({ id }) => id);
const remove = () => team.api('DELETE', `/v2/user/${user.id}`);
const undo = () => team.api('POST', `/v2/user/undo_delete?user_id=${user.id}`);

describe('a delivery that tells of a user who is scheduled for deletion', () => {
  test('is held while others go on, and is sent after an undo', async () => {
    receiver.answer((response) => response.writeHead(500).end());
    const failed = await tell();
    await app.deliver();
    receiver.answer(null);
    const waiting = await tell();
    await remove();
    const other = await tell(null);
    await dueNow(app, webhook);
    await app.deliver();
    expect(arrived()).toEqual([other]);
    expect([await queued(app, webhook), await held()]).toEqual([
      [],
      expect.arrayContaining([
        { event_id: failed, attempt: 1 },
        { event_id: waiting, attempt: 0 },
      ]),
    ]);
    await undo();
    await app.deliver();
    expect(arrived().toSorted()).toEqual([failed, waiting, other].toSorted());
    expect([await queued(app, webhook), await held()]).toEqual([[], []]);
  });

  test('is held at a retry too, although its event is still under way to another endpoint', async () => {
    const hanging = await startReceiver({ invented: true });
    const answers: ServerResponse[] = [];
    hanging.answer((response) => answers.push(response));
    await subscribe(team, hanging);
    receiver.answer((response) => response.writeHead(500).end());
    const before = receiver.requests();
    const event = await tell();
    const delivering = app.deliver();
    await expect.poll(async () => [answers.length, await queued(app, webhook)]).toMatchObject([1, [{ attempt: 1 }]]);
    await remove();
    receiver.answer(null);
    await dueNow(app, webhook);
    await expect.poll(held).toEqual([{ event_id: event, attempt: 1 }]);
    expect(receiver.requests()).toBe(before + 1);
    await undo();
    await expect.poll(arrived).toEqual([event]);
    answers[0]?.writeHead(204).end();
    await delivering;
    await hanging.close();
  });

  test.each(['undone', 'erased'])('waits while that user is being %s, and nobody else does', async (how) => {
    const event = await tell();
    await remove();
    const another = await app.makeTeam();
    const elsewhere = await startReceiver({ invented: true });
    const theirs = await subscribe(another, elsewhere);
    const told = await publishTo(app, another, steps, {});
    await acrossTeams(app.ctx)
      .db.transaction()
      .execute(async (tx) => {
        await tx.selectFrom('users').select('id').where('id', '=', user.id).forUpdate().execute();
        if (how === 'undone')
          await tx.updateTable('users').set({ deleted_at: null }).where('id', '=', user.id).execute();
        await app.deliver();
        expect(elsewhere.received.map(({ id }) => id)).toEqual([told]);
        expect([await queued(app, theirs), await queued(app, webhook), await held()]).toMatchObject([
          [],
          [{ event_id: event, attempt: 0 }],
          [],
        ]);
      });
    await app.deliver();
    const once = [{ event_id: event, attempt: 0 }];
    expect([arrived(), await held()]).toEqual(how === 'undone' ? [[event], []] : [[], once]);
    await elsewhere.close();
  });

  test('is erased with the user', async () => {
    await tell();
    await remove();
    await app.deliver();
    expect((await held()).length).toBe(1);
    await acrossTeams(app.ctx)
      .db.updateTable('users')
      .set({ deleted_at: '2026-01-01T00:00:00Z' })
      .where('id', '=', user.id)
      .execute();
    await eraseUsers(app.ctx);
    await app.deliver();
    expect([await held(), arrived()]).toEqual([[], []]);
  });
});

import { Type } from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import { dueNow, queued } from '../../test/deliveries.ts';
import { makeUser, subscribe } from '../../test/factories.ts';
import { publishTo } from '../../test/publish.ts';
import { startReceiver, type Receiver } from '../../test/receiver.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { defineEvent } from '../events/define.ts';
import { eraseUsers } from '../jobs/erase-users.ts';

const steps = defineEvent({ name: 'daily.data.steps.created', summary: '', data: Type.Object({}) });

let app: TestApp;
let team: Team;
let receiver: Receiver;
let webhook: string;
let user: { id: string; client_user_id: string };
beforeAll(async () => {
  app = await startTestApp();
  receiver = await startReceiver();
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

  test('is sent when the undo comes while it is being held', async () => {
    const event = await tell();
    await remove();
    let delivering: Promise<void> | undefined;
    await acrossTeams(app.ctx)
      .db.transaction()
      .execute(async (tx) => {
        await tx.updateTable('users').set({ deleted_at: null }).where('id', '=', user.id).execute();
        delivering = app.deliver();
        await untilBlocked(app.db);
      });
    await delivering;
    expect([arrived(), await held()]).toEqual([[event], []]);
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

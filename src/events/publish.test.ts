import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { subscribe } from '../../test/factories.ts';
import { startReceiver } from '../../test/receiver.ts';
import { defineEvent } from './define.ts';
import { publishEvent } from './publish.ts';

const data = Type.Object({ n: Type.Integer({ minimum: 0 }), at: Type.String({ format: 'date-time' }) });
const steps = defineEvent({ name: 'daily.data.steps.created', summary: '', data });
const good = { n: 1, at: '2026-01-02T03:04:05.678Z' };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const written = () => app.db.selectFrom('events').select(['id', 'body']).where('team_id', '=', app.team.id).execute();
const publish = (event: object) =>
  app.db
    .transaction()
    .execute((db) => publishEvent({ db, team: app.team }, steps, { user: null, data: event as never }));

describe('publishing an event', () => {
  test('is refused outside a transaction', async () => {
    await expect(
      publishEvent({ db: app.db as never, team: app.team }, steps, { user: null, data: good }),
    ).rejects.toThrow(/outside the transaction/);
    expect(await written()).toEqual([]);
  });

  test.each([{}, { n: 1 }, { ...good, n: 'one' }, { ...good, n: 1.5 }, { ...good, n: -1 }, { ...good, at: 'soon' }])(
    'is refused for data that breaks its shape: %j',
    async (event) => {
      await expect(publish(event)).rejects.toThrow(/daily\.data\.steps\.created breaks its shape/);
      expect(await written()).toEqual([]);
    },
  );

  test('tells nothing that the shape does not declare', async () => {
    const id = await publish({ ...good, note: 'private' });
    const event = (await written()).find((row) => row.id === id);
    expect(JSON.parse(event?.body ?? '')).toEqual({
      event_type: 'daily.data.steps.created',
      data: good,
      team_id: app.team.id,
      user_id: null,
      client_user_id: null,
    });
  });

  test('is undone with the transaction that it tells of, and so are its deliveries', async () => {
    const receiver = await startReceiver();
    await subscribe(app.team, receiver);
    const before = await written();
    await expect(
      app.db.transaction().execute(async (db) => {
        await publishEvent({ db, team: app.team }, steps, { user: null, data: good });
        throw new Error('something later failed');
      }),
    ).rejects.toThrow('something later failed');
    await app.deliver();
    expect([await written(), receiver.requests()]).toEqual([before, 0]);
    await receiver.close();
  });
});

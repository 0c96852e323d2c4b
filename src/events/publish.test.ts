import type { KyselyPlugin } from 'kysely';
import { Client } from 'pg';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { subscribe } from '../../test/factories.ts';
import { publishedTo, publishTo } from '../../test/publish-event.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import { boundToTeam } from '../db/session/bind.ts';
import { defineEvent } from './define.ts';
import { DELIVERIES_CHANNEL, MAX_EVENT_BYTES, publishEvent, publishEvents } from './publish.ts';

const data = Type.Object({ n: Type.Integer({ minimum: 0 }), at: Type.String({ format: 'date-time' }) });
const daily = defineEvent({ name: 'daily.data.steps.created', summary: '', data });
const steps = { ...daily, hasOrigin: false };
const good = { n: 1, at: '2026-01-02T03:04:05.678Z' };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const ofTeam = () => boundToTeam(app.ctx, app.team.id).db;
const written = () => publishedTo(app, app.team);
const publish = (event: object) => publishTo(app, app.team, steps, event as never);

describe('publishing an event', () => {
  test('refuses daily data without an origin, and other data with one', async () => {
    const publishing = (type: typeof steps, origin?: 'live') =>
      ofTeam()
        .transaction()
        .execute((db) =>
          publishEvent({ ...app.ctx, db, team: app.team }, type, { user: null, data: good, ...(origin && { origin }) }),
        );
    await expect(publishing(daily)).rejects.toThrow('does not say how');
    await expect(publishing(steps, 'live')).rejects.toThrow('says how');
    expect(await written()).toEqual([]);
  });

  test('refuses to publish outside a transaction', async () => {
    await expect(
      publishEvent({ ...app.ctx, db: app.db as never, team: app.team }, steps, { user: null, data: good }),
    ).rejects.toThrow(/outside a transaction/);
    expect(await written()).toEqual([]);
  });

  test.each([{}, { n: 1 }, { ...good, n: 'one' }, { ...good, n: 1.5 }, { ...good, n: -1 }, { ...good, at: 'soon' }])(
    'refuses data that does not match the schema: %j',
    async (event) => {
      await expect(publish(event)).rejects.toThrow(/daily\.data\.steps\.created does not match its schema/);
      expect(await written()).toEqual([]);
    },
  );

  test('runs one statement of one text for any number of events, and returns the ids in their order', async () => {
    const texts: string[] = [];
    const watch: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (node.kind === 'RawNode') texts.push(node.sqlFragments.join('?'));
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const publish = (count: number): Promise<string[]> =>
      ofTeam()
        .transaction()
        .execute((db) =>
          publishEvents(
            { ...app.ctx, db: db.withPlugin(watch), team: app.team },
            Array.from({ length: count }, (_, n) => ({ type: steps, user: null, data: { ...good, n } })),
          ),
        );
    const ids = [...(await publish(1)), ...(await publish(20))];
    expect([texts.length, new Set(texts).size, await publish(0)]).toEqual([2, 1, []]);
    const stored = (await written()).filter(({ id }) => ids.includes(id));
    const numbers = ids.map((id) => JSON.parse(stored.find((row) => row.id === id)?.body ?? '').data.n);
    expect(numbers).toEqual([0, ...Array.from({ length: 20 }, (_, n) => n)]);
  });

  test('notifies workers of endpoints with their events, and of endpoints only when the events are many', async () => {
    const team = await app.makeTeam();
    const endpoint = await startEndpoint({ invented: true });
    const webhook = await subscribe(team, endpoint);
    const listening = new Client({ connectionString: app.databaseUrl });
    await listening.connect();
    const heard: string[] = [];
    listening.on('notification', ({ payload = '' }) => {
      if (payload.includes(webhook)) heard.push(payload);
    });
    await listening.query(`listen ${DELIVERIES_CHANNEL}`);
    const publish = (count: number): Promise<string[]> =>
      boundToTeam(app.ctx, team.id)
        .db.transaction()
        .execute((db) =>
          publishEvents(
            { ...app.ctx, db, team },
            Array.from({ length: count }, () => ({ type: steps, user: null, data: good })),
          ),
        );
    const few = await publish(100);
    await publish(101);
    await expect.poll(() => heard).toHaveLength(2);
    expect(heard[0]?.split(',').toSorted()).toEqual(few.map((id) => `${webhook}/${id}`).toSorted());
    expect(heard[1]).toBe(webhook);
    await listening.end();
    await endpoint.close();
  });

  test('refuses a body that is larger than 256 KiB', async () => {
    const loud = defineEvent({
      name: 'historical.data.steps.created',
      summary: '',
      data: Type.Object({ s: Type.String() }),
    });
    const before = await written();
    const publish = (length: number) =>
      ofTeam()
        .transaction()
        .execute((db) =>
          publishEvent({ ...app.ctx, db, team: app.team }, loud, { user: null, data: { s: 'é'.repeat(length / 2) } }),
        );
    await publish(MAX_EVENT_BYTES - 1000);
    await expect(publish(MAX_EVENT_BYTES)).rejects.toThrow(/larger than 262144 bytes/);
    expect((await written()).length).toBe(before.length + 1);
  });

  test('lets other requests run while types take long to write', async () => {
    const slow = {
      ...steps,
      write: () => {
        for (const end = performance.now() + 5; performance.now() < end;);
        return JSON.stringify(good);
      },
    };
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    await ofTeam()
      .transaction()
      .execute(async (db) => {
        ticks = 0;
        const event = { type: slow, user: null, data: good };
        await publishEvents(
          { ...app.ctx, db, team: app.team },
          Array.from({ length: 40 }, () => event),
        );
        expect(ticks).toBeGreaterThan(10);
      });
    clearInterval(timer);
  });

  test('publishes no key that the schema does not declare', async () => {
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

  test('is rolled back with its transaction, and so are its deliveries', async () => {
    const endpoint = await startEndpoint({ invented: true });
    await subscribe(app.team, endpoint);
    const before = await written();
    await expect(
      ofTeam()
        .transaction()
        .execute(async (db) => {
          await publishEvent({ ...app.ctx, db, team: app.team }, steps, { user: null, data: good });
          throw new Error('something later failed');
        }),
    ).rejects.toThrow('something later failed');
    await app.deliver();
    expect([await written(), endpoint.requests()]).toEqual([before, 0]);
    await endpoint.close();
  });
});

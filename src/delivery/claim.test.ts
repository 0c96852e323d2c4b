import { sql } from 'kysely';
import { Type } from 'typebox';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import { subscribe } from '../../test/factories.ts';
import { startReceiver, type Receiver } from '../../test/receiver.ts';
import type { Db } from '../db/open.ts';
import { defineEvent } from '../events/define.ts';
import { publishEvent } from '../events/publish.ts';
import { claimDeliveries, type Claimed } from './claim.ts';
import { startDeliverer } from './deliver.ts';
import { deploymentPolicy } from '../webhooks/endpoint-url.ts';
import { openSender, type SendOutcome } from './sending/send.ts';
import { releaseDeliveries, settleDeliveries } from './settle.ts';

const steps = defineEvent({ name: 'daily.data.steps.created', summary: '', data: Type.Object({}) });
const LEASE_SECONDS = 60;

let app: TestApp;
let team: Team;
let receiver: Receiver;
let webhook: string;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  await sql`delete from deliveries`.execute(app.db);
  team = await app.makeTeam();
  receiver = await startReceiver();
  webhook = await subscribe(team, receiver);
});
afterEach(() => receiver.close());

async function tell(times = 1): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    await app.db.transaction().execute((db) => publishEvent({ db, team }, steps, { user: null, data: {} }));
  }
}

type Request = Partial<Parameters<typeof claimDeliveries>[1]>;
const claim = (request: Request = {}, db: Db = app.db): Promise<Claimed[]> =>
  claimDeliveries(db, {
    limit: 100,
    first: true,
    perEndpoint: 16,
    inFlight: new Map(),
    leaseSeconds: LEASE_SECONDS,
    ...request,
  });
const queue = () =>
  app.db
    .selectFrom('deliveries')
    .select(['attempt', 'fence', sql<boolean>`next_attempt_at <= now()`.as('due')])
    .execute();
const attempts = () =>
  app.db
    .selectFrom('attempts')
    .select(['attempt', 'outcome', 'http_status'])
    .where('webhook_id', '=', webhook)
    .orderBy('id')
    .execute();
const leasesEnd = () => sql`update deliveries set next_attempt_at = now()`.execute(app.db);

const outcome = (status: number): SendOutcome => ({
  ok: status < 300,
  status,
  error: null,
  error_detail: null,
  duration_ms: 12.3,
  response_body: '',
  retry_after_seconds: null,
  gone: false,
});
const settle = (claimed: Claimed[], status: number) =>
  settleDeliveries(
    app.db,
    claimed.map((delivery) => ({ delivery, outcome: outcome(status) })),
  );

describe('a claim', () => {
  test('that another transaction holds open leaves nothing to the second claimer', async () => {
    await tell(3);
    await app.db.transaction().execute(async (db) => {
      expect((await claim({}, db)).length).toBe(3);
      expect(await claim()).toEqual([]);
    });
  });

  test('holds until its lease ends, then falls to the next', async () => {
    await tell();
    const [first] = await claim();
    expect([first?.attempt, first?.fence]).toEqual([1, 1]);
    expect([await claim(), await claim({ first: false })]).toEqual([[], []]);
    const {
      rows: [lease],
    } = await sql<{ seconds: number }>`
      select extract(epoch from next_attempt_at - now())::float8 as seconds from deliveries`.execute(app.db);
    expect(lease?.seconds).toBeGreaterThan(LEASE_SECONDS - 5);
    await leasesEnd();
    const [second] = await claim();
    expect([second?.event_id, second?.attempt, second?.fence]).toEqual([first?.event_id, 1, 2]);
  });

  test('takes no more of an endpoint than its free slots, and no more in all than asked', async () => {
    await tell(20);
    expect((await claim({ limit: 3 })).length).toBe(3);
    expect((await claim({ inFlight: new Map([[webhook, 14]]) })).length).toBe(2);
    expect(await claim({ inFlight: new Map([[webhook, 16]]) })).toEqual([]);
    expect((await claim()).length).toBe(15);
  });

  test('takes first attempts and retries apart', async () => {
    await tell(2);
    await settle(await claim({ limit: 1 }), 500);
    await leasesEnd();
    expect((await claim()).map(({ attempt }) => attempt)).toEqual([1]);
    expect((await claim({ first: false })).map(({ attempt }) => attempt)).toEqual([2]);
  });

  test('passes by what is disabled', async () => {
    await tell();
    await app.db.updateTable('webhooks').set({ disabled: true }).where('id', '=', webhook).execute();
    expect(await claim()).toEqual([]);
  });
});

describe('what became of a delivery', () => {
  test.each([200, 500])('is not written by a holder whose fence was taken over (%i)', async (status) => {
    await tell();
    const slow = await claim();
    await leasesEnd();
    const next = await claim();
    const consequences = await settle(slow, status);
    expect(consequences).toEqual({ disable: [], exhausted: [] });
    expect([await attempts(), await queue()]).toEqual([[], [{ attempt: 0, fence: 2, due: false }]]);
    await settle(next, 200);
    expect([await attempts(), await queue()]).toEqual([[{ attempt: 1, outcome: 'succeeded', http_status: 200 }], []]);
    await settle(slow, status);
    expect((await attempts()).length).toBe(1);
  });

  test('is not undone by a holder that gives back what was taken over', async () => {
    await tell();
    const slow = await claim();
    await leasesEnd();
    await claim();
    await releaseDeliveries(app.db, slow);
    expect(await queue()).toEqual([{ attempt: 0, fence: 2, due: false }]);
  });
});

describe('the deliverer', () => {
  const start = (timeoutMs = 15_000) => {
    const sender = openSender({ policy: deploymentPolicy(app.config), userAgent: 'Phial test', timeoutMs });
    return startDeliverer(app.ctx, { sender, metrics: app.metrics });
  };

  test('that is stopped ends what is under way in time, and gives the rest back as if it was never claimed', async () => {
    receiver.answer(() => undefined);
    await tell(3);
    const deliverer = start();
    await expect.poll(() => receiver.requests()).toBe(3);
    expect((await queue()).every(({ due }) => !due)).toBe(true);
    await deliverer.stop(0);
    expect([await attempts(), await queue()]).toEqual([[], Array(3).fill({ attempt: 0, fence: 1, due: true })]);
    receiver.answer(null);
    await app.deliver();
    expect((await attempts()).map(({ attempt, outcome }) => [attempt, outcome])).toEqual(
      Array(3).fill([1, 'succeeded']),
    );
  });

  test('that is stopped writes what ends during the drain', async () => {
    receiver.answer((response) => {
      setTimeout(() => response.writeHead(204).end(), 300);
    });
    await tell();
    const deliverer = start();
    await expect.poll(() => receiver.requests()).toBe(1);
    await deliverer.stop(5_000);
    expect([await attempts(), await queue()]).toEqual([[{ attempt: 1, outcome: 'succeeded', http_status: 204 }], []]);
  });

  test('finds by itself what nobody told it of', async () => {
    const deliverer = start();
    try {
      await tell(2);
      await expect.poll(async () => (await attempts()).length, { timeout: 5_000 }).toBe(2);
    } finally {
      await deliverer.stop(0);
    }
  });

  test('and a second one at the same time send everything once', async () => {
    await tell(60);
    const both = [start(), start()];
    try {
      await expect.poll(async () => (await queue()).length, { timeout: 10_000 }).toBe(0);
    } finally {
      await Promise.all(both.map((deliverer) => deliverer.stop(1_000)));
    }
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(60);
    expect(receiver.received.length).toBe(60);
  });
});

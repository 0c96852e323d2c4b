import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { attempted, queued } from '../../test/deliveries.ts';
import { steps } from '../../test/invented-events.ts';
import { subscribe, webhookPath } from '../../test/factories.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { startListeningWorker, startWorker } from '../../test/worker.ts';
import { acrossTeams, boundToTeam } from '../db/session/bind.ts';
import { publishEvents } from '../events/publish.ts';
import { newId } from '../ids.ts';
import { createTeam } from '../tenancy/teams/create.ts';
import type { Deliverer } from './deliverer.ts';
import { leaseQueues } from './queues/queue-leases.ts';

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
let webhook: string;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  endpoint = await startEndpoint({ invented: true });
  webhook = await subscribe(team, endpoint);
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  await endpoint.close();
});

const queue = () =>
  acrossTeams(app.ctx)
    .db.selectFrom('endpoint_queues')
    .select(['owner', 'fence', 'wake_at'])
    .where('webhook_id', '=', webhook)
    .executeTakeFirstOrThrow();
const written = () => acrossTeams(app.ctx).db.selectFrom('delivery_workers').select('id').execute();

const takenByAnother = () =>
  sql`
    update endpoint_queues set owner = ${newId()}, fence = fence + 1, wake_at = now() + interval '30 seconds'
     where webhook_id = ${webhook}`.execute(acrossTeams(app.ctx).db);

/** Cuts the listening connections of this database. Returns when the worker has noticed. */
async function cutListeners(): Promise<void> {
  const before = cuts;
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  await client.query(`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where application_name = 'phial listener' and datname = current_database()`);
  await client.end();
  await expect.poll(() => cuts, { interval: 1 }).toBeGreaterThan(before);
}

async function publish(times = 1): Promise<void> {
  for (let n = 0; n < times; n += 1) await publishTo(app, team, steps, {});
}

const start = (): Deliverer => startWorker(app);

/** Publishes events in one transaction. */
const publishAtOnce = (events: number): Promise<unknown> =>
  boundToTeam(app.ctx, team.id)
    .db.transaction()
    .execute((db) =>
      publishEvents(
        { ...app.ctx, db, team },
        Array.from({ length: events }, () => ({ type: steps, user: null, data: {} })),
      ),
    );

/** The value of the gauge in /metrics. */
const underWay = async () => (await app.metrics.deliveriesUnderWay.get()).values[0]?.value;

/** The number of cuts of listening connections in these tests. */
let cuts = 0;

/** Starts a worker with its listener, as a process does. */
async function startListening(maxQueues?: number): Promise<Deliverer> {
  const onCut = (): void => {
    cuts += 1;
  };
  const { deliverer, close } = await startListeningWorker(app, onCut, maxQueues);
  closers.push(close);
  return deliverer;
}

describe('the deliverer', () => {
  test('that is stopped ends attempts under way in time, and returns the others as never started', async () => {
    endpoint.answer(() => undefined);
    await publish(3);
    const deliverer = start();
    await expect.poll(() => endpoint.requests()).toBe(3);
    expect(await underWay()).toBe(3);
    expect(await leaseQueues(acrossTeams(app.ctx).db, newId(), [webhook])).toEqual([]);
    await deliverer.stop(0);
    expect(await underWay()).toBe(0);
    expect([await attempted(app, webhook), await queued(app, webhook)]).toMatchObject([
      [],
      Array(3).fill({ attempt: 0 }),
    ]);
    endpoint.answer(null);
    await app.deliver();
    expect((await attempted(app, webhook)).map(({ attempt, outcome }) => [attempt, outcome])).toEqual(
      Array(3).fill([1, 'succeeded']),
    );
  });

  test('that gets a notification after it has delivered the event sends it once', async () => {
    const deliverer = startWorker(app);
    closers.push(() => deliverer.stop(0));
    const event = await publishTo(app, team, steps, {});
    deliverer.hear(`${webhook}/${event}`);
    await expect.poll(() => attempted(app, webhook)).toHaveLength(1);
    deliverer.hear(`${webhook}/${event}`);
    const next = await publishTo(app, team, steps, {});
    deliverer.hear(`${webhook}/${next}`);
    await expect.poll(() => attempted(app, webhook)).toHaveLength(2);
    expect(endpoint.received.map(({ headers }) => headers['webhook-id'])).toEqual([event, next]);
  });

  test('that is stopped writes outcomes during the drain', async () => {
    endpoint.answer((response) => {
      setTimeout(() => response.writeHead(204).end(), 300);
    });
    await publish();
    const deliverer = start();
    await expect.poll(() => endpoint.requests()).toBe(1);
    await deliverer.stop(5_000);
    expect([await attempted(app, webhook), await queued(app, webhook)]).toMatchObject([
      [{ attempt: 1, outcome: 'succeeded', http_status: 204 }],
      [],
    ]);
  });

  test('finds deliveries without a notification', async () => {
    const deliverer = start();
    closers.push(() => deliverer.stop(0));
    await expect.poll(() => attempted(app, webhook)).toEqual([]);
    await publishAtOnce(2);
    await expect.poll(async () => (await attempted(app, webhook)).length, { timeout: 5_000 }).toBe(2);
  });

  test('and a second one at the same time send every event once', async () => {
    await publish(60);
    const both = [start(), start()];
    try {
      await expect.poll(async () => (await queued(app, webhook)).length, { timeout: 10_000 }).toBe(0);
    } finally {
      await Promise.all(both.map((deliverer) => deliverer.stop(1_000)));
    }
    expect(new Set(endpoint.received.map(({ id }) => id)).size).toBe(60);
    expect(endpoint.received.length).toBe(60);
  });

  test('takes over the queue of a dead worker after its lease has ended', async () => {
    await publish(3);
    const { db } = acrossTeams(app.ctx);
    expect((await leaseQueues(db, newId(), [webhook])).length).toBe(1);
    await startListening();
    await sql`select pg_sleep(0.3)`.execute(db);
    expect(endpoint.requests()).toBe(0);
    await sql`update endpoint_queues set wake_at = now() where webhook_id = ${webhook}`.execute(db);
    await expect.poll(() => endpoint.received.length, { timeout: 5_000 }).toBe(3);
  });

  test('takes over the queues of a registered dead worker at once', async () => {
    await publish(3);
    const { db } = acrossTeams(app.ctx);
    const dead = newId();
    expect((await leaseQueues(db, dead, [webhook])).length).toBe(1);
    await db.insertInto('delivery_workers').values({ id: dead }).execute();
    const { wake_at } = await queue();
    await startListening();
    await expect.poll(() => endpoint.received.length, { timeout: 5_000 }).toBe(3);
    const { rows } = await sql<{ leased: boolean }>`select now() < ${wake_at}::timestamptz as leased`.execute(db);
    expect([rows, (await queue()).fence]).toEqual([[{ leased: true }], 2]);
  });

  test('starts nothing in a queue that another took while its listening connection was cut', async () => {
    const answers: (() => void)[] = [];
    endpoint.answer((response) => answers.push(() => response.writeHead(204).end()));
    await publish(40);
    await startListening();
    await expect.poll(() => answers.length).toBe(4);
    const [before] = await written();
    await takenByAnother();
    await cutListeners();
    for (const answer of answers) answer();
    // When the worker is registered under another id, it has polled its queues after the cut.
    await expect.poll(async () => (await written()).some(({ id }) => id !== before?.id)).toBe(true);
    await expect.poll(underWay).toBe(0);
    expect([endpoint.requests(), (await queued(app, webhook)).length]).toEqual([4, 40]);
  });

  test.each([
    { what: 'queue that a notification named without events', events: 101, table: 'retries' },
    { what: 'event that a notification named', events: 1, table: 'users' },
  ])('sends nothing when its listening connection was cut while it read the $what', async ({ events, table }) => {
    await startListening();
    await publish();
    await expect.poll(async () => (await attempted(app, webhook)).length).toBe(1);
    const [before] = await written();
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query(`begin; lock table ${table} in access exclusive mode`);
    await publishAtOnce(events);
    await untilBlocked(app.db);
    await takenByAnother();
    await cutListeners();
    await client.query('commit');
    await client.end();
    await expect.poll(async () => (await written()).some(({ id }) => id !== before?.id)).toBe(true);
    await expect.poll(underWay).toBe(0);
    expect([endpoint.requests(), (await queued(app, webhook)).length]).toEqual([1, events]);
  });

  test('keeps its queues and its outcomes under another id after its listening connection was cut', async () => {
    const answers: (() => void)[] = [];
    endpoint.answer((response) => answers.push(() => response.writeHead(204).end()));
    await publish(20);
    await startListening();
    await expect.poll(() => answers.length).toBe(4);
    const before = await queue();
    await cutListeners();
    await expect.poll(async () => (await queue()).owner).not.toBe(before.owner);
    endpoint.answer(null);
    for (const answer of answers) answer();
    await expect.poll(async () => (await attempted(app, webhook)).length).toBe(20);
    expect([endpoint.requests(), (await queue()).fence]).toEqual([20, before.fence]);
  });

  test('polls while it cannot listen, and nobody takes it for dead', async () => {
    const deliverer = start();
    closers.push(() => deliverer.stop(0));
    deliverer.lock();
    await publish();
    deliverer.listening();
    await expect.poll(() => endpoint.received.length, { timeout: 5_000 }).toBe(1);
    const before = await queue();
    deliverer.lost();
    // The worker renews the lease under its new id and reads the queue from its beginning. The next read from the
    // beginning comes after five seconds, too late for the next delivery.
    await expect.poll(async () => (await queue()).owner).not.toBe(before.owner);
    await expect.poll(async () => (await queued(app, webhook)).length).toBe(0);
    await publish();
    await expect.poll(() => endpoint.received.length, { timeout: 4_000 }).toBe(2);
    const { owner } = await queue();
    expect([owner, (await written()).some(({ id }) => id === owner)]).toEqual([expect.any(String), false]);
  });

  test('that is stopped is not registered any more', async () => {
    const deliverer = await startListening();
    await expect.poll(async () => (await written()).length).toBe(1);
    await deliverer.stop(0);
    expect(await written()).toEqual([]);
  });

  test('sends the new headers as soon as they are changed', async () => {
    await startListening();
    const headers = (value: string) =>
      team.api('PUT', `${webhookPath(team)}/${webhook}/headers`, { headers: { 'x-token': value } });
    await headers('first');
    await publish();
    await expect.poll(() => endpoint.received.at(-1)?.headers['x-token']).toBe('first');
    await headers('second');
    await expect
      .poll(async () => {
        await publish();
        return endpoint.received.at(-1)?.headers['x-token'];
      })
      .toBe('second');
  });

  test('sends to the new URL as soon as it is changed', async () => {
    await startListening();
    await publish();
    await expect.poll(() => endpoint.received.length).toBe(1);
    const elsewhere = await startEndpoint({ invented: true });
    closers.push(() => elsewhere.close());
    elsewhere.answer((response) => response.writeHead(204).end());
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { url: elsewhere.url });
    await expect
      .poll(async () => {
        await publish();
        return elsewhere.requests();
      })
      .toBeGreaterThan(0);
    await expect.poll(async () => (await queued(app, webhook)).length).toBe(0);
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
  });

  test('reads an endpoint once, not for each delivery', async () => {
    const { query } = pg.Client.prototype;
    let reads = 0;
    const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args) {
      if (JSON.stringify(args[0]).includes('as signing')) reads += 1;
      return (query as (...all: unknown[]) => unknown).apply(this, args) as never;
    });
    closers.push(async () => spy.mockRestore());
    await startListening();
    for (let n = 1; n <= 3; n += 1) {
      await publish();
      await expect.poll(() => endpoint.received.length).toBe(n);
    }
    expect(reads).toBe(1);
  });

  test('stops sending to a disabled endpoint, and sends the waiting deliveries once it is enabled', async () => {
    await startListening();
    await publish();
    await expect.poll(() => endpoint.received.length).toBe(1);
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
    const owner = () =>
      acrossTeams(app.ctx)
        .db.selectFrom('endpoint_queues')
        .select('owner')
        .where('webhook_id', '=', webhook)
        .executeTakeFirstOrThrow();
    await publish(3);
    await expect.poll(async () => (await owner()).owner, { timeout: 5_000 }).toBeNull();
    const before = endpoint.received.length;
    expect((await queued(app, webhook)).length).toBe(4 - before);
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: false });
    await expect.poll(() => endpoint.received.length).toBe(4);
  });

  test('keeps the rate of an endpoint, also while its queue changes its owner', async () => {
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { rate_limit: 10 });
    const times: number[] = [];
    endpoint.answer((response) => {
      times.push(performance.now());
      response.writeHead(204).end();
    });
    await publish(30);
    const workers = [await startListening(), await startListening()];
    for (const [n, worker] of workers.entries()) {
      await expect.poll(() => times.length, { timeout: 8_000, interval: 5 }).toBeGreaterThanOrEqual(8 * (n + 1));
      // We stop the owner of the queue while deliveries wait. So another worker takes the queue immediately.
      await startListening();
      await worker.stop(1_000);
    }
    await expect.poll(() => times.length, { timeout: 8_000, interval: 20 }).toBe(30);
    // No second has eleven deliveries. We test 900 ms instead of 1,000 ms, because the network delays some of them.
    for (let n = 10; n < times.length; n += 1)
      expect((times[n] as number) - (times[n - 10] as number)).toBeGreaterThan(900);
  });

  test('waits for the Retry-After of an endpoint with everything that is queued for it', async () => {
    endpoint.answer((response) => response.writeHead(429, { 'retry-after': '2' }).end());
    await publish(60);
    await startListening();
    await expect.poll(() => endpoint.requests()).toBeGreaterThan(0);
    const began = performance.now();
    await expect.poll(async () => (await attempted(app, webhook)).length === endpoint.requests()).toBe(true);
    const heard = endpoint.requests();
    expect(heard).toBeLessThanOrEqual(16);
    endpoint.answer(null);
    await expect.poll(() => endpoint.received.length, { timeout: 8_000, interval: 20 }).toBeGreaterThan(0);
    expect(performance.now() - began).toBeGreaterThan(1_500);
    await expect.poll(() => endpoint.received.length, { timeout: 8_000 }).toBeGreaterThanOrEqual(60 - heard);
  });

  test.each([9, 100])('delivers to others at once while %i endpoints of one team hang', async (count) => {
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => {
      hanging.listen(0, '127.0.0.1', resolve);
    });
    closers.push(async () => {
      hanging.closeAllConnections();
      hanging.close();
    });
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/`;
    const slow = await app.makeTeam();
    await makeEndpoints(slow, url, count);
    for (let n = 0; n < 10; n += 1) await publishTo(app, slow, steps, {});
    await startListening();
    await expect
      .poll(() => app.metrics.deliveriesUnderWay.get().then(({ values }) => values[0]?.value ?? 0))
      .toBeGreaterThan(Math.min(80, count * 3));
    // These deliveries must arrive long before the attempts at endpoints that hang time out (after 15 s).
    for (let n = 0; n < 5; n += 1) {
      await publish();
      await expect.poll(() => endpoint.received.length, { interval: 5, timeout: 10_000 }).toBe(n + 1);
    }
  });

  test('takes the queue of another when endpoints of one organisation hang, and loses nothing', async () => {
    await forgetOthers();
    const slow = await startEndpoint({ invented: true });
    closers.push(() => slow.close());
    const hanging: (() => void)[] = [];
    slow.answer((response) => hanging.push(() => response.writeHead(204).end()));
    const first = await app.makeTeam();
    const { id } = await createTeam(app.ctx, { org_id: first.org_id, name: 'second' });
    const teams = [first, { ...first, id }];
    for (const of of teams) await makeEndpoints(of, slow.url, MANY_QUEUES);
    await startListening(MANY_QUEUES);
    for (let n = 0; n < 3; n += 1) for (const of of teams) await publishTo(app, of, steps, {});
    await expect.poll(() => slow.requests(), { timeout: 10_000 }).toBeGreaterThan(MANY_QUEUES);
    await publish();
    await expect.poll(() => endpoint.received.length, { timeout: 5_000 }).toBe(1);
    slow.answer((response) => response.writeHead(204).end());
    for (const end of hanging) end();
    // Three events for each endpoint.
    await expect.poll(() => countDelivered(teams), { timeout: 20_000 }).toBe(3 * 2 * MANY_QUEUES);
  }, 40_000);
});

const MANY_QUEUES = 16;

/** Deletes deliveries that other tests left. Their queues would count among the few that the worker may own. */
async function forgetOthers(): Promise<void> {
  const { db } = acrossTeams(app.ctx);
  for (const table of ['deliveries', 'retries'] as const) await db.deleteFrom(table).execute();
  await db.updateTable('endpoint_queues').set({ owner: null, wake_at: null }).execute();
}

async function countDelivered(teams: { id: string }[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct (webhook_id, event_id))::integer as n from attempts
     where outcome = 'succeeded' and team_id = any (${teams.map(({ id }) => id)}::uuid[])`.execute(
    acrossTeams(app.ctx).db,
  );
  return rows[0]?.n ?? 0;
}

/** Makes endpoints of a team, more than the API allows. */
async function makeEndpoints(of: Team, url: string, count: number): Promise<void> {
  const { db } = acrossTeams(app.ctx);
  const first = await of.api<{ id: string }>('POST', webhookPath(of), { url });
  for (let n = 1; n < count; n += 1) {
    const id = newId();
    const row = { team_id: of.id, id: newId() };
    await db.insertInto('webhooks').values({ id, team_id: of.id, url }).execute();
    await db.insertInto('endpoint_queues').values({ webhook_id: id, team_id: of.id }).execute();
    const secret = app.ctx.cipher.sealText('webhook_secrets.secret', row, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    await db
      .insertInto('webhook_secrets')
      .values({ ...row, webhook_id: id, secret })
      .execute();
  }
  expect(first.status).toBe(200);
}

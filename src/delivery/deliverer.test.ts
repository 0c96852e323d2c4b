import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import { attempted, queued } from '../../test/deliveries.ts';
import { steps } from '../../test/events.ts';
import { subscribe, webhookPath } from '../../test/factories.ts';
import { publishTo } from '../../test/publish.ts';
import { startReceiver, type Receiver } from '../../test/receiver.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { startListeningWorker, startWorker } from '../../test/worker.ts';
import { acrossTeams, boundToTeam } from '../db/session/bind.ts';
import { publishEvents } from '../events/publish.ts';
import { newId } from '../ids.ts';
import { createTeam } from '../tenancy/teams/create.ts';
import type { Deliverer } from './deliver.ts';
import { leaseLanes } from './lanes/lanes.ts';

let app: TestApp;
let team: Team;
let receiver: Receiver;
let webhook: string;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  receiver = await startReceiver({ invented: true });
  webhook = await subscribe(team, receiver);
});
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  await receiver.close();
});

const lane = () =>
  acrossTeams(app.ctx)
    .db.selectFrom('lanes')
    .select(['owner', 'fence', 'wake_at'])
    .where('webhook_id', '=', webhook)
    .executeTakeFirstOrThrow();
const written = () => acrossTeams(app.ctx).db.selectFrom('delivery_workers').select('id').execute();

const takenByAnother = () =>
  sql`
    update lanes set owner = ${newId()}, fence = fence + 1, wake_at = now() + interval '30 seconds'
     where webhook_id = ${webhook}`.execute(acrossTeams(app.ctx).db);

/** Cuts the listening connections of this database; returns when the worker has noticed. */
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

async function tell(times = 1): Promise<void> {
  for (let n = 0; n < times; n += 1) await publishTo(app, team, steps, {});
}

const start = (): Deliverer => startWorker(app);

/** Events of one transaction. */
const tellAtOnce = (events: number): Promise<unknown> =>
  boundToTeam(app.ctx, team.id)
    .db.transaction()
    .execute((db) =>
      publishEvents(
        { ...app.ctx, db, team },
        Array.from({ length: events }, () => ({ type: steps, user: null, data: {} })),
      ),
    );

/** What /metrics shows of it. */
const underWay = async () => (await app.metrics.deliveriesUnderWay.get()).values[0]?.value;

/** How often a listening connection of these tests was cut. */
let cuts = 0;

/** A worker as a process has it, with its listener. */
async function startListening(mostLanes?: number): Promise<Deliverer> {
  const onCut = (): void => {
    cuts += 1;
  };
  const { deliverer, close } = await startListeningWorker(app, onCut, mostLanes);
  closers.push(close);
  return deliverer;
}

describe('the deliverer', () => {
  test('that is stopped ends what is under way in time, and gives the rest back as if it had never begun', async () => {
    receiver.answer(() => undefined);
    await tell(3);
    const deliverer = start();
    await expect.poll(() => receiver.requests()).toBe(3);
    expect(await underWay()).toBe(3);
    expect(await leaseLanes(acrossTeams(app.ctx).db, newId(), [webhook])).toEqual([]);
    await deliverer.stop(0);
    expect(await underWay()).toBe(0);
    expect([await attempted(app, webhook), await queued(app, webhook)]).toMatchObject([
      [],
      Array(3).fill({ attempt: 0 }),
    ]);
    receiver.answer(null);
    await app.deliver();
    expect((await attempted(app, webhook)).map(({ attempt, outcome }) => [attempt, outcome])).toEqual(
      Array(3).fill([1, 'succeeded']),
    );
  });

  test('that hears of an event after it has delivered it sends it once', async () => {
    const deliverer = startWorker(app);
    closers.push(() => deliverer.stop(0));
    const event = await publishTo(app, team, steps, {});
    deliverer.hear(`${webhook}/${event}`);
    await expect.poll(() => attempted(app, webhook)).toHaveLength(1);
    deliverer.hear(`${webhook}/${event}`);
    const next = await publishTo(app, team, steps, {});
    deliverer.hear(`${webhook}/${next}`);
    await expect.poll(() => attempted(app, webhook)).toHaveLength(2);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([event, next]);
  });

  test('that is stopped writes what ends during the drain', async () => {
    receiver.answer((response) => {
      setTimeout(() => response.writeHead(204).end(), 300);
    });
    await tell();
    const deliverer = start();
    await expect.poll(() => receiver.requests()).toBe(1);
    await deliverer.stop(5_000);
    expect([await attempted(app, webhook), await queued(app, webhook)]).toMatchObject([
      [{ attempt: 1, outcome: 'succeeded', http_status: 204 }],
      [],
    ]);
  });

  test('finds by itself what nobody told it of', async () => {
    const deliverer = start();
    closers.push(() => deliverer.stop(0));
    await expect.poll(() => attempted(app, webhook)).toEqual([]);
    await tellAtOnce(2);
    await expect.poll(async () => (await attempted(app, webhook)).length, { timeout: 5_000 }).toBe(2);
  });

  test('and a second one at the same time send everything once', async () => {
    await tell(60);
    const both = [start(), start()];
    try {
      await expect.poll(async () => (await queued(app, webhook)).length, { timeout: 10_000 }).toBe(0);
    } finally {
      await Promise.all(both.map((deliverer) => deliverer.stop(1_000)));
    }
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(60);
    expect(receiver.received.length).toBe(60);
  });

  test('takes over the lane of a worker that died, once its lease has ended', async () => {
    await tell(3);
    const { db } = acrossTeams(app.ctx);
    expect((await leaseLanes(db, newId(), [webhook])).length).toBe(1);
    await startListening();
    await sql`select pg_sleep(0.3)`.execute(db);
    expect(receiver.requests()).toBe(0);
    await sql`update lanes set wake_at = now() where webhook_id = ${webhook}`.execute(db);
    await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(3);
  });

  test('takes over the lanes of a worker that died at once where that can be noticed', async () => {
    await tell(3);
    const { db } = acrossTeams(app.ctx);
    const dead = newId();
    expect((await leaseLanes(db, dead, [webhook])).length).toBe(1);
    await db.insertInto('delivery_workers').values({ id: dead }).execute();
    const { wake_at } = await lane();
    await startListening();
    await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(3);
    const { rows } = await sql<{ leased: boolean }>`select now() < ${wake_at}::timestamptz as leased`.execute(db);
    expect([rows, (await lane()).fence]).toEqual([[{ leased: true }], 2]);
  });

  test('begins nothing in a lane that another took while its listening connection was cut', async () => {
    const answers: (() => void)[] = [];
    receiver.answer((response) => answers.push(() => response.writeHead(204).end()));
    await tell(40);
    await startListening();
    await expect.poll(() => answers.length).toBe(4);
    const [before] = await written();
    await takenByAnother();
    await cutListeners();
    for (const answer of answers) answer();
    // It has looked at its lanes since, and is written down as another worker.
    await expect.poll(async () => (await written()).some(({ id }) => id !== before?.id)).toBe(true);
    await expect.poll(underWay).toBe(0);
    expect([receiver.requests(), (await queued(app, webhook)).length]).toEqual([4, 40]);
  });

  test.each([
    { what: 'queue, of which it was told without events', events: 101, table: 'retries' },
    { what: 'event, of which it was told', events: 1, table: 'users' },
  ])('sends nothing when it was cut from what it hears while it read the $what', async ({ events, table }) => {
    await startListening();
    await tell();
    await expect.poll(async () => (await attempted(app, webhook)).length).toBe(1);
    const [before] = await written();
    const client = new pg.Client({ connectionString: app.databaseUrl });
    await client.connect();
    await client.query(`begin; lock table ${table} in access exclusive mode`);
    await tellAtOnce(events);
    await untilBlocked(app.db);
    await takenByAnother();
    await cutListeners();
    await client.query('commit');
    await client.end();
    await expect.poll(async () => (await written()).some(({ id }) => id !== before?.id)).toBe(true);
    await expect.poll(underWay).toBe(0);
    expect([receiver.requests(), (await queued(app, webhook)).length]).toEqual([1, events]);
  });

  test('goes on in its lanes under another name when its listening connection was cut, and what was under way counts', async () => {
    const answers: (() => void)[] = [];
    receiver.answer((response) => answers.push(() => response.writeHead(204).end()));
    await tell(20);
    await startListening();
    await expect.poll(() => answers.length).toBe(4);
    const before = await lane();
    await cutListeners();
    await expect.poll(async () => (await lane()).owner).not.toBe(before.owner);
    receiver.answer(null);
    for (const answer of answers) answer();
    await expect.poll(async () => (await attempted(app, webhook)).length).toBe(20);
    expect([receiver.requests(), (await lane()).fence]).toEqual([20, before.fence]);
  });

  test('goes on by what it looks for itself while it cannot listen, and nobody takes it for dead', async () => {
    const deliverer = start();
    closers.push(() => deliverer.stop(0));
    deliverer.lock();
    await tell();
    deliverer.listening();
    await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(1);
    const before = await lane();
    deliverer.lost();
    // Taken back under its new name the lane was read from its beginning, which comes again after five seconds.
    await expect.poll(async () => (await lane()).owner).not.toBe(before.owner);
    await expect.poll(async () => (await queued(app, webhook)).length).toBe(0);
    await tell();
    await expect.poll(() => receiver.received.length, { timeout: 4_000 }).toBe(2);
    const { owner } = await lane();
    expect([owner, (await written()).some(({ id }) => id === owner)]).toEqual([expect.any(String), false]);
  });

  test('that is stopped is written down no longer', async () => {
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
    await tell();
    await expect.poll(() => receiver.received.at(-1)?.headers['x-token']).toBe('first');
    await headers('second');
    await expect
      .poll(async () => {
        await tell();
        return receiver.received.at(-1)?.headers['x-token'];
      })
      .toBe('second');
  });

  test('sends to the new address as soon as it is changed', async () => {
    await startListening();
    await tell();
    await expect.poll(() => receiver.received.length).toBe(1);
    const elsewhere = await startReceiver({ invented: true });
    closers.push(() => elsewhere.close());
    elsewhere.answer((response) => response.writeHead(204).end());
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { url: elsewhere.url });
    await expect
      .poll(async () => {
        await tell();
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
      await tell();
      await expect.poll(() => receiver.received.length).toBe(n);
    }
    expect(reads).toBe(1);
  });

  test('stops sending to an endpoint that is disabled, and sends what waited once it is enabled', async () => {
    await startListening();
    await tell();
    await expect.poll(() => receiver.received.length).toBe(1);
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: true });
    const owner = () =>
      acrossTeams(app.ctx)
        .db.selectFrom('lanes')
        .select('owner')
        .where('webhook_id', '=', webhook)
        .executeTakeFirstOrThrow();
    await tell(3);
    await expect.poll(async () => (await owner()).owner, { timeout: 5_000 }).toBeNull();
    const before = receiver.received.length;
    expect((await queued(app, webhook)).length).toBe(4 - before);
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { disabled: false });
    await expect.poll(() => receiver.received.length).toBe(4);
  });

  test('keeps to the rate of an endpoint, also while its lane changes hands between two workers', async () => {
    await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { rate_limit: 10 });
    const times: number[] = [];
    receiver.answer((response) => {
      times.push(performance.now());
      response.writeHead(204).end();
    });
    await tell(30);
    const workers = [await startListening(), await startListening()];
    for (const [n, worker] of workers.entries()) {
      await expect.poll(() => times.length, { timeout: 8_000, interval: 5 }).toBeGreaterThanOrEqual(8 * (n + 1));
      // Stopped while more wait: another takes the lane at once.
      await startListening();
      await worker.stop(1_000);
    }
    await expect.poll(() => times.length, { timeout: 8_000, interval: 20 }).toBe(30);
    // In no second ten and one more; what the network delays is left out by a tenth.
    for (let n = 10; n < times.length; n += 1)
      expect((times[n] as number) - (times[n - 10] as number)).toBeGreaterThan(900);
  });

  test('leaves an endpoint alone that is busy by its own word, with all that waits for it', async () => {
    receiver.answer((response) => response.writeHead(429, { 'retry-after': '2' }).end());
    await tell(60);
    await startListening();
    await expect.poll(() => receiver.requests()).toBeGreaterThan(0);
    const began = performance.now();
    await expect.poll(async () => (await attempted(app, webhook)).length === receiver.requests()).toBe(true);
    const heard = receiver.requests();
    expect(heard).toBeLessThanOrEqual(16);
    receiver.answer(null);
    await expect.poll(() => receiver.received.length, { timeout: 8_000, interval: 20 }).toBeGreaterThan(0);
    expect(performance.now() - began).toBeGreaterThan(1_500);
    await expect.poll(() => receiver.received.length, { timeout: 8_000 }).toBeGreaterThanOrEqual(60 - heard);
  });

  test.each([9, 100])('delivers for others at once while %i endpoints of one team hang', async (count) => {
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
    // Well before the first of what hangs is given up, 15 s after it began.
    for (let n = 0; n < 5; n += 1) {
      await tell();
      await expect.poll(() => receiver.received.length, { interval: 5, timeout: 10_000 }).toBe(n + 1);
    }
  });

  test('takes the lane of another when endpoints of one organisation that hang are more than it may hold, and loses none of theirs', async () => {
    await forgetOthers();
    const slow = await startReceiver({ invented: true });
    closers.push(() => slow.close());
    const hanging: (() => void)[] = [];
    slow.answer((response) => hanging.push(() => response.writeHead(204).end()));
    const first = await app.makeTeam();
    const { id } = await createTeam(app.ctx, { org_id: first.org_id, name: 'second' });
    const teams = [first, { ...first, id }];
    for (const of of teams) await makeEndpoints(of, slow.url, MANY_LANES);
    await startListening(MANY_LANES);
    for (let n = 0; n < 3; n += 1) for (const of of teams) await publishTo(app, of, steps, {});
    await expect.poll(() => slow.requests(), { timeout: 10_000 }).toBeGreaterThan(MANY_LANES);
    await tell();
    await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(1);
    slow.answer((response) => response.writeHead(204).end());
    for (const end of hanging) end();
    // Three events for each endpoint.
    await expect.poll(() => countDelivered(teams), { timeout: 20_000 }).toBe(3 * 2 * MANY_LANES);
  }, 40_000);
});

const MANY_LANES = 16;

/** What tests before left waiting, for endpoints that are gone, would have its turn among few lanes too. */
async function forgetOthers(): Promise<void> {
  const { db } = acrossTeams(app.ctx);
  for (const table of ['deliveries', 'retries'] as const) await db.deleteFrom(table).execute();
  await db.updateTable('lanes').set({ owner: null, wake_at: null }).execute();
}

async function countDelivered(teams: { id: string }[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(distinct (webhook_id, event_id))::integer as n from attempts
     where outcome = 'succeeded' and team_id = any (${teams.map(({ id }) => id)}::uuid[])`.execute(
    acrossTeams(app.ctx).db,
  );
  return rows[0]?.n ?? 0;
}

/** Endpoints of a team, more than one may make by the API. */
async function makeEndpoints(of: Team, url: string, count: number): Promise<void> {
  const { db } = acrossTeams(app.ctx);
  const first = await of.api<{ id: string }>('POST', webhookPath(of), { url });
  for (let n = 1; n < count; n += 1) {
    const id = newId();
    const row = { team_id: of.id, id: newId() };
    await db.insertInto('webhooks').values({ id, team_id: of.id, url }).execute();
    await db.insertInto('lanes').values({ webhook_id: id, team_id: of.id }).execute();
    const secret = app.ctx.cipher.sealText('webhook_secrets.secret', row, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    await db
      .insertInto('webhook_secrets')
      .values({ ...row, webhook_id: id, secret })
      .execute();
  }
  expect(first.status).toBe(200);
}

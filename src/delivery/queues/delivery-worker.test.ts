import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { subscribe } from '../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../test/endpoint.ts';
import { connectWorker, type ConnectedWorker } from '../../../test/worker.ts';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { leaseQueues, leaseDueQueues, wakeQueues } from './queue-leases.ts';
import { wakeQueuesOfDeadWorkers, Worker } from './delivery-worker.ts';

let app: TestApp;
let ctx: Ctx;
let team: Team;
let endpoint: Endpoint;
const connections: ConnectedWorker[] = [];
beforeAll(async () => {
  app = await startTestApp();
  ctx = acrossTeams(app.ctx);
  endpoint = await startEndpoint({ invented: true });
});
afterAll(async () => {
  await endpoint.close();
  await app.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
});
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
  await ctx.db.deleteFrom('delivery_workers').execute();
  await ctx.db.updateTable('endpoint_queues').set({ owner: null, wake_at: null }).execute();
});

/** Connects a worker as its process does, and registers it. */
async function connect(worker = new Worker()): Promise<ConnectedWorker> {
  const connected = await connectWorker(app, worker);
  connections.push(connected);
  await worker.poll(ctx.db);
  return connected;
}

async function leaseOne(owner: string): Promise<string> {
  const webhook = await subscribe(team, endpoint);
  expect(await leaseQueues(ctx.db, owner, [webhook])).toHaveLength(1);
  return webhook;
}

const written = async (): Promise<string[]> =>
  (await ctx.db.selectFrom('delivery_workers').select('id').execute()).map(({ id }) => id);
const look = (): Promise<number> => wakeQueuesOfDeadWorkers(ctx.db, newId());
const taken = async (): Promise<string[]> =>
  (await leaseDueQueues(ctx.db, newId(), 100)).map(({ webhook_id }) => webhook_id);

describe('the endpoint queues of a worker', () => {
  test('are taken at once when its connection has ended, and not while it lives', async () => {
    const [dead, alive] = [await connect(), await connect()];
    const queues = [await leaseOne(dead.worker.id), await leaseOne(dead.worker.id)];
    await leaseOne(alive.worker.id);
    expect([await look(), await taken()]).toEqual([0, []]);
    await dead.die();
    expect([await look(), (await taken()).toSorted()]).toEqual([2, queues.toSorted()]);
    expect([await look(), await taken()]).toEqual([0, []]);
    expect(await written()).toEqual([alive.worker.id]);
  });

  test('are left until the lease ends when the worker never listened', async () => {
    const worker = new Worker();
    worker.listening();
    await worker.poll(ctx.db);
    await leaseOne(worker.id);
    expect([await look(), await taken(), await written()]).toEqual([0, [], []]);
  });

  test('stay when their row is locked, and the dead worker stays registered until they are woken', async () => {
    const { worker, die } = await connect();
    const queue = await leaseOne(worker.id);
    await die();
    await ctx.db.transaction().execute(async (tx) => {
      await wakeQueues(tx, [queue]);
      expect([await look(), await written()]).toEqual([0, [worker.id]]);
    });
    expect([await look(), await taken()]).toEqual([1, [queue]]);
  });
});

describe('a worker', () => {
  test('that a backup contains is deleted', async () => {
    await ctx.db.insertInto('delivery_workers').values({ id: newId() }).execute();
    const { worker } = await connect();
    expect(await written()).toEqual([worker.id]);
  });

  test('gets another id when it is cut off, and registers that when it listens again', async () => {
    const { worker } = await connect();
    const before = worker.id;
    expect([worker.lost(), worker.lost()]).toEqual([true, false]);
    expect(worker.id).not.toBe(before);
    await worker.poll(ctx.db);
    expect(await written()).toEqual([before]);
    await connect(worker);
    expect((await written()).toSorted()).toEqual([before, worker.id].toSorted());
  });

  test('that was cut off leaves others some time to reconnect before it takes their queues', async () => {
    const { worker, die } = await connect();
    const other = await connect();
    const queue = await leaseOne(other.worker.id);
    for (const end of [die, other.die]) await end();
    worker.lost();
    await connect(worker);
    const clock = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now');
    later.mockImplementation(() => clock() + 5_000);
    expect(await worker.poll(ctx.db)).toBe(0);
    later.mockImplementation(() => clock() + 10_000);
    expect(await worker.poll(ctx.db)).toBe(1);
    later.mockRestore();
    expect(await taken()).toEqual([queue]);
  });

  test('that is stopped is deleted at once, but not while it owns a queue', async () => {
    const { worker } = await connect();
    const queue = await leaseOne(worker.id);
    await worker.leave(ctx.db);
    expect(await written()).toEqual([worker.id]);
    await ctx.db.updateTable('endpoint_queues').set({ owner: null }).where('webhook_id', '=', queue).execute();
    await worker.leave(ctx.db);
    expect(await written()).toEqual([]);
  });
});

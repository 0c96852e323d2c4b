import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/app.ts';
import { subscribe } from '../../../test/factories.ts';
import { startReceiver, type Receiver } from '../../../test/receiver.ts';
import { connectWorker, type ConnectedWorker } from '../../../test/worker.ts';
import type { Ctx } from '../../context.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { leaseLanes, leaseLanesThatWake, wakeLanes } from './lanes.ts';
import { wakeLanesOfTheDead, Worker } from './workers.ts';

let app: TestApp;
let ctx: Ctx;
let team: Team;
let receiver: Receiver;
const connections: ConnectedWorker[] = [];
beforeAll(async () => {
  app = await startTestApp();
  ctx = acrossTeams(app.ctx);
  receiver = await startReceiver({ invented: true });
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
});
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
  await ctx.db.deleteFrom('delivery_workers').execute();
  await ctx.db.updateTable('lanes').set({ owner: null, wake_at: null }).execute();
});

/** Connects a worker as its process does, and has it written down. */
async function connect(worker = new Worker()): Promise<ConnectedWorker> {
  const connected = await connectWorker(app, worker);
  connections.push(connected);
  await worker.patrol(ctx.db);
  return connected;
}

async function leaseOne(owner: string): Promise<string> {
  const webhook = await subscribe(team, receiver);
  expect(await leaseLanes(ctx.db, owner, [webhook])).toHaveLength(1);
  return webhook;
}

const written = async (): Promise<string[]> =>
  (await ctx.db.selectFrom('delivery_workers').select('id').execute()).map(({ id }) => id);
const look = (): Promise<number> => wakeLanesOfTheDead(ctx.db, newId());
const taken = async (): Promise<string[]> =>
  (await leaseLanesThatWake(ctx.db, newId(), 100)).map(({ webhook_id }) => webhook_id);

describe('the lanes of a worker', () => {
  test('whose connection has ended are taken at once, those of one that lives are not', async () => {
    const [dead, alive] = [await connect(), await connect()];
    const lanes = [await leaseOne(dead.worker.id), await leaseOne(dead.worker.id)];
    await leaseOne(alive.worker.id);
    expect([await look(), await taken()]).toEqual([0, []]);
    await dead.die();
    expect([await look(), (await taken()).toSorted()]).toEqual([2, lanes.toSorted()]);
    expect([await look(), await taken()]).toEqual([0, []]);
    expect(await written()).toEqual([alive.worker.id]);
  });

  test('that never listened are left to their lease', async () => {
    const worker = new Worker();
    worker.listening();
    await worker.patrol(ctx.db);
    await leaseOne(worker.id);
    expect([await look(), await taken(), await written()]).toEqual([0, [], []]);
  });

  test('which somebody locks at that moment are woken later, and it is not forgotten before', async () => {
    const { worker, die } = await connect();
    const lane = await leaseOne(worker.id);
    await die();
    await ctx.db.transaction().execute(async (tx) => {
      await wakeLanes(tx, [lane]);
      expect([await look(), await written()]).toEqual([0, [worker.id]]);
    });
    expect([await look(), await taken()]).toEqual([1, [lane]]);
  });
});

describe('a worker', () => {
  test('that a backup brought along is forgotten', async () => {
    await ctx.db.insertInto('delivery_workers').values({ id: newId() }).execute();
    const { worker } = await connect();
    expect(await written()).toEqual([worker.id]);
  });

  test('that is cut off is another one, and is written down when it listens again', async () => {
    const { worker } = await connect();
    const before = worker.id;
    expect([worker.lost(), worker.lost()]).toEqual([true, false]);
    expect(worker.id).not.toBe(before);
    await worker.patrol(ctx.db);
    expect(await written()).toEqual([before]);
    await connect(worker);
    expect((await written()).toSorted()).toEqual([before, worker.id].toSorted());
  });

  test('that was cut off itself leaves others some time to come back, and looks after them then', async () => {
    const { worker, die } = await connect();
    const other = await connect();
    const lane = await leaseOne(other.worker.id);
    for (const end of [die, other.die]) await end();
    worker.lost();
    await connect(worker);
    const clock = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now');
    later.mockImplementation(() => clock() + 5_000);
    expect(await worker.patrol(ctx.db)).toBe(0);
    later.mockImplementation(() => clock() + 10_000);
    expect(await worker.patrol(ctx.db)).toBe(1);
    later.mockRestore();
    expect(await taken()).toEqual([lane]);
  });

  test('that is stopped is forgotten at once, but not while it could not let go of a lane', async () => {
    const { worker } = await connect();
    const lane = await leaseOne(worker.id);
    await worker.leave(ctx.db);
    expect(await written()).toEqual([worker.id]);
    await ctx.db.updateTable('lanes').set({ owner: null }).where('webhook_id', '=', lane).execute();
    await worker.leave(ctx.db);
    expect(await written()).toEqual([]);
  });
});

import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { startBroker, type Broker } from '../../../../test/broker.ts';
import { steps } from '../../../../test/invented-events.ts';
import { etlPath, etlPipeline } from '../../../../test/pipelines.ts';
import { publishTo } from '../../../../test/publish-event.ts';
import { connectWorker, type ConnectedWorker } from '../../../../test/worker.ts';
import { Worker } from '../../../delivery/queues/delivery-worker.ts';
import { endLeasesOfDeadWorkers, renewLease, leasePipelines, type Leased } from './lease.ts';
import { startStreaming } from './start-streaming.ts';

let app: TestApp;
let team: Team;
let broker: Broker;
const connections: ConnectedWorker[] = [];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  [team, broker] = [await app.makeTeam(), await startBroker()];
  await team.api('POST', etlPath(team), etlPipeline([team.id], broker.uri));
});
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
  await broker.close();
  await sql`delete from etl_pipelines`.execute(app.db);
});

async function connect(worker?: Worker): Promise<ConnectedWorker> {
  const connected = await connectWorker(app, worker);
  connections.push(connected);
  return connected;
}

const lease = (worker: Worker): Promise<Leased[]> =>
  leasePipelines(app.ctx, worker, { most: 10, ofAnother: 10, of: new Map() });
const leasedBy = async (worker: Worker): Promise<string[]> => (await lease(worker)).map(({ team_id }) => team_id);
const look = ({ worker }: ConnectedWorker): Promise<number> => endLeasesOfDeadWorkers(app.ctx, worker);
const renew = (mine: Leased, worker: Worker): Promise<boolean> =>
  renewLease(app, mine, { worker, cursor: mine.cursor, works: true });
const received = (): number[] =>
  broker.received.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);

describe('the lease of a pipeline', () => {
  test('ends with the connection of its worker, and not before', async () => {
    const [dead, alive] = [await connect(), await connect()];
    expect(await leasedBy(dead.worker)).toEqual([team.id]);
    expect([await look(alive), await leasedBy(alive.worker)]).toEqual([0, []]);
    await dead.die();
    expect([await look(alive), await leasedBy(alive.worker)]).toEqual([1, [team.id]]);
    expect([await look(alive), await leasedBy(alive.worker)]).toEqual([0, []]);
  });

  test('of a worker that does not listen ends by time alone', async () => {
    const alive = await connect();
    expect(await leasedBy(new Worker())).toEqual([team.id]);
    expect([await look(alive), await leasedBy(alive.worker)]).toEqual([0, []]);
    await sql`update etl_pipelines set lease_until = now() - interval '1 second'`.execute(app.db);
    expect(await leasedBy(alive.worker)).toEqual([team.id]);
  });

  test('is lost by a worker that was cut off and taken for dead, which then publishes nothing more', async () => {
    const [cut, alive] = [await connect(), await connect()];
    const [mine] = (await lease(cut.worker)) as [Leased];
    await cut.die();
    expect([await look(alive), await leasedBy(alive.worker)]).toEqual([1, [team.id]]);
    expect(await renew(mine, cut.worker)).toBe(false);
  });

  test('is kept by a worker that was cut off and renews first: it names no worker until that one listens', async () => {
    const [cut, alive] = [await connect(), await connect()];
    const [mine] = (await lease(cut.worker)) as [Leased];
    await cut.die();
    cut.worker.lost();
    expect([await renew(mine, cut.worker), await look(alive)]).toEqual([true, 0]);
    const back = await connect(cut.worker);
    expect([await renew(mine, cut.worker), await look(alive)]).toEqual([true, 0]);
    await back.die();
    expect(await look(alive)).toBe(1);
  });

  test('whose row is locked ends at a later look', async () => {
    const [dead, alive] = [await connect(), await connect()];
    await lease(dead.worker);
    await dead.die();
    await app.db.transaction().execute(async (tx) => {
      await sql`select from etl_pipelines for update`.execute(tx);
      expect(await look(alive)).toBe(0);
    });
    expect(await look(alive)).toBe(1);
  });

  test('of another worker is left for ten seconds by one that was cut off, because both may reconnect', async () => {
    const [dead, cut] = [await connect(), await connect()];
    await lease(dead.worker);
    for (const each of [dead, cut]) await each.die();
    cut.worker.lost();
    expect(await look(cut)).toBe(0);
    await connect(cut.worker);
    const clock = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now');
    const lookAfter = (ms: number): Promise<number> => {
      later.mockImplementation(() => clock() + ms);
      return look(cut);
    };
    expect([await lookAfter(5_000), await lookAfter(10_000)]).toEqual([0, 1]);
    later.mockRestore();
  });
});

test("another worker streams the events of a dead worker's team long before its lease would end", async () => {
  const [dead, alive] = [await connect(), await connect()];
  expect(await leasedBy(dead.worker)).toEqual([team.id]);
  for (const n of [1, 2, 3]) await publishTo(app, team, steps, { n });
  const streaming = startStreaming(app.ctx, alive.worker);
  try {
    await dead.die();
    await broker.receives(3);
    expect(received()).toEqual([1, 2, 3]);
  } finally {
    await streaming.stop(10_000);
  }
}, 30_000);

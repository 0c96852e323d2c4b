import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import {
  lowStatuses,
  orderKit,
  readOrder,
  registeredKit,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { untilBlocked } from '../../../../test/until-blocked.ts';
import { resumeSimulations, simulationStep, type SimulationStep } from './simulation-step.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const REGISTERED = 7;
const eventsOf = async (order: OrderBody): Promise<string[]> =>
  lowStatuses(await readOrder(app.team, order.id)).slice(REGISTERED);
const countEvents = async (order: OrderBody): Promise<number> =>
  (await app.db.selectFrom('events').select('id').where('user_id', '=', order.user_id).execute()).length;

/** Starts a simulation that has taken the first of its steps and waits to take the second. */
async function halfWay(): Promise<{ order: OrderBody; job: SimulationStep }> {
  const order = await registeredKit(app.team);
  await simulate(app.team, order.id, '?delay=3600&final_status=completed.testkit.completed');
  const { id, next_step } = await app.db
    .selectFrom('simulations')
    .select(['id', 'next_step'])
    .where('order_id', '=', order.id)
    .executeTakeFirstOrThrow();
  return { order, job: { team_id: app.team.id, order_id: order.id, simulation_id: id, step: next_step } };
}
const overdue = () => sql`update simulations set due_at = now() - interval '31 seconds'`.execute(app.db);
const allDue = () => sql`update graphile_worker._private_jobs set run_at = now() - interval '1 second'`.execute(app.db);
const jobs = async (order: OrderBody): Promise<{ step: number; locked: boolean }[]> =>
  (
    await sql<{ step: number; locked: boolean }>`
  select (payload ->> 'step')::integer as step, locked_at is not null as locked from graphile_worker._private_jobs
   where payload ->> 'order_id' = ${order.id} order by id`.execute(app.db)
  ).rows;
/** Locks the jobs as a killed worker leaves them. */
const lockAsKilled = () =>
  sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'killed', run_at = now()`.execute(app.db);

describe('a step', () => {
  test('is taken once however often its job runs', async () => {
    const { order, job } = await halfWay();
    for (let times = 0; times < 3; times += 1) await simulationStep.run(app.ctx, job);
    expect(await eventsOf(order)).toEqual(['transit_lab', 'delivered_to_lab']);
    expect(await countEvents(order)).toBe(9);
    expect((await jobs(order)).map(({ step }) => step)).toEqual([1, 2]);
  });

  test('is taken once when two workers run its job at the same time', async () => {
    const { order, job } = await halfWay();
    const { second } = await app.db.transaction().execute(async (db) => {
      await simulationStep.run({ ...app.ctx, db }, job);
      const second = simulationStep.run(app.ctx, job);
      await untilBlocked(app.db);
      return { second };
    });
    await second;
    expect([await eventsOf(order), await countEvents(order)]).toEqual([['transit_lab', 'delivered_to_lab'], 9]);
  });

  test('is not taken before the steps ahead of it, nor after its simulation was deleted', async () => {
    const { order, job } = await halfWay();
    await simulationStep.run(app.ctx, { ...job, step: 2 });
    await simulate(app.team, order.id, '?delay=3600');
    await simulationStep.run(app.ctx, job);
    expect(await eventsOf(order)).toEqual(['transit_lab', 'delivered_to_lab']);
  });

  test('of an erased order does not fail', async () => {
    const { order, job } = await halfWay();
    await app.db.deleteFrom('orders').where('id', '=', order.id).execute();
    await expect(simulationStep.run(app.ctx, job)).resolves.toBeUndefined();
  });

  test('that is interrupted writes nothing, and is taken again', async () => {
    const { order, job } = await halfWay();
    const before = await readOrder(app.team, order.id);
    await app.db.transaction().execute(async (db) => {
      // The step has written its order event and waits for the lock of `events`. The test ends its connection there.
      await sql`lock table events in access exclusive mode`.execute(db);
      const broken = expect(simulationStep.run(app.ctx, job)).rejects.toThrow();
      await untilBlocked(app.db);
      await query(
        app.databaseUrl,
        `
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
      );
      await broken;
    });
    expect(await readOrder(app.team, order.id)).toEqual(before);
    await simulationStep.run(app.ctx, job);
    expect([await eventsOf(order), await countEvents(order)]).toEqual([['transit_lab', 'delivered_to_lab'], 9]);
  });
});

describe('a step whose worker was killed', () => {
  test("is resumed once it is overdue, and not taken again when the killed worker's job runs again", async () => {
    const { order } = await halfWay();
    await lockAsKilled();
    await app.runJobs();
    await resumeSimulations(app.db, 30);
    expect(await jobs(order)).toEqual([{ step: 1, locked: true }]);
    await overdue();
    await resumeSimulations(app.db, 30);
    await app.runJobs();
    expect(await eventsOf(order)).toEqual(['transit_lab', 'delivered_to_lab']);
    await sql`update graphile_worker._private_jobs set locked_at = null, locked_by = null`.execute(app.db);
    await allDue();
    await app.runJobs();
    expect([await eventsOf(order), await countEvents(order), await jobs(order)]).toEqual([
      ['transit_lab', 'delivered_to_lab', 'completed'],
      10,
      [],
    ]);
  });

  test('gets only one job when it is found overdue several times', async () => {
    const { order } = await halfWay();
    await lockAsKilled();
    await overdue();
    for (let times = 0; times < 5; times += 1) await resumeSimulations(app.db, 30);
    expect(await jobs(order)).toEqual([
      { step: 1, locked: true },
      { step: 1, locked: false },
    ]);
  });

  test('is not resumed while the user is scheduled for deletion', async () => {
    const { order } = await halfWay();
    await lockAsKilled();
    await overdue();
    await app.api('DELETE', `/v2/user/${order.user_id}`);
    await resumeSimulations(app.db, 30);
    expect(await jobs(order)).toEqual([{ step: 1, locked: true }]);
  });
});

test('many simulations of one team do not delay the simulation of another team', async () => {
  const [crowd, other] = [await app.makeTeam(), await app.makeTeam()];
  for (const team of [...Array.from({ length: 4 }, () => crowd), other]) {
    const { id } = await orderKit(team);
    await simulate(team, id, '?delay=3600');
  }
  const waiting = async (): Promise<{ team_id: string; flags: Record<string, true>; due: number }[]> =>
    (
      await sql<{ team_id: string; flags: Record<string, true>; due: number }>`
        select payload ->> 'team_id' as team_id, flags, extract(epoch from run_at)::float8 as due
          from graphile_worker._private_jobs
         where payload ->> 'team_id' = any (${[crowd.id, other.id]}::text[]) order by run_at`.execute(app.db)
    ).rows;
  // The jobs of a simulation use only permits of its team and of its organisation.
  for (const { team_id, flags } of await waiting())
    expect(Object.keys(flags).toSorted()).toEqual([
      'work',
      `work of ${team_id}`,
      expect.stringContaining('organisation'),
    ]);
  // The resumption adds jobs in round robin by team. So the only job of the other team is one of the first two.
  await sql`delete from graphile_worker._private_jobs`.execute(app.db);
  await overdue();
  await resumeSimulations(app.db, 30);
  const resumed = await waiting();
  expect(resumed.length).toBe(5);
  expect(resumed.slice(0, 2).map(({ team_id }) => team_id)).toContain(other.id);
});

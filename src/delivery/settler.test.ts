import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { attempted } from '../../test/deliveries.ts';
import { steps } from '../../test/events.ts';
import { subscribe } from '../../test/factories.ts';
import { outcomeOf } from '../../test/outcome.ts';
import { publishTo } from '../../test/publish.ts';
import { startReceiver, type Receiver } from '../../test/receiver.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { newId } from '../ids.ts';
import { leaseLanes } from './lanes/lanes.ts';
import type { Settled } from './settle.ts';
import { Settler } from './settler.ts';

const TIMED_OUT = outcomeOf(null, { error: 'timeout', duration_ms: 15_000 });

let app: TestApp;
let receiver: Receiver;
let webhook: string;
let fence: number;
beforeAll(async () => {
  app = await startTestApp();
  receiver = await startReceiver({ invented: true });
  webhook = await subscribe(app.team, receiver);
  const [lease] = await leaseLanes(acrossTeams(app.ctx).db, newId(), [webhook]);
  fence = lease?.fence ?? NaN;
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

/** The outcome of a delivery that waits in the queue. */
async function timedOut(): Promise<Settled> {
  const event_id = await publishTo(app, app.team, steps, {});
  const delivery = {
    webhook_id: webhook,
    event_id,
    attempt: 1,
    from: 'deliveries' as const,
    schedule_from: 0,
    trigger: null,
    asked: null,
    team_id: app.team.id,
    fence,
    event_type: steps.name,
    headers_id: null,
    moves: 0,
  };
  return { delivery, outcome: TIMED_OUT, delay: 5 };
}
const written = async (of: Settled[]): Promise<string[]> => {
  const ids = new Set(of.map(({ delivery }) => delivery.event_id));
  const rows = (await attempted(app, webhook)).filter((attempt) => ids.has(attempt.event_id));
  return rows.map(({ created_at }) => String(created_at));
};

test('time-outs that come shortly after each other are written in one transaction', async () => {
  const all = [await timedOut(), await timedOut(), await timedOut()];
  let done = 0;
  const settler = new Settler(acrossTeams(app.ctx), () => (done += 1));
  for (const settled of all) {
    settler.add(settled);
    await wait(5);
  }
  while (done < all.length) await wait(5);
  const times = await written(all);
  expect([times.length, new Set(times).size]).toEqual([3, 1]);
});

test('no endpoint is disabled for its failures while a success of it waits to be written', async () => {
  const { db } = acrossTeams(app.ctx);
  const [success, failure] = [await timedOut(), await timedOut()];
  let done = 0;
  const settler = new Settler(acrossTeams(app.ctx), () => (done += 1));
  await sql`update lanes set failing_since = now() - interval '6 days' where webhook_id = ${webhook}`.execute(db);
  await db.transaction().execute(async (tx) => {
    await sql`select from lanes where webhook_id = ${webhook} for update`.execute(tx);
    settler.add({ ...success, outcome: outcomeOf(204), delay: null });
    await expect.poll(() => settler.locked, { interval: 5 }).toBe(1);
  });
  settler.add({ ...failure, outcome: outcomeOf(500) });
  await expect.poll(() => done, { interval: 5 }).toBe(1);
  await settler.finish();
  expect([done, (await written([success, failure])).length]).toEqual([2, 2]);
  const { rows } = await sql`
    select disabled, failing_since from webhooks join lanes on webhook_id = id where id = ${webhook}`.execute(db);
  expect(rows).toEqual([{ disabled: false, failing_since: null }]);
});

test('a stop writes what is still being gathered', async () => {
  const all = [await timedOut(), await timedOut()];
  let done = 0;
  const settler = new Settler(acrossTeams(app.ctx), () => (done += 1));
  for (const settled of all) settler.add(settled);
  await settler.finish();
  expect([done, (await written(all)).length]).toEqual([2, 2]);
});

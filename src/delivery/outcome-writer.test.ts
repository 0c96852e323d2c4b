import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { attempted } from '../../test/deliveries.ts';
import { steps } from '../../test/invented-events.ts';
import { subscribe } from '../../test/factories.ts';
import { outcomeOf } from '../../test/send-outcome.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { newId } from '../ids.ts';
import { leaseQueues } from './queues/queue-leases.ts';
import type { EndedDelivery } from './record-outcomes.ts';
import { OutcomeWriter } from './outcome-writer.ts';

const TIMED_OUT = outcomeOf(null, { error: 'timeout', duration_ms: 15_000 });

let app: TestApp;
let endpoint: Endpoint;
let webhook: string;
let fence: number;
beforeAll(async () => {
  app = await startTestApp();
  endpoint = await startEndpoint({ invented: true });
  webhook = await subscribe(app.team, endpoint);
  const [lease] = await leaseQueues(acrossTeams(app.ctx).db, newId(), [webhook]);
  fence = lease?.fence ?? NaN;
});
afterAll(async () => {
  await app.close();
  await endpoint.close();
});

/** The outcome of a delivery that is in the queue. */
async function timedOut(): Promise<EndedDelivery> {
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
    url_changes: 0,
  };
  return { delivery, outcome: TIMED_OUT, delay: 5 };
}
const written = async (of: EndedDelivery[]): Promise<string[]> => {
  const ids = new Set(of.map(({ delivery }) => delivery.event_id));
  const rows = (await attempted(app, webhook)).filter((attempt) => ids.has(attempt.event_id));
  return rows.map(({ created_at }) => String(created_at));
};

test('time-outs within a short time are written in one transaction', async () => {
  const all = [await timedOut(), await timedOut(), await timedOut()];
  let done = 0;
  const outcomeWriter = new OutcomeWriter(acrossTeams(app.ctx), () => (done += 1));
  for (const ended of all) {
    outcomeWriter.add(ended);
    await wait(5);
  }
  while (done < all.length) await wait(5);
  const times = await written(all);
  expect([times.length, new Set(times).size]).toEqual([3, 1]);
});

test('no endpoint is disabled for its failures while one of its successes waits to be written', async () => {
  const { db } = acrossTeams(app.ctx);
  const [success, failure] = [await timedOut(), await timedOut()];
  let done = 0;
  const outcomeWriter = new OutcomeWriter(acrossTeams(app.ctx), () => (done += 1));
  await sql`update endpoint_queues set failing_since = now() - interval '6 days' where webhook_id = ${webhook}`.execute(
    db,
  );
  await db.transaction().execute(async (tx) => {
    await sql`select from endpoint_queues where webhook_id = ${webhook} for update`.execute(tx);
    outcomeWriter.add({ ...success, outcome: outcomeOf(204), delay: null });
    await expect.poll(() => outcomeWriter.locked, { interval: 5 }).toBe(1);
  });
  outcomeWriter.add({ ...failure, outcome: outcomeOf(500) });
  await expect.poll(() => done, { interval: 5 }).toBe(1);
  await outcomeWriter.finish();
  expect([done, (await written([success, failure])).length]).toEqual([2, 2]);
  const { rows } = await sql`
    select disabled, failing_since from webhooks join endpoint_queues on webhook_id = id where id = ${webhook}`.execute(
    db,
  );
  expect(rows).toEqual([{ disabled: false, failing_since: null }]);
});

test('a stop writes the outcomes that are still gathering', async () => {
  const all = [await timedOut(), await timedOut()];
  let done = 0;
  const outcomeWriter = new OutcomeWriter(acrossTeams(app.ctx), () => (done += 1));
  for (const ended of all) outcomeWriter.add(ended);
  await outcomeWriter.finish();
  expect([done, (await written(all)).length]).toEqual([2, 2]);
});

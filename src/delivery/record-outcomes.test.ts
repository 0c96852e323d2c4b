import { sql } from 'kysely';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { attempted, dueNow, queued } from '../../test/deliveries.ts';
import { steps } from '../../test/invented-events.ts';
import { subscribe } from '../../test/factories.ts';
import { outcomeOf } from '../../test/send-outcome.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint, type Endpoint } from '../../test/endpoint.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { inTransaction } from '../db/transaction.ts';
import { newId } from '../ids.ts';
import { leaseQueues } from './queues/queue-leases.ts';
import { recordOutcomes, type Delivery, type EndedDelivery } from './record-outcomes.ts';

let app: TestApp;
const endpoints: Endpoint[] = [];
let other: Client;
beforeAll(async () => {
  app = await startTestApp();
  other = new Client({ connectionString: app.databaseUrl });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  for (const endpoint of endpoints) await endpoint.close();
  await app.close();
});

const withWebhook = async (): Promise<{ team: Team; webhook: string; endpoint: Endpoint }> => {
  const [team, endpoint] = [await app.makeTeam(), await startEndpoint({ invented: true })];
  endpoints.push(endpoint);
  return { team, endpoint, webhook: await subscribe(team, endpoint) };
};
/** A first attempt that was answered with 500. */
function failed(
  of: Pick<Delivery, 'webhook_id' | 'event_id' | 'team_id' | 'fence'>,
  delay: number | null,
): EndedDelivery {
  return {
    delivery: {
      ...of,
      attempt: 1,
      from: 'deliveries',
      schedule_from: 0,
      trigger: null,
      asked: null,
      event_type: steps.name,
      headers_id: null,
      url_changes: 0,
    },
    outcome: outcomeOf(500),
    delay,
  };
}
const count = (webhook: string) => attempted(app, webhook).then((attempts) => attempts.length);

test.each(['deliveries', 'retries'])(
  'outcomes are written while another transaction deletes %s of another team',
  async (queue) => {
    const [one, two] = [await withWebhook(), await withWebhook()];
    await publishTo(app, one.team, steps, {});
    await publishTo(app, two.team, steps, {});
    if (queue === 'retries') {
      for (const { endpoint } of [one, two]) endpoint.answer((response) => response.writeHead(500).end());
      await app.deliver();
      for (const { endpoint } of [one, two]) endpoint.answer(null);
      await dueNow(app);
    }
    const before = await count(one.webhook);
    await other.query('begin');
    await other.query(`delete from ${queue} where webhook_id = $1`, [one.webhook]);
    await app.deliver();
    expect([(await queued(app, one.webhook)).length, await count(one.webhook)]).toEqual([1, before]);
    expect([(await queued(app, two.webhook)).length, await count(two.webhook)]).toEqual([0, before + 1]);
    await other.query('rollback');
    await app.deliver();
    expect([(await queued(app, one.webhook)).length, await count(one.webhook)]).toEqual([0, before + 1]);
  },
);

test('deliveries without an event are deleted while another transaction deletes those of another team', async () => {
  const [one, two] = [await withWebhook(), await withWebhook()];
  await publishTo(app, one.team, steps, {});
  await publishTo(app, two.team, steps, {});
  await app.db.deleteFrom('events').where('team_id', 'in', [one.team.id, two.team.id]).execute();
  await other.query('begin');
  await other.query('delete from deliveries where webhook_id = $1', [one.webhook]);
  await app.deliver();
  expect([(await queued(app, one.webhook)).length, (await queued(app, two.webhook)).length]).toEqual([1, 0]);
  await other.query('rollback');
  await app.deliver();
  expect(await queued(app, one.webhook)).toEqual([]);
});

test('an outcome is written while the row of its queue is locked', async () => {
  const { team, webhook } = await withWebhook();
  const event_id = await publishTo(app, team, steps, {});
  const ctx = acrossTeams(app.ctx);
  const [lease] = await leaseQueues(ctx.db, newId(), [webhook]);
  await other.query('begin');
  await other.query('select from endpoint_queues where webhook_id = $1 for update', [webhook]);
  const ended = failed({ webhook_id: webhook, event_id, team_id: team.id, fence: lease?.fence ?? 0 }, 5);
  const { locked } = await recordOutcomes(ctx, [ended]);
  await other.query('rollback');
  expect([locked, await queued(app, webhook)]).toMatchObject([[], [{ event_id, attempt: 1 }]]);
});

test.each([
  [5, 'off'],
  [null, 'on'],
])('the commit of a failure with %s seconds to the next attempt has synchronous_commit %s', async (delay, expected) => {
  const { team, webhook } = await withWebhook();
  const event_id = await publishTo(app, team, steps, {});
  const ctx = acrossTeams(app.ctx);
  const [lease] = await leaseQueues(ctx.db, newId(), [webhook]);
  const ended = failed({ webhook_id: webhook, event_id, team_id: team.id, fence: lease?.fence ?? 0 }, delay);
  await inTransaction(ctx, async (tx) => {
    await sql`set local synchronous_commit = on`.execute(tx.db);
    await recordOutcomes(tx, [ended]);
    const { rows } = await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(tx.db);
    expect(rows).toEqual([{ synchronous_commit: expected }]);
  });
});

test('an outcome whose row is locked is written later, without another request', async () => {
  const { team, webhook, endpoint } = await withWebhook();
  await publishTo(app, team, steps, {});
  await other.query('begin');
  await other.query('select from deliveries where webhook_id = $1 for update', [webhook]);
  await app.deliver();
  await app.deliver();
  await other.query('rollback');
  await app.deliver();
  expect(endpoint.received).toHaveLength(1);
  expect([await queued(app, webhook), await attempted(app, webhook)]).toMatchObject([[], [{ outcome: 'succeeded' }]]);
});

test('deliveries that were deleted while they waited delay nothing', async () => {
  // If the queue paused, each round would take two seconds. We use the fastest round, because the machine may be busy.
  let best = Infinity;
  for (let round = 0; round < 4 && best >= 1_500; round += 1) best = Math.min(best, await msAfterDeletion());
  expect(best).toBeLessThan(1_500);
});

/** Deletes deliveries while they wait, and returns how many milliseconds the next delivery then takes. */
async function msAfterDeletion(): Promise<number> {
  const { team, webhook, endpoint } = await withWebhook();
  for (let n = 0; n < 30; n += 1) await publishTo(app, team, steps, {});
  // When the sixteenth request arrives, the worker has already read the other deliveries. Then we delete them.
  endpoint.answer(async (response) => {
    if (endpoint.received.length === 16) {
      await other.query('delete from deliveries where webhook_id = $1', [webhook]);
      await other.query('delete from events where team_id = $1', [team.id]);
    }
    response.writeHead(204).end();
  });
  await app.deliver();
  endpoint.answer(null);
  await publishTo(app, team, steps, {});
  const began = performance.now();
  await app.deliver();
  expect(await queued(app, webhook)).toEqual([]);
  return performance.now() - began;
}

describe('the commit of outcomes', () => {
  const sources = async (): Promise<string[]> => {
    const { rows } = await other.query<{ source: string }>('select source from commits order by n');
    await other.query('truncate commits');
    return rows.map((row) => row.source);
  };
  beforeAll(async () => {
    // A deferred trigger runs at the commit, so it reads the setting that the commit uses. Its source is `session` if
    // the transaction changed the setting.
    await other.query(`
      create table commits (n integer generated always as identity, source text);
      create function note_commit() returns trigger language plpgsql security definer as $$
        begin insert into commits (source) select source from pg_settings
            where name = 'synchronous_commit'; return null; end $$;
      create constraint trigger note after delete on deliveries deferrable initially deferred
        for each row execute function note_commit();
      create constraint trigger note after delete on retries deferrable initially deferred
        for each row execute function note_commit()`);
  });
  afterAll(() => other.query('drop table commits; drop function note_commit cascade'));

  test('does not wait for the disk, unless it contains the event about a delivery that was given up', async () => {
    const { team, webhook, endpoint } = await withWebhook();
    await publishTo(app, team, steps, {});
    await app.deliver();
    expect(await sources()).toEqual(['session']);
    await publishTo(app, team, steps, {});
    endpoint.answer((response) => response.writeHead(500).end());
    await app.deliver();
    await other.query('update retries set attempt = 7 where webhook_id = $1', [webhook]);
    await dueNow(app);
    await app.deliver();
    expect(await sources()).toEqual(['session', expect.not.stringContaining('session')]);
    expect((await attempted(app, webhook)).at(-1)).toMatchObject({ outcome: 'exhausted' });
  });
});

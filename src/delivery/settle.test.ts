import { Client } from 'pg';
import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import { attempted, dueNow, queued } from '../../test/deliveries.ts';
import { subscribe } from '../../test/factories.ts';
import { publishTo } from '../../test/publish.ts';
import { startReceiver, type Receiver } from '../../test/receiver.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { defineEvent } from '../events/define.ts';
import { newId } from '../ids.ts';
import { leaseLanes } from './lanes/lanes.ts';
import { settleDeliveries } from './settle.ts';

const steps = defineEvent({ name: 'daily.data.steps.created', summary: '', data: Type.Object({}) });

let app: TestApp;
const receivers: Receiver[] = [];
let other: Client;
beforeAll(async () => {
  app = await startTestApp();
  other = new Client({ connectionString: app.databaseUrl });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  for (const receiver of receivers) await receiver.close();
  await app.close();
});

const withWebhook = async (): Promise<{ team: Team; webhook: string; receiver: Receiver }> => {
  const [team, receiver] = [await app.makeTeam(), await startReceiver()];
  receivers.push(receiver);
  return { team, receiver, webhook: await subscribe(team, receiver) };
};
const count = (webhook: string) => attempted(app, webhook).then((attempts) => attempts.length);

test.each(['deliveries', 'retries'])(
  'outcomes are written while somebody deletes %s of another team',
  async (queue) => {
    const [one, two] = [await withWebhook(), await withWebhook()];
    await publishTo(app, one.team, steps, {});
    await publishTo(app, two.team, steps, {});
    if (queue === 'retries') {
      for (const { receiver } of [one, two]) receiver.answer((response) => response.writeHead(500).end());
      await app.deliver();
      for (const { receiver } of [one, two]) receiver.answer(null);
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

test('deliveries without an event are dropped while somebody deletes those of another team', async () => {
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

test('an outcome is written although its endpoint is being changed', async () => {
  const { team, webhook } = await withWebhook();
  const event_id = await publishTo(app, team, steps, {});
  const ctx = acrossTeams(app.ctx);
  const [lease] = await leaseLanes(ctx.db, newId(), [webhook]);
  await other.query('begin');
  await other.query('select from lanes where webhook_id = $1 for update', [webhook]);
  const outcome = {
    ok: false,
    status: 500,
    error: null,
    error_detail: null,
    duration_ms: 1,
    response_body: '',
    retry_after_seconds: null,
    gone: false,
  };
  const delivery = {
    webhook_id: webhook,
    event_id,
    attempt: 1,
    from: 'deliveries' as const,
    team_id: team.id,
    fence: lease?.fence ?? 0,
    event_type: steps.name,
  };
  const { unwritten } = await settleDeliveries(ctx, [{ delivery, outcome, delay: 5 }]);
  await other.query('rollback');
  expect([unwritten, await queued(app, webhook)]).toMatchObject([[], [{ event_id, attempt: 1 }]]);
});

test('failures that come shortly after each other are written in one transaction', async () => {
  const team = await app.makeTeam();
  const webhooks: string[] = [];
  for (const ms of [0, 4, 8]) {
    const receiver = await startReceiver();
    receivers.push(receiver);
    receiver.answer((response) => void setTimeout(() => response.writeHead(500).end(), ms));
    webhooks.push(await subscribe(team, receiver));
  }
  await publishTo(app, team, steps, {});
  await app.deliver();
  const attempts = (await Promise.all(webhooks.map((webhook) => attempted(app, webhook)))).flat();
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
  expect(new Set(attempts.map(({ created_at }) => String(created_at))).size).toBe(1);
});

import { Client } from 'pg';
import { expect, test } from 'vitest';
import { startTestApp } from '../../test/test-app.ts';
import { queued } from '../../test/deliveries.ts';
import { steps } from '../../test/invented-events.ts';
import { subscribe } from '../../test/factories.ts';
import { outcomeOf } from '../../test/send-outcome.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { newId } from '../ids.ts';
import { Attempts, type BegunDelivery } from './attempts.ts';
import { EndpointQueue } from './queues/endpoint-queue.ts';
import { leaseQueues } from './queues/queue-leases.ts';
import { Threshold } from '../fair/threshold.ts';

const delivered = outcomeOf(204);

test('an event for two endpoints reaches the second when the first answers during another read', async () => {
  const app = await startTestApp();
  const endpoint = await startEndpoint({ invented: true });
  const owner = new Client({ connectionString: app.databaseUrl });
  await owner.connect();
  const ctx = acrossTeams(app.ctx);
  const webhooks = [await subscribe(app.team, endpoint), await subscribe(app.team, endpoint)];
  const event = await publishTo(app, app.team, steps, {});
  const other = await publishTo(app, app.team, steps, {});
  const leases = await leaseQueues(ctx.db, newId(), webhooks);
  const queues = new Map(leases.map((lease) => [lease.webhook_id, new EndpointQueue(lease, 16, performance.now())]));

  const sent: { id: string; answer: () => void }[] = [];
  const ended: (() => void)[] = [];
  const oneEnds = (): Promise<void> => new Promise((resolve) => ended.push(resolve));
  const attempts = new Attempts(ctx, {
    sender: {
      send: ({ id }) => new Promise((resolve) => sent.push({ id, answer: () => resolve(delivered) })),
      close: async () => undefined,
    },
    metrics: app.metrics,
    permits: new Threshold(16),
    onEnd: () => ended.shift()?.(),
  });
  const begun = (webhook: number, event_id: string): BegunDelivery => {
    const webhook_id = webhooks[webhook] as string;
    return {
      queue: queues.get(webhook_id) as EndpointQueue,
      queued: { webhook_id, event_id, attempt: 1, from: 'deliveries', schedule_from: 0, trigger: null, asked: null },
      endpoint: {
        url: endpoint.url,
        headers: {},
        headers_id: null,
        url_changes: 0,
        secrets: [],
        disabled: false,
        ratePerSecond: null,
      },
    };
  };

  await attempts.start([begun(0, event)]);
  await owner.query('begin; lock table events in access exclusive mode');
  const second = attempts.start([begun(1, event), begun(1, other)]);
  await untilBlocked(app.db);
  const first = oneEnds();
  sent[0]?.answer();
  await first;
  await owner.query('commit');
  await second;
  expect(sent.map(({ id }) => id)).toEqual([event, event, other]);

  for (const { answer } of sent) answer();
  await attempts.finish();
  await expect.poll(() => attempts.underWay).toBe(0);
  expect(await queued(app, webhooks[1])).toEqual([]);
  await owner.end();
  await endpoint.close();
  await app.close();
});

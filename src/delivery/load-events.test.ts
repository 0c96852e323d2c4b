import { expect, test } from 'vitest';
import { startTestApp } from '../../test/test-app.ts';
import { steps } from '../../test/invented-events.ts';
import { subscribe } from '../../test/factories.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { deliveryKeyOf } from './queues/read-queue.ts';
import { loadEvents, type Event } from './load-events.ts';

test('a notified delivery that left the queue is listed, and each event is read once', async () => {
  const app = await startTestApp();
  const endpoint = await startEndpoint({ invented: true });
  const [gone, waiting] = [await subscribe(app.team, endpoint), await subscribe(app.team, endpoint)];
  const ctx = acrossTeams(app.ctx);
  const event_id = await publishTo(app, app.team, steps, { n: 7 });
  await ctx.db.deleteFrom('deliveries').where('webhook_id', '=', gone).execute();
  const wanted = { team_id: app.team.id, id: event_id, known: null };
  const { found, unqueued } = await loadEvents(ctx, [
    { ...wanted, notifiedEndpoint: gone },
    { ...wanted, notifiedEndpoint: waiting },
    { ...wanted, notifiedEndpoint: null },
  ]);
  expect([...unqueued]).toEqual([deliveryKeyOf({ webhook_id: gone, event_id })]);
  expect([...found.keys()]).toEqual([event_id]);
  const { event } = found.get(event_id) as { event: Event };
  expect(JSON.parse(String(event.body))).toMatchObject({ data: { n: 7 } });
  await endpoint.close();
  await app.close();
});

import { expect, test } from 'vitest';
import { startTestApp } from '../../test/app.ts';
import { steps } from '../../test/events.ts';
import { subscribe } from '../../test/factories.ts';
import { publishTo } from '../../test/publish.ts';
import { startReceiver } from '../../test/receiver.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { placeOf } from './lanes/queue.ts';
import { loadEvents, type Event } from './load-events.ts';

test('what was told and has left the queue is named, and an event of several receivers is read once', async () => {
  const app = await startTestApp();
  const receiver = await startReceiver({ invented: true });
  const [gone, waiting] = [await subscribe(app.team, receiver), await subscribe(app.team, receiver)];
  const ctx = acrossTeams(app.ctx);
  const event_id = await publishTo(app, app.team, steps, { n: 7 });
  await ctx.db.deleteFrom('deliveries').where('webhook_id', '=', gone).execute();
  const wanted = { team_id: app.team.id, id: event_id, known: null };
  const { found, unqueued } = await loadEvents(ctx, [
    { ...wanted, toldTo: gone },
    { ...wanted, toldTo: waiting },
    { ...wanted, toldTo: null },
  ]);
  expect([...unqueued]).toEqual([placeOf({ webhook_id: gone, event_id })]);
  expect([...found.keys()]).toEqual([event_id]);
  const { event } = found.get(event_id) as { event: Event };
  expect(JSON.parse(String(event.body))).toMatchObject({ data: { n: 7 } });
  await receiver.close();
  await app.close();
});

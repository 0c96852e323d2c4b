import { expect, test, vi } from 'vitest';
import { startTestApp } from '../../../../test/test-app.ts';
import { steps } from '../../../../test/invented-events.ts';
import { etlPath, etlPipeline } from '../../../../test/pipelines.ts';
import { publishTo } from '../../../../test/publish-event.ts';
import { AMQP_URL, bindQueue, type Got } from '../../../../test/rabbitmq.ts';
import { startStreaming } from './start-streaming.ts';

const reason = AMQP_URL === null ? ' (not run: PHIAL_TEST_AMQP_URL names no broker)' : '';
test.skipIf(AMQP_URL === null)(
  `a real RabbitMQ confirms the streamed events, and delivers all of them in order${reason}`,
  async () => {
    const uri = AMQP_URL as string;
    const app = await startTestApp();
    const { team } = app;
    const exchange = `phial-test-${team.id}`;
    const queue = await bindQueue(uri, exchange);
    await team.api('POST', etlPath(team), { ...etlPipeline([team.id]), rabbitmq: { uri, exchange } });
    const ids: string[] = [];
    for (let n = 0; n < 250; n += 1)
      ids.push(await publishTo(app, team, steps, { n, s: 'é'.repeat(n === 7 ? 90_000 : n) }));
    const streaming = startStreaming(app.ctx);
    try {
      const got: Got[] = [];
      await vi.waitFor(async () => {
        for (let next = await queue.get(); next; next = await queue.get()) got.push(next);
        expect(got).toHaveLength(250);
      }, 20_000);
      type Body = { data: { n: number; s: string } };
      expect(got.map(({ body }) => (JSON.parse(body) as Body).data.n)).toEqual(ids.map((_, n) => n));
      expect((JSON.parse(got[7]?.body ?? '') as Body).data.s).toHaveLength(90_000);
      for (const [n, { routing_key, header }] of got.entries())
        expect([routing_key, header.includes(ids[n] as string)]).toEqual([steps.name, true]);

      const wrong = { ...etlPipeline([team.id]), rabbitmq: { uri, exchange: `${exchange}-of-nobody` } };
      await team.api('POST', etlPath(team), wrong);
      await publishTo(app, team, steps, { n: 250, s: '' });
      streaming.wake(team.id);
      const { rows } = await vi.waitFor(async () => {
        const row = await app.db
          .selectFrom('etl_pipelines')
          .select('last_error')
          .where('team_id', '=', team.id)
          .execute();
        expect(row[0]?.last_error).not.toBeNull();
        return { rows: row };
      }, 30_000);
      expect(rows[0]?.last_error).toBe('amqp_404');
    } finally {
      await streaming.stop(10_000);
      queue.close();
      await app.close();
    }
  },
  60_000,
);

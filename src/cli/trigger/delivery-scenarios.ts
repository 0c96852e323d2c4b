import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unwrap } from '@phial/client';
import { orderKit } from './lab-scenarios.ts';
import type { Scenario, Stage, Untriggerable } from './scenario.ts';

/** Scenarios about deliveries and continuous queries, by the type of the event that they publish. */
export const DELIVERY_SCENARIOS: Readonly<Record<string, Scenario | Untriggerable>> = {
  'continuous_query.result_table.changed': {
    does: 'Makes a continuous query, pushes a heart rate that changes its table, and deletes the query.',
    play: changeTable,
  },
  'message.attempt.exhausted': {
    reason: 'It comes after the last retry of a delivery, more than a day after the first attempt.',
  },
  'endpoint.disabled': {
    does: 'Adds an endpoint on this machine that answers 410, orders a test kit, and deletes the endpoint.',
    play: loseEndpoint,
  },
};

async function changeTable({ phial, user_id, manage, afterwards }: Stage): Promise<void> {
  const { manager, path } = await manage();
  const slug = `trigger_${randomBytes(6).toString('hex')}`;
  const { id } = await unwrap(
    manager.POST('/v1/org/{org_id}/team/{team_id}/{environment}/continuous_query', {
      params: { path },
      body: {
        title: 'Heart rate by day',
        slug,
        timeframe: { past: { unit: 'week', value: 1 } },
        query: {
          select: [{ group_key: '*' }, { func: 'mean', arg: { timeseries: 'heartrate' } }],
          group_by: [{ date_trunc: { unit: 'day' } }],
        },
      },
    }),
  );
  afterwards(() =>
    manager.DELETE('/v1/org/{org_id}/team/{team_id}/{environment}/continuous_query/{query_id}', {
      params: { path: { ...path, query_id: id } },
    }),
  );
  const timestamp = new Date(Date.now() - 60_000).toISOString();
  const sample = { resource: 'heartrate', provider: 'manual', timestamp, unit: 'bpm', value: 61 } as const;
  await unwrap(phial.POST('/v2/timeseries/{user_id}/samples', { params: { path: { user_id } }, body: [sample] }));
}

/** Orders a kit while an endpoint wants no more events. The service disables it at the first 410. */
async function loseEndpoint(stage: Stage): Promise<void> {
  const { manager, path } = await stage.manage();
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(410).end();
  });
  const url = await listen(server);
  stage.afterwards(async () => server.close());
  const { id } = await unwrap(
    manager.POST('/v1/org/{org_id}/team/{team_id}/{environment}/webhook', {
      params: { path },
      body: { url, filter_types: ['labtest.order.created'] },
    }),
  );
  stage.afterwards(() =>
    manager.DELETE('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}', {
      params: { path: { ...path, webhook_id: id } },
    }),
  );
  await orderKit(stage);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/gone`;
}

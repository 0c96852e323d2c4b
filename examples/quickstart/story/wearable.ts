import { expectEqual } from '../surprise.ts';
import type { Cast, User } from './cast.ts';

const DAY_MS = 86_400_000;

/**
 * Connects a demo provider, which imports a month of an invented person's glucose. Events arrive during the import, and
 * one at its end.
 */
export async function connectWearable({ service, endpoint }: Cast, user: User): Promise<void> {
  const body = { user_id: user.user_id, provider: 'freestyle_libre' as const };
  const { success } = await service.call(
    'Connect a demo sensor',
    ({ team }) => team.POST('/v2/link/connect/demo', { body }),
    { summary: ({ success }) => `success ${success}` },
  );
  expectEqual('The answer of the connection', success, true);
  const connected = await endpoint.hear('provider.connection.created');
  expectEqual('Whose connection it is', connected.client_user_id, user.client_user_id);
  const { data } = await endpoint.hear('daily.data.glucose.created');
  expectEqual('Where the samples come from', data.source.slug, body.provider);
  const { data: pull } = await endpoint.hear('historical.data.glucose.created');
  expectEqual('The pull of the past', [pull.provider, pull.is_final], [body.provider, true]);
}

export async function readSamples({ service }: Cast, { user_id }: User): Promise<void> {
  const start_date = new Date(Date.now() - 2 * DAY_MS).toISOString().slice(0, 10);
  const params = { path: { user_id }, query: { start_date } };
  const { groups } = await service.call(
    'Read its samples',
    ({ team }) => team.GET('/v2/timeseries/{user_id}/glucose/grouped', { params }),
    {
      summary: ({ groups }) => {
        const samples = groups['freestyle_libre']?.[0]?.data ?? [];
        const last = samples.at(-1);
        return `${samples.length} since ${start_date}, the newest ${last?.value} ${last?.unit}`;
      },
    },
  );
  expectEqual('Providers of glucose', Object.keys(groups), ['freestyle_libre']);
}

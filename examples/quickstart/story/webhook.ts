import type { Cast } from './cast.ts';

export type Webhook = { org_id: string; team_id: string; environment: string; webhook_id: string };

const ONE_WEBHOOK = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}';
const ALL_WEBHOOKS = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook';

export async function addWebhook({ credentials, service, endpoint }: Cast): Promise<Webhook> {
  const params = { org_id: credentials.org_id, team_id: credentials.team_id, environment: 'sandbox' };
  const { id } = await service.call<{ id: string }>('Add a webhook endpoint', `POST ${ALL_WEBHOOKS}`, {
    params,
    body: { url: endpoint.url, description: 'Quickstart' },
    summary: ({ id }) => `endpoint ${id}`,
  });
  return { ...params, webhook_id: id };
}

export async function readSecret({ service }: Cast, params: Webhook): Promise<string> {
  const { key } = await service.call<{ key: string }>('Read its signing secret', `GET ${ONE_WEBHOOK}/secret`, {
    params,
    summary: ({ key }) => `${key.slice(0, 10)}…`,
  });
  return key;
}

export const deleteWebhook = ({ service }: Cast, params: Webhook): Promise<void> =>
  service.call('Delete the webhook endpoint', `DELETE ${ONE_WEBHOOK}`, { params, status: 204 });

import type { Cast } from './cast.ts';

export type Webhook = { org_id: string; team_id: string; environment: 'sandbox'; webhook_id: string };

const ONE_WEBHOOK = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}';
const ALL_WEBHOOKS = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook';

export async function addWebhook({ credentials, service, endpoint }: Cast): Promise<Webhook> {
  const path = { org_id: credentials.org_id, team_id: credentials.team_id, environment: 'sandbox' as const };
  const body = { url: endpoint.url, description: 'Quickstart' };
  const { id } = await service.call(
    'Add a webhook endpoint',
    ({ manager }) => manager.POST(ALL_WEBHOOKS, { params: { path }, body }),
    { summary: ({ id }) => `endpoint ${id}` },
  );
  return { ...path, webhook_id: id };
}

export async function readSecret({ service }: Cast, path: Webhook): Promise<string> {
  const { key } = await service.call(
    'Read its signing secret',
    ({ manager }) => manager.GET(`${ONE_WEBHOOK}/secret`, { params: { path } }),
    { summary: ({ key }) => `${key.slice(0, 10)}…` },
  );
  return key;
}

export async function deleteWebhook({ service }: Cast, path: Webhook): Promise<void> {
  await service.call(
    'Delete the webhook endpoint',
    ({ manager }) => manager.DELETE(ONE_WEBHOOK, { params: { path } }),
    { status: 204 },
  );
}

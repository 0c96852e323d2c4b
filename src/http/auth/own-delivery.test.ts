import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { attempted } from '../../../test/deliveries.ts';
import { webhookPath } from '../../../test/factories.ts';
import { USER_AGENT } from '../../package-root.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('an endpoint that requests a test event from this service causes no further delivery', async () => {
  const { team } = app;
  // The service knows itself only by the host name in PHIAL_BASE_URL. This URL has another host name of the service.
  const made = await team.api<{ id: string }>('POST', webhookPath(team), { url: `${app.baseUrl}/v1/org` });
  const webhook = `${webhookPath(team)}/${made.body.id}`;
  await team.api('PATCH', webhook, { url: `${app.baseUrl}${webhook}/test` });
  await team.api('PUT', `${webhook}/headers`, { headers: { 'X-Management-Key': team.management_key } });
  await team.api<object>('POST', `${webhook}/test`, { event_type: 'daily.data.steps.created' });
  await app.deliver();
  expect(await attempted(app, made.body.id)).toHaveLength(1);
  const list = await team.api<{ data: { id: string }[] }>('GET', `${webhook}/attempt`);
  const { body } = await team.api<object>('GET', `${webhook}/attempt/${list.body.data[0]?.id}`);
  expect(body).toMatchObject({ http_status: 401, response_body: expect.stringContaining('invalid_api_key') });
});

test.each([
  ['a request of a client with the same user agent', { 'user-agent': USER_AGENT }],
  [
    'a delivery of another service',
    { 'user-agent': 'Other/1.0', 'webhook-id': 'msg_1', 'webhook-signature': 'v1,AA==' },
  ],
])('%s is answered', async (_, headers) => {
  expect((await app.team.api<object>('GET', webhookPath(app.team), undefined, { headers })).status).toBe(200);
});

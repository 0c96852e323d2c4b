import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { ENDPOINT_URL, problemPathsOf, withWebhooks, type Problems, type Webhook } from '../../../test/webhooks.ts';

let app: TestApp;
let path: string;
withWebhooks((each) => ({ app, path } = each));

describe('an endpoint is created', () => {
  test('the url of the service itself is refused, because each delivery could cause the next', async () => {
    const url = `${app.config.baseUrl}/v1/org`;
    const response = await app.api<{ code: string; detail: { msg: string }[] }>('POST', path, { url });
    expect([response.status, response.body.code]).toEqual([422, 'webhook_url_refused']);
    expect(response.body.detail[0]?.msg).toContain('this service itself');
  });

  test.each([
    ['http://10.0.0.5/in', 'private'],
    ['http://169.254.169.254/latest', 'private'],
    ['http://127.0.0.1:0/in', 'Port 0'],
    ['http://127.0.0.1:5432/in', 'Port 5432'],
    ['http://127.0.0.1:6379/in', 'Port 6379'],
    ['http://127.0.0.1:25/in', 'Port 25'],
  ])('the url %s is refused with the reason', async (url, reason) => {
    const response = await app.api<{ code: string; detail: { loc: string[]; msg: string }[] }>('POST', path, { url });
    expect([response.status, response.body.code]).toEqual([422, 'webhook_url_refused']);
    expect(response.body.detail).toMatchObject([{ loc: ['body', 'url'], msg: expect.stringContaining(reason) }]);
  });

  test.each([
    'ftp://example.com/in',
    'https://ada:pw@example.com/in',
    'https://example.com/in#top',
    'not a url',
    'http://',
  ])('the url %s is malformed, and is listed with the other problems', async (url) => {
    const response = await app.api<Problems>('POST', path, { url, description: 5 });
    expect([response.status, ...problemPathsOf(response)]).toEqual([
      422,
      'url_parsing body.url',
      'string_type body.description',
    ]);
  });
});

describe('in production', () => {
  let production: TestApp;
  let endpoints: string;
  beforeAll(async () => {
    production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
    const { org_id, id } = production.team;
    endpoints = `/v1/org/${org_id}/team/${id}/production/webhook`;
  });
  afterAll(() => production.close());

  const said = async (method: string, path: string, body: object): Promise<unknown[]> => {
    const response = await production.api<{ code?: string }>(method, path, body);
    return [response.status, response.body.code];
  };

  test('an endpoint is https only', async () => {
    expect(await said('POST', endpoints, { url: 'http://receiver.example.com/in' })).toContain('webhook_url_refused');
    expect(await said('POST', endpoints, { url: 'https://127.0.0.1/in' })).toContain('webhook_url_refused');
    expect(await said('POST', endpoints, { url: ENDPOINT_URL })).toEqual([200, undefined]);
  });

  /** The name of this machine in its hosts file. As text it looks like any host name, but its address is private. */
  const [ownName] =
    readFileSync('/etc/hosts', 'utf8').match(/(?<=^(127|10|172|192)\.\S+\s+)(?!localhost)[\w.-]+/m) ?? [];

  test.skipIf(ownName === undefined)(
    'a missing endpoint is reported before the address of the url is checked',
    async () => {
      const { body } = await production.api<Webhook>('POST', endpoints, { url: ENDPOINT_URL });
      const unknown = `${endpoints}/${randomUUID()}`;
      const inside = { url: `https://${ownName}/in` };
      expect(await said('PATCH', unknown, { url: 'https://127.0.0.1/in' })).toEqual([422, 'webhook_url_refused']);
      expect(await said('PATCH', unknown, inside)).toEqual([404, 'not_found']);
      expect(await said('PATCH', `${endpoints}/${body.id}`, inside)).toEqual([400, 'webhook_address_refused']);
      expect(await said('POST', endpoints, inside)).toEqual([400, 'webhook_address_refused']);
    },
  );
});

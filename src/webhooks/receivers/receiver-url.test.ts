import { describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { ENDPOINT_URL, placesOf, withWebhooks, type Problems } from '../../../test/webhooks.ts';

let app: TestApp;
let path: string;
withWebhooks((each) => ({ app, path } = each));

describe('an endpoint is created', () => {
  test('the url of the service itself is refused: each delivery could make the next', async () => {
    const url = `${app.config.baseUrl}/v1/org`;
    const answer = await app.api<{ code: string; detail: { msg: string }[] }>('POST', path, { url });
    expect([answer.status, answer.body.code]).toEqual([422, 'webhook_url_refused']);
    expect(answer.body.detail[0]?.msg).toContain('this service itself');
  });

  test.each([
    ['http://10.0.0.5/in', 'private'],
    ['http://169.254.169.254/latest', 'private'],
    ['http://127.0.0.1:0/in', 'Port 0'],
    ['http://127.0.0.1:5432/in', 'Port 5432'],
    ['http://127.0.0.1:6379/in', 'Port 6379'],
    ['http://127.0.0.1:25/in', 'Port 25'],
  ])('the url %s is refused with the reason', async (url, reason) => {
    const answer = await app.api<{ code: string; detail: { loc: string[]; msg: string }[] }>('POST', path, { url });
    expect([answer.status, answer.body.code]).toEqual([422, 'webhook_url_refused']);
    expect(answer.body.detail).toMatchObject([{ loc: ['body', 'url'], msg: expect.stringContaining(reason) }]);
  });

  test.each([
    'ftp://example.com/in',
    'https://ada:pw@example.com/in',
    'https://example.com/in#top',
    'not a url',
    'http://',
  ])('the url %s is no address to send to, and is listed with the other problems', async (url) => {
    const answer = await app.api<Problems>('POST', path, { url, description: 5 });
    expect([answer.status, ...placesOf(answer)]).toEqual([422, 'url_parsing body.url', 'string_type body.description']);
  });
});

test('production takes https only', async () => {
  const production = await startTestApp({
    PHIAL_ENVIRONMENT: 'production',
  });
  try {
    const { org_id, id } = production.team;
    const create = (url: string) =>
      production.api<{ code: string }>('POST', `/v1/org/${org_id}/team/${id}/production/webhook`, { url });
    expect((await create('http://receiver.example.com/in')).body.code).toBe('webhook_url_refused');
    expect((await create('https://127.0.0.1/in')).body.code).toBe('webhook_url_refused');
    expect((await create(ENDPOINT_URL)).status).toBe(200);
  } finally {
    await production.close();
  }
});

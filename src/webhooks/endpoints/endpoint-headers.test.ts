import { describe, expect, test } from 'vitest';
import type { TestApp } from '../../../test/test-app.ts';
import { problemPathsOf, withWebhooks, type Problems, type Webhook, type Webhooks } from '../../../test/webhooks.ts';

let app: TestApp;
let path: string;
let make: Webhooks['make'];
let age: Webhooks['age'];
withWebhooks((each) => ({ app, path, make, age } = each));

describe('headers', () => {
  test('values of sensitive headers are stored, but only their names are returned', async () => {
    const { id } = await make();
    const headers = {
      'X-Tenant': 'blue',
      Authorization: 'Bearer abc',
      'x-api-key': 'k-1',
      Cookie: 'a=b',
      'X-Auth-Token': 't',
    };
    expect((await app.api('PUT', `${path}/${id}/headers`, { headers })).status).toBe(204);
    const { body } = await app.api<{ headers: object; sensitive: string[] }>('GET', `${path}/${id}/headers`);
    expect(body.headers).toEqual({ 'X-Tenant': 'blue' });
    expect(body.sensitive.toSorted()).toEqual(['Authorization', 'Cookie', 'X-Auth-Token', 'x-api-key']);
    const row = await app.db.selectFrom('webhooks').select('headers').where('id', '=', id).executeTakeFirstOrThrow();
    expect(row.headers?.includes('Bearer')).toBe(false);
    const key = { team_id: app.team.id, id };
    expect(app.ctx.cipher.openJson('webhooks.headers', key, row.headers as Buffer)).toEqual(headers);
  });

  test('a PUT replaces all headers', async () => {
    const { id, updated_at } = await make();
    await app.api('PUT', `${path}/${id}/headers`, { headers: { 'x-one': '1', authorization: 'Basic YQ==' } });
    await age(id);
    await app.api('PUT', `${path}/${id}/headers`, { headers: { 'x-two': '2' } });
    expect((await app.api('GET', `${path}/${id}/headers`)).body).toEqual({ headers: { 'x-two': '2' }, sensitive: [] });
    expect((await app.api<Webhook>('GET', `${path}/${id}`)).body.updated_at >= updated_at).toBe(true);
    await app.api('PUT', `${path}/${id}/headers`, { headers: {} });
    expect((await app.api('GET', `${path}/${id}/headers`)).body).toEqual({ headers: {}, sensitive: [] });
  });

  test('a new endpoint has none', async () => {
    const { id } = await make();
    expect((await app.api('GET', `${path}/${id}/headers`)).body).toEqual({ headers: {}, sensitive: [] });
  });

  test('every header that cannot be sent is listed, and none is stored', async () => {
    const { id } = await make();
    const response = await app.api<Problems>('PUT', `${path}/${id}/headers`, {
      headers: { 'webhook-id': '1', 'bad name': 'x', 'x-split': 'a\r\nb', 'x-fine': 'y' },
    });
    expect(response.status).toBe(422);
    expect(problemPathsOf(response)).toEqual(Array(3).fill('value_error body.headers'));
    expect(response.body.detail.map(({ msg }) => msg).join()).toMatch(/webhook-id.*bad name.*x-split/);
    expect((await app.api('GET', `${path}/${id}/headers`)).body).toEqual({ headers: {}, sensitive: [] });
  });

  test('values must be text', async () => {
    const { id } = await make();
    const response = await app.api<Problems>('PUT', `${path}/${id}/headers`, {
      headers: { 'x-one': 1, authorization: ['secret'] },
    });
    expect([response.status, ...problemPathsOf(response)]).toEqual([
      422,
      'string_type body.headers.x-one',
      'string_type body.headers.authorization',
    ]);
    expect(JSON.stringify(response.body)).not.toContain('secret');
    expect((await app.api('PUT', `${path}/${id}/headers`, {})).status).toBe(422);
  });
});

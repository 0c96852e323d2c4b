import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import type { TestApp } from '../../../test/test-app.ts';
import {
  ENDPOINT_URL,
  problemPathsOf,
  withWebhooks,
  type Problems,
  type Webhook,
  type Webhooks,
} from '../../../test/webhooks.ts';
import { DELIVERIES_CHANNEL } from '../../events/publish.ts';

let app: TestApp;
let path: string;
let make: Webhooks['make'];
let age: Webhooks['age'];
withWebhooks((each) => ({ app, path, make, age } = each));

describe('changing an endpoint', () => {
  test('keys that are left out stay, and updated_at changes', async () => {
    const webhook = await make({ description: 'orders', rate_limit: 5, filter_types: ['labtest.order.updated'] });
    await age(webhook.id);
    const { body } = await app.api<Webhook>('PATCH', `${path}/${webhook.id}`, { url: 'https://other.example.com/in' });
    expect(body).toEqual({ ...webhook, url: 'https://other.example.com/in', updated_at: body.updated_at });
    expect(body.updated_at >= webhook.updated_at).toBe(true);
    expect((await app.api('GET', `${path}/${webhook.id}`)).body).toEqual(body);
  });

  test('failures at its former address no longer count against the endpoint', async () => {
    const { id } = await make();
    const failing_since = '2026-01-02T03:04:05.000Z';
    await app.db.updateTable('endpoint_queues').set({ failing_since }).where('webhook_id', '=', id).execute();
    expect((await app.api('GET', `${path}/${id}`)).body).toMatchObject({ failing_since });
    const change = (body: object) => app.api<Webhook>('PATCH', `${path}/${id}`, body);
    expect((await change({ rate_limit: 5 })).body.failing_since).toBe(failing_since);
    expect((await change({ url: 'https://other.example.com/in' })).body.failing_since).toBeNull();
  });

  test('null clears keys that can be empty and leaves the others', async () => {
    const webhook = await make({
      description: 'orders',
      rate_limit: 5,
      filter_types: ['labtest.order.updated'],
      disabled: true,
    });
    const { body } = await app.api<Webhook>('PATCH', `${path}/${webhook.id}`, {
      url: null,
      description: null,
      rate_limit: null,
      disabled: null,
      filter_types: null,
    });
    expect(body).toMatchObject({
      url: ENDPOINT_URL,
      description: '',
      rate_limit: null,
      disabled: true,
      filter_types: null,
    });
  });

  test('an empty change changes nothing', async () => {
    const webhook = await make();
    expect((await app.api('PATCH', `${path}/${webhook.id}`, {})).body).toEqual(webhook);
  });

  test('a refused url leaves everything unchanged', async () => {
    const webhook = await make();
    const response = await app.api<{ code: string }>('PATCH', `${path}/${webhook.id}`, {
      url: 'http://10.1.2.3/',
      description: 'new',
    });
    expect([response.status, response.body.code]).toEqual([422, 'webhook_url_refused']);
    expect((await app.api('GET', `${path}/${webhook.id}`)).body).toEqual(webhook);
  });

  test('wrong values are listed together', async () => {
    const webhook = await make();
    const response = await app.api<Problems>('PATCH', `${path}/${webhook.id}`, { rate_limit: 1.5, filter_types: [] });
    expect([response.status, ...problemPathsOf(response).toSorted()]).toEqual([
      422,
      'int_type body.rate_limit',
      'too_short body.filter_types',
    ]);
  });

  const failingSince = async (id: string): Promise<string | null> =>
    (
      await app.db
        .selectFrom('endpoint_queues')
        .select('failing_since')
        .where('webhook_id', '=', id)
        .executeTakeFirstOrThrow()
    ).failing_since;
  const failSince = (id: string, at: string) =>
    app.db.updateTable('endpoint_queues').set({ failing_since: at }).where('webhook_id', '=', id).execute();

  test('enabling clears the failures and wakes the workers', async () => {
    const webhook = await make();
    await app.api('PATCH', `${path}/${webhook.id}`, { disabled: true });
    await failSince(webhook.id, '2026-01-01T00:00:00Z');
    const listener = new pg.Client({ connectionString: app.databaseUrl });
    await listener.connect();
    try {
      await listener.query(`listen ${DELIVERIES_CHANNEL}`);
      const woken = new Promise<string>((resolve) => {
        listener.once('notification', ({ channel }) => resolve(channel));
      });
      const { body } = await app.api<Webhook>('PATCH', `${path}/${webhook.id}`, { disabled: false });
      expect(body.disabled).toBe(false);
      expect(await Promise.race([woken, wait(2_000, 'no worker was woken')])).toBe(DELIVERIES_CHANNEL);
    } finally {
      await listener.end();
    }
    expect(await failingSince(webhook.id)).toBeNull();
  });

  test('an endpoint with a new url loses the failures of the former one', async () => {
    const webhook = await make();
    await failSince(webhook.id, '2026-01-01T00:00:00Z');
    await app.api('PATCH', `${path}/${webhook.id}`, { url: ENDPOINT_URL });
    expect(await failingSince(webhook.id)).toBe('2026-01-01T00:00:00.000Z');
    await app.api('PATCH', `${path}/${webhook.id}`, { url: `${ENDPOINT_URL}/moved` });
    expect(await failingSince(webhook.id)).toBeNull();
  });

  test('an enabled endpoint keeps its failures when it is enabled once more', async () => {
    const webhook = await make();
    await failSince(webhook.id, '2026-01-01T00:00:00Z');
    await app.api('PATCH', `${path}/${webhook.id}`, { disabled: false });
    expect(await failingSince(webhook.id)).toBe('2026-01-01T00:00:00.000Z');
    await app.api('PATCH', `${path}/${webhook.id}`, { description: 'still failing' });
    expect(await failingSince(webhook.id)).toBe('2026-01-01T00:00:00.000Z');
  });
});

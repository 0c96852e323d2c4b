import { describe, expect, test } from 'vitest';
import type { TestApp } from '../../../test/test-app.ts';
import { webhookPath } from '../../../test/factories.ts';
import { ENDPOINT_URL, problemPathsOf, withWebhooks, type Problems, type Webhook } from '../../../test/webhooks.ts';

let app: TestApp;
let path: string;
withWebhooks((each) => ({ app, path } = each));

describe('the list', () => {
  test('it has each endpoint once, page by page, in the order of creation', async () => {
    const team = await app.makeTeam();
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1)
      made.push((await team.api<Webhook>('POST', webhookPath(team), { url: ENDPOINT_URL })).body.id);
    const listed: string[] = [];
    let cursor: string | null = '';
    for (let pages = 1; cursor !== null; pages += 1) {
      const { body } = (await team.api<{ data: Webhook[]; next_cursor: string | null }>(
        'GET',
        `${webhookPath(team)}?limit=2${cursor && `&next_cursor=${cursor}`}`,
      )) as { body: { data: Webhook[]; next_cursor: string | null } };
      listed.push(...body.data.map((webhook) => webhook.id));
      cursor = body.next_cursor;
      expect(pages).toBeLessThanOrEqual(3);
    }
    expect(listed).toEqual(made);
  });

  test('a full last page has no next_cursor', async () => {
    const team = await app.makeTeam();
    await team.api('POST', webhookPath(team), { url: ENDPOINT_URL });
    const { body } = await team.api<{ data: Webhook[]; next_cursor: null }>('GET', `${webhookPath(team)}?limit=1`);
    expect([body.data.length, body.next_cursor]).toEqual([1, null]);
  });

  test.each([
    'x',
    Buffer.from('{}').toString('base64url'),
    Buffer.from('["price asc",8900,"0198c0de-0000-7000-8000-000000000001"]').toString('base64url'),
  ])('the cursor %s is refused, because no page returned it', async (cursor) => {
    const response = await app.api<Problems>('GET', `${path}?next_cursor=${cursor}`);
    expect([response.status, ...problemPathsOf(response)]).toEqual([422, 'value_error query.next_cursor']);
  });

  test('the limit is 1 to 250', async () => {
    for (const limit of [0, 251]) expect((await app.api('GET', `${path}?limit=${limit}`)).status).toBe(422);
    expect((await app.api('GET', `${path}?limit=250`)).status).toBe(200);
  });
});

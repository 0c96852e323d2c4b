// The client against the service. Its package tests retries, against a server that fails on purpose.
import {
  itemsOf,
  openPhial,
  pagesOf,
  PhialError,
  unwrap,
  verifyWebhook,
  WebhookVerificationError,
  type Phial,
} from '@phial/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEndpoint, type Received } from './endpoint.ts';
import { makeUser, orderKit } from './factories.ts';
import { startTestApp, type Team, type TestApp } from './test-app.ts';

let app: TestApp;
let phial: Phial;
beforeAll(async () => {
  app = await startTestApp();
  phial = clientOf(app.team);
});
afterAll(() => app.close());

const clientOf = (team: Team): Phial => openPhial({ baseUrl: app.baseUrl, apiKey: team.api_key });
const managerOf = (team: Team): Phial => openPhial({ baseUrl: app.baseUrl, managementKey: team.management_key });
const readUser = (by: Phial, user_id: string) =>
  unwrap(by.GET('/v2/user/{user_id}', { params: { path: { user_id } } }));

describe('credentials', () => {
  test('of a team, an organisation and an hour open what is theirs', async () => {
    const { user_id } = await makeUser(app.team);
    expect((await readUser(phial, user_id)).user_id).toBe(user_id);
    const { org_id, id: team_id } = app.team;
    const manager = managerOf(app.team);
    const { teams } = await unwrap(manager.GET('/v1/org/{org_id}/team', { params: { path: { org_id } } }));
    expect(teams.map(({ id }) => id)).toContain(team_id);
    let made = 0;
    const accessToken = async (): Promise<string> => {
      made += 1;
      const path = { org_id, team_id };
      const made_ = manager.POST('/v1/org/{org_id}/team/{team_id}/create_api_access_token', {
        params: { path },
        body: { env: 'sandbox' },
      });
      return (await unwrap(made_)).access_token;
    };
    const forAnHour = openPhial({ baseUrl: app.baseUrl, accessToken });
    expect((await readUser(forAnHour, user_id)).user_id).toBe(user_id);
    expect(made).toBe(1);
  });
});

test('a create whose response gets lost while it runs is done once, and its answer arrives', async () => {
  const { user_id } = await makeUser(app.team);
  const statuses: number[] = [];
  let lost: Promise<Response> | null = null;
  const fetchWithLoss = async (request: Request): Promise<Response> => {
    if (lost === null) {
      lost = fetch(request);
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new TypeError('fetch failed');
    }
    const response = await fetch(request);
    statuses.push(response.status);
    return response;
  };
  const lossy = openPhial({ baseUrl: app.baseUrl, apiKey: app.team.api_key, retries: 1, fetch: fetchWithLoss });
  const samples = Array.from({ length: 5_000 }, (_, minute) => ({
    resource: 'heartrate' as const,
    provider: 'apple_health_kit' as const,
    source_type: 'watch' as const,
    timestamp: new Date(Date.UTC(2026, 0, 5, 0, minute)).toISOString(),
    unit: 'bpm',
    value: 60 + (minute % 60),
  }));
  const params = { path: { user_id } };
  const stored = await unwrap(lossy.POST('/v2/timeseries/{user_id}/samples', { params, body: samples as never }));
  const first = await (lost as unknown as Promise<Response>);
  expect(await first.json()).toEqual(stored);
  expect(statuses.at(-1)).toBe(200);
  expect(statuses.slice(0, -1).every((status) => status === 409)).toBe(true);
});

describe('a refusal', () => {
  test('is thrown with its code, detail, status and request id', async () => {
    const { user_id } = await makeUser(await app.makeTeam());
    const refused = await readUser(phial, user_id).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PhialError);
    const error = refused as PhialError;
    expect([error.code, error.status, error.is('not_found'), error.is('rate_limited')]).toEqual([
      'not_found',
      404,
      true,
      false,
    ]);
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(error.message).toContain(error.requestId);
  });

  test('lists every problem of a body', async () => {
    const body = { client_user_id: '', teams: 1 } as unknown as { client_user_id: string };
    const { error, response } = await phial.POST('/v2/user', { body });
    expect(response.status).toBe(422);
    expect(error).toMatchObject({ code: 'validation_failed', detail: [{ loc: ['body', 'client_user_id'] }] });
  });

  test('has the codes of its operation as types', async () => {
    const { error } = await phial.GET('/v2/events', { params: { query: { after: 'not a cursor' } } });
    // The compiler refuses a code that the operation does not declare.
    expect(error?.code === 'invalid_cursor').toBe(true);
  });
});

describe('lists', () => {
  test('are read page by page, by numbers, by cursors and by offsets', async () => {
    const team = await app.makeTeam();
    const by = clientOf(team);
    const orders = [await orderKit(team), await orderKit(team), await orderKit(team)].map(({ id }) => id);
    const pages = [];
    for await (const page of pagesOf((next) =>
      unwrap(by.GET('/v3/orders', { params: { query: { ...next, size: 2 } } })),
    ))
      pages.push(page.orders.length);
    expect(pages).toEqual([2, 1]);

    const found = [];
    const readOrders = (next: object) => unwrap(by.GET('/v3/orders', { params: { query: { ...next, size: 1 } } }));
    for await (const order of itemsOf(pagesOf(readOrders), 'orders')) found.push(order.id);
    expect(found.toSorted()).toEqual(orders.toSorted());

    const users = [];
    const readUsers = (next: object) => unwrap(by.GET('/v2/user', { params: { query: { ...next, limit: 1 } } }));
    for await (const user of itemsOf(pagesOf(readUsers), 'users')) users.push(user.user_id);
    expect(new Set(users).size).toBe(3);

    const path = { org_id: team.org_id, team_id: team.id, environment: 'sandbox' as const };
    for (const name of ['a', 'b', 'c'])
      await unwrap(
        managerOf(team).POST('/v1/org/{org_id}/team/{team_id}/{environment}/webhook', {
          params: { path },
          body: { url: `http://127.0.0.1:4000/${name}` },
        }),
      );
    const urls = [];
    const readEndpoints = (next: object) =>
      unwrap(
        managerOf(team).GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook', {
          params: { path, query: { ...next, limit: 2 } },
        }),
      );
    for await (const { url } of itemsOf(pagesOf(readEndpoints), 'data')) urls.push(new URL(url).pathname);
    expect(urls.toSorted()).toEqual(['/a', '/b', '/c']);
  });
});

describe('the change feed', () => {
  test('is followed from page to page, waits for what comes, and continues after a restart', async () => {
    const team = await app.makeTeam();
    const by = clientOf(team);
    const ordered = [(await orderKit(team)).id];
    const cursors: string[] = [];
    const options = { eventTypes: ['labtest.order.created'], onCursor: (cursor: string) => void cursors.push(cursor) };
    const follow = async (after: string | undefined, count: number): Promise<string[]> => {
      const seen: string[] = [];
      for await (const event of by.events.follow({ ...options, after })) {
        if (event.event_type === 'labtest.order.created') seen.push(event.body.data.id);
        if (seen.length === count) break;
        // The next event comes while the program waits for it.
        if (seen.length === ordered.length) ordered.push((await orderKit(team)).id);
      }
      return seen;
    };
    expect(await follow(undefined, 3)).toEqual(ordered);
    expect(ordered).toHaveLength(3);
    // A cursor is stored when a page is handled. The last page was not, so its event comes again.
    expect(new Set(cursors).size).toBe(2);
    expect(await follow(cursors.at(-1), 1)).toEqual(ordered.slice(2));
    expect(await follow(cursors[0], 2)).toEqual(ordered.slice(1));
  });

  test('ends when its signal does', async () => {
    const controller = new AbortController();
    const following = (async () => {
      for await (const event of phial.events.follow({ after: 'now', signal: controller.signal })) return event;
      return null;
    })();
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(following).rejects.toThrow('enough');
  });
});

describe('a webhook', () => {
  test('is verified from its bytes and headers, and its type decides its fields', async () => {
    const team = await app.makeTeam();
    const endpoint = await startEndpoint();
    const path = { org_id: team.org_id, team_id: team.id, environment: 'sandbox' as const };
    const body = { url: endpoint.url, filter_types: ['labtest.order.created'] };
    const by = managerOf(team);
    const { id: webhook_id } = await unwrap(
      by.POST('/v1/org/{org_id}/team/{team_id}/{environment}/webhook', { params: { path }, body }),
    );
    const { key: secret } = await unwrap(
      by.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/secret', {
        params: { path: { ...path, webhook_id } },
      }),
    );
    endpoint.trust(secret);
    const order = await orderKit(team);
    await app.deliver();
    const [{ raw, headers }] = endpoint.received as [Received];
    for (const bytes of [raw, new TextEncoder().encode(raw)]) {
      const event = verifyWebhook(bytes, headers, secret);
      expect(event.event_type === 'labtest.order.created' && event.data.id).toBe(order.id);
    }
    expect(verifyWebhook(raw, new Headers(headers as Record<string, string>), secret).team_id).toBe(team.id);
    const changed = raw.replace(order.id, app.team.id);
    expect(() => verifyWebhook(changed, headers, secret)).toThrow(WebhookVerificationError);
    await endpoint.close();
  });
});

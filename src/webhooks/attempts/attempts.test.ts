import { describe, expect, test } from 'vitest';
import type { Answer, Team, TestApp } from '../../../test/test-app.ts';
import { dueNow } from '../../../test/deliveries.ts';
import { sleep, steps } from '../../../test/invented-events.ts';
import { makeUser, subscribe, webhookPath } from '../../../test/factories.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { dropExpired } from '../erase.ts';
import { publishTo } from '../../../test/publish-event.ts';
import type { Endpoint } from '../../../test/endpoint.ts';
import { eachWithEndpoint } from '../../../test/subscribed.ts';

type Attempt = {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  attempt: number;
  trigger: string;
  status: string;
  http_status: number | null;
  error: string | null;
  duration_ms: number;
  next_attempt_at: string | null;
  created_at: string;
  sent_at: string | null;
  url: string | null;
  request_headers: Record<string, string>;
  sensitive: string[] | null;
  response_body: string | null;
};
type Page = { data: Attempt[]; next_cursor: string | null };
type OfEvent = Page & {
  event_id: string;
  event_type: string;
  waiting: { webhook_id: string; event_id: string; attempts: number; status: string; next_attempt_at: string | null }[];
};

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
let webhook: string;
eachWithEndpoint((each) => ({ app, team, endpoint, webhook } = each));

const path = () => `${webhookPath(team)}/${webhook}`;
const eventPath = (id: string) => `${webhookPath(team).replace(/webhook$/, 'event')}/${id}`;
const list = async (query = ''): Promise<Page> => (await team.api<Page>('GET', `${path()}/attempt${query}`)).body;
const read = async (id: string): Promise<Attempt> => (await team.api<Attempt>('GET', `${path()}/attempt/${id}`)).body;
const ofEvent = async (id: string, query = ''): Promise<OfEvent> =>
  (await team.api<OfEvent>('GET', `${eventPath(id)}/attempt${query}`)).body;
const fails = (status = 500) => endpoint.answer((response) => response.writeHead(status).end('no thanks'));
const publish = async (type = steps, user: { id: string; client_user_id: string } | null = null): Promise<string> => {
  const id = await publishTo(app, team, type, {}, user);
  await app.deliver();
  return id;
};
const patch = (changes: object) => team.api('PATCH', path(), changes);
const ids = ({ data }: Page): string[] => data.map(({ event_id }) => event_id);

describe('attempts at an endpoint', () => {
  test('are listed with their results, the newest first', async () => {
    fails();
    const failed = await publish();
    endpoint.answer(null);
    const succeeded = await publish(sleep);
    const { data, next_cursor } = await list();
    expect(next_cursor).toBeNull();
    expect(data).toEqual([
      expect.objectContaining({
        webhook_id: webhook,
        event_id: succeeded,
        event_type: sleep.name,
        attempt: 1,
        trigger: 'schedule',
        status: 'succeeded',
        http_status: 204,
        error: null,
        next_attempt_at: null,
      }),
      expect.objectContaining({ event_id: failed, event_type: steps.name, status: 'failed', http_status: 500 }),
    ]);
    const wait = Date.parse(data[1]?.next_attempt_at as string) - Date.parse(data[1]?.created_at as string);
    expect(wait).toBeGreaterThan(4_000);
    expect(wait).toBeLessThan(10_000);
  });

  test('are filtered by result, event type and time, and an unknown value matches nothing', async () => {
    fails();
    const failed = await publish();
    endpoint.answer(null);
    const succeeded = await publish(sleep);
    const { data } = await list();
    const [last, first] = data.map(({ created_at }) => created_at);
    const found = async (query: string) => ids(await list(query));
    expect(await found('?status=failed')).toEqual([failed]);
    expect(await found('?status=failed,exhausted')).toEqual([failed]);
    expect(await found('?status=succeeded')).toEqual([succeeded]);
    expect(await found('?status=succeeded,failed')).toEqual([succeeded, failed]);
    expect(await found('?status=lost')).toEqual([]);
    expect(await found(`?event_type=${steps.name}`)).toEqual([failed]);
    expect(await found(`?event_type=${steps.name}&status=succeeded`)).toEqual([]);
    expect(await found('?event_type=no.such.event')).toEqual([]);
    expect(await found(`?since=${last}`)).toEqual([succeeded]);
    expect(await found(`?until=${first}`)).toEqual([failed]);
    expect(await found(`?since=${first}&until=${last}`)).toEqual([succeeded, failed]);
    expect(await found('?since=1960-01-01')).toEqual([succeeded, failed]);
    expect(await found('?until=1960-01-01')).toEqual([]);
    expect(await found('?since=9999-12-31')).toEqual([]);
    const path = `${webhookPath(team)}/${webhook}/attempt?since=2026-01-03&until=2026-01-02`;
    expect(await team.api('GET', path)).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'since'] }] } });
  });

  test.each(['', '&status=failed', '&status=failed,succeeded', `&event_type=${steps.name}`])(
    'come page by page, each once, with any filters: %j',
    async (filter) => {
      fails();
      const events = [await publish(), await publish(), await publish()].toReversed();
      const first = await list(`?limit=2${filter}`);
      const second = await list(`?limit=2&next_cursor=${first.next_cursor}${filter}`);
      expect([ids(first), ids(second), second.next_cursor]).toEqual([events.slice(0, 2), events.slice(2), null]);
      const refused = await team.api('GET', `${path()}/attempt?next_cursor=nonsense`);
      expect(refused).toMatchObject({ status: 422, body: { code: 'invalid_cursor' } });
    },
  );

  test('show the present time of the next attempt', async () => {
    fails();
    const event = await publish();
    const next = async () => [
      (await list()).data.map(({ next_attempt_at }) => typeof next_attempt_at),
      (await ofEvent(event)).waiting.map(({ status, attempts }) => [status, attempts]),
    ];
    expect(await next()).toEqual([['string'], [['scheduled', 1]]]);
    await patch({ disabled: true });
    expect(await next()).toEqual([['object'], [['paused', 1]]]);
    await patch({ disabled: false });
    expect(await next()).toEqual([['string'], [['queued', 1]]]);
    await app.deliver();
    expect(await next()).toEqual([['string', 'object'], [['scheduled', 2]]]);
    endpoint.answer(null);
    await dueNow(app, webhook);
    await app.deliver();
    expect(await next()).toEqual([['object', 'object', 'object'], []]);
  });

  test('about a user who is scheduled for deletion are listed without their contents', async () => {
    const { user_id, client_user_id } = await makeUser(team);
    fails();
    const event = await publish(steps, { id: user_id, client_user_id });
    await team.api('DELETE', `/v2/user/${user_id}`);
    await dueNow(app, webhook);
    await app.deliver();
    const [attempt] = (await list()).data;
    expect(attempt?.next_attempt_at).toBeNull();
    expect((await ofEvent(event)).waiting).toEqual([
      { webhook_id: webhook, event_id: event, attempts: 1, status: 'held', next_attempt_at: null },
    ]);
    const refused = { status: 404, body: { code: 'user_scheduled_for_deletion' } };
    expect(await team.api('GET', `${path()}/attempt/${attempt?.id}`)).toMatchObject(refused);
    expect(await team.api('GET', eventPath(event))).toMatchObject(refused);
  });
});

describe('an attempt', () => {
  test('has its request headers and its answer', async () => {
    await team.api('PUT', `${path()}/headers`, {
      headers: { 'x-clinic': 'Tucson', 'x-api-token': 'opens-everything' },
    });
    const event = await publish();
    await team.api('PUT', `${path()}/headers`, { headers: { 'x-clinic': 'Phoenix' } });
    const again = await publish();
    const [second, first] = (await list()).data;
    const arrived = (id: string) => endpoint.received.find((one) => one.id === id)?.headers ?? {};
    const shown = await read(first?.id as string);
    const { host: _, connection: __, 'content-length': ___, 'x-api-token': token, ...others } = arrived(event);
    expect([token, shown.request_headers, shown.sensitive]).toEqual(['opens-everything', others, ['x-api-token']]);
    expect(shown).toMatchObject({ ...first, response_body: null });
    expect(Math.floor(Date.parse(shown.sent_at as string) / 1000)).toBe(Number(others['webhook-timestamp']));
    expect((await read(second?.id as string)).request_headers).toMatchObject({
      'x-clinic': 'Phoenix',
      'webhook-signature': arrived(again)['webhook-signature'],
    });
  });

  test('keeps the first 16 KiB of the answer', async () => {
    endpoint.answer((response) => response.writeHead(500).end('x'.repeat(20_000)));
    await publish();
    const [attempt] = (await list()).data;
    expect((await read(attempt?.id as string)).response_body).toBe('x'.repeat(16 * 1024));
  });

  test('whose headers are not stored has null as `sensitive`', async () => {
    await team.api('PUT', `${path()}/headers`, { headers: { 'x-clinic': 'Tucson' } });
    await publish();
    await app.db.deleteFrom('webhook_header_sets').where('webhook_id', '=', webhook).execute();
    const [attempt] = (await list()).data;
    const { request_headers, sensitive } = await read(attempt?.id as string);
    expect([request_headers['x-clinic'], request_headers['content-type'], sensitive]).toEqual([
      undefined,
      'application/json',
      null,
    ]);
  });

  test('has the URL that it was sent to, also after the endpoint got another one or was deleted', async () => {
    const [first, second] = [`${endpoint.url}/first`, `${endpoint.url}/second`];
    const urlOf = async (event: string): Promise<unknown> => {
      const attempt = (await ofEvent(event)).data.at(-1) as Attempt;
      return (await read(attempt.id)).url;
    };
    await patch({ url: first });
    const before = await publish();
    await patch({ description: 'Its URL is the same' });
    await patch({ url: second });
    const after = await publish();
    expect([await urlOf(before), await urlOf(after)]).toEqual([first, second]);
    await team.api('DELETE', path());
    expect([await urlOf(before), await urlOf(after)]).toEqual([first, second]);
    await app.db.updateTable('webhook_urls').set({ replaced_at: '2020-01-01' }).where('url', '=', first).execute();
    await dropExpired(acrossTeams(app.ctx));
    expect([await urlOf(before), await urlOf(after)]).toEqual([null, second]);
  });

  test('has no URL if it is the oldest of more than a hundred earlier URLs', async () => {
    const event = await publish();
    for (let n = 0; n <= 100; n += 1) await patch({ url: `${endpoint.url}/${n}` });
    const { count } = await app.db
      .selectFrom('webhook_urls')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('webhook_id', '=', webhook)
      .executeTakeFirstOrThrow();
    const [attempt] = (await ofEvent(event)).data;
    expect([count, (await read(attempt?.id as string)).url]).toEqual([100, null]);
  });

  test('is found only at its own endpoint', async () => {
    await publish();
    const [attempt] = (await list()).data;
    const other = await subscribe(team, endpoint);
    const at = (webhookId: string): Promise<Answer> =>
      team.api('GET', `${webhookPath(team)}/${webhookId}/attempt/${attempt?.id}`);
    expect([(await at(webhook)).status, (await at(other)).status]).toEqual([200, 404]);
  });
});

describe('an event', () => {
  test('is returned as it was sent', async () => {
    const event = await publish();
    const { body } = await team.api<{ body: string }>('GET', eventPath(event));
    expect(body).toEqual({
      id: event,
      event_type: steps.name,
      user_id: null,
      created_at: expect.any(String),
      body: endpoint.received.find(({ id }) => id === event)?.raw,
    });
  });

  test('lists the attempts at every endpoint, also at a deleted one', async () => {
    const first = webhook;
    fails();
    const event = await publish();
    webhook = await subscribe(team, endpoint);
    expect((await ofEvent(event)).data.map(({ webhook_id }) => webhook_id)).toEqual([first]);
    await team.api('DELETE', `${webhookPath(team)}/${first}`);
    expect(await ofEvent(event)).toMatchObject({
      event_id: event,
      event_type: steps.name,
      waiting: [],
      next_cursor: null,
      data: [{ webhook_id: first, status: 'failed', next_attempt_at: null }],
    });
    expect((await ofEvent(event, '?status=succeeded')).data).toEqual([]);
  });

  test('has the request of each attempt, also at a deleted endpoint', async () => {
    await team.api('PUT', `${path()}/headers`, { headers: { 'x-clinic': 'Tucson' } });
    const event = await publish();
    await team.api('DELETE', path());
    const [attempt] = (await ofEvent(event)).data;
    expect(await read(attempt?.id as string)).toMatchObject({
      ...attempt,
      request_headers: { 'webhook-id': event, 'x-clinic': 'Tucson' },
      sensitive: [],
    });
  });

  test('that was not sent yet waits as a first attempt', async () => {
    const event = await publishTo(app, team, steps, {});
    expect(await ofEvent(event)).toMatchObject({
      waiting: [{ webhook_id: webhook, event_id: event, attempts: 0, status: 'queued', next_attempt_at: null }],
      data: [],
    });
  });
});

import { sql, type KyselyPlugin } from 'kysely';
import { describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { attempted, queued } from '../../../test/deliveries.ts';
import { steps } from '../../../test/invented-events.ts';
import { makeUser, subscribe, webhookPath } from '../../../test/factories.ts';
import { publishedTo, publishTo } from '../../../test/publish-event.ts';
import type { Endpoint } from '../../../test/endpoint.ts';
import { eachWithEndpoint } from '../../../test/subscribed.ts';
import type { TeamCtx } from '../../context.ts';
import { boundToTeam } from '../../db/session/bind.ts';
import { MAX_ATTEMPTS } from '../../delivery/requeue.ts';
import { minIdAt, newId } from '../../ids.ts';
import { resend as sendAgain } from './resend-event.ts';

let app: TestApp;
let team: Team;
let endpoint: Endpoint;
let webhook: string;
eachWithEndpoint((each) => ({ app, team, endpoint, webhook } = each));

const path = () => `${webhookPath(team)}/${webhook}`;
const resend = (event: string) => team.api<object>('POST', `${path()}/event/${event}/resend`);
const fails = () => endpoint.answer((response) => response.writeHead(500).end());
const publish = async (user: { id: string; client_user_id: string } | null = null): Promise<string> => {
  const id = await publishTo(app, team, steps, {}, user);
  await app.deliver();
  return id;
};
const made = async () =>
  (await attempted(app, webhook)).map(({ attempt, outcome, trigger }) => [attempt, outcome, trigger]);

describe('a resend of an event', () => {
  test('replaces the retry that waits, and attempts are counted on', async () => {
    fails();
    const event = await publish();
    expect(await resend(event)).toMatchObject({
      status: 200,
      body: { webhook_id: webhook, event_id: event, attempts: 1, status: 'queued' },
    });
    endpoint.answer(null);
    await app.deliver();
    expect([await made(), await queued(app, webhook)]).toEqual([
      [
        [1, 'failed', null],
        [2, 'succeeded', 'resend'],
      ],
      [],
    ]);
  });

  test('sends an event that had arrived, with the same id and body', async () => {
    const event = await publish();
    await resend(event);
    await app.deliver();
    const [first, second, ...more] = endpoint.received.filter(({ id }) => id === event);
    expect([second?.raw, more]).toEqual([first?.raw, []]);
    expect(await made()).toEqual([
      [1, 'succeeded', null],
      [2, 'succeeded', 'resend'],
    ]);
  });

  test('is the first attempt when the event was not sent yet', async () => {
    const event = await publishTo(app, team, steps, {});
    expect((await resend(event)).body).toMatchObject({ attempts: 0, status: 'queued' });
    await app.deliver();
    expect(await made()).toEqual([[1, 'succeeded', 'resend']]);
  });

  /** Runs `ask` while an attempt waits for its response. Then this attempt fails, and later attempts succeed. */
  const whileUnderWay = async (ask: () => Promise<unknown>): Promise<void> => {
    let fail = (): void => undefined;
    const before = endpoint.requests();
    endpoint.answer((response) => {
      fail = () => void response.writeHead(500).end();
    });
    const delivered = app.deliver();
    await expect.poll(() => endpoint.requests(), { timeout: 5_000 }).toBe(before + 1);
    await ask();
    endpoint.answer(null);
    fail();
    await delivered;
    await app.deliver();
  };

  test('follows the attempt that is under way, once, however often it is requested', async () => {
    fails();
    const event = await publish();
    await resend(event);
    await whileUnderWay(async () => {
      const answers = await Promise.all([resend(event), resend(event), resend(event)]);
      for (const { status, body } of answers) expect([status, body]).toMatchObject([200, { status: 'queued' }]);
    });
    expect([await made(), await queued(app, webhook)]).toEqual([
      [
        [1, 'failed', null],
        [2, 'failed', 'resend'],
        [3, 'succeeded', 'resend'],
      ],
      [],
    ]);
  });

  test('follows a first attempt that is under way', async () => {
    const event = await publishTo(app, team, steps, {});
    await whileUnderWay(() => resend(event));
    expect([await made(), await queued(app, webhook)]).toEqual([
      [
        [1, 'failed', null],
        [2, 'succeeded', 'resend'],
      ],
      [],
    ]);
  });

  test('follows a last attempt once, and no other attempt follows', async () => {
    const event = await publish();
    await resend(event);
    await whileUnderWay(async () => {
      await resend(event);
      await expect.poll(async () => (await queued(app, webhook)).length).toBe(1);
    });
    fails();
    await resend(event);
    await app.deliver();
    expect([(await made()).map(([attempt, outcome]) => [attempt, outcome]), await queued(app, webhook)]).toEqual([
      [
        [1, 'succeeded'],
        [2, 'exhausted'],
        [3, 'succeeded'],
        [4, 'exhausted'],
      ],
      [],
    ]);
  });

  test('is refused with the reason when nothing can be sent', async () => {
    const { user_id, client_user_id } = await makeUser(team);
    const [event, leaving] = [await publish(), await publish({ id: user_id, client_user_id })];
    await team.api('DELETE', `/v2/user/${user_id}`);
    const old = minIdAt(Date.now() - (app.config.retentionDays + 1) * 86_400_000).replace('-0000-', '-7000-');
    const refused = async (id: string) => (await resend(id)).body as unknown;
    expect(await refused(leaving)).toMatchObject({ code: 'delivery_held' });
    expect(await refused(old)).toMatchObject({ code: 'event_expired' });
    expect(await refused(newId())).toMatchObject({ code: 'not_found' });
    await sql`update attempts set attempt = ${MAX_ATTEMPTS} where event_id = ${event}`.execute(app.db);
    expect(await refused(event)).toMatchObject({ code: 'too_many_attempts' });
    await team.api('PATCH', path(), { disabled: true });
    expect(await refused(event)).toMatchObject({ code: 'webhook_disabled' });
    expect(await queued(app, webhook)).toEqual([]);
  });

  test('does not count as too old when the database does not answer', async () => {
    const old = minIdAt(Date.now() - (app.config.retentionDays + 1) * 86_400_000).replace('-0000-', '-7000-');
    const away: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (node.kind === 'RawNode') throw new Error('The database is away.');
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const { db } = boundToTeam(app.ctx, team.id);
    const sent = sendAgain({ ...app.ctx, team, db: db.withPlugin(away) } as unknown as TeamCtx, webhook, old);
    await expect(sent).rejects.toThrow('The database is away.');
  });
});

describe('a test of an endpoint', () => {
  const event_type = 'labtest.order.created';
  const ask = () => team.api<{ event_id: string }>('POST', `${path()}/test`, { event_type });

  test('sends an example with `test` at once, whatever the filters, and not to the change feed', async () => {
    await team.api('PATCH', path(), { filter_types: ['daily.data.sleep.created'] });
    const { body } = await ask();
    expect(body).toEqual({ event_id: body.event_id, event_type });
    await app.deliver();
    const arrived = endpoint.received.find(({ id }) => id === body.event_id);
    expect(arrived?.body).toMatchObject({ event_type, team_id: team.id, test: true });
    const eventPath = `${webhookPath(team).replace(/webhook$/, 'event')}/${body.event_id}`;
    const { body: attempts } = await team.api<object>('GET', `${eventPath}/attempt`);
    expect(attempts).toMatchObject({ event_type, data: [{ attempt: 1, trigger: 'test', status: 'succeeded' }] });
    expect((await team.api<{ body: string }>('GET', eventPath)).body.body).toBe(arrived?.raw);
    expect((await team.api<{ data: unknown[] }>('GET', '/v2/events')).body.data).toEqual([]);
  });

  test('is sent once, and its failure causes no event', async () => {
    await team.api('PATCH', path(), { filter_types: ['message.attempt.exhausted'] });
    fails();
    await ask();
    await app.deliver();
    expect([await made(), await queued(app, webhook)]).toEqual([[[1, 'exhausted', 'test']], []]);
    expect((await publishedTo(app, team)).map((event) => event.event_type)).toEqual([event_type]);
  });

  test('stays a test when it is sent again, and goes only to its own endpoint', async () => {
    await team.api('PATCH', path(), { filter_types: ['message.attempt.exhausted'] });
    fails();
    const { event_id } = (await ask()).body;
    await app.deliver();
    expect((await resend(event_id)).status).toBe(200);
    await app.deliver();
    expect(await made()).toEqual([
      [1, 'exhausted', 'test'],
      [2, 'exhausted', 'test'],
    ]);
    expect((await publishedTo(app, team)).map((event) => event.event_type)).toEqual([event_type]);
    const other = await subscribe(team, endpoint);
    const elsewhere = await team.api('POST', `${webhookPath(team)}/${other}/event/${event_id}/resend`);
    expect(elsewhere).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('is refused for a disabled endpoint and for an unknown type of event', async () => {
    expect(await team.api('POST', `${path()}/test`, { event_type: 'no.such.event' })).toMatchObject({ status: 422 });
    await team.api('PATCH', path(), { disabled: true });
    expect(await ask()).toMatchObject({ status: 400, body: { code: 'webhook_disabled' } });
  });
});

test('a forbidden address is refused when it is saved, tested and called, and gets no request', async () => {
  const strict = await startTestApp(
    { PHIAL_WEBHOOK_ALLOWED_NETWORKS: '10.9.8.0/24' },
    { databaseUrl: app.databaseUrl },
  );
  const event = await publish();
  const asked = endpoint.requests();
  const as = (method: string, at: string, body?: object) =>
    fetch(`${strict.baseUrl}${at}`, {
      method,
      headers: { 'x-management-key': team.management_key, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).then((response) => response.json() as Promise<{ code?: string }>);
  const refused = { code: 'webhook_url_refused' };
  expect(await as('POST', webhookPath(team), { url: endpoint.url })).toMatchObject(refused);
  expect(await as('POST', `${path()}/test`, { event_type: steps.name })).toMatchObject({
    ...refused,
    detail: [{ loc: ['path', 'webhook_id'] }],
  });
  await as('POST', `${path()}/event/${event}/resend`);
  await strict.deliver();
  await strict.close();
  expect(endpoint.requests()).toBe(asked);
  const { body } = await team.api<{ data: { id: string }[] }>('GET', `${path()}/attempt`);
  expect((await team.api<object>('GET', `${path()}/attempt/${body.data[0]?.id}`)).body).toMatchObject({
    error: 'address_refused',
    http_status: null,
    response_body: null,
  });
});

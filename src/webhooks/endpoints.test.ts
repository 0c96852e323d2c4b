import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/app.ts';
import { webhookPath } from '../../test/factories.ts';
import { ENDPOINT_URL, makeWebhook, placesOf, type Problems, type Webhook } from '../../test/webhooks.ts';
import { isSecret, newSecret } from '../delivery/sending/sign.ts';
import { newId } from '../ids.ts';
import { Secret } from './schemas.ts';

let app: TestApp;
let path: string;
beforeAll(async () => {
  app = await startTestApp();
  path = webhookPath(app.team);
});
afterAll(() => app.close());

const make = (body: object = {}) => makeWebhook(app.team, body);

/** So that a change of updated_at shows, whatever the clock's resolution. */
const age = (id: string) =>
  app.db.updateTable('webhooks').set({ updated_at: '2026-01-01T00:00:00Z' }).where('id', '=', id).execute();

describe('creating an endpoint', () => {
  test('it is made with the defaults of the interface and read back', async () => {
    const webhook = await make();
    expect(webhook).toEqual({
      id: expect.any(String),
      url: ENDPOINT_URL,
      description: '',
      rate_limit: null,
      disabled: false,
      filter_types: null,
      v1a_enabled: false,
      created_at: expect.any(String),
      updated_at: webhook.created_at,
    });
    expect((await app.api('GET', `${path}/${webhook.id}`)).body).toEqual(webhook);
  });

  test('everything it is told is kept, event types once each', async () => {
    const secret = newSecret();
    const given = {
      url: 'http://127.0.0.1:4000/in',
      description: 'orders',
      rate_limit: 20,
      disabled: true,
      filter_types: ['labtest.order.created', 'daily.data.steps.updated', 'labtest.order.created', 'endpoint.disabled'],
    };
    const webhook = await make({ ...given, secret });
    expect(webhook).toMatchObject({
      ...given,
      filter_types: ['labtest.order.created', 'daily.data.steps.updated', 'endpoint.disabled'],
    });
    expect((await app.api('GET', `${path}/${webhook.id}/secret`)).body).toEqual({ key: secret });
  });

  test('every problem of a request is listed, and no secret is repeated', async () => {
    const secret = `whsec_${Buffer.alloc(23).toString('base64')}`;
    const answer = await app.api<Problems>('POST', path, {
      description: 7,
      rate_limit: 0,
      disabled: 'yes',
      filter_types: ['labtest.order.created', 'labtest.order.creatd'],
      secret,
    });
    expect(answer.status).toBe(422);
    expect(placesOf(answer).toSorted()).toEqual([
      'bool_type body.disabled',
      'greater_than_equal body.rate_limit',
      'missing body.url',
      'string_pattern_mismatch body.filter_types.1',
      'string_pattern_mismatch body.secret',
      'string_type body.description',
    ]);
    expect(JSON.stringify(answer.body)).not.toContain(secret);
  });

  test('an empty list of event types is refused, because nothing would ever be sent', async () => {
    const answer = await app.api<Problems>('POST', path, { url: ENDPOINT_URL, filter_types: [] });
    expect([answer.status, ...placesOf(answer)]).toEqual([422, 'too_short body.filter_types']);
  });

  test('a filter is the name of an event, or a beginning of one that ends in .*', async () => {
    const good = [
      'labtest.order.created',
      'labtest.*',
      'daily.data.*',
      'daily.data.steps.*',
      'historical.data.sleep.created',
    ];
    const { body } = await app.api<{ filter_types: string[] }>('POST', path, { url: ENDPOINT_URL, filter_types: good });
    expect(body.filter_types).toEqual(good);
    const bad = [
      '*',
      '.*',
      'labtest',
      'labtest.',
      'labtest.order*',
      'daily.data.steps',
      'daily.data.stesp.created',
      'labtest.*.created',
      'labtest.order.created.*',
    ];
    for (const filter of bad) {
      const answer = await app.api<Problems>('POST', path, { url: ENDPOINT_URL, filter_types: [filter] });
      expect([filter, answer.status, ...placesOf(answer)]).toEqual([
        filter,
        422,
        'string_pattern_mismatch body.filter_types.0',
      ]);
    }
  });

  test('what is no type of event is told in a sentence, with what was sent and what was likely meant', async () => {
    const filter_types = ['labtest.order.craeted', 'labtest.ordr.*', 'of nothing', 'labtest.order.craeted'];
    const answer = await app.api<Problems>('POST', path, { url: ENDPOINT_URL, filter_types, secret: 'abc' });
    const msg = 'Not a type of event: GET /v2/event_types lists them, and a beginning of one ends in .*';
    expect(answer.body.detail.map(({ loc, msg: said, input }) => [loc.at(-1), said, input])).toEqual([
      [0, `${msg}. Did you mean labtest.order.created?`, 'labtest.order.craeted'],
      [1, `${msg}. Did you mean labtest.order.*?`, 'labtest.ordr.*'],
      [2, msg, 'of nothing'],
      [3, msg, 'labtest.order.craeted'],
      ['secret', 'String should be whsec_ and base64 of 24 to 64 bytes', undefined],
    ]);
    const { body: webhook } = await app.api<{ id: string }>('POST', path, { url: ENDPOINT_URL });
    const tried = await app.api<Problems>('POST', `${path}/${webhook.id}/test`, {
      event_type: 'labtest.order.craeted',
    });
    expect(tried.body.detail).toMatchObject([
      {
        msg: expect.stringMatching(
          /^Input should be one of \d+ values, which the reference lists. Did you mean labtest.order.created\?$/,
        ),
        input: 'labtest.order.craeted',
      },
    ]);
  });

  test('one more than a team may have is refused, also when two come at once', async () => {
    const team = await app.makeTeam();
    const create = () => team.api<{ code: string }>('POST', webhookPath(team), { url: ENDPOINT_URL });
    for (let n = 0; n < 49; n += 1) expect((await create()).status).toBe(200);
    const answers = await Promise.all([create(), create()]);
    expect(answers.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([200, 'limit_reached']);
  });

  test('a secret is taken exactly when signing takes it', () => {
    const pattern = new RegExp((Secret as { pattern?: string }).pattern ?? 'none');
    for (let bytes = 20; bytes <= 70; bytes += 1) {
      const text = `whsec_${randomBytes(bytes).toString('base64')}`;
      expect([bytes, pattern.test(text)]).toEqual([bytes, isSecret(text)]);
    }
    fc.assert(
      fc.property(fc.string({ minLength: 30, maxLength: 100, unit: fc.constantFrom(...'abgwAQ04+/=_-') }), (text) => {
        expect(pattern.test(`whsec_${text}`)).toBe(isSecret(`whsec_${text}`));
      }),
      { numRuns: 5000 },
    );
  });
});

describe('the list', () => {
  test('it gives each endpoint once, page by page, in the order they were made', async () => {
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
  ])('the cursor %s is refused, since no page gave it', async (cursor) => {
    const answer = await app.api<Problems>('GET', `${path}?next_cursor=${cursor}`);
    expect([answer.status, ...placesOf(answer)]).toEqual([422, 'value_error query.next_cursor']);
  });

  test('the limit is 1 to 250', async () => {
    for (const limit of [0, 251]) expect((await app.api('GET', `${path}?limit=${limit}`)).status).toBe(422);
    expect((await app.api('GET', `${path}?limit=250`)).status).toBe(200);
  });
});

describe('changing an endpoint', () => {
  test('keys that are left out stay, and updated_at moves', async () => {
    const webhook = await make({ description: 'orders', rate_limit: 5, filter_types: ['labtest.order.updated'] });
    await age(webhook.id);
    const { body } = await app.api<Webhook>('PATCH', `${path}/${webhook.id}`, { url: 'https://other.example.com/in' });
    expect(body).toEqual({ ...webhook, url: 'https://other.example.com/in', updated_at: body.updated_at });
    expect(body.updated_at >= webhook.updated_at).toBe(true);
    expect((await app.api('GET', `${path}/${webhook.id}`)).body).toEqual(body);
  });

  test('null clears what can be empty and leaves the rest', async () => {
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

  test('nothing to change changes nothing', async () => {
    const webhook = await make();
    expect((await app.api('PATCH', `${path}/${webhook.id}`, {})).body).toEqual(webhook);
  });

  test('a refused url leaves everything as it was', async () => {
    const webhook = await make();
    const answer = await app.api<{ code: string }>('PATCH', `${path}/${webhook.id}`, {
      url: 'http://10.1.2.3/',
      description: 'new',
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'webhook_url_refused']);
    expect((await app.api('GET', `${path}/${webhook.id}`)).body).toEqual(webhook);
  });

  test('wrong values are listed together', async () => {
    const webhook = await make();
    const answer = await app.api<Problems>('PATCH', `${path}/${webhook.id}`, { rate_limit: 1.5, filter_types: [] });
    expect([answer.status, ...placesOf(answer).toSorted()]).toEqual([
      422,
      'int_type body.rate_limit',
      'too_short body.filter_types',
    ]);
  });

  const failingSince = async (id: string): Promise<string | null> =>
    (await app.db.selectFrom('lanes').select('failing_since').where('webhook_id', '=', id).executeTakeFirstOrThrow())
      .failing_since;
  const failSince = (id: string, at: string) =>
    app.db.updateTable('lanes').set({ failing_since: at }).where('webhook_id', '=', id).execute();

  test('enabling forgets the failures and wakes the workers', async () => {
    const webhook = await make();
    await app.api('PATCH', `${path}/${webhook.id}`, { disabled: true });
    await failSince(webhook.id, '2026-01-01T00:00:00Z');
    const listener = new pg.Client({ connectionString: app.databaseUrl });
    await listener.connect();
    try {
      await listener.query('listen phial_deliveries');
      const woken = new Promise<string>((resolve) => {
        listener.once('notification', ({ channel }) => resolve(channel));
      });
      const { body } = await app.api<Webhook>('PATCH', `${path}/${webhook.id}`, { disabled: false });
      expect(body.disabled).toBe(false);
      expect(await Promise.race([woken, wait(2_000, 'nobody was woken')])).toBe('phial_deliveries');
    } finally {
      await listener.end();
    }
    expect(await failingSince(webhook.id)).toBeNull();
  });

  test('an endpoint that fails cannot clear its record by being enabled while it is enabled', async () => {
    const webhook = await make();
    await failSince(webhook.id, '2026-01-01T00:00:00Z');
    await app.api('PATCH', `${path}/${webhook.id}`, { disabled: false });
    expect(await failingSince(webhook.id)).toBe('2026-01-01T00:00:00.000Z');
    await app.api('PATCH', `${path}/${webhook.id}`, { description: 'still failing' });
    expect(await failingSince(webhook.id)).toBe('2026-01-01T00:00:00.000Z');
  });
});

test('a deleted endpoint is gone with its secrets and its queue', async () => {
  const webhook = await make();
  await app.db
    .insertInto('deliveries')
    .values({ webhook_id: webhook.id, event_id: newId(), team_id: app.team.id })
    .execute();
  expect((await app.api('DELETE', `${path}/${webhook.id}`)).status).toBe(204);
  expect((await app.api('GET', `${path}/${webhook.id}`)).status).toBe(404);
  expect((await app.api('DELETE', `${path}/${webhook.id}`)).status).toBe(404);
  expect(await app.db.selectFrom('webhook_secrets').selectAll().where('webhook_id', '=', webhook.id).execute()).toEqual(
    [],
  );
  expect(await app.db.selectFrom('deliveries').selectAll().where('webhook_id', '=', webhook.id).execute()).toEqual([]);
});

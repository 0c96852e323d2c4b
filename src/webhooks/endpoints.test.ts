import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import { webhookPath } from '../../test/factories.ts';
import { newId } from '../ids.ts';
import { createManagementKey } from '../tenancy/keys/create-management-key.ts';
import { createTeam } from '../tenancy/teams/create.ts';
import { Secret } from './schemas.ts';
import { isSecret, newSecret } from '../delivery/sending/sign.ts';

type Webhook = {
  id: string;
  url: string;
  description: string;
  rate_limit: number | null;
  disabled: boolean;
  filter_types: string[] | null;
  v1a_enabled: boolean;
  created_at: string;
  updated_at: string;
};
type Problems = { detail: { type: string; loc: string[]; msg: string }[]; code: string };

const URL = 'https://receiver.example.com/hooks';
let app: TestApp;
let other: Team;
let path: string;

beforeAll(async () => {
  app = await startTestApp();
  other = await app.makeTeam('Mesa Labs');
  path = webhooksOf(app.team);
});
afterAll(() => app.close());

const webhooksOf = (team: { id: string; org_id: string }): string =>
  `/v1/org/${team.org_id}/team/${team.id}/sandbox/webhook`;

async function make(body: object = {}): Promise<Webhook> {
  const answer = await app.api<Webhook>('POST', path, { url: URL, ...body });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** So that a change of updated_at shows, whatever the clock's resolution. */
const age = (id: string) =>
  app.db.updateTable('webhooks').set({ updated_at: '2026-01-01T00:00:00Z' }).where('id', '=', id).execute();

const places = (answer: { body: Problems }): string[] =>
  answer.body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`);

describe('creating an endpoint', () => {
  test('it is made with the defaults of the interface and read back', async () => {
    const webhook = await make();
    expect(webhook).toEqual({
      id: expect.any(String),
      url: URL,
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
    expect(places(answer).toSorted()).toEqual([
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
    const answer = await app.api<Problems>('POST', path, { url: URL, filter_types: [] });
    expect([answer.status, ...places(answer)]).toEqual([422, 'too_short body.filter_types']);
  });

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
    expect([answer.status, ...places(answer)]).toEqual([422, 'url_parsing body.url', 'string_type body.description']);
  });

  test('a filter is the name of an event, or a beginning of one that ends in .*', async () => {
    const good = [
      'labtest.order.created',
      'labtest.*',
      'daily.data.*',
      'daily.data.steps.*',
      'historical.data.sleep.created',
    ];
    const { body } = await app.api<{ filter_types: string[] }>('POST', path, { url: URL, filter_types: good });
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
      const answer = await app.api<Problems>('POST', path, { url: URL, filter_types: [filter] });
      expect([filter, answer.status, ...places(answer)]).toEqual([
        filter,
        422,
        'string_pattern_mismatch body.filter_types.0',
      ]);
    }
  });

  test('one more than a team may have is refused, also when two come at once', async () => {
    const team = await app.makeTeam();
    const create = () => team.api<{ code: string }>('POST', webhookPath(team), { url: URL });
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
    expect((await create(URL)).status).toBe(200);
  } finally {
    await production.close();
  }
});

describe('the list', () => {
  test('it gives each endpoint once, page by page, in the order they were made', async () => {
    const team = await app.makeTeam();
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.push((await team.api<Webhook>('POST', webhooksOf(team), { url: URL })).body.id);
    const listed: string[] = [];
    let cursor: string | null = '';
    for (let pages = 1; cursor !== null; pages += 1) {
      const { body } = (await team.api<{ data: Webhook[]; next_cursor: string | null }>(
        'GET',
        `${webhooksOf(team)}?limit=2${cursor && `&next_cursor=${cursor}`}`,
      )) as { body: { data: Webhook[]; next_cursor: string | null } };
      listed.push(...body.data.map((webhook) => webhook.id));
      cursor = body.next_cursor;
      expect(pages).toBeLessThanOrEqual(3);
    }
    expect(listed).toEqual(made);
  });

  test('a full last page has no next_cursor', async () => {
    const team = await app.makeTeam();
    await team.api('POST', webhooksOf(team), { url: URL });
    const { body } = await team.api<{ data: Webhook[]; next_cursor: null }>('GET', `${webhooksOf(team)}?limit=1`);
    expect([body.data.length, body.next_cursor]).toEqual([1, null]);
  });

  test.each([
    'x',
    Buffer.from('{}').toString('base64url'),
    Buffer.from('["price asc",8900,"0198c0de-0000-7000-8000-000000000001"]').toString('base64url'),
  ])('the cursor %s is refused, since no page gave it', async (cursor) => {
    const answer = await app.api<Problems>('GET', `${path}?next_cursor=${cursor}`);
    expect([answer.status, ...places(answer)]).toEqual([422, 'value_error query.next_cursor']);
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
    expect(body).toMatchObject({ url: URL, description: '', rate_limit: null, disabled: true, filter_types: null });
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
    expect([answer.status, ...places(answer).toSorted()]).toEqual([
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

describe('headers', () => {
  test('values of sensitive ones are stored, but only their names are answered', async () => {
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
    const place = { team_id: app.team.id, id };
    expect(app.ctx.cipher.openJson('webhooks.headers', place, row.headers as Buffer)).toEqual(headers);
  });

  test('putting replaces all that were there', async () => {
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

  test('every header that cannot be sent is named, and none is stored', async () => {
    const { id } = await make();
    const answer = await app.api<Problems>('PUT', `${path}/${id}/headers`, {
      headers: { 'webhook-id': '1', 'bad name': 'x', 'x-split': 'a\r\nb', 'x-fine': 'y' },
    });
    expect(answer.status).toBe(422);
    expect(places(answer)).toEqual(Array(3).fill('value_error body.headers'));
    expect(answer.body.detail.map(({ msg }) => msg).join()).toMatch(/webhook-id.*bad name.*x-split/);
    expect((await app.api('GET', `${path}/${id}/headers`)).body).toEqual({ headers: {}, sensitive: [] });
  });

  test('values must be text', async () => {
    const { id } = await make();
    const answer = await app.api<Problems>('PUT', `${path}/${id}/headers`, {
      headers: { 'x-one': 1, authorization: ['secret'] },
    });
    expect([answer.status, ...places(answer)]).toEqual([
      422,
      'string_type body.headers.x-one',
      'string_type body.headers.authorization',
    ]);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
    expect((await app.api('PUT', `${path}/${id}/headers`, {})).status).toBe(422);
  });
});

describe('the secret', () => {
  const secretOf = async (id: string): Promise<string> =>
    (await app.api<{ key: string }>('GET', `${path}/${id}/secret`)).body.key;
  const stored = async (id: string) => {
    const rows = await app.db
      .selectFrom('webhook_secrets')
      .select(['id', 'team_id', 'secret', 'expires_at'])
      .where('webhook_id', '=', id)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      expires_at: row.expires_at,
      secret: app.ctx.cipher.openText('webhook_secrets.secret', row, row.secret),
    }));
  };
  const rotate = (id: string, body: object = {}) => app.api<Problems>('POST', `${path}/${id}/secret/rotate`, body);

  test('it is made for an endpoint that names none', async () => {
    const [one, two] = [await make(), await make()];
    const key = await secretOf(one.id);
    expect(isSecret(key)).toBe(true);
    expect(await secretOf(two.id)).not.toBe(key);
  });

  test('after a rotation the new one is read, and the old one signs for 24 hours more', async () => {
    const { id } = await make();
    const before = await secretOf(id);
    expect((await rotate(id)).status).toBe(204);
    const after = await secretOf(id);
    expect(isSecret(after) && after !== before).toBe(true);
    const [old, current, ...rest] = await stored(id);
    expect(rest).toEqual([]);
    expect(old?.secret).toBe(before);
    expect(Math.abs(Date.parse(old?.expires_at ?? '') - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
    expect(current).toEqual({ secret: after, expires_at: null });
  });

  test.each([
    [1, 1],
    [168, 168],
    [null, 24],
  ])('the old one signs for as many hours as a rotation says (%s)', async (keep_old_hours, hours) => {
    const { id } = await make();
    expect((await rotate(id, { keep_old_hours })).status).toBe(204);
    const [old] = await stored(id);
    expect(Math.abs(Date.parse(old?.expires_at ?? '') - Date.now() - hours * 3_600_000)).toBeLessThan(60_000);
  });

  test('after a leak all that signed before ends at once', async () => {
    const { id } = await make();
    for (const keep_old_hours of [168, 168, 0]) await rotate(id, { keep_old_hours });
    expect(await stored(id)).toEqual([{ secret: await secretOf(id), expires_at: null }]);
  });

  test('a shorter time holds for older ones too, and a longer one prolongs none', async () => {
    const { id } = await make();
    for (const keep_old_hours of [48, 2, 96]) await rotate(id, { keep_old_hours });
    const hours = (await stored(id)).map(
      ({ expires_at }) => expires_at && Math.round((Date.parse(expires_at) - Date.now()) / 3_600_000),
    );
    expect(hours).toEqual([2, 2, 96, null]);
  });

  test('no old one signs for longer than 7 days', async () => {
    const { id } = await make();
    for (const keep_old_hours of [169, -1, 1.5]) {
      const answer = await rotate(id, { keep_old_hours });
      expect([answer.status, places(answer).length]).toEqual([422, 1]);
    }
    expect((await stored(id)).length).toBe(1);
  });

  test('a given key becomes the secret', async () => {
    const { id } = await make();
    const key = newSecret();
    await rotate(id, { key });
    expect(await secretOf(id)).toBe(key);
  });

  test('going back to the secret before makes it the current one, once', async () => {
    const { id } = await make();
    const first = await secretOf(id);
    await rotate(id);
    const second = await secretOf(id);
    await rotate(id, { key: first });
    expect(await secretOf(id)).toBe(first);
    expect((await stored(id)).map((row) => [row.secret, row.expires_at === null])).toEqual([
      [second, false],
      [first, true],
    ]);
  });

  test('a malformed key is refused without being repeated', async () => {
    const { id } = await make();
    for (const key of [
      'whsec_short',
      'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      `whsec_${Buffer.alloc(65).toString('base64')}`,
    ]) {
      const answer = await rotate(id, { key });
      expect([answer.status, ...places(answer)]).toEqual([422, 'string_pattern_mismatch body.key']);
      expect(JSON.stringify(answer.body)).not.toContain(key);
    }
  });

  test('secrets that ended are removed, and only so many sign at once', async () => {
    const { id } = await make();
    for (let n = 0; n < 4; n += 1) expect((await rotate(id)).status).toBe(204);
    const current = await secretOf(id);
    const refused = await rotate(id);
    expect([refused.status, refused.body.code]).toEqual([400, 'too_many_secrets']);
    expect(await secretOf(id)).toBe(current);
    await app.db
      .updateTable('webhook_secrets')
      .set({ expires_at: '2026-01-01T00:00:00Z' })
      .where('webhook_id', '=', id)
      .where('expires_at', 'is not', null)
      .execute();
    expect((await rotate(id)).status).toBe(204);
    expect((await stored(id)).length).toBe(2);
  });

  test('rotations at the same moment leave one current secret', async () => {
    const { id } = await make();
    expect((await Promise.all([rotate(id), rotate(id), rotate(id)])).map(({ status }) => status)).toEqual([
      204, 204, 204,
    ]);
    expect((await stored(id)).filter((row) => row.expires_at === null).length).toBe(1);
  });
});

describe('the key pair', () => {
  const publicKeyOf = async (id: string): Promise<string | null> =>
    (await app.api<{ public_key: string | null }>('GET', `${path}/${id}/public_key`)).body.public_key;
  const rotate = (id: string, body: object = {}) =>
    app.api<{ code: string }>('POST', `${path}/${id}/public_key/rotate`, body);
  const stored = async (id: string) =>
    app.db
      .selectFrom('webhook_secrets')
      .select(['secret', 'expires_at'])
      .where('webhook_id', '=', id)
      .where('signature', '=', 'v1a')
      .orderBy('id')
      .execute();

  test('is made for endpoints that ask for it alone, and outlives that they do not for a while', async () => {
    const { id } = await make();
    expect(await publicKeyOf(id)).toBeNull();
    const { body } = await app.api<Webhook>('PATCH', `${path}/${id}`, { v1a_enabled: true });
    expect(body.v1a_enabled).toBe(true);
    const key = await publicKeyOf(id);
    expect(key).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    await app.api('PATCH', `${path}/${id}`, { v1a_enabled: false });
    await app.api('PATCH', `${path}/${id}`, { v1a_enabled: true });
    expect(await publicKeyOf(id)).toBe(key);
    const asking = await make({ v1a_enabled: true });
    expect(asking.v1a_enabled).toBe(true);
    expect(await publicKeyOf(asking.id)).not.toBe(key);
  });

  test('lies sealed, and its private half is in no answer', async () => {
    const { id } = await make({ v1a_enabled: true });
    const [row] = await stored(id);
    expect(row?.secret.includes('whsk_')).toBe(false);
    for (const at of ['', '/secret', '/public_key', '/headers'])
      expect(JSON.stringify((await app.api('GET', `${path}/${id}${at}`)).body)).not.toContain('whsk_');
  });

  test('is replaced by a rotation, which leaves the secret alone', async () => {
    const { id } = await make({ v1a_enabled: true });
    const secret = (await app.api('GET', `${path}/${id}/secret`)).body;
    const before = await publicKeyOf(id);
    expect((await rotate(id, { keep_old_hours: 48 })).status).toBe(204);
    expect(await publicKeyOf(id)).not.toBe(before);
    const [old, current, ...rest] = await stored(id);
    expect(Math.abs(Date.parse(old?.expires_at ?? '') - Date.now() - 48 * 3_600_000)).toBeLessThan(60_000);
    expect([current?.expires_at, rest]).toEqual([null, []]);
    expect((await app.api('GET', `${path}/${id}/secret`)).body).toEqual(secret);
    expect((await rotate(id)).status).toBe(204);
    const refused = await rotate(id);
    expect([refused.status, refused.body.code]).toEqual([400, 'too_many_secrets']);
    expect((await rotate(id, { keep_old_hours: 0 })).status).toBe(204);
    expect((await stored(id)).length).toBe(1);
  });
});

describe('who may', () => {
  /** Every operation with the webhook `id` under the path `at`. */
  const operations = (at: string, id: string): [method: string, path: string, body?: object][] => [
    ['GET', at],
    ['POST', at, { url: URL }],
    ['GET', `${at}/${id}`],
    ['PATCH', `${at}/${id}`, { description: 'mine' }],
    ['GET', `${at}/${id}/headers`],
    ['PUT', `${at}/${id}/headers`, { headers: { 'x-a': 'b' } }],
    ['GET', `${at}/${id}/secret`],
    ['POST', `${at}/${id}/secret/rotate`, {}],
    ['GET', `${at}/${id}/public_key`],
    ['POST', `${at}/${id}/public_key/rotate`, {}],
    ['DELETE', `${at}/${id}`],
  ];

  test('nobody without a key', async () => {
    const { id } = await make();
    for (const [method, at, body] of operations(path, id)) {
      expect([method, at, (await app.api(method, at, body, { key: null })).status]).toEqual([method, at, 401]);
    }
  });

  test("another organisation's team reads as not there, under either organisation's path", async () => {
    const { id } = await make();
    for (const org_id of [app.team.org_id, other.org_id]) {
      for (const [method, at, body] of operations(webhooksOf({ id: app.team.id, org_id }), id)) {
        const answer = await other.api<{ code: string }>(method, at, body);
        expect([method, at, answer.status, answer.body.code]).toEqual([method, at, 404, 'not_found']);
      }
    }
    expect((await app.api<Webhook>('GET', `${path}/${id}`)).body.description).toBe('');
  });

  test("an endpoint of another team of the same organisation is not found under one's own", async () => {
    const { id } = await make();
    const sibling = await createTeam(app.ctx, { org_id: app.team.org_id, name: 'Sibling' });
    const under = webhooksOf({ id: sibling.id, org_id: app.team.org_id });
    for (const [method, at, body] of operations(under, id).filter(([, at]) => at.includes(id))) {
      const answer = await app.api<{ code: string }>(method, at, body);
      expect([method, at, answer.status, answer.body.code]).toEqual([method, at, 404, 'not_found']);
    }
    expect((await app.api<{ data: Webhook[] }>('GET', under)).body.data).toEqual([]);
  });

  test('a Team Management Key opens its own teams only', async () => {
    const { id } = await make();
    const sibling = await createTeam(app.ctx, { org_id: app.team.org_id, name: 'Sibling' });
    const { value: key } = await createManagementKey(app.ctx, {
      org_id: app.team.org_id,
      label: 'bound',
      role: 'team_admin',
      team_ids: [sibling.id],
    });
    for (const [method, at, body] of operations(path, id)) {
      const answer = await app.api<{ code: string }>(method, at, body, { key });
      expect([method, at, answer.status, answer.body.code]).toEqual([method, at, 403, 'insufficient_scope']);
    }
    const own = webhooksOf({ id: sibling.id, org_id: app.team.org_id });
    expect((await app.api('POST', own, { url: URL }, { key })).status).toBe(200);
  });

  test('another environment is elsewhere, and an unknown one is none', async () => {
    const at = (environment: string) => `/v1/org/${app.team.org_id}/team/${app.team.id}/${environment}/webhook`;
    const elsewhere = await app.api<{ code: string; detail: string }>('GET', at('production'));
    expect([elsewhere.status, elsewhere.body.code]).toEqual([404, 'wrong_deployment']);
    expect(elsewhere.body.detail).toMatch(/production us.*sandbox us/);
    const unknown = await app.api<Problems>('GET', at('staging'));
    expect([unknown.status, ...places(unknown)]).toEqual([422, 'enum path.environment']);
  });

  test('every malformed part of a request is listed', async () => {
    const answer = await app.api<Problems>('PATCH', `/v1/org/${app.team.org_id}/team/x/staging/webhook/y`, {
      rate_limit: -1,
    });
    expect([answer.status, ...places(answer).toSorted()]).toEqual([
      422,
      'enum path.environment',
      'greater_than_equal body.rate_limit',
      'uuid_parsing path.team_id',
      'uuid_parsing path.webhook_id',
    ]);
  });

  test('an endpoint that does not exist is not found', async () => {
    for (const [method, at, body] of operations(path, newId()).slice(2)) {
      expect([method, at, (await app.api(method, at, body)).status]).toEqual([method, at, 404]);
    }
  });
});

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TestApp } from '../../../test/test-app.ts';
import { webhookPath } from '../../../test/factories.ts';
import { ENDPOINT_URL, problemPathsOf, withWebhooks, type Problems, type Webhooks } from '../../../test/webhooks.ts';
import { isSecret, newSecret } from '../../delivery/sending/sign.ts';
import { Secret } from './schemas.ts';

let app: TestApp;
let path: string;
let make: Webhooks['make'];
withWebhooks((each) => ({ app, path, make } = each));

describe('creating an endpoint', () => {
  test('it is created with the defaults of the interface and read back', async () => {
    const webhook = await make();
    expect(webhook).toEqual({
      id: expect.any(String),
      url: ENDPOINT_URL,
      description: '',
      rate_limit: null,
      disabled: false,
      filter_types: null,
      v1a_enabled: false,
      failing_since: null,
      former_secret_ends_at: null,
      created_at: expect.any(String),
      updated_at: webhook.created_at,
    });
    expect((await app.api('GET', `${path}/${webhook.id}`)).body).toEqual(webhook);
  });

  test('every key is stored, and event types once each', async () => {
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
    const response = await app.api<Problems>('POST', path, {
      description: 7,
      rate_limit: 0,
      disabled: 'yes',
      filter_types: ['labtest.order.created', 'labtest.order.creatd'],
      secret,
    });
    expect(response.status).toBe(422);
    expect(problemPathsOf(response).toSorted()).toEqual([
      'bool_type body.disabled',
      'greater_than_equal body.rate_limit',
      'missing body.url',
      'string_pattern_mismatch body.filter_types.1',
      'string_pattern_mismatch body.secret',
      'string_type body.description',
    ]);
    expect(JSON.stringify(response.body)).not.toContain(secret);
  });

  test('an empty list of event types is refused, because nothing would ever be sent', async () => {
    const response = await app.api<Problems>('POST', path, { url: ENDPOINT_URL, filter_types: [] });
    expect([response.status, ...problemPathsOf(response)]).toEqual([422, 'too_short body.filter_types']);
  });

  test('a filter is the name of an event, or a prefix of one that ends in .*', async () => {
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
      const response = await app.api<Problems>('POST', path, { url: ENDPOINT_URL, filter_types: [filter] });
      expect([filter, response.status, ...problemPathsOf(response)]).toEqual([
        filter,
        422,
        'string_pattern_mismatch body.filter_types.0',
      ]);
    }
  });

  test('an unknown event type is refused in a sentence, with its value and the likely name', async () => {
    const filter_types = ['labtest.order.craeted', 'labtest.ordr.*', 'of nothing', 'labtest.order.craeted'];
    const response = await app.api<Problems>('POST', path, { url: ENDPOINT_URL, filter_types, secret: 'abc' });
    const msg = 'Not a type of event: GET /v2/event_types lists them, and a prefix of one ends in .*';
    expect(response.body.detail.map(({ loc, msg: said, input }) => [loc.at(-1), said, input])).toEqual([
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

  test('one more than the limit of a team is refused, also for two concurrent requests', async () => {
    const team = await app.makeTeam();
    const create = () => team.api<{ code: string }>('POST', webhookPath(team), { url: ENDPOINT_URL });
    for (let n = 0; n < 49; n += 1) expect((await create()).status).toBe(200);
    const responses = await Promise.all([create(), create()]);
    expect(responses.map(({ status, body }) => body.code ?? status).toSorted()).toEqual([200, 'limit_reached']);
  });

  test('a secret is accepted exactly when signing accepts it', () => {
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

// Rules about the values of requests, through the API.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { kitTestId, makeUser, orderKit, shippingAddress } from './factories.ts';
import { homeAddress, person, problemsOf } from './people.ts';

let app: TestApp;
let user: string;
beforeAll(async () => {
  app = await startTestApp();
  user = (await makeUser(app.team)).user_id;
});
afterAll(() => app.close());

type Made = { order: { id: string; shipping_details: { country: string } } };
const shipTo = async (change: object): Promise<{ status: number; problems: string[]; country: string | undefined }> => {
  const { status, body } = await app.api<Made>('POST', '/v3/order/testkit', {
    user_id: user,
    lab_test_id: await kitTestId(app.team),
    shipping_details: { ...shippingAddress, ...change },
  });
  return {
    status,
    problems: status === 422 ? problemsOf({ body }) : [],
    country: status === 200 ? body.order.shipping_details.country : undefined,
  };
};

describe('the country of an order', () => {
  test.each([
    ['US', 'United States'],
    ['usa', 'United States'],
    ['United States of America', 'United States'],
    ['Puerto Rico', 'Puerto Rico'],
  ])('%s is accepted and returned as %s', async (country, answered) => {
    expect(await shipTo({ country })).toMatchObject({ status: 200, country: answered });
  });

  test.each(['CA', 'Mexico', 'XX', 'Atlantis', ''])('%j is 422 at country', async (country) => {
    expect(await shipTo({ country })).toMatchObject({
      status: 422,
      problems: ['body.shipping_details.country value_error'],
    });
  });
});

test('in other addresses an unknown country is stored as it is, and only there state and zip are free', async () => {
  const put = (address: object): Promise<{ status: number; body: { address: { country: string } } }> =>
    app.api('PATCH', `/v2/user/${user}/info`, { ...person, address: { ...homeAddress, ...address } });
  const accepted = await put({ country: 'Sealand', state: 'Deck', zip: '0' });
  expect([accepted.status, accepted.body.address.country]).toEqual([200, 'Sealand']);
  for (const country of ['USA', 'united states of america', 'us']) {
    expect(problemsOf(await put({ country, state: 'Deck', zip: '0' }))).toEqual([
      'body.address.state value_error',
      'body.address.zip string_pattern_mismatch',
    ]);
  }
});

describe('text that reaches messages and labels', () => {
  const putNotes = (access_notes: string) =>
    app.api<{ address: object }>('PATCH', `/v2/user/${user}/info`, {
      ...person,
      address: { ...homeAddress, access_notes },
    });

  test.each([
    ['a line break', 'Door\ncode'],
    ['a writing direction', 'Door\u202ecode'],
    ['a zero-width space', 'Door\u200bcode'],
    ['a line separator', 'Door\u2028code'],
  ])('with %s is refused in every field', async (_what, text) => {
    for (const name of ['receiver_name', 'first_line', 'second_line', 'city']) {
      expect((await shipTo({ [name]: text })).problems).toEqual([
        `body.shipping_details.${name} string_pattern_mismatch`,
      ]);
    }
    const notes = await putNotes(text);
    if (text.includes('\n')) expect(notes.status).toBe(200);
    else expect(problemsOf(notes)).toEqual(['body.address.access_notes string_pattern_mismatch']);
  });

  test('notes have lines with uniform line ends', async () => {
    expect((await putNotes('Ring twice.\r\nDoor code 12.')).body).toMatchObject({
      address: { access_notes: 'Ring twice.\nDoor code 12.' },
    });
    expect(problemsOf(await putNotes('Ring\ttwice.'))).toEqual(['body.address.access_notes string_pattern_mismatch']);
  });
});

describe('a client_user_id', () => {
  test.each(['\u200b', '\u2060\u200b', '\u3164', '\u2800'])('without a visible character (%j) is 422', async (id) => {
    const response = await app.api('POST', '/v2/user', { client_user_id: id });
    expect(problemsOf(response)).toEqual(['body.client_user_id string_pattern_mismatch']);
  });

  test('is compared as it is sent: two that look alike are different', async () => {
    for (const id of ['caf\u00e9', 'cafe\u0301', 'CAF\u00c9']) {
      const response = await app.api<{ client_user_id: string }>('POST', '/v2/user', { client_user_id: id });
      expect([response.status, response.body.client_user_id]).toEqual([200, id]);
    }
  });
});

test('a time zone is accepted in any case and returned in the spelling of the IANA database', async () => {
  const { body } = await app.api<{ fallback_time_zone: { id: string } }>('POST', '/v2/user', {
    client_user_id: 'zoned',
    fallback_time_zone: 'america/los_angeles',
  });
  expect(body.fallback_time_zone.id).toBe('America/Los_Angeles');
});

test('an id is the same in upper and lower case, in paths, queries and bodies', async () => {
  expect((await app.api('GET', `/v2/user/${user.toUpperCase()}`)).status).toBe(200);
  const { order } = (
    await app.api<{ order: { user_id: string } }>('POST', '/v3/order/testkit', {
      user_id: user.toUpperCase(),
      lab_test_id: (await kitTestId(app.team)).toUpperCase(),
      shipping_details: shippingAddress,
    })
  ).body;
  expect(order.user_id).toBe(user);
  const list = await app.api<{ total: number }>('GET', `/v3/orders?user_id=${user.toUpperCase()}`);
  expect(list.body.total).toBeGreaterThan(0);
  const { org_id, id } = app.team;
  const webhooks = `/v1/org/${org_id.toUpperCase()}/team/${id.toUpperCase()}/sandbox/webhook`;
  expect((await app.api('GET', webhooks)).status).toBe(200);
});

test('a plain date starts a period with its first moment and ends it with its last, in UTC', async () => {
  const team = await app.makeTeam();
  const { id } = await orderKit(team);
  const { body } = await team.api<{ created_at: string }>('GET', `/v3/order/${id}`);
  const today = body.created_at.slice(0, 10);
  const total = async (query: string): Promise<number> =>
    (await team.api<{ total: number }>('GET', `/v3/orders?${query}`)).body.total;
  expect(await total(`start_date=${today}&end_date=${today}`)).toBe(1);
  expect(await total(`updated_start_date=${today}&updated_end_date=${today}`)).toBe(1);
  expect(await total(`end_date=${today}T00:00:00`)).toBe(0);
});

test('lists have repeated names or commas, booleans have four spellings', async () => {
  for (const query of ['status=ordered&status=cancelled', 'status=ordered,cancelled']) {
    expect((await app.api('GET', `/v3/orders?${query}`)).status).toBe(200);
  }
  for (const value of ['true', 'FALSE', '1', '0', 'True']) {
    expect((await app.api('GET', `/v3/orders?is_critical=${value}`)).status).toBe(200);
  }
  for (const value of ['yes', '2', '']) {
    expect(problemsOf(await app.api('GET', `/v3/orders?is_critical=${value}`))).toEqual([
      'query.is_critical bool_parsing',
    ]);
  }
});

test('a value of the wrong type is listed once, whatever other rules it breaks', async () => {
  const response = await app.api('PATCH', `/v2/user/${user}/info`, {
    ...person,
    gender: 7,
    dob: 7,
    phone_number: [],
    first_name: {},
    email: true,
    race: 7,
    address: 'home',
  });
  expect(problemsOf(response)).toEqual([
    'body.address dict_type',
    'body.dob string_type',
    'body.email string_type',
    'body.first_name string_type',
    'body.gender string_type',
    'body.phone_number string_type',
    'body.race string_type',
  ]);
});

test('text that is too long is one problem, and so is a list that is too long', async () => {
  const response = await app.api('PATCH', `/v2/user/${user}/info`, {
    ...person,
    first_name: '-'.repeat(51),
    email: 'x'.repeat(300),
  });
  expect(problemsOf(response)).toEqual(['body.email value_error', 'body.first_name string_too_long']);
});

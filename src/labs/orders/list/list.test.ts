import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import {
  kitTestId,
  makeUser,
  patientDetails,
  readOrder,
  register,
  shippingAddress,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { orderBy } from '../../../../test/collected-orders.ts';
import { problemsOf } from '../../../../test/people.ts';
import { varying } from '../../../db/session/prepared.ts';

type Page = { orders: OrderBody[]; total: number; page: number; size: number; code: string };

let app: TestApp;
let team: Team;
/** One order of each kind, oldest first. */
let kits: Record<'waiting' | 'shipped' | 'registered' | 'normal' | 'critical' | 'cancelled', OrderBody>;
const names = () => Object.entries(kits);

beforeAll(async () => {
  app = await startTestApp();
  team = app.team;
  const waiting = await orderFor('Ana María Ruiz');
  const shipped = await orderFor('Bo Chen');
  const registered = await orderFor('Cy Dunn');
  const normal = await orderFor('Di Egan');
  const critical = await orderFor('Ed Fox');
  const cancelled = await orderFor('Flo Gray');
  await simulate(team, shipped.id, '?final_status=collecting_sample.testkit.out_for_delivery');
  await registerAs(registered, 'Grace', 'Palmer');
  await registerAs(normal, 'Anne-Marie', "O'Neil");
  await registerAs(critical, 'Zoe', 'Adams');
  await simulate(team, normal.id);
  await simulate(team, critical.id, '', { interpretation: 'critical' });
  await team.api('POST', `/v3/order/${cancelled.id}/cancel`);
  await team.api('PATCH', `/v3/order/${waiting.id}`, { activate_by: '2099-01-01' });
  const other = await app.makeTeam('Mesa Labs');
  await orderFor('Grace Palmer', other);
  const all = { waiting, shipped, registered, normal, critical, cancelled };
  kits = Object.fromEntries(
    await Promise.all(Object.entries(all).map(async ([name, { id }]) => [name, await readOrder(team, id)])),
  ) as typeof kits;
});
afterAll(() => app.close());

async function orderFor(recipient: string, of: Team = team): Promise<OrderBody> {
  const { user_id } = await makeUser(of);
  const { body } = await of.api<{ order: OrderBody }>('POST', '/v3/order/testkit', {
    user_id,
    lab_test_id: await kitTestId(of),
    shipping_details: { ...shippingAddress, receiver_name: recipient },
  });
  return body.order;
}

async function registerAs(order: OrderBody, first_name: string, last_name: string): Promise<void> {
  await register(team, {
    sample_id: `LIST-${order.id}`,
    user_id: order.user_id,
    patient_details: { ...patientDetails, first_name, last_name },
  });
}

const list = (query: string, path = '/v3/orders') => team.api<Page>('GET', `${path}${query}`);

/** Returns the names of the orders that a query finds, in the sequence of the response. */
async function found(query: string): Promise<string> {
  const { status, body } = await list(query);
  expect([query, status, body.total]).toEqual([query, 200, body.orders?.length]);
  return body.orders.map((order) => names().find(([, kit]) => kit.id === order.id)?.[0] ?? 'unknown').join(' ');
}

const EVERY = 'cancelled critical normal registered shipped waiting';
const of = (name: keyof typeof kits): OrderBody => kits[name];
const encoded = encodeURIComponent;

describe('the list', () => {
  test("is newest first, the same at both paths, and has only the team's own orders", async () => {
    expect(await found('')).toBe(EVERY);
    const short = await list('', '/orders');
    expect(short.body).toEqual((await list('')).body);
    expect([short.body.total, short.body.page, short.body.size]).toEqual([6, 1, 50]);
  });

  test('shows only date of birth and gender of a patient, and everything else as reading an order does', async () => {
    const {
      body: { orders },
    } = await list(`?order_ids=${of('registered').id}`);
    const { health_insurace_id: _, ...whole } = of('registered');
    expect(orders).toEqual([
      {
        ...whole,
        patient_details: {
          first_name: null,
          last_name: null,
          dob: patientDetails.dob,
          gender: patientDetails.gender,
          phone_number: null,
          email: null,
          medical_proxy: null,
          race: null,
          ethnicity: null,
          sexual_orientation: null,
          gender_identity: null,
        },
      },
    ]);
  });

  test('shows all of the patient to a team with the setting full_patient_details_in_webhooks', async () => {
    const open = await app.makeTeam();
    await app.db
      .updateTable('teams')
      .set({ settings: JSON.stringify({ full_patient_details_in_webhooks: true }) })
      .where('id', '=', open.id)
      .execute();
    const order = await orderFor('Grace Palmer', open);
    await register(open, { sample_id: `OPEN-${order.id}`, user_id: order.user_id });
    const { body } = await open.api<Page>('GET', '/v3/orders');
    expect(body.orders[0]?.patient_details).toMatchObject(patientDetails);
  });

  test('has pages', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`?size=2&page=${page}`)));
    expect(pages.map(({ body }) => [body.orders.length, body.total, body.page, body.size])).toEqual([
      [2, 6, 1, 2],
      [2, 6, 2, 2],
      [2, 6, 3, 2],
      [0, 6, 4, 2],
    ]);
    expect(pages.flatMap(({ body }) => body.orders)).toEqual((await list('')).body.orders);
    expect((await list('?size=100')).status).toBe(200);
  });

  test('leaves out orders of users that are scheduled for deletion until the undo', async () => {
    await app.api('DELETE', `/v2/user/${of('shipped').user_id}`);
    expect(await found('')).toBe('cancelled critical normal registered waiting');
    expect(await found(`?user_id=${of('shipped').user_id}`)).toBe('');
    await app.api('POST', `/v2/user/undo_delete?user_id=${of('shipped').user_id}`);
    expect(await found('')).toBe(EVERY);
  });

  test('needs a key', async () => {
    for (const path of ['/orders', '/v3/orders'])
      expect((await team.api('GET', path, undefined, { key: null })).status).toBe(401);
  });
});

describe('the filter', () => {
  test.each<[string, () => string, string]>([
    ['status', () => '?status=completed', 'critical normal'],
    ['status by its older name', () => '?status=registered', 'registered'],
    ['status by its newer name', () => '?status=testkit_registered', 'registered'],
    [
      'several statuses, separated by commas and repeated',
      () => '?status=cancelled,completed&status=awaiting_registration',
      'cancelled critical normal waiting',
    ],
    ['an unknown status', () => '?status=unpacked', ''],
    ['order_type', () => '?order_type=testkit', EVERY],
    ['another order_type', () => '?order_type=walk_in_test,on_site_collection', ''],
    ['an unknown order_type', () => '?order_type=balloon', ''],
    ['is_critical', () => '?is_critical=true', 'critical'],
    ['not is_critical', () => '?is_critical=0', 'cancelled normal registered shipped waiting'],
    ['interpretation', () => '?interpretation=normal', 'normal'],
    ['interpretation null', () => '?interpretation=null', 'cancelled registered shipped waiting'],
    ['an unknown interpretation', () => '?interpretation=weird', ''],
    ['order_activation_types scheduled', () => '?order_activation_types=scheduled', 'waiting'],
    [
      'order_activation_types current',
      () => '?order_activation_types=current',
      'cancelled critical normal registered shipped',
    ],
    ['both order_activation_types', () => '?order_activation_types=current,scheduled', EVERY],
    ['an unknown activation type', () => '?order_activation_types=someday', ''],
    ['user_id', () => `?user_id=${of('critical').user_id.toUpperCase()}`, 'critical'],
    ['an unknown user_id', () => `?user_id=${randomUUID()}`, ''],
    [
      'order_ids',
      () => `?order_ids=${of('critical').id},${of('waiting').id}&order_ids=${randomUUID()}`,
      'critical waiting',
    ],
    ['order_transaction_id', () => `?order_transaction_id=${of('shipped').order_transaction.id}`, 'shipped'],
    ['an unknown order_transaction_id', () => `?order_transaction_id=${randomUUID()}`, ''],
    ['empty text, as if absent', () => '?patient_name=&shipping_recipient_name=&search_input=', EVERY],
    ['a name that is not a filter', () => '?color=red', EVERY],
    [
      'several filters together',
      () => `?status=completed&interpretation=normal&user_id=${of('normal').user_id}`,
      'normal',
    ],
    ['filters that exclude each other', () => '?status=cancelled&is_critical=true', ''],
  ])('by %s', async (_, query, expected) => {
    expect(await found(query())).toBe(expected);
  });

  test('by an empty value is refused, so that a forgotten variable does not list every order', async () => {
    const names =
      'user_id order_ids order_transaction_id status order_type order_activation_types interpretation start_date ' +
      'end_date updated_start_date updated_end_date page size is_critical order_key order_direction';
    for (const name of names.split(' ')) {
      expect([name, (await app.api('GET', `/v3/orders?${name}=`)).status]).toEqual([name, 422]);
    }
  });

  test.each<[string, string, string]>([
    ['patient_name', 'Palmer', 'registered'],
    ['patient_name', 'GRACE palmer', 'registered'],
    ['patient_name', 'palmer, grace', 'registered'],
    ['patient_name', 'Palm', ''],
    ['patient_name', 'Grace Adams', ''],
    ['patient_name', 'anne', 'normal'],
    ['patient_name', "o'neil", 'normal'],
    ['patient_name', 'Cy', ''],
    ['patient_name', '!!', ''],
    ['shipping_recipient_name', 'maria', 'waiting'],
    ['shipping_recipient_name', 'MARÍA ana', 'waiting'],
    ['shipping_recipient_name', 'Mari', ''],
    ['shipping_recipient_name', 'Grace', ''],
    ['shipping_recipient_name', 'Bo Chen', 'shipped'],
    ['search_input', 'grace', 'registered'],
    ['search_input', 'dunn', 'registered'],
    ['search_input', 'dunn palmer', 'registered'],
    ['search_input', 'dunn adams', ''],
    ['search_input', '%', ''],
    ['search_input', "x' or true --", ''],
  ])('by %s: %s', async (filter, text, expected) => {
    expect(await found(`?${filter}=${encoded(text)}`)).toBe(expected);
  });

  test('by search_input accepts whole order ids and sample ids in any case', async () => {
    const { id, sample_id } = of('critical');
    expect(await found(`?search_input=${id.toUpperCase()}`)).toBe('critical');
    expect(await found(`?search_input=${sample_id?.toLowerCase()}`)).toBe('critical');
    expect(await found(`?search_input=${sample_id?.slice(0, -1)}`)).toBe('');
  });

  test('by dates includes both ends, as an answer shows them', async () => {
    const { created_at } = of('normal') as unknown as { created_at: string };
    expect(await found(`?start_date=${created_at}`)).toBe('cancelled critical normal');
    expect(await found(`?end_date=${created_at}`)).toBe('normal registered shipped waiting');
    expect(await found(`?start_date=${created_at}&end_date=${created_at}`)).toBe('normal');
    expect(
      await found(`?start_date=${encoded(new Date(Date.parse(created_at)).toISOString().replace('Z', '+00:00'))}`),
    ).toBe('cancelled critical normal');
    expect(await found('?start_date=2090-01-01')).toBe('');
  });

  test('by the time of the last change also includes both ends', async () => {
    const { updated_at } = of('critical');
    expect(await found(`?updated_start_date=${updated_at}`)).toBe('cancelled critical waiting');
    expect(await found(`?updated_end_date=${updated_at}`)).toBe('critical normal registered shipped');
    expect(await found(`?updated_start_date=${updated_at}&updated_end_date=${updated_at}`)).toBe('critical');
  });
});

describe('search_input', () => {
  test('by search_input also accepts the id of a user and a date of birth', async () => {
    expect(await found(`?search_input=${of('critical').user_id.toUpperCase()}`)).toBe('critical');
    expect(await found(`?search_input=${patientDetails.dob}`)).toBe('critical normal registered');
    expect(await found('?search_input=1988-04-13')).toBe('');
  });

  test('finds a name with a date of birth: both must match', async () => {
    const born = patientDetails.dob;
    expect(await found(`?search_input=${encoded(`Dunn ${born}`)}`)).toBe('registered');
    expect(await found(`?search_input=${encoded(`${born} dunn palmer`)}`)).toBe('registered');
    expect(await found(`?search_input=${encoded(`Chen ${born}`)}`)).toBe('');
  });

  test('finds a sample id and the tracking numbers of a kit, however a person writes them', async () => {
    const { sample_id } = of('shipped');
    const spaced = `${sample_id?.slice(0, 4)} ${sample_id?.slice(4, 6)}-${sample_id?.slice(6)}`.toLowerCase();
    expect(await found(`?search_input=${encoded(spaced)}`)).toBe('shipped');
    const { outbound_tracking_number, inbound_tracking_number } = (await readOrder(team, of('critical').id)).details
      .data.shipment as unknown as Record<string, string>;
    for (const number of [outbound_tracking_number, inbound_tracking_number]) {
      expect(await found(`?search_input=${number}`)).toBe('critical');
      expect(await found(`?search_input=${number?.slice(0, -1)}`)).toBe('');
    }
    const other = await app.makeTeam();
    expect(
      (await other.api<{ total: number }>('GET', `/v3/orders?search_input=${outbound_tracking_number}`)).body,
    ).toMatchObject({ total: 0 });
  });

  test('finds a draw by the number that its laboratory gave to the sample', async () => {
    const drawn = await app.makeTeam();
    const id = await orderBy(drawn, 'walk_in_test');
    await simulate(drawn, id);
    const { metadata } = (await drawn.api<{ metadata: { specimen_number: string } }>('GET', `/v3/order/${id}/result`))
      .body;
    const idsBy = async (search: string): Promise<string[]> =>
      (await drawn.api<{ orders: OrderBody[] }>('GET', `/v3/orders?search_input=${search}`)).body.orders.map(
        (each) => each.id,
      );
    expect(metadata.specimen_number).not.toBe('');
    expect(await idsBy(metadata.specimen_number)).toEqual([id]);
    expect(await idsBy(metadata.specimen_number.toLowerCase())).toEqual([id]);
    expect(await idsBy(`${metadata.specimen_number}0`)).toEqual([]);
    expect((await drawn.api('GET', `/v3/order/${id}`)).body).toMatchObject({ sample_id: null });
  });
});

test('an upper bound that is a plain date includes its last instant', async () => {
  const today = (of('normal') as unknown as { created_at: string }).created_at.slice(0, 10);
  expect(await found(`?start_date=${today}&end_date=${today}`)).toBe(EVERY);
  expect(await found('?end_date=2020-01-01')).toBe('');
});

/** Returns the statements that read or count orders while `work` runs. */
async function statementsOf(work: () => Promise<unknown>): Promise<{ text: string; name?: string }[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls
      .map(([config]) => config as unknown as { text?: string; name?: string })
      .filter((statement): statement is { text: string } => /from orders|from totals/.test(statement.text ?? ''));
  } finally {
    query.mockRestore();
  }
}

test('statements depend on which filters are given and not on their values, and only a few are prepared', async () => {
  const ofWords = (words: number) =>
    statementsOf(async () => {
      const name = Array.from({ length: words }, (_, word) => `word${word}`).join('%20');
      const statuses = ['completed', ...Array.from({ length: words }, (_, n) => `s${n}`)].join(',');
      await list(`?patient_name=${name}&shipping_recipient_name=${name}&search_input=${name}`);
      for (const order_key of ['last_status', 'created_at', 'patient_name'])
        for (const order_direction of ['asc', 'desc']) {
          await list(`?status=${statuses}&order_key=${order_key}&order_direction=${order_direction}`);
          await list(`?status=completed&is_critical=true&order_key=${order_key}&order_direction=${order_direction}`);
          await list(`?user_id=${of('normal').user_id}&order_key=${order_key}&order_direction=${order_direction}`);
          await list(`?interpretation=critical&order_key=${order_key}&order_direction=${order_direction}`);
          await list(`?is_critical=true&order_key=${order_key}&order_direction=${order_direction}`);
          await list(`?interpretation=normal&order_key=${order_key}&order_direction=${order_direction}`);
          await list(`?order_key=${order_key}&order_direction=${order_direction}`);
          await list(`?order_type=testkit,s${words}&order_key=${order_key}&order_direction=${order_direction}`);
        }
    });
  const [few, many] = [await ofWords(1), await ofWords(8)];
  expect(few.length).toBeGreaterThan(40);
  expect(many.map(({ text }) => text)).toEqual(few.map(({ text }) => text));
  const names = new Set([...few, ...many].map(({ name }) => name).filter((name) => name !== undefined));
  expect(names.size).toBeGreaterThan(3);
  expect(names.size).toBeLessThanOrEqual(12);
  // If a label had statements with two different texts, PostgreSQL would not prepare its statements again.
  expect(varying().filter((label) => label.includes('orders'))).toEqual([]);
});

test('a search accepts at most eight words', async () => {
  const many = Array.from({ length: 9 }, (_, word) => `word${word}`).join('%20');
  for (const filter of ['patient_name', 'shipping_recipient_name', 'search_input']) {
    expect((await list(`?${filter}=${many}`)).status).toBe(422);
  }
});

describe('the order', () => {
  test.each([
    ['?order_key=created_at&order_direction=asc', EVERY.split(' ').toReversed().join(' ')],
    ['?order_direction=asc', EVERY.split(' ').toReversed().join(' ')],
    ['?order_key=created_at', EVERY],
    ['?order_key=patient_name&order_direction=asc', 'critical normal registered waiting shipped cancelled'],
    ['?order_key=patient_name', 'registered normal critical cancelled shipped waiting'],
    ['?order_key=last_status&order_direction=asc', 'waiting cancelled normal critical shipped registered'],
    ['?order_key=last_status&order_direction=desc', 'registered shipped critical normal cancelled waiting'],
  ])('%s', async (query, expected) => {
    expect(await found(query)).toBe(expected);
  });

  test('by patient_name accepts at most 10,000 matches', async () => {
    const crowded = await app.makeTeam();
    const { user_id } = await makeUser(crowded);
    const lab_test_id = await kitTestId(crowded);
    await sql`
      with made as (
        insert into order_transactions (user_id, id, team_id)
        select ${user_id}, gen_random_uuid(), ${crowded.id} from generate_series(1, 10001) returning id
      ) select count(*) from made`.execute(app.db);
    await sql`
      insert into orders (user_id, id, team_id, order_transaction_id, origin, lab_test_id, details_id, method,
        last_status, last_low_level_status)
      select user_id, id, team_id, id, 'initial', ${lab_test_id}, id, 'testkit', 'received.testkit.ordered', 'ordered'
        from order_transactions where team_id = ${crowded.id}`.execute(app.db);
    await sql`insert into order_events (user_id, order_id, team_id, id, status)
      select user_id, id, team_id, 1, 'received.testkit.ordered' from orders where team_id = ${crowded.id}`.execute(
      app.db,
    );
    const refused = await crowded.api<Page>('GET', '/v3/orders?order_key=patient_name');
    expect([refused.status, refused.body.code]).toEqual([400, 'too_many_matches']);
    expect((await crowded.api<Page>('GET', '/v3/orders?size=1')).body.total).toBe(10_001);
    await sql`delete from orders where id = (select id from orders where team_id = ${crowded.id} limit 1)`.execute(
      app.db,
    );
    expect((await crowded.api<Page>('GET', '/v3/orders?order_key=patient_name&size=1')).body.total).toBe(10_000);
  });
});

test('every problem of a query is listed', async () => {
  const answer = await list(
    '?page=0&size=101&user_id=me&order_ids=a&order_key=color&order_direction=up&is_critical=maybe&start_date=soon' +
      '&end_date=2026-02-30T00:00:00Z&order_transaction_id=7&updated_start_date=x&updated_end_date=x',
  );
  expect(answer.status).toBe(422);
  expect(problemsOf(answer)).toEqual([
    'query.end_date datetime_parsing',
    'query.is_critical bool_parsing',
    'query.order_direction enum',
    'query.order_ids.0 uuid_parsing',
    'query.order_key enum',
    'query.order_transaction_id uuid_parsing',
    'query.page greater_than_equal',
    'query.size less_than_equal',
    'query.start_date datetime_parsing',
    'query.updated_end_date datetime_parsing',
    'query.updated_start_date datetime_parsing',
    'query.user_id uuid_parsing',
  ]);
});

// To which order the registration of a sample id belongs.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import {
  consents,
  kitTestId,
  lowStatuses,
  makeUser,
  orderKit,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
  shippingAddress,
  simulate,
  type OrderBody,
} from '../../../test/factories.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { forTeam } from '../../tenancy/teams/team-scope.ts';
import { issueSampleIds } from './bind-sample.ts';
import { registerTestkit } from './testkit/register.ts';

type Registered = { order: OrderBody; message: string; code: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

let samples = 0;
const newSample = (): string => `SHOP-${(samples += 1)}`;
const register = (changes: object, team: Team = app.team): Promise<Answer<Registered>> =>
  team.api<Registered>('POST', '/v3/order/testkit/register', {
    patient_details: patientDetails,
    patient_address: patientAddress,
    consents,
    physician,
    ...changes,
  });
const refusal = ({ status, body }: Answer<Registered>): unknown[] => [status, body.code];

async function shippedKit(team: Team = app.team, userId?: string): Promise<OrderBody & { sample_id: string }> {
  const order = await orderKit(team, userId);
  await simulate(team, order.id);
  return (await readOrder(team, order.id)) as OrderBody & { sample_id: string };
}
const newUser = async (): Promise<string> => (await makeUser(app.team)).user_id;
const webhooksOf = (userId: string) =>
  app.db.selectFrom('events').select(['event_type', 'body']).where('user_id', '=', userId).orderBy('id').execute();

describe('an unknown sample id', () => {
  test('answers 404 without a user, and nothing is written', async () => {
    const sample_id = newSample();
    expect(refusal(await register({ sample_id }))).toEqual([404, 'sample_not_found']);
    expect(await app.db.selectFrom('sample_ids').selectAll().where('sample_id', '=', sample_id).execute()).toEqual([]);
  });

  test('belongs to the oldest waiting order of the user, then to the next, then to a new order', async () => {
    const userId = await newUser();
    await shippedKit(app.team, userId);
    const first = await orderKit(app.team, userId);
    const second = await orderKit(app.team, userId);
    const [a, b, c] = [newSample(), newSample().toLowerCase(), newSample()];
    const orders: OrderBody[] = [];
    for (const sample_id of [a, b, c]) orders.push((await register({ sample_id, user_id: userId })).body.order);
    expect(orders.slice(0, 2).map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(orders.map((order) => order.sample_id)).toEqual([a, b.toUpperCase(), c]);
    for (const order of orders)
      expect(lowStatuses(order)).toEqual([
        'ordered',
        'awaiting_registration',
        'requisition_created',
        'testkit_registered',
      ]);
    expect([first.id, second.id]).not.toContain(orders[2]?.id);
  });

  test('skips orders that were cancelled, and those of other users', async () => {
    const userId = await newUser();
    const cancelled = await orderKit(app.team, userId);
    await app.api('POST', `/v3/order/${cancelled.id}/cancel`);
    const elsewhere = await orderKit(app.team);
    const {
      body: { order },
    } = await register({ sample_id: newSample(), user_id: userId });
    expect([cancelled.id, elsewhere.id]).not.toContain(order.id);
  });

  test('starts a new order with the default kit, four events and their webhooks', async () => {
    const userId = await newUser();
    const sample_id = newSample();
    const { body } = await register({ sample_id, user_id: userId });
    expect(body.message).toBe('testkit registered');
    expect(body.order).toMatchObject({
      user_id: userId,
      sample_id,
      shipping_details: null,
      status: 'received',
      origin: 'initial',
    });
    const standard = await app.db
      .selectFrom('lab_tests')
      .select('id')
      .where('team_id', '=', app.team.id)
      .where('is_default_kit', '=', true)
      .executeTakeFirst();
    expect((body.order['lab_test'] as { id: string }).id).toBe(standard?.id);
    expect((await webhooksOf(userId)).map((event) => event.event_type)).toEqual([
      'labtest.order.created',
      'labtest.order.updated',
      'labtest.order.updated',
      'labtest.order.updated',
    ]);
    expect(await readOrder(app.team, body.order.id)).toEqual({ ...body.order, health_insurace_id: null });
  });

  test('is not found if the team has no default kit', async () => {
    const team = await app.makeTeam();
    await app.db.updateTable('lab_tests').set({ is_default_kit: false }).where('team_id', '=', team.id).execute();
    const { user_id } = await makeUser(team);
    expect(refusal(await register({ sample_id: newSample(), user_id }, team))).toEqual([400, 'lab_test_not_orderable']);
  });
});

describe('a kit that is registered already', () => {
  test('is updated if it is registered again, without an event or a webhook', async () => {
    const kit = await shippedKit();
    const {
      body: { order: first },
    } = await register({ sample_id: kit.sample_id });
    const before = await webhooksOf(kit.user_id);
    for (const user_id of [undefined, kit.user_id]) {
      const again = await register({
        sample_id: kit.sample_id,
        user_id,
        patient_details: { ...patientDetails, last_name: 'Moss' },
      });
      expect([again.status, again.body.message]).toEqual([200, 'testkit registered']);
      expect(again.body.order.patient_details?.['last_name']).toBe('Moss');
      expect(again.body.order.events).toEqual(first.events);
      expect(again.body.order.updated_at > first.updated_at).toBe(true);
    }
    expect(await webhooksOf(kit.user_id)).toEqual(before);
    const found = await app.api<{ total: number }>('GET', `/v3/orders?patient_name=moss&user_id=${kit.user_id}`);
    const former = await app.api<{ total: number }>('GET', `/v3/orders?patient_name=palmer&user_id=${kit.user_id}`);
    expect([found.body.total, former.body.total]).toEqual([1, 0]);
  });

  test('cannot be registered to another user', async () => {
    const kit = await shippedKit();
    const {
      body: { order },
    } = await register({ sample_id: kit.sample_id });
    expect(refusal(await register({ sample_id: kit.sample_id, user_id: await newUser() }))).toEqual([
      400,
      'sample_already_registered',
    ]);
    expect(await readOrder(app.team, kit.id)).toEqual({ ...order, health_insurace_id: null });
  });

  test('is refused if it belongs to another team, registered or not, for any user', async () => {
    const other = await app.makeTeam();
    const unregistered = await shippedKit(other);
    const registered = await shippedKit(other);
    await register({ sample_id: registered.sample_id }, other);
    const before = [await readOrder(other, unregistered.id), await readOrder(other, registered.id)];
    for (const sample_id of [unregistered.sample_id, registered.sample_id]) {
      for (const user_id of [undefined, await newUser()]) {
        expect(refusal(await register({ sample_id, user_id }))).toEqual([400, 'sample_already_registered']);
      }
    }
    expect([await readOrder(other, unregistered.id), await readOrder(other, registered.id)]).toEqual(before);
  });

  test.each([
    ['was cancelled', '/cancel', 'cancelled'],
    ['was lost', '/test?final_status=failed.testkit.lost', 'lost'],
    ['is completed', '/test', 'completed'],
  ])('cannot be changed if its order %s', async (_, action, last) => {
    const waiting = await orderKit(app.team);
    const sample_id = newSample();
    await register({ sample_id, user_id: waiting.user_id });
    await app.api('POST', `/v3/order/${waiting.id}${action}`);
    const before = await readOrder(app.team, waiting.id);
    expect(lowStatuses(before).at(-1)).toBe(last);
    expect(refusal(await register({ sample_id }))).toEqual([400, 'order_not_changeable']);
    expect(await readOrder(app.team, waiting.id)).toEqual(before);
  });
});

describe('an unregistered kit that another user of the team registers', () => {
  test('moves to that user with everything of its order', async () => {
    const kit = await shippedKit();
    const former = kit.user_id;
    const user_id = await newUser();
    const {
      status,
      body: { order },
    } = await register({ sample_id: kit.sample_id, user_id });
    expect(status).toBe(200);
    expect(order).toMatchObject({ id: kit.id, user_id, order_transaction: { id: kit.order_transaction.id } });
    expect(order.events.slice(0, 5)).toEqual(kit.events);
    expect(order.details.data.shipment).toEqual(kit.details.data.shipment);
    expect((await webhooksOf(user_id)).length).toBe(2);
    await simulate(app.team, kit.id);
    expect(lowStatuses(await readOrder(app.team, kit.id)).at(-1)).toBe('completed');
    const list = await app.api<{ total: number }>('GET', `/v3/orders?user_id=${former}`);
    expect(list.body.total).toBe(0);
    const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'user_id' and table_name !~ '_(default|\\d{8})$'`.execute(
      app.db,
    );
    const left: string[] = [];
    for (const { name } of tables) {
      const { rows } = await sql`select from ${sql.table(name)} where user_id = ${former} limit 1`.execute(app.db);
      if (rows.length > 0) left.push(name);
    }
    // Events from before the move still name the former user, because events never change.
    expect(left.toSorted()).toEqual(['client_user_ids', 'events']);
  });

  test('continues its simulation', async () => {
    const order = await orderKit(app.team);
    await simulate(app.team, order.id, '?delay=3600');
    const { sample_id } = await readOrder(app.team, order.id);
    const user_id = await newUser();
    await register({ sample_id, user_id });
    await sql`update graphile_worker._private_jobs set run_at = now()`.execute(app.db);
    await app.runJobs();
    expect(lowStatuses(await readOrder(app.team, order.id)).at(-1)).toBe('out_for_delivery');
  });
});

describe('what names the former user', () => {
  test('does not move with a kit that another user registers', async () => {
    const former = await newUser();
    const { body } = await app.api<{ order: OrderBody }>('POST', '/v3/order/testkit', {
      user_id: former,
      lab_test_id: await kitTestId(app.team),
      shipping_details: { ...shippingAddress, receiver_name: 'Former Holder', first_line: '7 Former Lane' },
      passthrough: 'order of Former Holder',
    });
    await simulate(app.team, body.order.id);
    const { sample_id } = await readOrder(app.team, body.order.id);
    const user_id = await newUser();
    await register({ sample_id, user_id });
    const order = await readOrder(app.team, body.order.id);
    expect([order.user_id, order['shipping_details'], order['passthrough']]).toEqual([user_id, null, null]);
    for (const filter of ['shipping_recipient_name', 'search_input']) {
      expect((await app.api<{ total: number }>('GET', `/v3/orders?${filter}=Former%20Holder`)).body.total).toBe(0);
    }
    expect(JSON.stringify(await webhooksOf(user_id))).not.toContain('Former');
  });
});

describe('a user who waits for kits of several lab tests', () => {
  test('must send lab_test_id, which selects the order', async () => {
    const user_id = await newUser();
    const kits = await app.api<{ data: { id: string }[] }>(
      'GET',
      '/v3/lab_test?collection_method=testkit&lab_test_limit=3',
    );
    const [one, two, three] = kits.body.data.map(({ id }) => id) as [string, string, string];
    const orders: string[] = [];
    for (const lab_test_id of [one, two]) {
      const { body } = await app.api<{ order: OrderBody }>('POST', '/v3/order/testkit', {
        user_id,
        lab_test_id,
        shipping_details: shippingAddress,
      });
      orders.push(body.order.id);
    }
    const sample_id = newSample();
    expect(refusal(await register({ sample_id, user_id }))).toEqual([400, 'sample_ambiguous']);
    expect((await register({ sample_id, user_id, lab_test_id: two })).body.order.id).toBe(orders[1]);
    const other = await register({ sample_id: newSample(), user_id, lab_test_id: three });
    expect(orders).not.toContain(other.body.order.id);
    expect(other.body.order['lab_test']).toMatchObject({ id: three });
    expect((await register({ sample_id: newSample(), user_id })).body.order.id).toBe(orders[0]);
  });
});

describe('a registration that is repeated', () => {
  test('keeps the physician and the consents that it leaves out, and null clears the physician', async () => {
    const { sample_id } = await shippedKit();
    await register({ sample_id });
    const again = await register({ sample_id, physician: undefined });
    expect(again.body.order['physician']).toMatchObject({ npi: physician.npi });
    expect((await register({ sample_id, physician: null })).body.order['physician']).toBeNull();
  });
});

describe('ids that laboratories issue', () => {
  test('cannot be registered before they are issued, as those of the simulated one show', async () => {
    const user_id = await newUser();
    const refused = await register({ sample_id: 'SIM0123456789AB', user_id });
    expect(refusal(refused)).toEqual([404, 'sample_not_found']);
    // The request already names the user, so the error text must not ask for a user_id.
    expect(JSON.stringify(refused.body)).toContain('No kit with this sample_id was issued to this team. Check the id.');
    expect(JSON.stringify(await register({ sample_id: 'UNKNOWN-7' }).then(({ body }) => body))).toContain('in user_id');
    expect((await app.api<{ total: number }>('GET', `/v3/orders?user_id=${user_id}`)).body.total).toBe(0);
  });

  test('are in production the only ones that the team to which they were issued can register', async () => {
    const team = { id: app.team.id, org_id: app.team.org_id, settings: {} };
    const production = { ...forTeam(app.ctx, team), config: { ...app.ctx.config, environment: 'production' as const } };
    const other = await app.makeTeam();
    const theirs = forTeam(app.ctx, { id: other.id, org_id: other.org_id, settings: {} });
    await issueSampleIds(forTeam(app.ctx, team), ['issued-1']);
    await issueSampleIds(theirs, ['ISSUED-2']);
    const waiting = await orderKit(app.team);
    const attempt = (sample_id: string) =>
      registerTestkit(production, bodyOf({ sample_id, user_id: waiting.user_id })).then(
        ({ row }) => [row.id, row.sample_id],
        (error: { code: string }) => error.code,
      );
    expect(await attempt('NEVER-1')).toBe('sample_not_found');
    expect(await attempt('ISSUED-2')).toBe('sample_already_registered');
    expect(await attempt('issued-1')).toEqual([waiting.id, 'ISSUED-1']);
    expect(await attempt('NEVER-1')).toBe('sample_not_found');
  });
});

/** Returns a registration in the form in which the service function gets it after the validation. */
const bodyOf = (changes: { sample_id: string; user_id: string }) => ({
  patient_details: {
    ...patientDetails,
    gender: 'female' as const,
    medical_proxy: null,
    race: null,
    ethnicity: null,
    sexual_orientation: null,
    gender_identity: null,
  },
  patient_address: { ...patientAddress, access_notes: null, phone_number: null },
  physician,
  ...changes,
});

describe('two registrations at the same moment', () => {
  /** Sends `second` while `first` has run but is not committed. `second` must wait. */
  async function duringRegistration(
    first: { sample_id: string; user_id: string },
    second: object,
  ): Promise<[OrderBody['id'], Answer<Registered>]> {
    const { id, answer } = await app.db.transaction().execute(async (db) => {
      const team = { id: app.team.id, org_id: app.team.org_id, settings: {} };
      const { row } = await registerTestkit({ ...app.ctx, db, team }, bodyOf(first));
      const answer = register(second);
      await untilBlocked(app.db);
      return { id: row.id, answer };
    });
    return [id, await answer];
  }

  test('of one kit by two users: exactly one succeeds', async () => {
    const kit = await shippedKit();
    const [winner, loser] = [await newUser(), await newUser()];
    const [id, answer] = await duringRegistration(
      { sample_id: kit.sample_id, user_id: winner },
      { sample_id: kit.sample_id, user_id: loser },
    );
    expect(refusal(answer)).toEqual([400, 'sample_already_registered']);
    const order = await readOrder(app.team, kit.id);
    expect([id, order.user_id, order.events.length]).toEqual([kit.id, winner, 7]);
  });

  test('that are the same become one order and one registration, also for an unknown sample', async () => {
    const kit = await shippedKit();
    for (const same of [
      { sample_id: kit.sample_id, user_id: kit.user_id },
      { sample_id: newSample(), user_id: await newUser() },
    ]) {
      const [id, answer] = await duringRegistration(same, same);
      expect([
        answer.status,
        answer.body.order.id,
        lowStatuses(answer.body.order).filter((status) => status === 'testkit_registered'),
      ]).toEqual([200, id, ['testkit_registered']]);
      expect((await app.api<{ total: number }>('GET', `/v3/orders?user_id=${same.user_id}`)).body.total).toBe(1);
    }
  });

  test('of two kits of one user use two waiting orders', async () => {
    const user_id = await newUser();
    const waiting = [await orderKit(app.team, user_id), await orderKit(app.team, user_id)];
    const [id, answer] = await duringRegistration(
      { sample_id: newSample(), user_id },
      { sample_id: newSample(), user_id },
    );
    expect([id, answer.body.order.id]).toEqual(waiting.map((order) => order.id));
  });

  test('of two kits of a user with one waiting order become two orders', async () => {
    const user_id = await newUser();
    const waiting = await orderKit(app.team, user_id);
    const [id, answer] = await duringRegistration(
      { sample_id: newSample(), user_id },
      { sample_id: newSample(), user_id },
    );
    expect([id, answer.status]).toEqual([waiting.id, 200]);
    expect(answer.body.order.id).not.toBe(waiting.id);
  });

  test('wait for a waiting order that somebody else has locked, and do not skip it', async () => {
    const waiting = await orderKit(app.team);
    const { answer } = await app.db.transaction().execute(async (db) => {
      await db.selectFrom('orders').select('id').where('id', '=', waiting.id).forUpdate().execute();
      const answer = register({ sample_id: newSample(), user_id: waiting.user_id });
      await untilBlocked(app.db);
      return { answer };
    });
    expect((await answer).body.order.id).toBe(waiting.id);
  });
});

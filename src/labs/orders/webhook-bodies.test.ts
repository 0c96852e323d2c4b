import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import {
  createOrder,
  makeUser,
  orderKit,
  patientAddress,
  patientDetails,
  readOrder,
  register,
  registeredKit,
  simulate,
  subscribe,
  type OrderBody,
} from '../../../test/factories.ts';
import { startEndpoint, type Endpoint, type Received } from '../../../test/endpoint.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function listen(
  settings: object = {},
): Promise<{ team: Team; endpoint: Endpoint; orders: () => Promise<Received[]> }> {
  const team = await app.makeTeam();
  await app.db
    .updateTable('teams')
    .set({ settings: JSON.stringify(settings) })
    .where('id', '=', team.id)
    .execute();
  const endpoint = await startEndpoint();
  await subscribe(team, endpoint);
  return {
    team,
    endpoint,
    /** Returns the events about orders that the endpoint received, in the sequence in which they happened. */
    orders: async () => {
      await app.deliver();
      await endpoint.close();
      return endpoint.received
        .filter(({ body }) => body.event_type.startsWith('labtest.order.'))
        .toSorted((a, b) => (a.body.data['events'] as []).length - (b.body.data['events'] as []).length);
    },
  };
}

const MINIMUM = {
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
};

describe('the webhooks of an order', () => {
  test('name the team and the user in the envelope, and nothing else', async () => {
    const { team, orders } = await listen();
    const { user_id, client_user_id } = await makeUser(team);
    await orderKit(team, user_id);
    for (const { body, headers, id } of await orders()) {
      expect(Object.keys(body)).toEqual(['event_type', 'data', 'team_id', 'user_id', 'client_user_id']);
      expect(body).toMatchObject({ team_id: team.id, user_id, client_user_id });
      expect(headers['content-type']).toBe('application/json');
      expect([headers['svix-id'], headers['svix-signature']]).toEqual([id, headers['webhook-signature']]);
    }
  });

  test('have the whole order in its longer form, as reading it right after that status answered', async () => {
    const { team, orders } = await listen();
    const order = await orderKit(team);
    const readings = [await readOrder(team, order.id)];
    const step = async (finalStatus: string): Promise<void> => {
      await simulate(team, order.id, `?final_status=${finalStatus}`);
      readings.push(await readOrder(team, order.id));
    };
    await step('collecting_sample.testkit.transit_customer');
    await step('collecting_sample.testkit.out_for_delivery');
    await register(team, { sample_id: readings[1]?.sample_id });
    readings.push(await readOrder(team, order.id));
    for (const status of [
      'collecting_sample.testkit.with_customer',
      'collecting_sample.testkit.transit_lab',
      'sample_with_lab.testkit.delivered_to_lab',
      'completed.testkit.completed',
      'completed.testkit.corrected',
    ])
      await step(status);
    const bodies = (await orders()).map(({ body }) => body.data as unknown as OrderBody);
    expect(bodies.map((body) => body.events.length)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for (const reading of readings) {
      const body = bodies[reading.events.length - 1];
      // A link belongs to the key that requested it. The link of a webhook belongs to no key.
      const requisition_form_url = reading.requisition_form_url && expect.stringContaining('/documents/requisition/');
      const patient_details = reading.patient_details && MINIMUM;
      expect(body).toEqual({ ...reading, patient_details, requisition_form_url });
      expect(body).toHaveProperty('health_insurace_id', null);
    }
  });

  test('of several statuses at once each end with their own status', async () => {
    const { team, orders } = await listen();
    const { user_id } = await makeUser(team);
    await register(team, { sample_id: 'UNKNOWN-1', user_id });
    const events = await orders();
    expect(events.map(({ body }) => body.event_type)).toEqual([
      'labtest.order.created',
      ...Array(3).fill('labtest.order.updated'),
    ]);
    const bodies = events.map(
      ({ body }) => body.data as unknown as OrderBody & { order_transaction: { orders: Record<string, unknown>[] } },
    );
    const last = bodies[3] as OrderBody;
    bodies.forEach((body, index) => {
      const event = last.events[index] as OrderBody['events'][number];
      expect(body.events).toEqual(last.events.slice(0, index + 1));
      expect([body.last_event, body.status, body.updated_at]).toEqual([event, 'received', event.created_at]);
      expect(body.order_transaction).toMatchObject({
        status: 'active',
        orders: [
          {
            low_level_status: event.status.split('.')[2],
            low_level_status_created_at: event.created_at,
            updated_at: event.created_at,
          },
        ],
      });
    });
  });

  test('rise in updated_at from each to the next', async () => {
    const { team, orders } = await listen();
    const order = await registeredKit(team);
    await register(team, { sample_id: order.sample_id, patient_details: { ...patientDetails, last_name: 'Moss' } });
    await simulate(team, order.id, '?final_status=completed.testkit.corrected');
    const times = (await orders()).map(({ body }) => body.data['updated_at'] as string);
    expect(times.length).toBe(11);
    expect(times).toEqual([...new Set(times)].toSorted());
  });

  test('show all of the patient to a team with the setting full_patient_details_in_webhooks', async () => {
    const { team, orders } = await listen({ full_patient_details_in_webhooks: true });
    await registeredKit(team);
    const last = (await orders()).at(-1);
    expect(last?.body.data['patient_details']).toMatchObject(patientDetails);
  });

  test('have access notes only for a team with that setting, as lists do', async () => {
    const access_notes = 'The key is under the mat';
    for (const full_patient_details_in_webhooks of [false, true]) {
      const { team, orders } = await listen({ full_patient_details_in_webhooks });
      const { body } = await createOrder(team, { patient_address: { ...patientAddress, access_notes } });
      const address = { ...(body.order['patient_address'] as object), access_notes };
      expect(await readOrder(team, body.order.id)).toMatchObject({ patient_address: address });
      const expected = full_patient_details_in_webhooks ? address : { ...address, access_notes: null };
      const { body: page } = await team.api<{ orders: OrderBody[] }>('GET', '/v3/orders');
      const shown = [...page.orders, ...(await orders()).map(({ body: event }) => event.data)];
      expect(shown.map(({ patient_address }) => patient_address)).toEqual([expected, expected, expected]);
    }
  });

  test('do not name the patient for a team without it', async () => {
    const { team, orders } = await listen();
    const order = await orderKit(team);
    await register(team, {
      sample_id: 'QUIET-1',
      user_id: order.user_id,
      patient_details: {
        ...patientDetails,
        first_name: 'Winifred',
        last_name: 'Quill',
        email: 'winifred@example.com',
        phone_number: '+16025550199',
      },
    });
    await simulate(team, order.id, '', { interpretation: 'critical' });
    const bodies = (await orders()).map(({ raw }) => raw);
    expect(bodies.length).toBe(10);
    expect(bodies.join()).not.toMatch(/Winifred|Quill|winifred|6025550199/);
  });

  test('are not sent for a refused or repeated action', async () => {
    const { team, orders } = await listen();
    const order = await orderKit(team);
    await simulate(team, order.id, '?final_status=completed.testkit.completed');
    await team.api('POST', `/v3/order/${order.id}/cancel`);
    await team.api('POST', `/v3/order/${order.id}/cancel`);
    await team.api('PATCH', `/v3/order/${order.id}`, { activate_by: null });
    expect((await orders()).map(({ body }) => (body.data['last_event'] as { status: string }).status)).toEqual([
      'received.testkit.ordered',
      'received.testkit.awaiting_registration',
      'cancelled.testkit.cancelled',
    ]);
  });

  test('go only to their own team', async () => {
    const mine = await listen();
    const theirs = await listen();
    await orderKit(mine.team);
    expect((await mine.orders()).length).toBe(2);
    expect((await theirs.orders()).length).toBe(0);
  });
});

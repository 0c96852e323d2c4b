import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../../test/test-app.ts';
import {
  consents,
  lowStatuses,
  makeUser,
  orderKit,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { publishedTo } from '../../../../test/publish-event.ts';
import { guarantor, problemsOf } from '../../../../test/people.ts';
import { forTeam } from '../../../tenancy/teams/team-scope.ts';
import { loadOrder } from '../load-order.ts';

type Registered = { order: OrderBody; status: string; message: string; code: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

let samples = 0;
const newSample = (): string => `KIT-${(samples += 1)}`;
const complete = { patient_details: patientDetails, patient_address: patientAddress, consents, physician };

const register = (
  changes: object,
  team = app.team,
  options: { key?: null; headers?: Record<string, string> } = {},
): Promise<Answer<Registered>> =>
  team.api<Registered>('POST', '/v3/order/testkit/register', { ...complete, ...changes }, options);
const withPatient = (changes: object): Promise<Answer<Registered>> =>
  register({ sample_id: newSample(), patient_details: { ...patientDetails, ...changes } });

/** Orders a kit and ships it. Returns the order with the sample id of the kit. */
async function shippedKit(team: Team = app.team): Promise<OrderBody & { sample_id: string }> {
  const order = await orderKit(team);
  await simulate(team, order.id, '?final_status=collecting_sample.testkit.transit_customer');
  return (await readOrder(team, order.id)) as OrderBody & { sample_id: string };
}

const eventsFor = async (orderId: string) =>
  (await publishedTo(app, app.team)).filter(
    ({ event_type, body }) => event_type.startsWith('labtest.order.') && body.includes(orderId),
  );
const stored = async (orderId: string) => {
  const team = { id: app.team.id, org_id: app.team.org_id, settings: {} };
  return (await loadOrder(forTeam(app.ctx, team), orderId)).row;
};

describe('registering a kit', () => {
  test('answers the order with its patient and with events up to testkit_registered', async () => {
    const kit = await shippedKit();
    const { status, body } = await register({ sample_id: kit.sample_id });
    expect([status, body.status, body.message]).toEqual([200, 'success', 'testkit registered']);
    expect(lowStatuses(body.order)).toEqual([
      'ordered',
      'awaiting_registration',
      'transit_customer',
      'requisition_created',
      'testkit_registered',
    ]);
    expect(body.order.events.map((event) => event.id)).toEqual([1, 2, 3, 4, 5]);
    expect(body.order.last_event).toEqual({
      id: 5,
      status: 'received.testkit.testkit_registered',
      status_detail: null,
      created_at: body.order.updated_at,
    });
    expect(body.order).toMatchObject({
      id: kit.id,
      sample_id: kit.sample_id,
      status: 'received',
      physician,
      patient_details: {
        ...patientDetails,
        medical_proxy: null,
        race: null,
        ethnicity: null,
        sexual_orientation: null,
        gender_identity: null,
      },
      patient_address: {
        ...patientAddress,
        country: 'United States',
        second_line: '',
        access_notes: null,
        phone_number: null,
      },
    });
    expect(body.order.details.data.shipment).toMatchObject({ outbound_courier: 'usps', inbound_tracking_number: null });
    expect(await readOrder(app.team, kit.id)).toEqual({ ...body.order, health_insurace_id: null });
  });

  test.each([
    ['lower', (id: string) => id.toLowerCase()],
    ['upper', (id: string) => id.toUpperCase()],
  ])('accepts the sample id in %s case', async (_, change) => {
    const kit = await shippedKit();
    const { body } = await register({ sample_id: change(kit.sample_id) });
    expect([body.order.id, body.order.sample_id]).toEqual([kit.id, kit.sample_id]);
  });

  test('with its user, in any spelling of the id, gives the same order as without', async () => {
    const kit = await shippedKit();
    expect((await register({ sample_id: kit.sample_id, user_id: kit.user_id.toUpperCase() })).body.order.user_id).toBe(
      kit.user_id,
    );
    expect((await register({ sample_id: kit.sample_id, user_id: kit.user_id.toUpperCase() })).status).toBe(200);
  });

  test('every optional value of a patient and an address is stored', async () => {
    const optional = {
      medical_proxy: guarantor,
      race: 'asian',
      ethnicity: 'non_hispanic',
      sexual_orientation: 'other',
      gender_identity: 'female',
    };
    const { body } = await register({
      sample_id: (await shippedKit()).sample_id,
      patient_details: { ...patientDetails, ...optional, household_income: 50_000, household_size: 2 },
      patient_address: {
        ...patientAddress,
        second_line: 'Unit 4',
        access_notes: 'x'.repeat(1000),
        phone_number: '602 555 0123',
      },
    });
    expect(body.order.patient_details).toMatchObject({
      ...optional,
      medical_proxy: { ...guarantor, address: expect.any(Object) },
    });
    expect(body.order['patient_address']).toMatchObject({
      second_line: 'Unit 4',
      access_notes: 'x'.repeat(1000),
      phone_number: '+16025550123',
    });
  });

  test('before the kit is sent, the kit is sent afterwards and keeps its sample id', async () => {
    const order = await orderKit(app.team);
    const sample_id = newSample();
    await register({ sample_id, user_id: order.user_id });
    await simulate(app.team, order.id);
    const done = await readOrder(app.team, order.id);
    expect(lowStatuses(done)).toEqual([
      'ordered',
      'awaiting_registration',
      'requisition_created',
      'testkit_registered',
      'transit_customer',
      'out_for_delivery',
      'with_customer',
      'transit_lab',
      'delivered_to_lab',
      'completed',
    ]);
    expect([done.sample_id, done.status]).toEqual([sample_id, 'completed']);
  });

  test('while the kit is on its way to the user, the order continues where it was', async () => {
    const kit = await shippedKit();
    const { body } = await register({ sample_id: kit.sample_id });
    expect([body.order.status, body.order.last_event.status]).toEqual([
      'received',
      'received.testkit.testkit_registered',
    ]);
    await simulate(app.team, kit.id, '?final_status=collecting_sample.testkit.out_for_delivery');
    const further = await readOrder(app.team, kit.id);
    expect([further.status, further.last_event.status, further.events.length]).toEqual([
      'collecting_sample',
      'collecting_sample.testkit.out_for_delivery',
      6,
    ]);
  });
});

describe('consents', () => {
  const needed = consents.map((consent) => consent.consentType);

  test('are needed without a physician', async () => {
    for (const [without, missing] of [
      [{ consents: undefined }, needed],
      [{ consents: [] }, needed],
      [{ consents: consents.slice(1) }, needed.slice(0, 1)],
    ] as const) {
      const answer = await register({ sample_id: newSample(), physician: undefined, ...without });
      const { detail } = answer.body as unknown as { detail: { loc: string[]; msg: string; type: string }[] };
      expect([answer.status, detail.map(({ loc, type }) => [loc, type])]).toEqual([
        422,
        [[['body', 'consents'], 'missing']],
      ]);
      for (const type of needed)
        expect(detail[0]?.msg.includes(type)).toBe((missing as readonly string[]).includes(type));
    }
    expect((await register({ sample_id: (await shippedKit()).sample_id, physician: null })).status).toBe(200);
  });

  test('are not needed with one', async () => {
    expect((await register({ sample_id: (await shippedKit()).sample_id, consents: undefined })).status).toBe(200);
  });

  test('are stored unchanged, with version and time', async () => {
    const given = [
      ...consents.map((consent) => ({ ...consent, version: '2.1', timeOfConsent: '2026-01-05T09:30:00-07:00' })),
      { consentType: 'hipaa-authorization' },
    ];
    const { body } = await register({ sample_id: (await shippedKit()).sample_id, physician: null, consents: given });
    expect((await stored(body.order.id)).consents).toEqual([
      ...given.slice(0, 3),
      { consentType: 'hipaa-authorization', version: '1.0', timeOfConsent: expect.stringMatching(/^\d{4}-.*Z$/) },
    ]);
  });
});

describe('a bad registration', () => {
  test.each(['sample_id', 'patient_details', 'patient_address'])('needs %s', async (name) => {
    const answer = await register({ sample_id: newSample(), [name]: undefined });
    expect([answer.status, problemsOf(answer)]).toEqual([422, [`body.${name} missing`]]);
  });

  test.each(Object.keys(patientDetails))('needs patient_details.%s', async (name) => {
    expect(problemsOf(await withPatient({ [name]: undefined }))).toEqual([`body.patient_details.${name} missing`]);
  });

  test.each(['first_line', 'city', 'state', 'zip', 'country'])('needs patient_address.%s', async (name) => {
    const answer = await register({
      sample_id: newSample(),
      patient_address: { ...patientAddress, [name]: undefined },
    });
    expect(problemsOf(answer)).toEqual([`body.patient_address.${name} missing`]);
  });

  test.each(['first_name', 'last_name', 'npi'])('needs %s of a physician', async (name) => {
    const answer = await register({ sample_id: newSample(), physician: { ...physician, [name]: undefined } });
    expect(problemsOf(answer)).toEqual([`body.physician.${name} missing`]);
  });

  test.each(['1234567890', '123456789', '12345678933', 'abcdefghij'])('refuses the NPI %s', async (npi) => {
    const answer = await register({ sample_id: newSample(), physician: { ...physician, npi } });
    expect([answer.status, problemsOf(answer)]).toEqual([422, ['body.physician.npi value_error']]);
  });

  test.each(['Anne\nX', 'Anne\rX', 'Anne\tX', ' ', 'Zoë', '-Anne', 'Anne  X', 'Anne|X', 'Anne^X'])(
    'refuses the name %j',
    async (name) => {
      const answer = await withPatient({ first_name: name, last_name: name });
      expect([
        answer.status,
        (answer.body as unknown as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.at(-1)),
      ]).toEqual([422, expect.arrayContaining(['first_name', 'last_name'])]);
    },
  );

  test('lists all of its problems at once, repeats nothing about the patient, and writes nothing', async () => {
    const kit = await shippedKit();
    const answer = await register({
      sample_id: 'no spaces',
      user_id: 'me',
      consents: [{ consentType: 'marriage' }],
      patient_details: {
        first_name: '',
        last_name: 'x'.repeat(51),
        dob: '2026-02-30',
        gender: 'Female',
        phone_number: '12',
        email: 'grace',
      },
      patient_address: { ...patientAddress, state: 'Arizona', zip: '850', access_notes: 'x'.repeat(1001) },
      physician: { first_name: 'A\nB', last_name: 'Ruiz', npi: '1' },
    });
    expect(problemsOf(answer)).toEqual([
      'body.consents.0.consentType enum',
      'body.patient_address.access_notes string_too_long',
      'body.patient_address.state value_error',
      'body.patient_address.zip string_pattern_mismatch',
      'body.patient_details.dob date_parsing',
      'body.patient_details.email value_error',
      'body.patient_details.first_name string_too_short',
      'body.patient_details.gender enum',
      'body.patient_details.last_name string_too_long',
      'body.patient_details.phone_number value_error',
      'body.physician.first_name string_pattern_mismatch',
      'body.physician.npi value_error',
      'body.sample_id string_pattern_mismatch',
      'body.user_id uuid_parsing',
    ]);
    expect(JSON.stringify(answer.body)).not.toMatch(/xxxxx|2026-02-30|Arizona/);
    expect(await readOrder(app.team, kit.id)).toEqual(kit);
  });

  test.each([
    ['the future', new Date(Date.now() + 3 * 86_400_000)],
    ['131 years ago', new Date(Date.now() - 131 * 366 * 86_400_000)],
  ])('refuses a date of birth in %s', async (_, date) => {
    expect(problemsOf(await withPatient({ dob: date.toISOString().slice(0, 10), medical_proxy: guarantor }))).toEqual([
      'body.patient_details.dob date_parsing',
    ]);
  });

  test('without a key answers 401', async () => {
    expect((await register({ sample_id: newSample() }, app.team, { key: null })).status).toBe(401);
  });
});

describe('a patient under 18', () => {
  const dob = `${new Date().getUTCFullYear() - 10}-01-01`;
  const child = { ...patientDetails, dob, medical_proxy: guarantor };

  test('needs a medical_proxy', async () => {
    const answer = await withPatient({ dob });
    expect([answer.status, problemsOf(answer)]).toEqual([422, ['body.patient_details.medical_proxy missing']]);
  });

  test('is refused unless the team has the setting, and nothing is written', async () => {
    const kit = await shippedKit();
    const answer = await register({ sample_id: kit.sample_id, patient_details: child });
    expect([answer.status, answer.body.code]).toEqual([400, 'minor_ordering_disabled']);
    expect(await readOrder(app.team, kit.id)).toEqual(kit);
    const waiting = await orderKit(app.team);
    expect(
      (await register({ sample_id: newSample(), user_id: waiting.user_id, patient_details: child })).body.code,
    ).toBe('minor_ordering_disabled');
    expect(await readOrder(app.team, waiting.id)).toMatchObject({ sample_id: null, events: waiting.events });
  });

  test('is accepted if the team has the setting', async () => {
    const team = await app.makeTeam();
    await app.db
      .updateTable('teams')
      .set({ settings: JSON.stringify({ minor_ordering_enabled: true }) })
      .where('id', '=', team.id)
      .execute();
    const kit = await shippedKit(team);
    const { status, body } = await register({ sample_id: kit.sample_id, patient_details: child }, team);
    expect([status, body.order.patient_details?.['dob']]).toEqual([200, dob]);
  });

  test('is refused only after an unknown sample or user', async () => {
    const unknown = await register({ sample_id: newSample(), patient_details: child });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'sample_not_found']);
    const nobody = await register({ sample_id: newSample(), user_id: randomUUID(), patient_details: child });
    expect([nobody.status, nobody.body.code]).toEqual([404, 'not_found']);
  });
});

test('the same idempotency key registers once and answers the same', async () => {
  const kit = await shippedKit();
  const headers = { 'x-idempotency-key': randomUUID() };
  const first = await register({ sample_id: kit.sample_id }, app.team, { headers });
  const second = await register({ sample_id: kit.sample_id }, app.team, { headers });
  expect([second.status, second.body]).toEqual([200, first.body]);
  expect((await eventsFor(kit.id)).length).toBe(5);
});

test('an unknown user answers 404, and the kit stays as it was', async () => {
  const kit = await shippedKit();
  const theirs = (await makeUser(await app.makeTeam())).user_id;
  for (const user_id of [randomUUID(), theirs]) {
    const answer = await register({ sample_id: kit.sample_id, user_id });
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  }
  expect(await readOrder(app.team, kit.id)).toEqual(kit);
});

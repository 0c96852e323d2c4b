import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import {
  createOrder,
  labTestId,
  makeUser,
  patientAddress,
  patientDetails,
  type OrderBody,
} from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { guarantor, homeAddress, person, problemsOf, type Refusal } from '../../../../test/people.ts';
import { addLabAccount, type NewLabAccount } from '../../catalogue/lab-accounts/add.ts';
import { setLabAccountStatus } from '../../catalogue/lab-accounts/set-status.ts';

let app: TestApp;
let team: Team;
let walkIn: string;
let kit: string;
beforeAll(async () => {
  app = await startTestApp();
  team = app.team;
  [walkIn, kit] = [await labTestId(team, 'walk_in_test'), await labTestId(team, 'testkit')];
});
afterAll(() => app.close());

/** Runs SQL as the operator of the deployment, who owns the catalogue. */
const asOwner = (text: string): Promise<unknown> => query(app.databaseUrl, text);
const codeOf = async (changes: Record<string, unknown>): Promise<unknown[]> => {
  const { status, body } = await createOrder(team, changes);
  return [status, body.code];
};
const NOBODY = '0197a1b2-0000-7000-8000-000000000000';

let numbers = 0;
const addAccount = (changes: Partial<NewLabAccount> = {}): Promise<string> =>
  addLabAccount(app.ctx, {
    org_id: team.org_id,
    lab: 'simulated-reference-lab',
    status: 'active',
    delegated_flow: 'not_delegated',
    provider_account_id: `ORD-${++numbers}`,
    account_name: null,
    default_clinical_notes: 'Notes of the account.',
    business_units: null,
    allowed_billing: { client_bill: ['AZ'] },
    team_id_allowlist: [],
    ...changes,
  });

describe('an order set', () => {
  const inOne = { collection_method: 'walk_in_test' };

  test.each<[string, Record<string, unknown>, number, string]>([
    ['of nothing', { order_set: {} }, 400, 'no_markers'],
    ['of an empty list', { order_set: { lab_test_ids: [], add_on: { marker_ids: [] } } }, 400, 'no_markers'],
    ['with an unknown lab test', { order_set: { lab_test_ids: [NOBODY] } }, 404, 'not_found'],
    ['with an unknown marker', { ...inOne, order_set: { add_on: { marker_ids: [999_999] } } }, 404, 'not_found'],
    ['with an unknown order code', { ...inOne, order_set: { add_on: { provider_ids: ['NONE'] } } }, 404, 'not_found'],
    [
      'of two laboratories',
      { ...inOne, order_set: { add_on: { marker_ids: [2015, 1015] } } },
      400,
      'mixed_laboratories',
    ],
    [
      'with a marker that can only be ordered within lab tests',
      { collection_method: 'testkit', order_set: { add_on: { marker_ids: [1015] } } },
      400,
      'marker_not_orderable',
    ],
    [
      'of markers without a collection method',
      { order_set: { add_on: { marker_ids: [2015] } } },
      400,
      'collection_method_required',
    ],
    [
      'by a method that the laboratory does not offer',
      { collection_method: 'testkit', order_set: { add_on: { marker_ids: [2015] } } },
      400,
      'collection_method_not_offered',
    ],
    ['under an unknown account', { lab_account_id: NOBODY }, 404, 'not_found'],
    ['of an unknown user', { user_id: NOBODY }, 404, 'not_found'],
  ])('%s is refused', async (_, changes, status, code) => {
    expect(await codeOf(changes)).toEqual([status, code]);
  });

  test('of lab tests of two laboratories or two collection methods is refused', async () => {
    const onSite = await labTestId(team, 'on_site_collection');
    expect(await codeOf({ order_set: { lab_test_ids: [walkIn, kit] } })).toEqual([400, 'mixed_laboratories']);
    expect(await codeOf({ order_set: { lab_test_ids: [walkIn, onSite] } })).toEqual([400, 'mixed_collection_methods']);
    expect(await codeOf({ collection_method: 'on_site_collection' })).toEqual([400, 'mixed_collection_methods']);
  });

  test('may name a marker that its lab test contains, and the marker is reported once', async () => {
    const { body } = await createOrder(team, {
      collection_method: 'on_site_collection',
      order_set: { add_on: { marker_ids: [2006, 2103, 2006], provider_ids: ['REF-2093', 'REF-2085'] } },
    });
    const { markers } = body.order['lab_test'] as { markers: { id: number }[] };
    expect(markers.map(({ id }) => id)).toEqual([2006, 2103, 2010]);
    await team.api('POST', `/v3/order/${body.order.id}/test`);
    const { body: answer } = await team.api<{ results: { slug: string; loinc: string }[] }>(
      'GET',
      `/v3/order/${body.order.id}/result`,
    );
    const slugs = answer.results.map(({ slug }) => slug);
    expect(slugs.toSorted()).toEqual([
      'cholesterol-hdl-ratio',
      'hdl-cholesterol',
      'ldl-cholesterol-calculated',
      'total-cholesterol',
      'triglycerides',
    ]);
    expect(new Set(answer.results.map(({ loinc }) => loinc)).size).toBe(5);
  });

  test('is previewed as it would be ordered, and refused with the same codes', async () => {
    const onSite = await labTestId(team, 'on_site_collection');
    const ask = (order_set: object) =>
      team.api<{ code: string; markers: { id: number }[] }>('POST', '/v3/lab_tests/list_order_set_markers', order_set);
    const good = { lab_test_ids: [walkIn], add_on: { marker_ids: [2024, 2023], provider_ids: ['REF-2132'] } };
    const { body } = await createOrder(team, { order_set: good });
    const { markers } = body.order['lab_test'] as { markers: { id: number }[] };
    expect((await ask(good)).body.markers.map(({ id }) => id)).toEqual(markers.map(({ id }) => id));
    const sets = [
      {},
      { lab_test_ids: [NOBODY] },
      { lab_test_ids: [walkIn, kit] },
      { lab_test_ids: [walkIn, onSite] },
      { lab_test_ids: [walkIn], add_on: { marker_ids: [1001] } },
      { add_on: { marker_ids: [1015] } },
      { add_on: { provider_ids: ['NONE'] } },
      { lab_test_ids: [walkIn], lab_account_id: NOBODY },
      { lab_test_ids: [kit], lab_account_id: await addAccount() },
      { lab_test_ids: [walkIn], lab_account_id: await addAccount({ status: 'suspended' }) },
    ];
    const codes: string[] = [];
    for (const set of sets) {
      const [answer, ordered] = [await ask(set), await codeOf({ order_set: set })];
      expect([answer.status, answer.body.code]).toEqual(ordered);
      codes.push(answer.body.code);
    }
    expect(codes).toEqual([
      'no_markers',
      'not_found',
      'mixed_laboratories',
      'mixed_collection_methods',
      'mixed_laboratories',
      'marker_not_orderable',
      'not_found',
      'not_found',
      'lab_account_of_other_lab',
      'lab_account_not_active',
    ]);
  });

  test('with an inactive lab test, or one without markers, is refused', async () => {
    const made = await createOrder(team, {
      order_set: { lab_test_ids: [walkIn], add_on: { marker_ids: [2022] } },
    });
    const { id } = made.body.order['lab_test'] as { id: string };
    await asOwner(`update lab_tests set status = 'inactive' where id = '${id}'`);
    expect(await codeOf({ order_set: { lab_test_ids: [id] } })).toEqual([400, 'lab_test_not_orderable']);
    await asOwner(
      `update lab_tests set status = 'active' where id = '${id}';
       delete from lab_test_markers where lab_test_id = '${id}'`,
    );
    expect(await codeOf({ order_set: { lab_test_ids: [id] } })).toEqual([400, 'no_markers']);
  });

  test('of markers beside a lab test becomes a generated one, the same for the same set', async () => {
    const set = (marker_ids: number[]) => ({ order_set: { lab_test_ids: [walkIn], add_on: { marker_ids } } });
    const labTestOf = async (changes: object): Promise<Record<string, unknown>> =>
      (await createOrder(team, changes as Record<string, unknown>)).body.order['lab_test'] as Record<string, unknown>;
    const first = await labTestOf(set([2023, 2024]));
    expect(first).toMatchObject({ auto_generated: true, method: 'walk_in_test', status: 'active' });
    expect((first['markers'] as { id: number }[]).map(({ id }) => id)).toEqual(expect.arrayContaining([2023, 2024]));
    expect((await labTestOf(set([2024, 2023])))['id']).toBe(first['id']);
    expect((await labTestOf(set([2023])))['id']).not.toBe(first['id']);
    expect((await labTestOf({ order_set: { lab_test_ids: [walkIn] } }))['id']).toBe(walkIn);
    const { body } = await team.api<{ data: { id: string }[] }>('GET', '/v3/lab_test?generation_method=auto');
    expect(body.data.map(({ id }) => id)).toContain(first['id']);
  });

  test('may name markers by order codes of one laboratory', async () => {
    const { status, body } = await createOrder(team, {
      collection_method: 'on_site_collection',
      order_set: { add_on: { provider_ids: ['REF-2132'], marker_ids: [2023] } },
    });
    const { markers } = body.order['lab_test'] as { markers: { id: number }[] };
    expect([status, markers.map(({ id }) => id)]).toEqual([200, [2023]]);
  });
});

describe('an order with questions of the laboratory', () => {
  const psa = { collection_method: 'walk_in_test', order_set: { add_on: { marker_ids: [2041] } } };
  const say = (question_id: number, answer: string, marker_id = 2041) => ({ marker_id, question_id, answer });

  test('finds the questions with its markers', async () => {
    const { body } = await team.api<{ aoe: { questions: Record<string, unknown>[] } }>(
      'GET',
      '/v3/lab_tests/2/markers/REF-2857',
    );
    expect(body.aoe.questions.map(({ code, required, type }) => [code, required, type])).toEqual([
      ['PSA_HISTORY', true, 'choice'],
      ['PSA_MEDICATION', false, 'multi_choice'],
    ]);
  });

  test.each<[string, object[] | null, string]>([
    ['no answer where one is required', null, 'aoe_answer_missing'],
    ['only optional answers', [say(3, 'FIN')], 'aoe_answer_missing'],
    ['a question that does not exist', [say(2, 'Y'), say(77, 'Y')], 'aoe_question_unknown'],
    ['a question of another marker', [say(1, '8')], 'aoe_question_unknown'],
    ['an unknown code', [say(2, 'MAYBE')], 'aoe_answer_invalid'],
    ['codes of which one is unknown', [say(2, 'Y'), say(3, 'FIN,XYZ')], 'aoe_answer_invalid'],
    ['two answers to one question', [say(2, 'Y'), say(2, 'N')], 'aoe_answer_invalid'],
  ])('is refused with %s', async (_, aoe_answers, code) => {
    expect(await codeOf({ ...psa, aoe_answers })).toEqual([400, code]);
  });

  test('accepts numbers and texts only in the form that the question requires', async () => {
    const both = { collection_method: 'walk_in_test', order_set: { add_on: { marker_ids: [2004, 2034] } } };
    const answers = (hours: string, day: string) => ({
      ...both,
      aoe_answers: [say(1, hours, 2004), say(4, day, 2034)],
    });
    expect(await codeOf(answers('eight', '12'))).toEqual([400, 'aoe_answer_invalid']);
    expect(await codeOf(answers('8', 'sometimes'))).toEqual([400, 'aoe_answer_invalid']);
    expect((await createOrder(team, answers('8.5', '12'))).status).toBe(200);
  });

  test('is accepted with all answers, and with only the required ones', async () => {
    expect((await createOrder(team, { ...psa, aoe_answers: [say(2, 'N'), say(3, 'FIN, DUT')] })).status).toBe(200);
    expect((await createOrder(team, { ...psa, aoe_answers: [say(2, 'N')] })).status).toBe(200);
  });
});

describe('a laboratory', () => {
  test('that does not serve the state of the patient gets no order for them', async () => {
    await asOwner(`update labs set states = '{CA,NV}' where id = 2`);
    expect(await codeOf({})).toEqual([400, 'state_not_served']);
    expect(
      (await createOrder(team, { patient_address: { ...patientAddress, state: 'NV', zip: '89101' } })).status,
    ).toBe(200);
    await asOwner('update labs set states = null where id = 2');
  });

  test('whose rules an order breaks: the answer lists every problem at once', async () => {
    await asOwner(
      `update labs set order_rules = '{"account_required": true, "max_lengths": {"city": 5}}' where id = 2`,
    );
    const refused = await createOrder<Refusal>(team, {
      patient_details: { ...patientDetails, first_name: 'A'.repeat(31) },
    });
    expect([refused.status, refused.body.code, problemsOf(refused)]).toEqual([
      400,
      'pre_flight_failed',
      [
        'body.lab_account_id missing',
        'body.patient_address.city string_too_long',
        'body.patient_details.first_name string_too_long',
      ],
    ]);
    await asOwner(`update labs set order_rules = '{}' where id = 2`);
  });

  test('that is simulated gets no order in production', async () => {
    const production = await startTestApp({
      PHIAL_ENVIRONMENT: 'production',
      PHIAL_BASE_URL: 'https://api.example.com',
    });
    const id = '0197a1b2-0000-7000-8000-000000000001';
    await query(
      production.databaseUrl,
      `insert into lab_tests (id, team_id, slug, name, description, sample_type, method, lab_id, price, status)
         values ('${id}', '${production.team.id}', 'walk-in', 'Walk-in', '', 'serum', 'walk_in_test', 2, 1, 'active');
       insert into lab_test_markers values ('${id}', 2015, 0)`,
    );
    const { status, body } = await createOrder(production.team, { order_set: { lab_test_ids: [id] } });
    expect([status, body.code]).toEqual([400, 'laboratory_not_connected']);
    await production.close();
  });
});

describe('an account', () => {
  test('must be active, of the laboratory, and billed by this method in the state of the patient', async () => {
    const mine = await addAccount();
    const asleep = await addAccount({ status: 'pending' });
    expect(await codeOf({ lab_account_id: asleep })).toEqual([400, 'lab_account_not_active']);
    await setLabAccountStatus(app.ctx, { org_id: team.org_id, lab_account_id: asleep, status: 'active' });
    expect((await createOrder(team, { lab_account_id: asleep })).status).toBe(200);
    expect(await codeOf({ lab_account_id: mine, order_set: { lab_test_ids: [kit] } })).toEqual([
      400,
      'lab_account_of_other_lab',
    ]);
    expect(await codeOf({ lab_account_id: mine, billing_type: 'patient_bill' })).toEqual([
      400,
      'billing_type_not_allowed',
    ]);
    expect(
      await codeOf({ lab_account_id: mine, patient_address: { ...patientAddress, state: 'NV', zip: '89101' } }),
    ).toEqual([400, 'billing_type_not_allowed']);
  });

  test('adds its notes to an order without notes, also if the set names the account', async () => {
    const id = await addAccount();
    const { body } = await createOrder(team, { order_set: { lab_test_ids: [walkIn], lab_account_id: id } });
    expect(body.order['clinical_notes']).toBe('Notes of the account.');
    const twice = { lab_account_id: id.toUpperCase(), order_set: { lab_test_ids: [walkIn], lab_account_id: id } };
    expect((await createOrder(team, twice)).status).toBe(200);
    const own = await createOrder(team, { lab_account_id: id, clinical_notes: 'Own notes.' });
    expect(own.body.order['clinical_notes']).toBe('Own notes.');
  });

  test('may be named in both keys, but two that differ are refused, also for an import', async () => {
    const two = {
      lab_account_id: await addAccount(),
      order_set: { lab_test_ids: [walkIn], lab_account_id: await addAccount() },
    };
    const refused = await createOrder<Refusal>(team, two);
    const problems = ['body.lab_account_id value_error', 'body.order_set.lab_account_id value_error'];
    expect([refused.status, problemsOf(refused)]).toEqual([422, problems]);
    const imported = await team.api('POST', '/v3/order/import', {
      user_id: (await makeUser(team)).user_id,
      billing_type: 'client_bill',
      collection_method: 'walk_in_test',
      patient_details: patientDetails,
      patient_address: patientAddress,
      sample_id: 'TWO-ACCOUNTS',
      ...two,
    });
    expect([imported.status, problemsOf(imported)]).toEqual([422, problems]);
  });
});

describe('a patient under 18', () => {
  const minor = (proxy: object | null) => ({
    patient_details: { ...patientDetails, dob: '2015-01-01', medical_proxy: proxy },
  });

  test('needs a medical_proxy, a team that orders for minors, and no visit at home', async () => {
    const alone = await createOrder<Refusal>(team, minor(null));
    expect([alone.status, problemsOf(alone)]).toEqual([422, ['body.patient_details.medical_proxy missing']]);
    expect(await codeOf(minor(guarantor))).toEqual([400, 'minor_ordering_disabled']);
    const allowing = await app.makeTeam();
    await asOwner(
      `update teams set settings = settings || '{"minor_ordering_enabled": true}' where id = '${allowing.id}'`,
    );
    const taken = await createOrder(allowing, minor(guarantor));
    expect(taken.status).toBe(200);
    const visit = await createOrder(allowing, {
      ...minor(guarantor),
      order_set: { lab_test_ids: [await labTestId(allowing, 'at_home_phlebotomy')] },
    });
    expect([visit.status, visit.body.code]).toEqual([400, 'minor_not_served']);
  });
});

describe('an order that is billed to insurance', () => {
  const billed = { billing_type: 'commercial_insurance', icd_codes: ['E11.9'] };
  const spouse = { ...person, first_name: 'Alan', address: homeAddress };
  const addInsurance = (user_id: string, changes: object = {}) =>
    team.api<unknown>('POST', `/v2/user/${user_id}/insurance`, {
      payor_code: 'SBX00001',
      member_id: 'XYZ1',
      relationship: 'Self',
      insured: person,
      ...changes,
    });

  test('needs diagnoses, a primary record, and a guarantor if the insured is not the patient', async () => {
    const { user_id } = await makeUser(team);
    expect(await codeOf({ ...billed, user_id, icd_codes: null })).toEqual([400, 'icd_codes_required']);
    expect(await codeOf({ ...billed, user_id })).toEqual([400, 'primary_insurance_required']);
    await addInsurance(user_id, { is_primary: false });
    expect(await codeOf({ ...billed, user_id })).toEqual([400, 'primary_insurance_required']);
    await addInsurance(user_id, { relationship: 'Spouse', insured: spouse });
    expect(await codeOf({ ...billed, user_id })).toEqual([400, 'guarantor_required']);
    await addInsurance(user_id, { relationship: 'Spouse', insured: spouse, guarantor });
    expect(await codeOf({ ...billed, user_id })).toEqual([200, undefined]);
    const refused = await createOrder<Refusal>(team, { ...billed, icd_codes: ['diabetes'] });
    expect([refused.status, problemsOf(refused)]).toEqual([422, ['body.icd_codes.0 string_pattern_mismatch']]);
  });

  test('needs diagnoses that can be billed, and stores each once in canonical form', async () => {
    const { user_id } = await makeUser(team);
    await addInsurance(user_id);
    const refused = await createOrder<Refusal>(team, { ...billed, user_id, icd_codes: ['E11'] });
    expect([refused.body.code, problemsOf(refused)]).toEqual(['pre_flight_failed', ['body.icd_codes value_error']]);
    const apart = { ...billed, user_id, icd_codes: ['E10.9', 'E11.9'] };
    expect(await codeOf(apart)).toEqual([400, 'pre_flight_failed']);
    const icd_codes = ['e119', 'E11.9', 'i10'];
    const { body } = await createOrder(team, { ...billed, user_id, icd_codes });
    expect(body.order['icd_codes']).toEqual(['E11.9', 'I10']);
    const ownBill = await createOrder(team, { user_id, icd_codes: ['E11', 'e11'] });
    expect(ownBill.body.order['icd_codes']).toEqual(['E11']);
  });

  test('accepts diagnoses of the same form in its insurance', async () => {
    const health_insurance = {
      payor_code: 'SBX00001',
      insurance_id: 'XYZ1',
      responsible_relationship: 'Self',
      diagnosis_codes: ['E11.9', 'flu'],
    };
    const refused = await createOrder<Refusal>(team, { billing_type: 'commercial_insurance', health_insurance });
    expect([refused.status, problemsOf(refused)]).toEqual([
      422,
      ['body.health_insurance.diagnosis_codes.1 string_pattern_mismatch'],
    ]);
  });

  test('uses the newest primary record', async () => {
    const { user_id } = await makeUser(team);
    await addInsurance(user_id);
    const { body } = await createOrder(team, { ...billed, user_id });
    const latest = await app.db.selectFrom('insurances').select('id').where('user_id', '=', user_id).execute();
    expect(body.order['health_insurance_id']).toBe(latest[0]?.id);
  });

  test('stores its insurance as a record of the user, and uses it with its diagnoses', async () => {
    const { user_id } = await makeUser(team);
    const health_insurance = {
      payor_code: 'SBX00001',
      insurance_id: 'XYZ123',
      responsible_relationship: 'Spouse',
      responsible_details: spouse,
      diagnosis_codes: ['E11.9'],
    };
    const { status, body } = await createOrder(team, {
      user_id,
      billing_type: 'commercial_insurance',
      health_insurance,
    });
    expect([status, body.order?.['icd_codes']]).toEqual([200, ['E11.9']]);
    const insurance = await team.api<{ member_id: string }>('GET', `/v2/user/${user_id}/insurance/latest`);
    expect(insurance.body).toMatchObject({
      member_id: 'XYZ123',
      relationship: 'Spouse',
      insured: { first_name: 'Alan' },
    });
  });

  test('is refused with names that are too long, also if the patient is the insured', async () => {
    const { user_id } = await makeUser(team);
    const long = { first_name: 'A'.repeat(40) };
    await addInsurance(user_id, { insured: { ...person, ...long }, guarantor: { ...guarantor, ...long } });
    const refused = await createOrder<Refusal>(team, { ...billed, user_id });
    expect([refused.body.code, problemsOf(refused)]).toEqual([
      'pre_flight_failed',
      ['insurance.guarantor.first_name string_too_long', 'insurance.insured.first_name string_too_long'],
    ]);
  });

  test('is refused for a payer without an address, and for a number that is too long', async () => {
    const { user_id } = await makeUser(team);
    await addInsurance(user_id, { member_id: 'M'.repeat(16) });
    await asOwner(
      `update insurances set company = jsonb_set(company, '{address,city}', '""') where user_id = '${user_id}'`,
    );
    const refused = await createOrder<Refusal>(team, { ...billed, user_id });
    expect([refused.body.code, problemsOf(refused)]).toEqual([
      'pre_flight_failed',
      ['insurance.company.address.city missing', 'insurance.member_id string_too_long'],
    ]);
    const orders = await team.api<{ orders: OrderBody[] }>('GET', `/v3/orders?user_id=${user_id}`);
    expect(orders.body.orders).toEqual([]);
  });
});

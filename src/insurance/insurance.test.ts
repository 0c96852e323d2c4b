import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../test/test-app.ts';
import { guarantor, homeAddress, makeUser, person, problemsOf, type Refusal } from '../../test/people.ts';

type InsuranceBody = typeof insurance & {
  company: { name: string; address: typeof homeAddress };
  is_primary: boolean;
  code: string;
};

let app: TestApp;
let userId: string;
beforeAll(async () => {
  app = await startTestApp();
  userId = await makeUser(app.api);
});
afterAll(() => app.close());

const insurance = { payor_code: 'SBX00008', member_id: 'XYZ123456789', relationship: 'Self', insured: person };
const storedAddress = { ...homeAddress, second_line: '', access_notes: null };

const add = (body: unknown, user = userId): Promise<Answer<InsuranceBody>> =>
  app.api<InsuranceBody>('POST', `/v2/user/${user}/insurance`, body);
const latest = (query = '', user = userId): Promise<Answer<InsuranceBody>> =>
  app.api<InsuranceBody>('GET', `/v2/user/${user}/insurance/latest${query}`);
const rowsOf = async (user: string): Promise<number> =>
  (await app.db.selectFrom('insurances').select('id').where('user_id', '=', user).execute()).length;

describe('adding insurance', () => {
  test('the company comes from the payor directory, everything else as sent, and optional keys are null', async () => {
    const added = await add(insurance);
    expect(added.status).toBe(200);
    expect(added.body).toEqual({
      payor_code: 'SBX00008',
      member_id: 'XYZ123456789',
      group_id: null,
      relationship: 'Self',
      is_primary: true,
      guarantor: null,
      insured: { ...person, address: storedAddress },
      company: {
        name: 'Blue Cross Blue Shield of Arizona',
        address: {
          first_line: 'PO Box 0108',
          second_line: '',
          country: 'US',
          zip: '85701',
          city: 'Tucson',
          state: 'AZ',
          access_notes: null,
        },
      },
    });
    expect((await latest()).body).toEqual(added.body);
  });

  test('with every key present, values are stored in their canonical form', async () => {
    const added = await add({
      ...insurance,
      group_id: ' G-1 ',
      relationship: 'Spouse',
      is_primary: false,
      insured: {
        ...person,
        first_name: ' Ada ',
        phone_number: '(602) 555-0123',
        address: { ...homeAddress, second_line: 'Apt 2', access_notes: 'Ring twice' },
      },
      guarantor: { ...guarantor, household_income: 50_000, household_size: 3, email: 'byron@example.com' },
    });
    expect(added.body).toEqual(
      expect.objectContaining({
        group_id: 'G-1',
        relationship: 'Spouse',
        is_primary: false,
        insured: { ...person, address: { ...homeAddress, second_line: 'Apt 2', access_notes: 'Ring twice' } },
        guarantor: {
          ...guarantor,
          address: storedAddress,
          household_income: 50_000,
          household_size: 3,
          email: 'byron@example.com',
        },
      }),
    );
    expect((await latest('?is_primary=false')).body).toEqual(added.body);
  });

  test('null counts as left out, and a guarantor needs no further details', async () => {
    const { body } = await add({ ...insurance, group_id: null, guarantor: { ...guarantor, email: null } });
    expect(body).toEqual(
      expect.objectContaining({
        group_id: null,
        guarantor: { ...guarantor, address: storedAddress, household_income: null, household_size: null, email: null },
      }),
    );
    expect((await add({ ...insurance, guarantor: null })).status).toBe(200);
  });

  test('a company in the request is ignored, and unknown keys are not stored', async () => {
    const user = await makeUser(app.api);
    const { body } = await add(
      { ...insurance, company: { name: 'Mine' }, id: user, insured: { ...person, ssn: '000-00-0000' } },
      user,
    );
    expect(body.company.name).toBe('Blue Cross Blue Shield of Arizona');
    const row = await app.db.selectFrom('insurances').selectAll().where('user_id', '=', user).executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toMatch(/Mine|ssn|000-00/);
  });

  test('the user needs no demographics', async () => {
    const user = await makeUser(app.api);
    expect((await add(insurance, user)).status).toBe(200);
  });

  test('an unknown payor answers 400 and nothing is stored', async () => {
    const user = await makeUser(app.api);
    const response = await add({ ...insurance, payor_code: 'NOBODY' }, user);
    expect([response.status, response.body.code]).toEqual([400, 'unknown_payor']);
    expect(await rowsOf(user)).toBe(0);
  });

  test("the team's own payor is accepted, another team's is unknown", async () => {
    const payor = { name: 'Saguaro Mutual', address: homeAddress };
    const mine = await app.api<{ payor_code: string }>('POST', '/v3/payor', payor);
    const other = await app.makeTeam();
    const theirs = await other.api<{ payor_code: string }>('POST', '/v3/payor', payor);
    const added = await add({ ...insurance, payor_code: mine.body.payor_code });
    expect(added.body.company).toEqual({ name: 'Saguaro Mutual', address: storedAddress });
    const refused = await add({ ...insurance, payor_code: theirs.body.payor_code });
    expect([refused.status, refused.body.code]).toEqual([400, 'unknown_payor']);
  });

  test('an unknown user is refused before an unknown payor', async () => {
    const response = await add({ ...insurance, payor_code: 'NOBODY' }, randomUUID());
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
  });
});

describe('reading the latest insurance', () => {
  test('the newest record of each kind is found', async () => {
    const user = await makeUser(app.api);
    for (const [member_id, is_primary] of [
      ['P1', true],
      ['S1', false],
      ['P2', true],
      ['S2', false],
    ]) {
      await add({ ...insurance, member_id, is_primary }, user);
    }
    expect((await latest('', user)).body.member_id).toBe('P2');
    for (const value of ['true', 'TRUE', '1'])
      expect((await latest(`?is_primary=${value}`, user)).body.member_id).toBe('P2');
    for (const value of ['false', 'False', '0'])
      expect((await latest(`?is_primary=${value}`, user)).body.member_id).toBe('S2');
    expect(await rowsOf(user)).toBe(4);
  });

  test('without a record of that kind the answer is 404', async () => {
    const user = await makeUser(app.api);
    expect((await latest('', user)).status).toBe(404);
    await add(insurance, user);
    const response = await latest('?is_primary=false', user);
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
  });

  test('is_primary must be a boolean', async () => {
    expect(problemsOf(await latest('?is_primary=maybe'))).toEqual(['query.is_primary bool_parsing']);
  });

  test('values that a newer release stored are answered as they are', async () => {
    const user = await makeUser(app.api);
    await add(insurance, user);
    const { id } = await app.db
      .selectFrom('insurances')
      .select('id')
      .where('user_id', '=', user)
      .executeTakeFirstOrThrow();
    const details = {
      member_id: 'M-1',
      group_id: null,
      insured: { ...person, gender: 'nonbinary', address: storedAddress },
      guarantor: null,
    };
    await app.db
      .updateTable('insurances')
      .set({
        relationship: 'Child',
        details: app.ctx.cipher.sealJson('insurances.details', { team_id: app.team.id, id }, details),
      })
      .where('id', '=', id)
      .execute();
    const { body } = await latest('', user);
    expect([body.relationship, body.insured.gender]).toEqual(['Child', 'nonbinary']);
  });
});

describe('access to insurance', () => {
  test('without a key the answer is 401', async () => {
    for (const [method, path] of [
      ['POST', ''],
      ['GET', '/latest'],
    ] as const) {
      const response = await app.api<{ code: string }>(method, `/v2/user/${userId}/insurance${path}`, undefined, {
        key: null,
      });
      expect([response.status, response.body.code]).toEqual([401, 'invalid_api_key']);
    }
  });

  test("another team's user answers like an unknown one and gets no record", async () => {
    const user = await makeUser(app.api);
    await add(insurance, user);
    const other = await app.makeTeam();
    for (const [method, path, body] of [
      ['POST', '', insurance],
      ['GET', '/latest', undefined],
    ] as const) {
      const response = await other.api<{ code: string }>(method, `/v2/user/${user}/insurance${path}`, body);
      expect([response.status, response.body.code]).toEqual([404, 'not_found']);
    }
    expect(await rowsOf(user)).toBe(1);
  });

  test('a user scheduled for deletion answers 404 with its code until an undo restores the records', async () => {
    const user = await makeUser(app.api);
    const { body } = await add(insurance, user);
    await app.api('DELETE', `/v2/user/${user}`);
    for (const response of [await add(insurance, user), await latest('', user)]) {
      expect([response.status, response.body.code]).toEqual([404, 'user_scheduled_for_deletion']);
    }
    await app.api('POST', `/v2/user/undo_delete?user_id=${user}`);
    expect((await latest('', user)).body).toEqual(body);
    expect(await rowsOf(user)).toBe(1);
  });
});

describe('refused insurance', () => {
  const refusalOf = async (change: object): Promise<string[]> => {
    const response = await add({ ...insurance, ...change });
    return response.status === 422 ? problemsOf(response) : [`status ${response.status}`];
  };

  test('all six problems of a request are listed at once', async () => {
    const { payor_code: _left_out, ...rest } = insurance;
    const response = await app.api<Refusal>('POST', '/v2/user/not-a-uuid/insurance', {
      ...rest,
      member_id: 123_456_789,
      insured: {
        ...person,
        dob: '1980-02-30',
        phone_number: '+1 555 555 0123',
        address: { ...homeAddress, zip: '8500' },
      },
    });
    expect([response.status, response.body.code]).toEqual([422, 'validation_failed']);
    const problems = response.body.detail.map(({ type, loc, input }) => ({
      type,
      loc,
      ...(input === undefined ? {} : { input }),
    }));
    expect(problems).toHaveLength(6);
    expect(problems).toEqual(
      expect.arrayContaining([
        { type: 'uuid_parsing', loc: ['path', 'user_id'], input: 'not-a-uuid' },
        { type: 'missing', loc: ['body', 'payor_code'] },
        { type: 'string_type', loc: ['body', 'member_id'] },
        { type: 'value_error', loc: ['body', 'insured', 'phone_number'] },
        { type: 'string_pattern_mismatch', loc: ['body', 'insured', 'address', 'zip'] },
        { type: 'date_parsing', loc: ['body', 'insured', 'dob'] },
      ]),
    );
    expect(JSON.stringify(response.body)).not.toMatch(/123456789|02-30|5550123|555 0123|"8500"/);
  });

  test('every required key that is missing is named', async () => {
    expect(problemsOf(await add({}))).toEqual(
      ['insured', 'member_id', 'payor_code', 'relationship'].map((name) => `body.${name} missing`),
    );
    expect(await refusalOf({ insured: {} })).toEqual(
      ['address', 'dob', 'email', 'first_name', 'gender', 'last_name', 'phone_number'].map(
        (name) => `body.insured.${name} missing`,
      ),
    );
    expect(await refusalOf({ guarantor: {} })).toEqual(
      ['address', 'first_name', 'last_name', 'phone_number'].map((name) => `body.guarantor.${name} missing`),
    );
    expect(await refusalOf({ insured: { ...person, address: {} } })).toEqual(
      ['city', 'country', 'first_line', 'state', 'zip'].map((name) => `body.insured.address.${name} missing`),
    );
    expect(problemsOf(await add(undefined))).toEqual(['body missing']);
  });

  test.each<[string, object, string[]]>([
    ['an unknown relationship', { relationship: 'Child' }, ['body.relationship enum']],
    ['a relationship in lower case', { relationship: 'self' }, ['body.relationship enum']],
    ['is_primary as text', { is_primary: 'true' }, ['body.is_primary bool_type']],
    ['is_primary as null', { is_primary: null }, ['body.is_primary bool_type']],
    ['an empty member id', { member_id: ' ' }, ['body.member_id string_too_short']],
    ['a line break in the member id', { member_id: 'A\rPID' }, ['body.member_id string_pattern_mismatch']],
    ['a payor code that is a number', { payor_code: 7 }, ['body.payor_code string_type']],
    ['a group id that is a list', { group_id: [] }, ['body.group_id string_type']],
    ['an insured that is text', { insured: 'Ada' }, ['body.insured dict_type']],
    [
      'a line break in a name',
      { insured: { ...person, last_name: 'Love\nlace' } },
      ['body.insured.last_name string_pattern_mismatch'],
    ],
    [
      'an accent in a name',
      { insured: { ...person, first_name: 'Adé' } },
      ['body.insured.first_name string_pattern_mismatch'],
    ],
    [
      'a guarantor with a bad name',
      { guarantor: { ...guarantor, first_name: '-B' } },
      ['body.guarantor.first_name string_pattern_mismatch'],
    ],
    ['an upper-case gender', { insured: { ...person, gender: 'Female' } }, ['body.insured.gender enum']],
    ['a birth in the future', { insured: { ...person, dob: '2999-01-01' } }, ['body.insured.dob date_parsing']],
    ['an e-mail address without a host', { insured: { ...person, email: 'ada@' } }, ['body.insured.email value_error']],
    [
      'zip_code for zip',
      { insured: { ...person, address: { ...homeAddress, zip: undefined, zip_code: '85004' } } },
      ['body.insured.address.zip missing'],
    ],
    [
      'a wrong state',
      { insured: { ...person, address: { ...homeAddress, state: 'ZZ' } } },
      ['body.insured.address.state value_error'],
    ],
    [
      'a wrong zip of the guarantor',
      { guarantor: { ...guarantor, address: { ...homeAddress, zip: '1' } } },
      ['body.guarantor.address.zip string_pattern_mismatch'],
    ],
    [
      'a negative income',
      { guarantor: { ...guarantor, household_income: -1 } },
      ['body.guarantor.household_income greater_than_equal'],
    ],
    [
      'half a person in the household',
      { guarantor: { ...guarantor, household_size: 2.5 } },
      ['body.guarantor.household_size int_type'],
    ],
  ])('%s is refused', async (_what, change, problems) => {
    expect(await refusalOf(change)).toEqual(problems);
  });

  test('outside the US zip and state are not checked', async () => {
    const address = { ...homeAddress, country: 'CA', zip: 'K1A 0B1', state: 'Ontario' };
    expect((await add({ ...insurance, insured: { ...person, address } })).status).toBe(200);
  });

  test('the answer repeats nothing about the person', async () => {
    const { body } = await app.api<Refusal>('POST', `/v2/user/${userId}/insurance`, {
      ...insurance,
      member_id: 'secret\n',
      insured: {
        ...person,
        first_name: 'secret!',
        last_name: '-secret',
        dob: 'secret',
        email: 'secret',
        phone_number: 'secret',
        address: { ...homeAddress, zip: 'secret', state: 'secret' },
      },
      guarantor: { ...guarantor, first_name: '!secret', email: 'secret', phone_number: 'secret' },
    });
    expect(body.detail).toHaveLength(10);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  test('a refused request stores nothing', async () => {
    const user = await makeUser(app.api);
    await add({ ...insurance, relationship: 'Child' }, user);
    expect(await rowsOf(user)).toBe(0);
  });
});

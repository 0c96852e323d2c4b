import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../test/test-app.ts';
import { guarantor, homeAddress, makeUser, person, problemsOf, type Refusal } from '../../test/people.ts';

let app: TestApp;
let userId: string;
beforeAll(async () => {
  app = await startTestApp();
  userId = await makeUser(app.api);
});
afterAll(() => app.close());

type InfoBody = typeof person & { first_name: string };
const put = (body: unknown): Promise<Answer<InfoBody>> => app.api<InfoBody>('PATCH', `/v2/user/${userId}/info`, body);
const refusalOf = async (change: object): Promise<string[]> => {
  const response = await put({ ...person, ...change });
  return response.status === 422 ? problemsOf(response) : [`status ${response.status}`];
};
const daysFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const yearsAgo = (years: number): string => {
  const today = daysFromNow(0);
  return `${Number(today.slice(0, 4)) - years}${today.slice(4).replace('02-29', '02-28')}`;
};

describe("a user's demographics", () => {
  test('are 404 before they are stored', async () => {
    const response = await app.api<{ code: string }>('GET', `/v2/user/${await makeUser(app.api)}/info/latest`);
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
  });

  test('are stored with every key and read back', async () => {
    const stored = await put({
      ...person,
      race: 'asian',
      ethnicity: 'hispanic',
      sexual_orientation: 'bisexual',
      gender_identity: 'other',
      medical_proxy: { ...guarantor, household_income: 50_000, household_size: 3, email: 'byron@example.com' },
      address: { ...homeAddress, second_line: 'Apt 2', access_notes: 'Gate code 12, ring twice' },
    });
    expect(stored.status).toBe(200);
    const read = await app.api('GET', `/v2/user/${userId}/info/latest`);
    expect(read.body).toEqual(stored.body);
    expect(read.body).toEqual({
      ...person,
      address: { ...homeAddress, second_line: 'Apt 2', access_notes: 'Gate code 12, ring twice' },
      race: 'asian',
      ethnicity: 'hispanic',
      sexual_orientation: 'bisexual',
      gender_identity: 'other',
      medical_proxy: {
        ...guarantor,
        household_income: 50_000,
        household_size: 3,
        email: 'byron@example.com',
        address: { ...homeAddress, second_line: '', access_notes: null },
      },
    });
  });

  test('the next call replaces them whole, and a key that was left out reads null', async () => {
    await put({ ...person, race: 'asian' });
    const { body } = await put({ ...person, first_name: 'Grace' });
    expect(body).toEqual({
      ...person,
      first_name: 'Grace',
      address: { ...homeAddress, second_line: '', access_notes: null },
      medical_proxy: null,
      race: null,
      ethnicity: null,
      sexual_orientation: null,
      gender_identity: null,
    });
  });

  test('values that a newer release stored are answered as they are', async () => {
    const newer = await makeUser(app.api);
    const info = {
      ...person,
      gender: 'nonbinary',
      race: 'martian',
      ethnicity: null,
      sexual_orientation: null,
      gender_identity: null,
      medical_proxy: null,
    };
    await app.db
      .insertInto('user_info')
      .values({
        user_id: newer,
        team_id: app.team.id,
        info: app.ctx.cipher.sealJson('user_info.info', { team_id: app.team.id, id: newer }, info),
      })
      .execute();
    const { body } = await app.api<InfoBody & { race: string }>('GET', `/v2/user/${newer}/info/latest`);
    expect([body.gender, body.race]).toEqual(['nonbinary', 'martian']);
  });
});

describe('refused demographics', () => {
  test('every missing field is listed', async () => {
    expect(problemsOf(await put({ address: {} }))).toEqual([
      ...['city', 'country', 'first_line', 'state', 'zip'].map((name) => `body.address.${name} missing`),
      ...['dob', 'email', 'first_name', 'gender', 'last_name', 'phone_number'].map((name) => `body.${name} missing`),
    ]);
  });

  test('the answer repeats nothing about the person', async () => {
    const response = await app.api<Refusal>('PATCH', `/v2/user/${userId}/info`, {
      ...person,
      first_name: 'secret!',
      last_name: 17.25,
      dob: 'secret',
      email: 'secret@',
      phone_number: 'secret',
      address: { ...homeAddress, zip: 'secret', state: 'secret', city: 17.25 },
    });
    expect(response.body.detail).toHaveLength(8);
    expect(JSON.stringify(response.body)).not.toMatch(/secret|17\.25/);
    expect(response.body.detail.every((problem) => !('input' in problem))).toBe(true);
  });

  test.each(['Ada', 'J', "O'Hara", 'Anne-Marie', 'St. John', 'de la Cruz', '3rd', 'Smith,Jr.', 'x'.repeat(50)])(
    'the name %j is accepted',
    async (name) => {
      expect((await put({ ...person, first_name: name, last_name: name })).status).toBe(200);
    },
  );

  test('space around a name is removed', async () => {
    expect((await put({ ...person, first_name: '  Ada\t\n' })).body.first_name).toBe('Ada');
  });

  test.each([
    ['a line break inside', 'Ada\nLovelace'],
    ['a carriage return inside', 'Ada\rPID|1'],
    ['a tab inside', 'Ada\tB'],
    ['a no-break space', 'Ada\u00a0B'],
    ['two spaces inside', 'Ada  B'],
    ['an accent', 'Adá'],
    ['a leading hyphen', '-Ada'],
    ['a leading apostrophe', "'Ada"],
    ['another alphabet', 'Ада'],
    ['an ampersand', 'Ada & B'],
    ['a separator of HL7', 'Ada^B|C'],
    ['an underscore', 'A_B'],
  ])('a name with %s is refused', async (_what, name) => {
    expect(await refusalOf({ first_name: name })).toEqual(['body.first_name string_pattern_mismatch']);
    expect(await refusalOf({ last_name: name })).toEqual(['body.last_name string_pattern_mismatch']);
    expect(await refusalOf({ medical_proxy: { ...guarantor, last_name: name } })).toEqual([
      'body.medical_proxy.last_name string_pattern_mismatch',
    ]);
  });

  test('a name is 1 to 50 characters', async () => {
    expect(await refusalOf({ first_name: 'x'.repeat(51) })).toEqual(['body.first_name string_too_long']);
    expect(await refusalOf({ first_name: ' ' })).toEqual(['body.first_name string_too_short']);
  });

  test.each([[yearsAgo(130)], ['2024-02-29'], [daysFromNow(0)]])('the date of birth %s is accepted', async (dob) => {
    expect((await put({ ...person, dob })).status).toBe(200);
  });

  test.each([
    [daysFromNow(2)],
    ['2999-01-01'],
    ['1980-02-30'],
    ['2023-02-29'],
    [yearsAgo(131)],
    ['0000-01-01'],
    ['1980-12-10T00:00:00Z'],
    ['10/12/1980'],
    ['1980-1-1'],
    ['19801210'],
    [''],
  ])('the date of birth %j is refused', async (dob) => {
    expect(await refusalOf({ dob })).toEqual(['body.dob date_parsing']);
  });

  test.each([
    ['+16025550123', '+16025550123'],
    ['(602) 555-0123', '+16025550123'],
    ['+44 20 7946 0958', '+442079460958'],
  ])('the phone number %j is stored as %s', async (written, formatted) => {
    expect((await put({ ...person, phone_number: written })).body.phone_number).toBe(formatted);
  });

  test.each(['+1 555 555 0123', '555-0123', '+1 602 555 012', 'call me', '', '+16025550123 ext 5', '+999123456789'])(
    'the phone number %j is refused',
    async (phone_number) => {
      expect(await refusalOf({ phone_number })).toEqual(['body.phone_number value_error']);
      expect(await refusalOf({ medical_proxy: { ...guarantor, phone_number } })).toEqual([
        'body.medical_proxy.phone_number value_error',
      ]);
    },
  );

  test.each([
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'ada @example.com',
    'ada@example.com\nbcc: x@example.com',
    'a..b@example.com',
  ])('the address %j is not an e-mail address', async (email) => {
    expect(await refusalOf({ email })).toEqual(['body.email value_error']);
  });

  test.each(['Male', 'FEMALE', 'm', 'nonbinary'])(
    'the gender %j is refused: requests may hold only the lower-case values',
    async (gender) => {
      expect(await refusalOf({ gender })).toEqual(['body.gender enum']);
    },
  );

  test.each(['race', 'ethnicity', 'sexual_orientation', 'gender_identity'])(
    'an unknown value of %s is refused',
    async (name) => {
      expect(await refusalOf({ [name]: 'martian' })).toEqual([`body.${name} enum`]);
    },
  );

  test.each(['US', 'us', 'USA', 'United States'])('with the country %s state and zip are checked', async (country) => {
    for (const [state, zip] of [
      ['DC', '20001'],
      ['PR', '00901'],
      ['AZ', '85004-1234'],
    ]) {
      expect((await put({ ...person, address: { ...homeAddress, country, state, zip } })).status).toBe(200);
    }
    expect(await refusalOf({ address: { ...homeAddress, country, state: 'ZZ', zip: '8500' } })).toEqual([
      'body.address.state value_error',
      'body.address.zip string_pattern_mismatch',
    ]);
    expect(await refusalOf({ address: { ...homeAddress, country, state: 'Arizona', zip: '85004-12' } })).toEqual([
      'body.address.state value_error',
      'body.address.zip string_pattern_mismatch',
    ]);
  });

  test('in another country state and zip are not checked', async () => {
    const address = { ...homeAddress, country: 'Canada', state: 'Ontario', zip: 'K1A 0B1', city: 'Ottawa' };
    expect((await put({ ...person, address })).status).toBe(200);
  });

  test('access notes are 1,000 characters at most', async () => {
    expect((await put({ ...person, address: { ...homeAddress, access_notes: 'x'.repeat(1000) } })).status).toBe(200);
    expect(await refusalOf({ address: { ...homeAddress, access_notes: 'x'.repeat(1001) } })).toEqual([
      'body.address.access_notes string_too_long',
    ]);
  });

  test('a refused call does not change what is stored', async () => {
    await put({ ...person, first_name: 'Kept' });
    await put({ ...person, first_name: 'Lost', dob: '1980-02-30' });
    expect((await app.api<InfoBody>('GET', `/v2/user/${userId}/info/latest`)).body.first_name).toBe('Kept');
  });
});

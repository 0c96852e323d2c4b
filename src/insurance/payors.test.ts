import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Api, type TestApp } from '../../test/test-app.ts';
import { homeAddress, problemsOf } from '../../test/people.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { forTeam } from '../tenancy/teams/team-scope.ts';
import { createPayor } from './create-payor.ts';

type PayorBody = { payor_code: string; name: string; aliases: string[]; source: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const search = async (query: Record<string, string>, api: Api = app.api): Promise<PayorBody[]> =>
  (await api<PayorBody[]>('GET', `/v3/insurance/search/payor?${new URLSearchParams(query)}`)).body;
const codes = async (query: Record<string, string>, api?: Api): Promise<string[]> =>
  (await search(query, api)).map((payor) => payor.payor_code);

describe('searching payors', () => {
  test("a name finds the platform's payor with all its fields", async () => {
    expect(await search({ insurance_name: 'carefirst' })).toEqual([
      {
        payor_code: 'SBX00018',
        name: 'CareFirst BlueCross BlueShield',
        aliases: ['CareFirst', 'BCBS Maryland'],
        source: 'platform',
        org_address: {
          first_line: 'PO Box 0118',
          second_line: '',
          country: 'US',
          zip: '21202',
          city: 'Baltimore',
          state: 'MD',
          access_notes: null,
        },
      },
    ]);
  });

  test('an alias, a part of it, and some of its words find the payor too', async () => {
    expect(await codes({ insurance_name: 'IBX' })).toEqual(['SBX00032']);
    expect(await codes({ insurance_name: 'ernment emplo' })).toEqual(['SBX00024']);
    expect(await codes({ insurance_name: '  blue   ARIZONA ' })).toEqual(['SBX00008']);
  });

  test('the words must all stand in the name or all in one alias', async () => {
    // 'UHC' is an alias of UnitedHealthcare. Only the payor's name contains 'UnitedHealthcare'.
    expect(await codes({ insurance_name: 'UHC UnitedHealthcare' })).toEqual([]);
  });

  test('payors with exactly this name come first', async () => {
    const found = await codes({ insurance_name: 'uhc' });
    expect(found).toEqual(['SBX00044', 'SBX00045']);
    expect((await codes({ insurance_name: 'aetna' }))[0]).toBe('SBX00001');
    expect((await codes({ insurance_name: 'Anthem' }))[0]).toBe('SBX00006');
  });

  test.each(['%', '_', 'A%a', '\\', "'"])('%j is not a wildcard', async (insurance_name) => {
    expect(await codes({ insurance_name })).toEqual([]);
  });

  test('the code of a clearing house finds its payor', async () => {
    expect(await codes({ provider: 'availity', provider_payor_id: 'SBX-AV-0008' })).toEqual(['SBX00008']);
    expect(await codes({ provider_payor_id: 'SBX-CH-0008' })).toEqual(['SBX00008']);
    expect(await codes({ provider: 'change_healthcare', provider_payor_id: 'SBX-AV-0008' })).toEqual([]);
    expect(await codes({ provider_payor_id: 'sbx-av-0008' })).toEqual([]);
  });

  test('each parameter narrows the search, and an unknown clearing house matches nothing', async () => {
    const all = await codes({});
    const known = await codes({ provider: 'availity' });
    expect(all).toHaveLength(49);
    expect(known.length).toBeGreaterThan(0);
    expect(known.length).toBeLessThan(all.length);
    expect(await codes({ provider: 'availity', insurance_name: 'Aetna' })).toEqual(['SBX00001', 'SBX00002']);
    expect(await codes({ provider: 'fax', insurance_name: 'Aetna' })).toEqual([]);
    expect(await codes({ insurance_name: '' })).toEqual(all);
  });

  test('a name that is too long is refused', async () => {
    const response = await app.api('GET', `/v3/insurance/search/payor?insurance_name=${'x'.repeat(201)}`);
    expect(problemsOf(response)).toEqual(['query.insurance_name string_too_long']);
  });

  test('at most 100 payors are answered', async () => {
    const { api, id } = await app.makeTeam();
    await app.db
      .insertInto('payors')
      .values(
        Array.from({ length: 101 }, (_, number) => ({
          payor_code: `TEAM-MANY-${number}`,
          team_id: id,
          name: 'Many',
          org_address: JSON.stringify({ ...homeAddress, second_line: '', access_notes: null }),
        })),
      )
      .execute();
    expect(await codes({ insurance_name: 'many' }, api)).toHaveLength(100);
  });
});

describe("a team's own payor", () => {
  test('gets a code of ours and is found by name and by its external code', async () => {
    const made = await app.api<PayorBody>('POST', '/v3/payor', {
      name: ' Ocotillo Mutual ',
      address: homeAddress,
      provider: 'stedi',
      provider_payor_id: 'OCO-1',
    });
    expect(made.body).toEqual({
      payor_code: expect.stringMatching(/^TEAM-[0-9A-F]{16}$/),
      name: 'Ocotillo Mutual',
      aliases: [],
      source: 'team',
      org_address: { ...homeAddress, second_line: '', access_notes: null },
    });
    expect(await search({ insurance_name: 'ocotillo' })).toEqual([made.body]);
    expect(await search({ provider: 'stedi', provider_payor_id: 'OCO-1' })).toEqual([made.body]);
  });

  test('is never found by another team that has a payor of the same name and code', async () => {
    const other = await app.makeTeam();
    const payor = { name: 'Ironwood Mutual', address: homeAddress, provider: 'waystar', provider_payor_id: 'IRON-1' };
    const mine = await app.api<PayorBody>('POST', '/v3/payor', payor);
    expect(await codes({ insurance_name: 'ironwood' }, other.api)).toEqual([]);
    const theirs = await other.api<PayorBody>('POST', '/v3/payor', payor);
    expect(theirs.body.payor_code).not.toBe(mine.body.payor_code);
    for (const query of [
      { insurance_name: 'ironwood' },
      { provider: 'waystar', provider_payor_id: 'IRON-1' },
    ] as Record<string, string>[]) {
      expect(await codes(query)).toEqual([mine.body.payor_code]);
      expect(await codes(query, other.api)).toEqual([theirs.body.payor_code]);
    }
  });

  test('needs no external code, but half of one is refused', async () => {
    const payor = { name: 'Mesquite Mutual', address: homeAddress };
    expect((await app.api('POST', '/v3/payor', { ...payor, provider: null, provider_payor_id: null })).status).toBe(
      200,
    );
    expect(problemsOf(await app.api('POST', '/v3/payor', { ...payor, provider: 'stedi' }))).toEqual([
      'body.provider_payor_id missing',
    ]);
    expect(
      problemsOf(await app.api('POST', '/v3/payor', { ...payor, provider: null, provider_payor_id: 'X' })),
    ).toEqual(['body.provider missing']);
    expect(
      problemsOf(await app.api('POST', '/v3/payor', { ...payor, provider: 'fax', provider_payor_id: 'X' })),
    ).toEqual(['body.provider enum']);
  });

  test('every wrong field is listed at once and nothing is stored', async () => {
    const before = await codes({});
    const address = { ...homeAddress, zip: '1', state: 'ZZ', city: undefined };
    const response = await app.api('POST', '/v3/payor', { name: '', address, provider: 'stedi' });
    expect(problemsOf(response)).toEqual([
      'body.address.city missing',
      'body.address.state value_error',
      'body.address.zip string_pattern_mismatch',
      'body.name string_too_short',
      'body.provider_payor_id missing',
    ]);
    expect(await codes({})).toEqual(before);
  });
});

test('without a key the payor operations answer 401', async () => {
  for (const [method, path] of [
    ['GET', '/v3/insurance/search/payor'],
    ['POST', '/v3/payor'],
  ] as const) {
    const response = await app.api<{ code: string }>(method, path, undefined, { key: null });
    expect([response.status, response.body.code]).toEqual([401, 'invalid_api_key']);
  }
});

describe("adding a clearing house's code again", () => {
  const external = { name: 'Saguaro Mutual', address: homeAddress, provider: 'stedi', provider_payor_id: 'SAG-7' };

  test('answers the first payor with it, also for two concurrent calls', async () => {
    const team = await app.makeTeam();
    const add = (name: string) => team.api<PayorBody>('POST', '/v3/payor', { ...external, name });
    let second: ReturnType<typeof add> | undefined;
    const scope = { ...app.ctx, team: { id: team.id, org_id: team.org_id, settings: {} } };
    const first = await app.db.transaction().execute(async (db) => {
      const made = await createPayor({ ...forTeam(scope, scope.team), db }, external as never);
      second = add('Another name');
      await untilBlocked(app.db);
      return made;
    });
    expect((await second)?.body).toMatchObject({ payor_code: first.payor_code, name: 'Saguaro Mutual' });
    expect(await codes({ provider_payor_id: 'SAG-7' }, team.api)).toEqual([first.payor_code]);
  });

  test('makes another payor for another team and for another clearing house', async () => {
    const [one, other] = [await app.makeTeam(), await app.makeTeam()];
    const add = async (team: typeof one, change: object = {}) =>
      (await team.api<PayorBody>('POST', '/v3/payor', { ...external, ...change })).body.payor_code;
    const made = [await add(one), await add(other), await add(one, { provider: 'availity' })];
    expect(new Set(made).size).toBe(3);
    expect(await add(one)).toBe(made[0]);
  });
});

describe('the older form of the search', () => {
  const post = (body: object) => app.api<{ code: string; name: string }[]>('POST', '/v3/insurance/search/payor', body);

  test('finds the same payors under the older keys and names its successor', async () => {
    const { body, headers } = await post({ insurance_name: 'carefirst' });
    const [payor] = await search({ insurance_name: 'carefirst' });
    const { payor_code, ...same } = payor as PayorBody;
    expect(body).toEqual([{ ...same, code: payor_code }]);
    expect(headers.get('deprecation')).toMatch(/^@\d+$/);
    expect(headers.get('link')).toContain('</v3/insurance/search/payor>; rel="successor-version"');
  });

  test('finds by a clearing house and its code, and each condition narrows the search', async () => {
    await app.api('POST', '/v3/payor', {
      name: 'Greasewood Mutual',
      address: homeAddress,
      provider: 'stedi',
      provider_payor_id: 'GRW-1',
    });
    const found = async (body: object): Promise<string[]> => (await post(body)).body.map(({ name }) => name);
    expect(await found({ provider: 'stedi', provider_id: 'GRW-1' })).toEqual(['Greasewood Mutual']);
    expect(await found({ provider: 'waystar', provider_id: 'GRW-1' })).toEqual([]);
    expect(await found({ insurance_name: 'greasewood', provider: null, provider_id: null })).toEqual([
      'Greasewood Mutual',
    ]);
    expect((await post({})).body).toHaveLength((await search({})).length);
  });
});

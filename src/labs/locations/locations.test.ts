import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { askPhlebotomy } from '../../../test/collected-orders.ts';
import { addAccount } from '../../../test/factories.ts';
import { query } from '../../../test/global-setup.ts';
import type { AreaInfo, CentersInfo } from './schemas.ts';

let app: TestApp;
let production: TestApp;
beforeAll(async () => {
  [app, production] = await Promise.all([startTestApp(), startTestApp({ PHIAL_ENVIRONMENT: 'production' })]);
  // Two sites of a laboratory that has no other sites. An operator would insert sites in this way.
  await query(
    app.databaseUrl,
    `insert into service_centers (lab_id, site_code, name, first_line, city, state, zip_code, lat, lng, iana_timezone)
     values (1, 'TUS', 'Tucson', '1 Example Way', 'Tucson', 'AZ', '85701', 32.2226, -110.9747, 'America/Phoenix'),
            (1, 'LAX', 'Los Angeles', '1 Example Way', 'Los Angeles', 'CA', '90012', 34.0522, -118.2437,
             'America/Los_Angeles')`,
  );
});
afterAll(() => Promise.all([app.close(), production.close()]));

const area = async (of: TestApp, asked: string): Promise<AreaInfo> =>
  (await of.api<AreaInfo>('GET', `/v3/order/area/info?${asked}`)).body;
const centers = async (asked: string): Promise<CentersInfo['patient_service_centers']> =>
  (await app.api<CentersInfo>('GET', `/v3/order/psc/info?${asked}`)).body.patient_service_centers;

describe('the area of a zip code', () => {
  test('lists the providers that visit patients and the laboratories that have sites near', async () => {
    const info = await area(app, 'zip_code=85004&radius=10');
    expect(info.zip_code).toBe('85004');
    expect(info.phlebotomy).toEqual({
      is_served: true,
      providers: [
        { name: 'getlabs', service_types: ['appointment-ready', 'appointment-request'] },
        { name: 'phlebfinders', service_types: ['appointment-request'] },
      ],
    });
    expect(info.central_labs['simulated-reference-lab']).toEqual({
      lab_id: 2,
      patient_service_centers: {
        appointment_with_service: true,
        within_radius: expect.any(Number),
        radius: '10',
        capabilities: ['appointment_scheduling_via_junction', 'appointment_scheduling_with_lab', 'stat'],
      },
      supported_bill_types: ['client_bill', 'commercial_insurance', 'patient_bill', 'patient_bill_passthrough'],
    });
  });

  test.each([
    ['lab=simulated-reference-lab', ['simulated-reference-lab']],
    ['lab=quest', ['simulated-reference-lab']],
    ['labs=simulated-kit-lab,sonora_quest', ['simulated-kit-lab', 'simulated-reference-lab']],
    ['labs=nobody', []],
  ])('with %s has the laboratories %j', async (filter, labs) => {
    expect(Object.keys((await area(app, `zip_code=85004&${filter}`)).central_labs)).toEqual(labs);
  });

  test.each([
    ['x-acme-api-key', 'appointment_with_acme'],
    ['x-acme-health-api-key', 'appointment_with_acme_health'],
  ])('for a client that sends %s has the field %s', async (header, field) => {
    const headers = { [header]: app.team.api_key };
    const path = '/v3/order/area/info?zip_code=85004';
    const { body } = await app.api<AreaInfo>('GET', path, undefined, { key: null, headers });
    const centers = Object.values(body.central_labs).map((lab) => lab.patient_service_centers);
    expect(centers.map((each) => each.appointment_with_service)).toContain(true);
    for (const each of centers) expect(each).toMatchObject({ [field]: each.appointment_with_service });
  });

  test('with a lab account has only its laboratory, and refuses an unknown account', async () => {
    const lab_account_id = await addAccount(app, app.team);
    const here = `zip_code=85004&lab_account_id=${lab_account_id}`;
    expect(Object.keys((await area(app, here)).central_labs)).toEqual(['simulated-kit-lab']);
    const other = await app.makeTeam();
    for (const path of [`area/info?${here}`, `psc/info?lab_id=1&${here}`]) {
      expect((await app.api('GET', `/v3/order/${path}`)).status).toBe(200);
      const refused = await other.api<{ code: string }>('GET', `/v3/order/${path}`);
      expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    }
    const elsewhere = await app.api<{ code: string }>('GET', `/v3/order/psc/info?lab_id=2&${here}`);
    expect([elsewhere.status, elsewhere.body.code]).toEqual([400, 'lab_account_of_other_lab']);
  });

  test('counts only service centers within the radius', async () => {
    for (const radius of [10, 20, 25, 50, 100]) {
      const info = await area(app, `zip_code=85004&radius=${radius}&lab=simulated-reference-lab`);
      const near = await centers(`zip_code=85004&lab_id=2&radius=${radius}`);
      expect(info.central_labs['simulated-reference-lab']?.patient_service_centers.within_radius).toBe(near.length);
    }
  });

  test.each(['99501', '96813', '00901', '96799', '96950', '96960', '09012', '00000'])(
    'for %s has no provider that visits',
    async (zip) => {
      expect((await area(app, `zip_code=${zip}`)).phlebotomy).toEqual({ is_served: false, providers: [] });
    },
  );

  test('in production without a scheduler has no provider, and has the sites that the operator loaded', async () => {
    await query(
      production.databaseUrl,
      `insert into labs (id, slug, name, first_line_address, city, state, zipcode, collection_methods, sample_types)
       values (7, 'desert-lab', 'Desert Laboratory', '1 Example Way', 'Mesa', 'AZ', '85201', '{walk_in_test}',
              '{serum}')
       on conflict do nothing`,
    );
    const guide = readFileSync('docs/guides/load-service-centers.md', 'utf8');
    await query(production.databaseUrl, /```sql\n(.*?)```/s.exec(guide)?.[1] as string);
    const info = await area(production, 'zip_code=85004&lab=desert-lab');
    expect(info.phlebotomy).toEqual({ is_served: false, providers: [] });
    expect(info.central_labs).toEqual({
      'desert-lab': {
        lab_id: 7,
        patient_service_centers: {
          appointment_with_service: false,
          within_radius: 1,
          radius: '25',
          capabilities: ['appointment_scheduling_with_lab'],
        },
        supported_bill_types: ['client_bill'],
      },
    });
  });

  test.each(['', 'zip_code=8500', 'zip_code=85004-1234', 'zip_code=85004&radius=30'])(
    'is refused for %j',
    async (asked) => {
      expect((await app.api('GET', `/v3/order/area/info?${asked}`)).status).toBe(422);
    },
  );
});

describe('patient service centers', () => {
  test('come nearest first, with their distance and capabilities', async () => {
    const found = await centers('zip_code=85004&lab_id=2&radius=25');
    expect(found[0]).toMatchObject({
      site_code: 'SIM8501',
      distance: 0,
      location: { lat: 33.4, lng: -112.1 },
      metadata: { name: 'Simulated Service Center Phoenix 1', city: 'Phoenix', state: 'AZ', zip_code: '85001' },
      capabilities: ['stat', 'appointment_scheduling_via_junction'],
    });
    const distances = found.map(({ distance }) => distance);
    expect(distances).toEqual(distances.toSorted((a, b) => a - b));
    expect(Math.max(...distances)).toBeLessThanOrEqual(25);
    expect(found.length).toBeGreaterThan(2);
  });

  test('have distances along the globe', async () => {
    // By a separate calculation, the distance from 33.4, -112.1 to 32.2226, -110.9747 is 104.4 miles.
    expect(await centers('zip_code=85004&lab_id=1&radius=100')).toEqual([]);
    expect(await centers('zip_code=85719&lab_id=1&radius=10')).toMatchObject([{ site_code: 'TUS' }]);
    const [losAngeles] = await centers('zip_code=92802&lab_id=1&radius=50');
    expect(losAngeles).toMatchObject({ site_code: 'LAX' });
    expect(losAngeles?.distance).toBeGreaterThan(15);
    expect(losAngeles?.distance).toBeLessThan(40);
  });

  test('have all capabilities of the filter', async () => {
    const bookable = await centers('zip_code=85004&lab_id=2&capabilities=appointment_scheduling_via_junction,stat');
    expect(bookable.length).toBeGreaterThan(0);
    expect(bookable.every(({ site_code }) => /[13]$/.test(site_code))).toBe(true);
    expect(await centers('zip_code=85004&lab_id=2&capabilities=flying')).toEqual([]);
  });

  test('are none around an unknown zip code, and are refused for an unknown laboratory', async () => {
    expect(await centers('zip_code=00000&lab_id=2')).toEqual([]);
    expect((await app.api('GET', '/v3/order/psc/info?zip_code=85004&lab_id=4711')).status).toBe(404);
  });

  test('can be listed for any zip code, and are never further away than the radius', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 99_999 }),
        fc.constantFrom(10, 20, 25, 50, 100),
        async (number, radius) => {
          const zip = String(number).padStart(5, '0');
          const found = await centers(`zip_code=${zip}&lab_id=2&radius=${radius}`);
          expect(found.every(({ distance }) => distance <= radius)).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('the time zone of a zip code', () => {
  test.each([
    ['32456', 'FL', 'America/New_York'],
    ['37355', 'TN', 'America/Chicago'],
    ['37402', 'TN', 'America/New_York'],
    ['42701', 'KY', 'America/New_York'],
    ['42765', 'KY', 'America/Chicago'],
    ['46534', 'IN', 'America/Chicago'],
    ['49801', 'MI', 'America/Chicago'],
    ['57601', 'SD', 'America/Chicago'],
    ['57638', 'SD', 'America/Denver'],
    ['58533', 'ND', 'America/Denver'],
    ['58638', 'ND', 'America/Chicago'],
    ['67735', 'KS', 'America/Denver'],
    ['69101', 'NE', 'America/Chicago'],
    ['69162', 'NE', 'America/Denver'],
    ['79830', 'TX', 'America/Chicago'],
    ['79836-1234', 'TX', 'America/Denver'],
    ['83501', 'ID', 'America/Los_Angeles'],
    ['83549', 'ID', 'America/Boise'],
    ['86001', 'AZ', 'America/Phoenix'],
    ['86033', 'AZ', 'America/Denver'],
    ['86504', 'AZ', 'America/Denver'],
    ['86512', 'AZ', 'America/Phoenix'],
    ['89883', 'NV', 'America/Denver'],
    ['97907', 'OR', 'America/Los_Angeles'],
    ['97914', 'OR', 'America/Boise'],
  ])('%s in %s is %s', async (zip_code, state, timezone) => {
    const answer = await askPhlebotomy(app.team, { first_line: '1 Example Way', city: 'Example', state, zip_code });
    expect(answer.timezone).toBe(timezone);
  });

  test('is its own if it differs from the one of its first three digits', async () => {
    const rows = await app.db.selectFrom('zip_prefixes').selectAll().execute();
    const whole = rows.filter(({ prefix }) => prefix.length === 5);
    expect(whole.length).toBeGreaterThan(250);
    for (const { prefix, state, iana_timezone } of whole) {
      const around = rows.find((each) => each.prefix === prefix.slice(0, 3));
      expect([state, ...offsetsOf(iana_timezone)], prefix).not.toEqual([
        around?.state,
        ...offsetsOf(around?.iana_timezone ?? ''),
      ]);
    }
  });
});

/** The states of each zone, with its hours from UTC in winter and in summer. */
const ZONES: [offsets: [number, number], states: string][] = [
  [[-4, -4], 'PR VI'],
  [[-5, -4], 'CT DC DE FL GA IN KY MA MD ME MI NC NH NJ NY OH PA RI SC TN VA VT WV'],
  [[-6, -5], 'AL AR FL IA IL IN KS KY LA MI MN MO MS ND NE OK SD TN TX WI'],
  [[-7, -6], 'AZ CO ID KS MT ND NE NM NV OR SD TX UT WY'],
  [[-7, -7], 'AZ'],
  [[-8, -7], 'CA ID NV OR WA'],
  [[-9, -8], 'AK'],
  [[-10, -9], 'AK'],
  [[-10, -10], 'HI'],
  [[-11, -11], 'AS'],
  [[9, 9], 'PW'],
  [[10, 10], 'FM GU MP'],
  [[11, 11], 'FM'],
  [[12, 12], 'MH'],
];

test('every prefix of zip codes has a time zone of its state, the one of its location', async () => {
  const prefixes = await app.db.selectFrom('zip_prefixes').selectAll().execute();
  expect(prefixes.length).toBeGreaterThan(900);
  for (const { prefix, state, lat, lng, iana_timezone } of prefixes) {
    const [winter, summer] = offsetsOf(iana_timezone);
    const matching = ZONES.filter(([, states]) => states.split(' ').includes(state)).map(([offsets]) => offsets);
    expect(matching, prefix).toContainEqual([winter, summer]);
    // West of the date line, for example in Guam, longitudes are positive. We subtract a day to compare them.
    const byLongitude = lng > 0 ? lng / 15 - 24 : lng / 15;
    expect(Math.abs((winter > 0 ? winter - 24 : winter) - byLongitude), prefix).toBeLessThan(2.5);
    expect(lat, prefix).toBeGreaterThan(-15);
  }
});

/** Returns the hours between UTC and the zone's local time, in winter and in summer. */
function offsetsOf(timeZone: string): [number, number] {
  const at = (moment: string): number =>
    (Date.parse(`${new Date(moment).toLocaleString('sv-SE', { timeZone })}Z`) - Date.parse(moment)) / 3_600_000;
  return [at('2026-01-15T12:00:00Z'), at('2026-07-15T12:00:00Z')];
}

// Appointment slots are local hours of each location. They are the same at each request, and their number is limited.
// Only the team that asked for a slot can book it.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { askCenters, askPhlebotomy, orderBy, phoenix, slotsOf } from '../../../../test/collected-orders.ts';
import { teamCtx } from '../../../../test/team-ctx.ts';
import { CENTER_PROVIDERS } from '../../schedulers/providers.ts';
import { sealBookingKey, type Slot } from './booking-key.ts';
import { daysFrom, slotsOfDay } from './simulated-scheduler.ts';
import { daysAfter, momentOfLocalTime, localTime } from './time-zones.ts';

let app: TestApp;
let production: TestApp;
let zones: string[];
beforeAll(async () => {
  [app, production] = await Promise.all([startTestApp(), startTestApp({ PHIAL_ENVIRONMENT: 'production' })]);
  const rows = await app.db.selectFrom('zip_prefixes').select('iana_timezone').distinct().execute();
  zones = rows.map(({ iana_timezone }) => iana_timezone).toSorted();
});
afterAll(() => Promise.all([app.close(), production.close()]));

type Refusal = { code: string; detail: string };
const refusalOf = async (answer: Promise<{ status: number; body: Refusal }>): Promise<string> => {
  const { status, body } = await answer;
  return `${status} ${body.code}`;
};
const offerIn = (iana_timezone: string, code = '85004') => ({
  type: 'phlebotomy' as const,
  provider: 'getlabs' as const,
  by: 'simulated' as const,
  slot_id: null,
  site: {
    code,
    name: null,
    address: { ...phoenix, second_line: null, unit: null, access_notes: null },
    location: { lng: -112.1, lat: 33.4 },
  },
  lab_id: null,
  iana_timezone,
});

describe('local times', () => {
  test('slots start at local hours in every zone on every day, including days when clocks change', () => {
    expect(zones.length).toBeGreaterThan(8);
    // One assertion for each of the 300,000 slots would take too long.
    const wrong: unknown[] = [];
    let right = 0;
    for (const zone of zones) {
      for (const year of [2025, 2026, 2027]) {
        for (let day = 0; day < 365; day += 1) {
          const date = daysAfter(`${year}-01-01`, day);
          for (const { start_at, end_at } of slotsOfDay(offerIn(zone), date)) {
            const [on, at] = localTime(Date.parse(start_at), zone).split(' ') as [string, string];
            const lasts = Date.parse(end_at) - Date.parse(start_at);
            if (on === date && /^(0[7-9]|1[0-6]):00$/.test(at) && lasts === 3_600_000) right += 1;
            else wrong.push({ zone, date, on, at, lasts });
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThan(zones.length * 3 * 300);
  });

  test('a time that clocks skip does not exist, and a time that they show twice is the first one', () => {
    const utc = (date: string, minutes: number, zone: string): string | null => {
      const at = momentOfLocalTime(date, minutes, zone);
      return at === null ? null : new Date(at).toISOString();
    };
    expect(utc('2026-03-08', 2 * 60 + 30, 'America/New_York')).toBeNull();
    expect(utc('2026-03-08', 3 * 60, 'America/New_York')).toBe('2026-03-08T07:00:00.000Z');
    expect(utc('2026-03-08', 1 * 60, 'America/New_York')).toBe('2026-03-08T06:00:00.000Z');
    expect(utc('2026-11-01', 1 * 60 + 30, 'America/New_York')).toBe('2026-11-01T05:30:00.000Z');
    expect(utc('2026-11-01', 2 * 60, 'America/New_York')).toBe('2026-11-01T07:00:00.000Z');
    expect(utc('2026-03-08', 2 * 60 + 30, 'America/Phoenix')).toBe('2026-03-08T09:30:00.000Z');
    // From 7:00 on Saturday to 7:00 on Monday, 47 hours pass if clocks go forward on Sunday, and 49 if they go back.
    const between = (from: string, to: string): number =>
      ((momentOfLocalTime(to, 420, 'America/Chicago') ?? 0) - (momentOfLocalTime(from, 420, 'America/Chicago') ?? 0)) /
      3_600_000;
    expect(between('2026-03-07', '2026-03-09')).toBe(47);
    expect(between('2026-10-31', '2026-11-02')).toBe(49);
  });

  test('the clocks show a local time at its moment, for any minute of any day', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 3_650 }),
        fc.integer({ min: 0, max: 1_439 }),
        (zone, day, minutes) => {
          const date = daysAfter('2024-01-01', day);
          const at = momentOfLocalTime(date, minutes, zone);
          const hour = String(Math.floor(minutes / 60)).padStart(2, '0');
          if (at === null) expect(minutes).toBeLessThan(4 * 60);
          else expect(localTime(at, zone)).toBe(`${date} ${hour}:${String(minutes % 60).padStart(2, '0')}`);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('availability', () => {
  test('slots depend only on the zip code, the day and the hour', () => {
    const starts = (code: string): string[] =>
      daysFrom('2030-01-01', 'America/Phoenix', Date.parse('2029-12-31T12:00:00Z'))
        .flatMap((date) => slotsOfDay(offerIn('America/Phoenix', code), date))
        .map(({ start_at }) => start_at);
    expect(starts('85004')).toEqual(starts('85004'));
    expect(starts('85004')).not.toEqual(starts('85005'));
    // A week has six days with ten hours each. About three quarters of these 60 hours have a slot, which is about 45.
    expect(starts('85004').length).toBeGreaterThan(30);
    expect(starts('85004').length).toBeLessThan(60);
  });

  test('a visit has a week of slots in local time from a day ahead on, with keys valid for half an hour', async () => {
    const { slots, timezone } = await askPhlebotomy(app.team);
    expect(timezone).toBe('America/Phoenix');
    const all = slotsOf({ slots, timezone });
    expect(all.length).toBeGreaterThan(20);
    expect(all.length).toBeLessThanOrEqual(70);
    for (const { start, expires_at } of all) {
      expect(Date.parse(start)).toBeGreaterThan(Date.now() + 86_400_000 - 60_000);
      expect(Date.parse(expires_at)).toBeLessThanOrEqual(Date.now() + 30 * 60_000);
    }
    expect((await askPhlebotomy(app.team)).slots.map(({ date }) => date)).toEqual(slots.map(({ date }) => date));
  });

  test('the week begins with start_date, at the earliest today, and at most 60 days ahead', async () => {
    const day = (days: number): string => daysAfter(new Date().toISOString().slice(0, 10), days);
    const later = await askPhlebotomy(app.team, phoenix, `?start_date=${day(30)}`);
    expect(later.slots.every(({ date }) => date >= day(30) && date < day(37))).toBe(true);
    const past = await askPhlebotomy(app.team, phoenix, '?start_date=2020-01-01');
    expect(past.slots.map(({ date }) => date)).toEqual((await askPhlebotomy(app.team)).slots.map(({ date }) => date));
    const ask = (query: string) =>
      app.api<Refusal>('POST', `/v3/order/phlebotomy/appointment/availability?${query}`, phoenix);
    expect(await refusalOf(ask(`start_date=${day(70)}`))).toBe('400 start_date_too_far');
    expect(await refusalOf(ask('start_date=2026-02-30'))).toBe('422 validation_failed');
  });

  test('a visit needs a complete address in the United States, where a provider comes', async () => {
    const ask = (address: object) => app.api<Refusal>('POST', '/v3/order/phlebotomy/appointment/availability', address);
    for (const field of ['first_line', 'city', 'state', 'zip_code'])
      expect(await refusalOf(ask({ ...phoenix, [field]: undefined }))).toBe('422 validation_failed');
    expect(await refusalOf(ask({ ...phoenix, zip_code: '8500' }))).toBe('422 validation_failed');
    expect(await refusalOf(ask({ ...phoenix, state: 'Arizona' }))).toBe('422 validation_failed');
    expect(await refusalOf(ask({ ...phoenix, state: 'HI', zip_code: '96813' }))).toBe('400 area_not_served');
  });

  test('the slots of service centers are listed by site: the named sites, or the five nearest', async () => {
    const near = await askCenters(app.team, 'lab=quest&zip_code=10001&radius=25');
    const siteCodes = [...new Set(near.slots.map(({ location }) => location?.code))];
    expect(siteCodes[0]).toBe('SIM1001');
    expect(siteCodes.length).toBe(5);
    expect(near.timezone).toBe('America/New_York');
    const two = await askCenters(app.team, 'lab=quest&site_codes=SIM1001,SIM6061&allow_stale=true');
    expect(new Set(two.slots.map(({ location }) => location?.code))).toEqual(new Set(['SIM1001', 'SIM6061']));
    const ask = (query: string) => app.api<Refusal>('POST', `/v3/order/psc/appointment/availability?${query}`);
    expect((await ask('lab=sonora_quest&zip_code=10001')).body).toMatchObject({
      code: 'not_found',
      detail:
        'This laboratory books appointments at no service center within 25 miles of this zip code. ' +
        'These laboratories do: quest.',
    });
    expect((await ask('lab=sonora_quest&zip_code=00000')).body.detail).toMatch(
      /No laboratory books there through this service\.$/,
    );
    expect((await ask('lab=sonora_quest&site_codes=SIM1001')).body.detail).toMatch(
      /these service centers\. These laboratories do: quest\.$/,
    );
    expect(await refusalOf(ask('lab=quest&site_codes=NOWHERE'))).toBe('404 not_found');
    expect(await refusalOf(ask('lab=quest'))).toBe('422 validation_failed');
    expect(await refusalOf(ask('lab=quest&site_codes=A,B,C,D,E,F'))).toBe('422 validation_failed');
  });
});

test('each provider for service centers has slots around the address of the quickstart', async () => {
  const zip = /zip: '(\d{5})'/.exec(readFileSync('examples/quickstart/people.ts', 'utf8'))?.[1];
  expect(readFileSync('README.md', 'utf8')).toContain(`"zip": "${zip}"`);
  for (const lab of CENTER_PROVIDERS) {
    const id = await orderBy(app.team, 'walk_in_test');
    const [slot] = slotsOf(await askCenters(app.team, `lab=${lab}&zip_code=${zip}`));
    const booked = await app.api<{ provider: string }>('POST', `/v3/order/${id}/psc/appointment/book`, {
      booking_key: slot?.booking_key,
    });
    expect([booked.status, booked.body.provider]).toEqual([200, lab]);
  }
});

test('a request to a provider that does not come is refused and names those that do', async () => {
  const id = await orderBy(app.team, 'at_home_phlebotomy');
  const ask = async (address: object): Promise<[number, string]> => {
    const body = { address, provider: 'quest' };
    const asked = await app.api<Refusal>('POST', `/v3/order/${id}/phlebotomy/appointment/request`, body);
    return [asked.status, asked.body.detail];
  };
  expect(await ask(phoenix)).toEqual([
    400,
    expect.stringMatching(/These providers come: getlabs \(.*phlebfinders \(appointment-request\)\./),
  ]);
  expect(await ask({ ...phoenix, state: 'HI', zip_code: '96813' })).toEqual([
    400,
    expect.stringContaining('No provider comes there.'),
  ]);
});

describe('a booking key', () => {
  const slot = (changes: Partial<Slot> = {}): Slot => ({
    ...offerIn('America/Phoenix'),
    start_at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
    end_at: new Date(Date.now() + 3 * 86_400_000 + 3_600_000).toISOString(),
    ...changes,
  });
  const inHalfAnHour = (): string => new Date(Date.now() + 1_800_000).toISOString();
  const keyOf = async (team: Team, sealed: Slot, expires_at = inHalfAnHour()): Promise<string> =>
    sealBookingKey(await teamCtx(app.ctx, team.id), sealed, expires_at);
  const book = (id: string, booking_key: string, kind = 'phlebotomy') =>
    app.api<Refusal>('POST', `/v3/order/${id}/${kind}/appointment/book`, { booking_key });

  test('books only its unchanged slot, for its own team, and until it expires', async () => {
    const id = await orderBy(app.team, 'at_home_phlebotomy');
    const other = await app.makeTeam('Mesa Labs');
    const key = await keyOf(app.team, slot());
    const bytes = Buffer.from(key, 'base64url');
    bytes[40] = (bytes[40] as number) ^ 1;
    for (const forged of ['x', 'not a key', bytes.toString('base64url'), key.slice(0, -4), await keyOf(other, slot())])
      expect(await refusalOf(book(id, forged))).toBe('400 booking_key_invalid');
    const past = new Date(Date.now() - 1_000).toISOString();
    expect(await refusalOf(book(id, await keyOf(app.team, slot(), past)))).toBe('400 booking_key_expired');
    const begun = slot({ start_at: past });
    expect(await refusalOf(book(id, await keyOf(app.team, begun)))).toBe('400 booking_key_expired');
    expect(await refusalOf(book(id, key))).toBe('200 undefined');
  });

  test('books no appointment of another type, and none at another laboratory', async () => {
    const [home, walkIn] = [await orderBy(app.team, 'at_home_phlebotomy'), await orderBy(app.team, 'walk_in_test')];
    const atCenter = slotsOf(await askCenters(app.team))[0]?.booking_key as string;
    const atHome = slotsOf(await askPhlebotomy(app.team))[0]?.booking_key as string;
    expect(await refusalOf(book(home, atCenter))).toBe('400 booking_key_mismatch');
    expect(await refusalOf(book(walkIn, atHome, 'psc'))).toBe('400 booking_key_mismatch');
    const elsewhere = slot({ type: 'patient_service_center', provider: 'quest', lab_id: 1 });
    expect(await refusalOf(book(walkIn, await keyOf(app.team, elsewhere), 'psc'))).toBe('400 booking_key_mismatch');
  });

  test('does not show the address of the request', async () => {
    const [first] = slotsOf(await askPhlebotomy(app.team, { ...phoenix, access_notes: 'The key is under the mat' }));
    const bytes = Buffer.from(first?.booking_key as string, 'base64url').toString('latin1');
    for (const text of ['mat', 'Test Street', '85004', 'Phoenix']) expect(bytes).not.toContain(text);
  });
});

test('in production without a scheduler nothing can be booked, and the refusal says so', async () => {
  const asked = [
    ['/v3/order/phlebotomy/appointment/availability', phoenix],
    ['/v3/order/psc/appointment/availability?lab=quest&zip_code=85004', undefined],
  ] as const;
  for (const [path, body] of asked)
    expect(await refusalOf(production.api<Refusal>('POST', path, body))).toBe('400 scheduler_not_connected');
  for (const kind of ['phlebotomy', 'psc']) {
    const reasons = await production.api<unknown[]>('GET', `/v3/order/${kind}/appointment/cancellation-reasons`);
    expect(reasons.body.length).toBeGreaterThan(3);
  }
});

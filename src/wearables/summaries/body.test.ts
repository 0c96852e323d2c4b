import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makePerson, type Person } from '../../../test/summary-person.ts';

let app: TestApp;
let person: Person;
beforeAll(async () => {
  app = await startTestApp();
  person = await makePerson(app);
});
afterAll(async () => {
  await person.close();
  await app.close();
});

describe('the day of a body measurement', () => {
  const weighed = (timestamp: string, changes: object = {}) => ({
    provider: 'withings',
    source_type: 'scale',
    timestamp,
    weight: 71.5,
    ...changes,
  });

  test('is the local one by the offset, the zone or the provider', async () => {
    await person.push(
      'body',
      weighed('2026-01-06T05:00:00Z', { timezone_offset: -25_200 }),
      weighed('2026-01-07T23:00:00Z', { time_zone: 'Asia/Tokyo' }),
      weighed('2026-01-09T23:00:00Z', { calendar_date: '2026-01-11', fat: 20 }),
    );
    const all = await person.read('body');
    expect(all.map(({ calendar_date }) => calendar_date)).toEqual(['2026-01-05', '2026-01-08', '2026-01-11']);
    expect(all[2]).toMatchObject({ weight: 71.5, fat: 20, body_mass_index: null, date: '2026-01-11T00:00:00.000Z' });
    expect((await person.takeEvents()).map(([type]) => type)).toEqual(Array(3).fill('daily.data.body.created'));
  });

  test('decides which raw payloads are in a range', async () => {
    const sent = weighed('2025-11-06T05:00:00Z', { timezone_offset: -25_200, water_percentage: 58.5 });
    const { items } = await person.push('body', sent, weighed('2025-11-08T05:00:00Z'));
    const { status, body } = await person.team.api<{ body: object[] }>(
      'GET',
      `/v2/summary/body/${person.userId}/raw?start_date=2025-11-01&end_date=2025-11-06`,
    );
    expect([status, body.body]).toEqual([
      200,
      [
        expect.objectContaining({
          id: items[0]?.id,
          user_id: person.userId,
          timestamp: '2025-11-06T05:00:00.000Z',
          data: expect.objectContaining(sent),
          source: expect.objectContaining({ slug: 'withings' }),
        }),
      ],
    ]);
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writtenMoment } from './moment.ts';

test('a stored moment has the same milliseconds as in Date, whatever day was read before', () => {
  const moments = fc.date({ min: new Date('0001-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z') });
  fc.assert(
    fc.property(
      fc.array(
        moments.filter((date) => !Number.isNaN(date.getTime())),
        { maxLength: 5 },
      ),
      (dates) => {
        for (const date of dates) expect(writtenMoment(date.toISOString())).toBe(date.getTime());
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  '2026-02-30T07:00:00.000Z',
  '2026-13-01T07:00:00.000Z',
  '0000-01-01T07:00:00.000Z',
  '2026-01-05T24:00:00.000Z',
  '2026-01-05T07:60:00.000Z',
  '2026-01-05T07:00:60.000Z',
  '2026-01-05T07:00:00.00:Z',
  '2026-01-05T07:00:00./00Z',
  '2026-01-05T 7:00:00.000Z',
  '2026-01-05t07:00:00.000Z',
  '2026-01-05 07:00:00.000Z',
  '2026-01-05T07:00:00.000z',
  '2026-01-05T07:00:00,000Z',
  '2026-01-05T07-00-00.000Z',
  '2026-01-05T07:00:00.0000',
  '2026-01-05T07:00:00Z',
  '2026-01-05T07:00:00.0000Z',
  '2026-01-05',
  '',
])('%s is not a stored moment', (text) => {
  expect(writtenMoment('2026-01-05T07:00:00.000Z')).toBe(Date.UTC(2026, 0, 5, 7));
  expect(writtenMoment(text)).toBeNaN();
});

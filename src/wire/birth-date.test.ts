import { expect, test } from 'vitest';
import { isBirthDate } from './birth-date.ts';

const at = (moment: string): number => Date.parse(`${moment}Z`);

test.each([
  // At UTC+14 the next day begins at 10:00 UTC. At UTC-12 the previous day ends at 12:00 UTC.
  ['2026-11-21T00:01', '1896-11-20', '2026-11-21'],
  ['2026-11-21T09:59', '1896-11-20', '2026-11-21'],
  ['2026-11-21T10:01', '1896-11-20', '2026-11-22'],
  ['2026-11-21T14:00', '1896-11-21', '2026-11-22'],
  ['2026-11-21T23:59', '1896-11-21', '2026-11-22'],
  ['2026-01-01T00:01', '1895-12-31', '2026-01-01'],
  ['2025-12-31T23:59', '1895-12-31', '2026-01-01'],
  ['2024-02-28T10:01', '1894-02-27', '2024-02-29'],
  ['2024-03-01T00:01', '1894-03-01', '2024-03-01'],
  ['2024-03-01T12:01', '1894-03-01', '2024-03-02'],
])('at %s UTC a person can be born from %s to %s', (moment, oldest, latest) => {
  const now = at(moment);
  const dayBefore = (day: string): string => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
  const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  expect([dayBefore(oldest), oldest, latest, dayAfter(latest)].map((day) => isBirthDate(day, now))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test('a date that no calendar has is refused, and 29 February exists in leap years only', () => {
  const now = at('2026-11-21T12:00');
  for (const day of ['2024-02-29', '2000-02-29']) expect(isBirthDate(day, now)).toBe(true);
  for (const day of ['2023-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-1-1', '']) {
    expect(isBirthDate(day, now)).toBe(false);
  }
});

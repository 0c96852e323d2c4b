import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { millisecondsOf } from '../wire/moment.ts';
import { calendarDateOf, clockOf, dayEdges, momentOfClock, offsetWithin } from './calendar-date.ts';

const UNKNOWN = { timezone_offset: null, time_zone: null };
const zone = (time_zone: string) => ({ timezone_offset: null, time_zone });
const offset = (timezone_offset: number) => ({ timezone_offset, time_zone: null });
const hoursOf = (date: string, time_zone: string): number => {
  const { start, end } = dayEdges(date, zone(time_zone));
  return (Date.parse(end) - Date.parse(start)) / 3_600_000;
};

describe('the calendar day of a moment', () => {
  test('follows the offset, else the zone, else UTC', () => {
    const late = '2026-01-06T05:30:00Z';
    expect(calendarDateOf(late, { timezone_offset: -25_200, time_zone: 'Asia/Tokyo' })).toBe('2026-01-05');
    expect(calendarDateOf('2026-01-05T20:00:00Z', zone('Asia/Tokyo'))).toBe('2026-01-06');
    expect(calendarDateOf(late, UNKNOWN)).toBe('2026-01-06');
    expect(calendarDateOf('2026-01-05T23:59:59.999-07:00', UNKNOWN)).toBe('2026-01-06');
  });

  test('treats an offset of 0 as a known offset', () => {
    expect(calendarDateOf('2026-01-05T23:30:00Z', { timezone_offset: 0, time_zone: 'Asia/Tokyo' })).toBe('2026-01-05');
  });
});

test('uses the clock that the source states before the zone of the user', () => {
  const user = { fallback_time_zone: 'America/Phoenix' };
  expect(clockOf({}, user)).toEqual(zone('America/Phoenix'));
  expect(clockOf({ time_zone: 'Asia/Tokyo' }, user)).toEqual(zone('Asia/Tokyo'));
  expect(clockOf({ time_zone: 'Nowhere/Land' }, user)).toEqual(zone('America/Phoenix'));
  expect(clockOf({ timezone_offset: 0 }, user).timezone_offset).toBe(0);
  expect(clockOf({ timezone_offset: null }, { fallback_time_zone: null })).toEqual(UNKNOWN);
});

test('the text of a moment gives an offset unless that is zero, which most programs write for UTC', () => {
  expect(offsetWithin('2026-01-05T10:00:00-07:00')).toBe(-25_200);
  expect(offsetWithin('2026-01-05 10:00+0545')).toBe(20_700);
  for (const text of ['2026-01-05T10:00:00Z', '2026-01-05T10:00:00', '2026-01-05T10:00:00+00:00', '2026-01-05'])
    expect(offsetWithin(text)).toBeNull();
});

test('a wall clock gives the moment before and after clocks change, and on days without a change', () => {
  const hour = 3_600_000;
  const at = (date: string, hours: number): string => momentOfClock(date, hours * hour, zone('Europe/Berlin'));
  expect([at('2026-03-29', 1), at('2026-03-29', 12)]).toEqual(['2026-03-29T00:00:00.000Z', '2026-03-29T10:00:00.000Z']);
  expect([at('2026-10-25', 1), at('2026-10-25', 12)]).toEqual(['2026-10-24T23:00:00.000Z', '2026-10-25T11:00:00.000Z']);
  expect(at('2026-06-01', 12)).toBe('2026-06-01T10:00:00.000Z');
  expect(momentOfClock('2026-06-01', 12 * hour, UNKNOWN)).toBe('2026-06-01T12:00:00.000Z');
});

describe('a local day', () => {
  test('has 23 hours when clocks go forward and 25 when they go back', () => {
    expect(hoursOf('2026-03-08', 'America/New_York')).toBe(23);
    expect(hoursOf('2026-11-01', 'America/New_York')).toBe(25);
    expect(hoursOf('2026-07-01', 'America/New_York')).toBe(24);
    expect(hoursOf('2026-03-08', 'America/Phoenix')).toBe(24);
    expect(hoursOf('2026-04-05', 'Australia/Lord_Howe')).toBe(24.5);
  });

  test('begins after the gap where the clock skips midnight', () => {
    expect(dayEdges('2026-04-24', zone('Africa/Cairo')).start).toBe('2026-04-23T22:00:00.000Z');
    expect(hoursOf('2026-04-24', 'Africa/Cairo')).toBe(23);
  });

  test('has 24 hours where only an offset is known', () => {
    expect(dayEdges('2026-03-08', offset(-18_000))).toEqual({
      start: '2026-03-08T05:00:00.000Z',
      end: '2026-03-09T05:00:00.000Z',
    });
  });

  const zones = fc.constantFrom(
    'America/New_York',
    'America/Sao_Paulo',
    'America/St_Johns',
    'Europe/London',
    'Africa/Cairo',
    'Asia/Kolkata',
    'Asia/Tehran',
    'Australia/Lord_Howe',
    'Pacific/Auckland',
    'Pacific/Kiritimati',
    'America/Havana',
    'UTC',
  );
  const moments = fc.date({ min: new Date('2012-01-01'), max: new Date('2036-12-31'), noInvalidDate: true });

  test('contains every moment whose calendar day it is, and is 23 to 25 hours long', () => {
    fc.assert(
      fc.property(zones, moments, (name, at) => {
        const date = calendarDateOf(at.toISOString(), zone(name));
        const { start, end } = dayEdges(date, zone(name));
        const hours = (millisecondsOf(end) - millisecondsOf(start)) / 3_600_000;
        expect(start <= at.toISOString() && at.toISOString() < end).toBe(true);
        expect(hours).toBeGreaterThanOrEqual(23);
        expect(hours).toBeLessThanOrEqual(25);
      }),
      { numRuns: 500 },
    );
  });

  test('ends where the next one begins', () => {
    fc.assert(
      fc.property(zones, moments, (name, at) => {
        const date = at.toISOString().slice(0, 10);
        const { end } = dayEdges(date, zone(name));
        expect(calendarDateOf(end, zone(name)) > date).toBe(true);
        expect(calendarDateOf(new Date(Date.parse(end) - 1).toISOString(), zone(name)) <= date).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

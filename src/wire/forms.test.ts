import { describe, expect, test } from 'vitest';
import { countryCode, domesticCountry, isUnitedStates } from './country.ts';
import { firstMoment, lastMoment, pastMoment } from './moment.ts';
import { isPlainText, isReference, MAX_LINES, proseOrNull, wordsOf } from './text.ts';
import { timeZone } from './time-zone.ts';

describe('plain text', () => {
  test.each([
    '',
    '1 Saguaro Way #4, 2nd floor',
    "Ana María O'Hara-Ñandú",
    '李小龍',
    'Ελένη',
    'दिल्ली',
    '½ € & | ^ ~ \\',
    '🏠',
    'non\u00a0breaking',
  ])('%j is accepted', (text) => {
    expect(isPlainText(text)).toBe(true);
  });

  test.each([
    ['a line feed', 'a\nb'],
    ['a carriage return', 'a\rPID|1'],
    ['a tab', 'a\tb'],
    ['a zero character', 'a\0b'],
    ['a control of the second row', 'a\u0085b'],
    ['the line separator', 'a\u2028b'],
    ['the paragraph separator', 'a\u2029b'],
    ['a right-to-left override', 'a\u202eb'],
    ['an isolate', 'a\u2066b'],
    ['the Arabic letter mark', 'a\u061cb'],
    ['a zero-width space', 'a\u200bb'],
    ['a zero-width joiner', 'a\u200db'],
    ['a byte-order mark', 'a\ufeffb'],
    ['a soft hyphen', 'a\u00adb'],
    ['a Hangul filler', 'a\u3164b'],
    ['a blank Braille pattern', 'a\u2800b'],
    ['a tag character', 'a\u{e0041}b'],
    ['half a surrogate pair', 'a\ud800b'],
    ['a character for private use', 'a\ue000b'],
  ])('%s is refused', (_what, text) => {
    expect(isPlainText(text)).toBe(false);
  });

  test('prose keeps its lines, whatever line ends they have', () => {
    expect(proseOrNull('Takes metformin.\r\n\r\nFasted\rsince\nnine.')).toBe(
      'Takes metformin.\n\nFasted\nsince\nnine.',
    );
    for (const text of ['a\tb', 'a\n\u202eb', 'a\u2028b', 'a\0', 'a\u0085b']) expect(proseOrNull(text)).toBeNull();
    expect(proseOrNull('\n'.repeat(MAX_LINES - 1))).not.toBeNull();
    expect(proseOrNull('\n'.repeat(MAX_LINES))).toBeNull();
  });

  test('a reference needs a visible character', () => {
    for (const text of ['user-1', ' a', 'a\u200b', '—', '李']) expect(isReference(text)).toBe(true);
    for (const text of ['', ' ', '\u200b', '\u2060\u2060', '\u3164', '\u2800', '\u00ad', 'a\nb', 'a\u0085'])
      expect(isReference(text)).toBe(false);
  });

  test('words are runs of letters and digits, without case and accents', () => {
    expect(wordsOf("  Ana María O'Hara-Smith 3rd ")).toEqual(['ana', 'maria', 'o', 'hara', 'smith', '3rd']);
  });
});

describe('a country', () => {
  test.each(['US', 'us', 'USA', 'usa', 'U.S.', 'United States', 'UNITED STATES OF AMERICA', 'the United  States'])(
    '%s is the United States',
    (text) => {
      expect([isUnitedStates(text), domesticCountry(text)]).toEqual([true, 'United States']);
    },
  );

  test.each([
    ['PR', 'Puerto Rico'],
    ['puerto rico', 'Puerto Rico'],
    ['US Virgin Islands', 'U.S. Virgin Islands'],
    ['gu', 'Guam'],
  ])('orders ship to the territory %s', (text, name) => {
    expect([isUnitedStates(text), domesticCountry(text)]).toEqual([false, name]);
  });

  test.each([
    ['Canada', 'CA'],
    ['mx', 'MX'],
    ['Great Britain', 'GB'],
    ['Narnia', null],
    ['XX', null],
    ['EU', null],
    ['', null],
  ])('%j has the code %s, and orders do not ship there', (text, code) => {
    expect([countryCode(text), domesticCountry(text)]).toEqual([code, null]);
  });
});

describe('a time zone', () => {
  test.each([
    ['America/Phoenix', 'America/Phoenix'],
    ['america/phoenix', 'America/Phoenix'],
    ['AMERICA/NEW_YORK', 'America/New_York'],
    ['us/arizona', 'America/Phoenix'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['asia/calcutta', 'Asia/Kolkata'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
  ])('%s is stored as %s', (text, canonical) => {
    expect(timeZone(text)).toBe(canonical);
  });

  test.each(['Mars/Olympus', '+05:00', '', '-07', 'America/', 'America/Phoenix '])('%j is refused', (text) => {
    expect(timeZone(text)).toBeNull();
  });
});

describe('a moment', () => {
  test('without an offset is UTC, and a date alone is its first or its last moment', () => {
    expect(firstMoment('2026-01-05T09:30:00-07:00')).toBe('2026-01-05T09:30:00-07:00');
    expect(firstMoment('2026-01-05T09:30')).toBe('2026-01-05T09:30Z');
    expect(firstMoment('2026-01-05')).toBe('2026-01-05T00:00:00.000Z');
    expect(lastMoment('2026-01-05')).toBe('2026-01-05T23:59:59.999Z');
    expect(lastMoment('2026-01-05T09:30:00Z')).toBe('2026-01-05T09:30:00Z');
  });

  test.each(['2026-02-30', '2026-01-05T24:00', '2026-01-05T09:60', '09:30', 'now', '2026-01-05T09:30:00+16:00', ''])(
    '%j is refused',
    (text) => {
      expect([firstMoment(text), lastMoment(text)]).toEqual([null, null]);
    },
  );

  test('in the past may be five minutes ahead of our clock, in any time zone', () => {
    const now = Date.parse('2026-01-05T09:30:00Z');
    for (const text of ['2026-01-05T09:35', '2026-01-05', '2026-01-05T02:35:00-07:00', '2026-01-05 16:35+0700']) {
      expect(pastMoment(text, now)).not.toBeNull();
    }
    for (const text of ['2026-01-05T09:35:01', '2026-01-06', '2026-01-05T02:36:00-07:00', '2026-01-05 16:36+0700']) {
      expect(pastMoment(text, now)).toBeNull();
    }
  });
});

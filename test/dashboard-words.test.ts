// The dashboard says in words what the service says in codes. These tests compare both lists of codes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIELDS } from '../dashboard/src/pages/laboratory-message/field-names.ts';
import { isBeforeCollection, REPLACEABLE } from '../dashboard/src/pages/order/allowed-actions.ts';
import { shareDone } from '../dashboard/src/pages/webhook/share-done.ts';
import { ORDER_GROUPS } from '../dashboard/src/parts/order-groups.ts';
import { statesLike, stateWritten, US_STATES } from '../dashboard/src/parts/us-states.ts';
import { unitInWords, withUnit } from '../dashboard/src/parts/unit.ts';
import { dateWritten } from '../dashboard/src/parts/written-date.ts';
import { noSuchThing, problemWithField } from '../dashboard/src/parts/problem-words.ts';
import { refusalInWords, refusalTodo } from '../dashboard/src/parts/refusals.ts';
import { dateAt, middleOf, startOf } from '../dashboard/src/parts/zone.ts';
import { OVERDUE_RULES } from '../src/labs/orders/counts/overdue.ts';
import * as statuses from '../src/labs/orders/status/statuses.ts';
import { REPLACEABLE as REPLACEABLE_ORDERS } from '../src/labs/orders/under-way/replace-order.ts';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { US_STATES as KNOWN_STATES } from '../src/wire/us-state.ts';

const read = (path: string): string => readFileSync(join(PACKAGE_ROOT, path), 'utf8');

/** The text between `const NAME … = {` and the brace that ends it. */
function objectIn(path: string, name: string): string {
  const [, found] = new RegExp(`const ${name}\\b[^\\n]*= \\{\\n(.*?)\\n\\};`, 's').exec(read(path)) ?? [];
  if (found === undefined) throw new Error(`${path} has no object ${name}`);
  return found;
}

/** The keys of an object of the source that stand at its first level. */
const keysIn = (path: string, name: string): string[] =>
  [...objectIn(path, name).matchAll(/^ {2}'?(\w+)'?:/gm)].map(([, key]) => key as string);

/** The codes in the first column of a table of the guide. A code with … stands for many. */
function guided(heading: string): string[] {
  const section = read('docs/guides/repair-messages.md')
    .split('\n## ')
    .find((text) => text.startsWith(heading)) as string;
  const cells = section.split('\n').filter((line) => line.startsWith('| `'));
  const codes = cells.flatMap((line) => [...(line.split('|')[1] as string).matchAll(/`([a-z0-9_…]+)`/g)]);
  return codes.map(([, code]) => code as string).toSorted();
}

const REASONS = 'dashboard/src/parts/message-reasons.ts';

test('the dashboard has words for each reason why a message waits, and for no other', () => {
  expect(keysIn(REASONS, 'REASONS').toSorted()).toEqual(guided('Why a message waits'));
});

test('the dashboard has words for the reasons of messages that have ended', () => {
  const ended = keysIn(REASONS, 'ENDED');
  expect(ended.length).toBeGreaterThan(0);
  expect(guided('Reasons and warnings of messages that do not wait')).toEqual(expect.arrayContaining(ended));
});

test('the dashboard has words for each reason why an order was refused', () => {
  const path = 'dashboard/src/parts/refusals.ts';
  const ofOrder = [...(/OF_ORDER = new Set\(\[([^\]]*)\]/.exec(read(path))?.[1] ?? '').matchAll(/'(\w+)'/g)];
  const words = [...keysIn(path, 'REASONS'), ...ofOrder.map(([, code]) => code as string)];
  // The remaining ones are answers about the message, whose form the page knows.
  const isAnswer = (code: string): boolean => /^(ae|ar|ce|cr)(_…)?$/.test(code) && code !== 'cr';
  const expected = guided('Why an order was refused').filter((code) => !isAnswer(code) && code !== '…_too_long');
  expect(words.toSorted()).toEqual(expected);
});

test('the dashboard names each field that a repair may change, and marks no other as faulty', () => {
  const listed = (text: string): string[] =>
    [...text.matchAll(/([A-Z]{3}): \[([\d, ]+)\]/g)].flatMap(([, segment, fields]) =>
      (fields as string).split(', ').map((field) => `${segment}-${field}`),
    );
  const named = Object.entries(FIELDS).flatMap(([segment, fields]) =>
    Object.keys(fields).map((field) => `${segment}-${field}`),
  );
  const changeable = listed(objectIn('src/labs/laboratories/hl7/management/change-message.ts', 'CHANGEABLE'));
  expect(named.toSorted()).toEqual(changeable.toSorted());
  const faulty = listed(read(REASONS));
  expect(faulty).toContain('SPM-17');
  expect(changeable).toEqual(expect.arrayContaining(faulty));
  expect(keysIn(REASONS, 'REASONS')).toEqual(expect.arrayContaining(keysIn(REASONS, 'FAULTY')));
});

test('each status of an order is in one group of the dashboard', () => {
  const grouped = Object.values(ORDER_GROUPS).flatMap(({ statuses }) => [...statuses]);
  const known = new Set(statuses.COLLECTION_METHODS.flatMap((method) => statuses.statusesOf(method)));
  expect(grouped.toSorted()).toEqual([...known].toSorted());
});

test('the dashboard has words for each status in which an order can be overdue', () => {
  const { not_sent, not_collected, ...others } = OVERDUE_RULES;
  const words = keysIn('dashboard/src/parts/overdue.tsx', 'WAITED_FOR');
  expect(words.toSorted()).toEqual([...new Set(Object.values(others).flatMap((rule) => rule.statuses))].toSorted());
  // Their words depend on the method alone.
  for (const status of [...not_sent.statuses, ...not_collected.statuses]) expect(words).not.toContain(status);
});

test('a problem of an input is said in words for people', () => {
  const words = (type: string, msg: string, ...loc: string[]) => problemWithField({ type, msg, loc: ['body', ...loc] });
  expect(words('missing', 'Field required', 'patient_details', 'last_name')).toBe('Last name: Fill this in.');
  expect(words('string_too_short', 'String should have at least 1 character', 'city')).toBe('City: Fill this in.');
  expect(words('string_too_long', 'String should have at most 50 characters', 'city')).toBe(
    'City: Write at most 50 characters.',
  );
  expect(words('string_pattern_mismatch', "String should match pattern '^x$'", 'zip')).toMatch(/^Zip: Write 5 digits/);
  const future = 'Input should be a date and time as ISO 8601 that is not in the future';
  expect(words('datetime_parsing', future, 'called_at')).toBe(
    'Called at: Write a date and time that is not in the future.',
  );
  expect(words('value_error', 'The lower end should come first', 'range')).toBe('The lower end should come first');
  const noId = { type: 'uuid_parsing', loc: ['path', 'order_id'], msg: 'Input should be a valid UUID' };
  expect([noSuchThing([noId]), noSuchThing([{ ...noId, loc: ['body', 'order_id'] }])]).toEqual(['No such order', null]);
});

test('the codes with which a laboratory refuses an order have their meaning beside them', () => {
  expect(refusalInWords('ae_207')).toBe('The laboratory answered AE: its program had an error (error 207)');
  expect(refusalInWords('ar_999')).toBe('The laboratory answered AR, error 999');
  expect(refusalTodo('ae_207')).toContain('later');
});

test('the dashboard offers a replacement in the statuses in which the service makes one', () => {
  expect([...REPLACEABLE].toSorted()).toEqual(REPLACEABLE_ORDERS.toSorted());
});

test('the dashboard offers a correction of the patient as long as no sample is collected', () => {
  const known = statuses.COLLECTION_METHODS.flatMap((method) =>
    statuses.statusesOf(method).map((low) => ({ method, low, status: statuses.fullStatus(method, low) })),
  );
  const differing = known.filter(
    ({ method, low, status }) => isBeforeCollection(status) !== statuses.isBeforeCollection(method, low),
  );
  expect(known.length).toBeGreaterThan(50);
  expect(differing).toEqual([]);
});

test('an order asks for the consents that the service needs without a physician', () => {
  const namesIn = (path: string, name: string): string[] => {
    const [, list = ''] = new RegExp(`const ${name}[^=]*= \\[([^\\]]*)\\]`).exec(read(path)) ?? [];
    return [...list.matchAll(/'([a-z-]+)'/g)].map(([, word]) => word as string);
  };
  const needed = namesIn('src/wire/rules.ts', 'NEEDED_CONSENTS');
  expect(needed.length).toBeGreaterThan(0);
  expect(namesIn('dashboard/src/parts/signing-fields.tsx', 'NEEDED')).toEqual(needed);
});

test('an address has a choice of the states that the service knows, found by name or code', () => {
  expect(US_STATES.map(({ value }) => value).toSorted()).toEqual([...KNOWN_STATES].toSorted());
  const first = (text: string): string | undefined => statesLike(text)[0]?.label;
  expect([first('az'), first('ariz'), first('AR'), first('carolina'), first('nowhere')]).toEqual([
    'Arizona (AZ)',
    'Arizona (AZ)',
    'Arkansas (AR)',
    'North Carolina (NC)',
    undefined,
  ]);
  expect(['Arizona', 'ar', ' az ', 'ariz'].map(stateWritten)).toEqual(['AZ', 'AR', 'AZ', undefined]);
});

test('a replay that runs shows the part that is done, though its window was read', () => {
  const [since, until] = ['2026-11-27T00:00:00Z', '2026-11-28T00:00:00Z'];
  const counts = { events_found: 40, events_delivered: 5, events_failed: 3, events_skipped: 2 };
  const running = { status: 'running', since, until, done_until: until, ended_at: null, ...counts };
  expect(shareDone(running)).toBe(25);
  expect(shareDone({ ...running, done_until: '2026-11-27T12:00:00Z' })).toBe(12);
  expect(shareDone({ ...running, done_until: null })).toBe(0);
  expect(shareDone({ ...running, events_delivered: 35 })).toBe(99);
  expect(shareDone({ ...running, status: 'succeeded', ended_at: until })).toBe(100);
});

test('units and values are shown as people write them', () => {
  const shown = {
    '10*3/uL': '10³/µL',
    '10*-3': '10⁻³',
    'ug/dL': 'µg/dL',
    'u[IU]/mL': 'µIU/mL',
    'm[IU]/L': 'mIU/L',
    'mL/min/{1.73_m2}': 'mL/min/1.73 m²',
    'kg/m2': 'kg/m²',
    '{units}/uL': 'units/µL',
    'units/L': 'units/L',
    '%': '%',
  };
  expect(Object.keys(shown).map(unitInWords)).toEqual(Object.values(shown));
  expect([withUnit('>=60', 'mL/min'), withUnit('<= 5.7', null), withUnit(null, null)]).toEqual([
    '≥60\u00a0mL/min',
    '≤ 5.7',
    '',
  ]);
});

test('a date of birth is understood as people write it where they are', () => {
  const ways = ['1961-10-27', '10/27/1961', '27.10.1961', '27/10/1961', 'Oct 27, 1961', '27 October 1961'];
  expect(ways.map((way) => dateWritten(way, 'en-US'))).toEqual(ways.map(() => '1961-10-27'));
  expect(['en-US', 'en-GB', 'de'].map((locale) => dateWritten('3/4/1961', locale))).toEqual([
    '1961-03-04',
    '1961-04-03',
    '1961-04-03',
  ]);
  expect(['27. Okt. 1961', '27. Oktober 1961'].map((way) => dateWritten(way, 'de'))).toEqual([
    '1961-10-27',
    '1961-10-27',
  ]);
  for (const locale of ['en-US', 'en-GB', 'de', 'fr', 'es', 'pt-BR', 'it', 'nl', 'pl'])
    for (const dateStyle of ['short', 'medium', 'long'] as const) {
      const year =
        dateStyle === 'short' ? ({ year: 'numeric', month: 'numeric', day: 'numeric' } as const) : { dateStyle };
      const shown = new Intl.DateTimeFormat(locale, { ...year, timeZone: 'UTC' }).format(new Date('1961-10-27'));
      expect([locale, shown, dateWritten(shown, locale)]).toEqual([locale, shown, '1961-10-27']);
    }
  const others = [
    'Grace Palmer',
    'May',
    '2/30/1961',
    'KIT-1',
    '10/27',
    'Oct 1961',
    '1961',
    '4711-12-1234',
    '12 Li 1961',
  ];
  expect(others.map((way) => dateWritten(way, 'en-US'))).toEqual(others.map(() => undefined));
});

test('a date begins where its zone says, on days of 23 and of 25 hours too', () => {
  const at = (date: string, zone: string): string => new Date(startOf(date, zone)).toISOString();
  expect(at('2026-11-27', 'America/Phoenix')).toBe('2026-11-27T07:00:00.000Z');
  expect(at('2026-03-29', 'Europe/Berlin')).toBe('2026-03-28T23:00:00.000Z');
  expect(at('2026-03-30', 'Europe/Berlin')).toBe('2026-03-29T22:00:00.000Z');
  expect(at('2026-11-01', 'America/New_York')).toBe('2026-11-01T04:00:00.000Z');
  expect(at('2026-11-02', 'America/New_York')).toBe('2026-11-02T05:00:00.000Z');
  expect(dateAt(Date.parse('2026-11-27T05:00:00Z'), 'Pacific/Honolulu')).toBe('2026-11-26');
  expect(dateAt(middleOf('2026-11-27', 'Pacific/Honolulu') * 1000, 'Pacific/Honolulu')).toBe('2026-11-27');
});

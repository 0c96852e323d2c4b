import { expect, test } from 'vitest';
import { eventNames } from '../../event-catalogue.ts';
import { OPERATIONAL_NAMES } from '../../events/names.ts';
import { NO_SCENARIO, scenarioOf, SCENARIOS } from './scenarios.ts';

test('every event of the catalogue has a scenario, except three kinds, whose reason the list has', () => {
  expect([...SCENARIOS.keys()]).toEqual(eventNames);
  expect([...SCENARIOS].flatMap(([type, found]) => (found === NO_SCENARIO ? [type] : []))).toEqual([]);
  const others = [...SCENARIOS].flatMap(([type, found]) => ('reason' in found ? [type] : []));
  const unpulled = others.filter((type) => type.startsWith('historical.data.'));
  expect(others.filter((type) => !unpulled.includes(type))).toEqual([
    'provider.connection.error',
    'message.attempt.exhausted',
  ]);
  expect(unpulled.length).toBeLessThan(30);
});

test('an event without a scenario has that as its reason', () => {
  expect(scenarioOf('invented.event')).toEqual({ reason: 'No scenario yet.' });
});

test('the events about endpoints are triggered or named', () => {
  expect(OPERATIONAL_NAMES.every((type) => SCENARIOS.has(type))).toBe(true);
});

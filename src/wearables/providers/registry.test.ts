import { expect, test } from 'vitest';
import { CONNECTORS, IMPORTERS } from './registry.ts';
import { PROVIDERS } from './provider-catalogue.ts';

/** Leaves out `workout_stream`, the points of workouts. It comes with the workouts and needs no scopes of its own. */
const withoutPoints = (names: string[]): string[] => names.filter((name) => name !== 'workout_stream').toSorted();

test.each(CONNECTORS)('$slug has scopes for what is pulled, and facts about the same resources', ({ slug, scopes }) => {
  const pulled = Object.keys(IMPORTERS[slug]?.resources ?? {});
  const supported: readonly string[] = PROVIDERS[slug].resources;
  expect(withoutPoints(Object.keys(scopes))).toEqual(withoutPoints(pulled));
  expect(pulled.filter((name) => !supported.includes(name))).toEqual([]);
});

test.each(Object.entries(IMPORTERS))(
  'what comes with another resource of %s needs no other scopes',
  (slug, { resources }) => {
    const scopesOf = (name: string): readonly string[] =>
      CONNECTORS.find((connector) => connector.slug === slug)?.scopes[name]?.required ?? [];
    for (const [name, { with: lead, windowDays }] of Object.entries(resources)) {
      if (lead === undefined) continue;
      expect([name, resources[lead]?.with, resources[lead]?.windowDays]).toEqual([name, undefined, windowDays]);
      expect(scopesOf(name).filter((scope) => !scopesOf(lead).includes(scope))).toEqual([]);
    }
  },
);

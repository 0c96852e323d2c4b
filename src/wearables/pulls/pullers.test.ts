import { expect, test } from 'vitest';
import { CONNECTORS } from '../connections/providers/all.ts';
import { PROVIDERS } from '../providers.ts';
import { PULLERS } from './pullers.ts';

/** Points come with their workouts, and some with their pulls of days: they need no scopes of their own. */
const withoutPoints = (names: string[]): string[] => names.filter((name) => name !== 'workout_stream').toSorted();

test.each(CONNECTORS)(
  'what $slug is connected for is what is pulled, and what its users are told of',
  ({ slug, scopes }) => {
    const pulled = Object.keys(PULLERS[slug]?.resources ?? {});
    const told: readonly string[] = PROVIDERS[slug].resources;
    expect(withoutPoints(Object.keys(scopes))).toEqual(withoutPoints(pulled));
    expect(pulled.filter((name) => !told.includes(name))).toEqual([]);
  },
);

import { beforeAll, expect, test, vi } from 'vitest';
import { sourcePathOf, sources } from '../test/source-files.ts';
import { EVENT_NAMES } from './events/names.ts';

/** The names that were defined while all modules were loaded. Nothing else can be published. */
const defined = vi.hoisted((): string[] => []);
vi.mock('./events/define.ts', async (original) => {
  const real = await original<typeof import('./events/define.ts')>();
  return {
    ...real,
    defineEvent: (type: Parameters<typeof real.defineEvent>[0]) => {
      defined.push(type.name);
      return real.defineEvent(type);
    },
  };
});

const makers = sources
  .filter(({ file, text }) => text.includes('defineEvent(') && !file.endsWith('events/define.ts'))
  .map(({ file }) => sourcePathOf(file));
let registered: string[];
beforeAll(async () => {
  // Earlier test files in this process may have loaded the modules without the mock.
  vi.resetModules();
  registered = (await import('./event-types.ts')).eventTypes.map(({ name }) => name);
  for (const modulePath of makers) await import(/* @vite-ignore */ `./${modulePath}.ts`);
});

test('every event that a module defines is registered once, and every registered event is defined', () => {
  expect(makers.length).toBeGreaterThan(8);
  expect(defined.toSorted()).toEqual(registered.toSorted());
  expect(new Set(defined).size).toBe(defined.length);
});

test('a filter may name every event that is registered, and no other', () => {
  expect(EVENT_NAMES.toSorted()).toEqual(registered.toSorted());
});

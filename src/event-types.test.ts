import { beforeAll, expect, test, vi } from 'vitest';
import { placeOf, sources } from '../test/source-files.ts';
import { EVENT_NAMES } from './events/names.ts';

/** Names that were defined while all modules were loaded; nothing else can be published. */
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
  .map(({ file }) => placeOf(file));
let registered: string[];
beforeAll(async () => {
  // Files that ran before in this process may have loaded them already, without the mock.
  vi.resetModules();
  registered = (await import('./event-types.ts')).eventTypes.map(({ name }) => name);
  for (const place of makers) await import(/* @vite-ignore */ `./${place}.ts`);
});

test('every event that a module defines is registered, and every one that is registered is defined, once', () => {
  expect(makers.length).toBeGreaterThan(8);
  expect(defined.toSorted()).toEqual(registered.toSorted());
  expect(new Set(defined).size).toBe(defined.length);
});

test('every event that is registered is one that a receiver can subscribe to', () => {
  expect(registered.filter((name) => !EVENT_NAMES.includes(name))).toEqual([]);
});

// Two folders that use one another's values cannot be understood one after the other.
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { allSources, isUnder } from './source-files.ts';

/** Whether an import names types alone, which leave nothing in the built program. */
const isOfTypes = (names: string): boolean =>
  names.startsWith('type ') ||
  names
    .replace(/^\{|\}$/g, '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
    .every((name) => name.startsWith('type '));

test('no two folders import values of each other, unless one contains the other', () => {
  const imports = allSources.flatMap(({ file, text }) =>
    [...text.matchAll(/^(?:import|export) ((?:type )?(?:\{[^}]*\}|\* as \w+|\w+)) from '(\.{1,2}\/[^']+)'/gm)]
      .filter(([, names]) => !isOfTypes(names as string))
      .map(([, , target]) => ({ from: dirname(file), to: dirname(normalize(join(dirname(file), target as string))) })),
  );
  const pairs = new Set(imports.map(({ from, to }) => `${from} ${to}`));
  const bothWays = imports.filter(
    ({ from, to }) => from < to && pairs.has(`${to} ${from}`) && !isUnder(from, to) && !isUnder(to, from),
  );
  expect([...new Set(bothWays.map(({ from, to }) => `${from} and ${to}`))]).toEqual([]);
  expect(pairs.size).toBeGreaterThan(300);
});

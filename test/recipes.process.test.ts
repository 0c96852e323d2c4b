// Follows six recipes of CONTRIBUTING.md in a copy of the repository, with invented examples. A recipe has to name
// each file that its example changes, and the copy has to pass the tests that compare lists.
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { CHECKS } from './recipes/checks.ts';
import { event } from './recipes/event.ts';
import { field } from './recipes/field.ts';
import { operation } from './recipes/operation.ts';
import { provider } from './recipes/provider.ts';
import { applyEdit, names, pathsOf, updatesOf } from './recipes/recipe.ts';
import { makeScratchCopy, runChecks, typeCheck } from './recipes/scratch-copy.ts';
import { series } from './recipes/series.ts';
import { table } from './recipes/table.ts';

/** In this order: the event and the field change files that the operation makes. */
const RECIPES = [series, provider, table, operation, event, field];
const edited = [...new Set(RECIPES.flatMap(({ edits }) => edits.map(({ file }) => file)))];

let folder: string;
beforeAll(() => {
  folder = makeScratchCopy();
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe.each(RECIPES)('the recipe for $heading', ({ heading, edits, own = [], updates, untouched }) => {
  const files = [...new Set(edits.map(({ file }) => file))];
  const paths = pathsOf(heading);

  test('names each file that its example changes', () => {
    expect(files.filter((file) => !own.includes(file) && !paths.some((path) => names(path, file)))).toEqual([]);
  });

  test('names no other file, except those that its example has a reason to leave as they are', () => {
    const needed = [...files, ...updates];
    const others = paths.filter((path) => !needed.some((file) => names(path, file)));
    expect(others.toSorted()).toEqual(Object.keys(untouched).toSorted());
  });

  test('names each command that writes files', () => {
    expect(updatesOf(heading).toSorted()).toEqual(updates.toSorted());
  });
});

test('a copy in which all of them were followed passes the tests and has no type error', async ({ signal }) => {
  for (const { edits } of RECIPES) for (const edit of edits) applyEdit(folder, edit);
  const failed = await runChecks({ folder, signal }, CHECKS, inject('serverUrl'));
  const mistyped = await typeCheck({ folder, signal }, edited);
  expect([...failed, ...mistyped].join('\n\n')).toBe('');
}, 300_000);

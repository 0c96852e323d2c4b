import { describe, expect, test } from 'vitest';
import { changedRows, splitIntoChunks } from './changed-rows.ts';

describe('the changed rows', () => {
  test.each([
    ['all rows of the first table', null, { k: ['a', 'b'], v: [1, 2] }, { k: ['a', 'b'], v: [1, 2] }],
    ['none if the table is equal', { k: ['a'], v: [1] }, { k: ['a'], v: [1] }, { k: [], v: [] }],
    ['the rows with another value', { k: ['a', 'b'], v: [1, 2] }, { k: ['a', 'b'], v: [1, 3] }, { k: ['b'], v: [3] }],
    ['none if rows were only removed', { k: ['a', 'b'], v: [1, 2] }, { k: ['b'], v: [2] }, { k: [], v: [] }],
    ['one of two equal rows if the table before had one', { v: [1] }, { v: [1, 1] }, { v: [1] }],
  ])('are %s', (_what, before, after, changed) => {
    expect(changedRows(before, after)).toEqual(changed);
  });
});

test('a table without rows has no chunks', () => {
  expect(splitIntoChunks({ k: [], v: [] })).toEqual([]);
});

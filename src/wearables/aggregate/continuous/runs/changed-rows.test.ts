import { describe, expect, test } from 'vitest';
import { changedRows, inPieces } from './changed-rows.ts';

describe('the rows that changed', () => {
  test.each([
    ['all of the first table', null, { k: ['a', 'b'], v: [1, 2] }, { k: ['a', 'b'], v: [1, 2] }],
    ['none of an equal one', { k: ['a'], v: [1] }, { k: ['a'], v: [1] }, { k: [], v: [] }],
    ['those with another value', { k: ['a', 'b'], v: [1, 2] }, { k: ['a', 'b'], v: [1, 3] }, { k: ['b'], v: [3] }],
    ['none where rows have only gone', { k: ['a', 'b'], v: [1, 2] }, { k: ['b'], v: [2] }, { k: [], v: [] }],
    ['one of two equal ones, where there was one', { v: [1] }, { v: [1, 1] }, { v: [1] }],
  ])('are %s', (_what, before, after, changed) => {
    expect(changedRows(before, after)).toEqual(changed);
  });
});

test('a table without rows has no pieces', () => {
  expect(inPieces({ k: [], v: [] })).toEqual([]);
});

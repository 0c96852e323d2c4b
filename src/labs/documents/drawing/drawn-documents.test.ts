import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DrawnDocuments } from './drawn-documents.ts';

const MEBIBYTE = 1024 * 1024;
const page = (mebibytes: number): Buffer => Buffer.alloc(mebibytes * MEBIBYTE);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the cache is bounded by bytes, and drops the least recently used document first', () => {
  const documents = new DrawnDocuments();
  for (let n = 0; n < 20; n += 1) documents.put(`${n}`, `team ${n}`, page(2));
  expect(documents.bytes).toBe(32 * MEBIBYTE);
  expect(documents.get('4')).not.toBeNull();
  documents.put('next', 'another', page(2));
  expect([documents.get('3'), documents.get('5')]).toEqual([null, null]);
  expect(documents.get('4')).not.toBeNull();
});

test('a team over its share loses only its own oldest documents, and too large a document is not cached', () => {
  const documents = new DrawnDocuments();
  documents.put('quiet', 'quiet', page(1));
  for (let n = 0; n < 20; n += 1) documents.put(`loud ${n}`, 'loud', page(1));
  documents.put('huge', 'loud', page(9));
  expect(documents.bytes).toBe(9 * MEBIBYTE);
  expect(documents.get('quiet')).not.toBeNull();
  expect([documents.get('loud 11'), documents.get('huge')]).toEqual([null, null]);
  expect(documents.get('loud 12')).not.toBeNull();
});

test('after ten minutes a document is dropped, requested or not', () => {
  const documents = new DrawnDocuments();
  documents.put('one', 'a', page(1));
  vi.advanceTimersByTime(9 * 60_000);
  expect(documents.get('one')).not.toBeNull();
  vi.advanceTimersByTime(2 * 60_000);
  expect([documents.bytes, documents.get('one')]).toEqual([0, null]);
  expect(vi.getTimerCount()).toBe(0);
});

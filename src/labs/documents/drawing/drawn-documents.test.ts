import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DrawnDocuments } from './drawn-documents.ts';

const MEBIBYTE = 1024 * 1024;
const page = (mebibytes: number): Buffer => Buffer.alloc(mebibytes * MEBIBYTE);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what is kept is bounded by bytes, and what was asked for least lately goes first', () => {
  const documents = new DrawnDocuments();
  for (let n = 0; n < 20; n += 1) documents.keep(`${n}`, `team ${n}`, page(2));
  expect(documents.bytes).toBe(32 * MEBIBYTE);
  expect(documents.get('4')).not.toBeNull();
  documents.keep('next', 'another', page(2));
  expect([documents.get('3'), documents.get('5')]).toEqual([null, null]);
  expect(documents.get('4')).not.toBeNull();
});

test('a team that has much drawn loses its own oldest and nobody else anything; what is larger than a share is not kept', () => {
  const documents = new DrawnDocuments();
  documents.keep('quiet', 'quiet', page(1));
  for (let n = 0; n < 20; n += 1) documents.keep(`loud ${n}`, 'loud', page(1));
  documents.keep('huge', 'loud', page(9));
  expect(documents.bytes).toBe(9 * MEBIBYTE);
  expect(documents.get('quiet')).not.toBeNull();
  expect([documents.get('loud 11'), documents.get('huge')]).toEqual([null, null]);
  expect(documents.get('loud 12')).not.toBeNull();
});

test('after ten minutes nothing of a document is held any more, asked for or not', () => {
  const documents = new DrawnDocuments();
  documents.keep('one', 'a', page(1));
  vi.advanceTimersByTime(9 * 60_000);
  expect(documents.get('one')).not.toBeNull();
  vi.advanceTimersByTime(2 * 60_000);
  expect([documents.bytes, documents.get('one')]).toEqual([0, null]);
  expect(vi.getTimerCount()).toBe(0);
});

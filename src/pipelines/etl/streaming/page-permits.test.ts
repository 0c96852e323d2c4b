import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import { PagePermits, type PagePermit } from './page-permits.ts';

const never = new AbortController().signal;
setMaxListeners(0, never);
/** The number of pipelines with a page after each has asked. */
async function countGranted(asked: PagePermit[]): Promise<number> {
  return (await Promise.all(asked.map((each) => each.take(0, never)))).filter(Boolean).length;
}
const many = (permits: PagePermits, orgId: string): PagePermit[] =>
  Array.from({ length: 20 }, () => permits.of({ org: orgId, team: orgId }));

test('an organisation with many pipelines gets a quarter of the pages, and another gets some too', async () => {
  const permits = new PagePermits(64);
  expect(await countGranted(many(permits, 'loud'))).toBe(16);
  expect(await countGranted(many(permits, 'quiet'))).toBe(12);
});

test('a hundred organisations with many pipelines together get no more pages than there are', async () => {
  const permits = new PagePermits(64);
  const counts = await Promise.all(Array.from({ length: 100 }, (_, n) => countGranted(many(permits, `org ${n}`))));
  expect(counts.reduce((sum, each) => sum + each, 0)).toBe(64);
});

test('pipelines of an organisation get pages in the order of requests, and one that gives up is skipped', async () => {
  const permits = new PagePermits(4);
  const [first, second, third] = [
    permits.of({ org: 'one', team: 'one' }),
    permits.of({ org: 'one', team: 'one' }),
    permits.of({ org: 'one', team: 'one' }),
  ];
  expect(await countGranted([first, second, third])).toBe(1);
  second.release();
  first.release();
  expect([await first.take(0, never), await third.take(0, never)]).toEqual([false, true]);
  third.release();
  expect(await first.take(0, never)).toBe(true);
});

test('a request that waits gets a page that is released, and ends when the service stops', async () => {
  const permits = new PagePermits(4);
  const [first, second] = [permits.of({ org: 'one', team: 'one' }), permits.of({ org: 'one', team: 'one' })];
  expect(await countGranted([first])).toBe(1);
  const waiting = second.take(60_000, never);
  first.release();
  expect(await waiting).toBe(true);
  const stopping = new AbortController();
  const stopped = first.take(60_000, stopping.signal);
  stopping.abort();
  expect(await stopped).toBe(false);
});

import { setMaxListeners } from 'node:events';
import { expect, test } from 'vitest';
import { PagePlaces, type PagePlace } from './page-places.ts';

const never = new AbortController().signal;
setMaxListeners(0, never);
/** How many of them hold a page once each has asked. */
async function holding(asked: PagePlace[]): Promise<number> {
  return (await Promise.all(asked.map((each) => each.take(0, never)))).filter(Boolean).length;
}
const many = (places: PagePlaces, orgId: string): PagePlace[] =>
  Array.from({ length: 20 }, () => places.of({ org: orgId, team: orgId }));

test('an organisation holds a quarter of the pages, however many pipelines it has, and another finds some free', async () => {
  const places = new PagePlaces(64);
  expect(await holding(many(places, 'loud'))).toBe(16);
  expect(await holding(many(places, 'quiet'))).toBe(12);
});

test('a hundred organisations with many pipelines each hold no more than there are', async () => {
  const places = new PagePlaces(64);
  const held = await Promise.all(Array.from({ length: 100 }, (_, n) => holding(many(places, `org ${n}`))));
  expect(held.reduce((sum, each) => sum + each, 0)).toBe(64);
});

test('those of an organisation have pages in the order in which they asked, and one that gives up makes room', async () => {
  const places = new PagePlaces(4);
  const [first, second, third] = [
    places.of({ org: 'one', team: 'one' }),
    places.of({ org: 'one', team: 'one' }),
    places.of({ org: 'one', team: 'one' }),
  ];
  expect(await holding([first, second, third])).toBe(1);
  second.giveBack();
  first.giveBack();
  expect([await first.take(0, never), await third.take(0, never)]).toEqual([false, true]);
  third.giveBack();
  expect(await first.take(0, never)).toBe(true);
});

test('who waits is told when a page comes free, and waits no longer once the service stops', async () => {
  const places = new PagePlaces(4);
  const [first, second] = [places.of({ org: 'one', team: 'one' }), places.of({ org: 'one', team: 'one' })];
  expect(await holding([first])).toBe(1);
  const waiting = second.take(60_000, never);
  first.giveBack();
  expect(await waiting).toBe(true);
  const stopping = new AbortController();
  const stopped = first.take(60_000, stopping.signal);
  stopping.abort();
  expect(await stopped).toBe(false);
});

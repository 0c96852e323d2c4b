import { expect, test } from 'vitest';
import { ServingOrder } from './serving-order.ts';
import { EndpointQueue } from './endpoint-queue.ts';

const queue = (team_id: string, webhook_id: string, org_id = team_id): EndpointQueue =>
  new EndpointQueue({ webhook_id, team_id, org_id, fence: 1 }, 16, 0);

test('the queue of a team with one comes second, however many queues another team has before it', () => {
  const many = Array.from({ length: 100 }, (_, n) => queue('loud', `loud ${n}`));
  const order = [...new ServingOrder().of([...many, queue('quiet', 'quiet')]).drain()].map(
    ({ webhook_id }) => webhook_id,
  );
  expect(order.slice(0, 3)).toEqual(['loud 0', 'quiet', 'loud 1']);
  expect(order).toHaveLength(101);
});

test('the queue of an organisation with one comes second, however many teams another organisation has', () => {
  const many = Array.from({ length: 100 }, (_, n) => queue(`loud ${n}`, `loud ${n}`, 'loud'));
  const order = [...new ServingOrder().of([...many, queue('quiet', 'quiet')]).drain()].map(
    ({ webhook_id }) => webhook_id,
  );
  expect(order.slice(0, 3)).toEqual(['loud 0', 'quiet', 'loud 1']);
});

test('a queue that is added back comes after the other queues of its team', () => {
  const roundRobin = new ServingOrder().of([queue('a', 'a1'), queue('a', 'a2'), queue('b', 'b1')]);
  const order: string[] = [];
  for (const next of roundRobin.drain()) {
    if (order.push(next.webhook_id) === 7) break;
    roundRobin.add(next.owner, next);
  }
  expect(order).toEqual(['a1', 'b1', 'a2', 'b1', 'a1', 'b1', 'a2']);
});

test('an owner that was not served in a round is served in the next, however many queues others have', () => {
  const servingOrder = new ServingOrder();
  const rows = Array.from({ length: 9 }, (_, team) => [queue(`t${team}`, 'a'), queue(`t${team}`, 'b')]).flat();
  const round = (queues: EndpointQueue[]): string[] => {
    const served: string[] = [];
    for (const next of servingOrder.of(queues).drain()) {
      servingOrder.served(next);
      if (served.push(next.team_id) === 4) break;
    }
    return served;
  };
  expect([round(rows), round(rows.toReversed())]).toEqual([
    ['t0', 't1', 't2', 't3'],
    ['t8', 't7', 't6', 't5'],
  ]);
  expect(round([...rows, queue('new', 'a')])).toEqual(['t4', 'new', 't0', 't1']);
});

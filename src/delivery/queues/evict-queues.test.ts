// The choice of queues to release, without a database.
import { expect, test } from 'vitest';
import { newId } from '../../ids.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import { chooseQueuesToEvict } from './evict-queues.ts';

const ORGS = new Map([
  ['a1', 'a'],
  ['a2', 'a'],
  ['b1', 'b'],
  ['c1', 'c'],
]);
const queue = (team_id: string, usedAt = 0): EndpointQueue =>
  new EndpointQueue({ webhook_id: newId(), team_id, org_id: ORGS.get(team_id) as string, fence: 1 }, 16, usedAt);
const queues = (team: string, count: number): EndpointQueue[] => Array.from({ length: count }, () => queue(team));
const left = (all: EndpointQueue[], gone: EndpointQueue[]): string[] =>
  all.filter((one) => !gone.includes(one)).map(({ team_id }) => team_id);
const count = (teams: string[], team: string): number => teams.filter((one) => one === team).length;

test('the organisation and the team with the most queues release queues until they have as many as others', () => {
  const all = [...queues('c1', 1), ...queues('a1', 30), ...queues('a2', 8), ...queues('b1', 20)];
  const first = left(all, chooseQueuesToEvict(all, 18));
  expect(['a1', 'a2', 'b1', 'c1'].map((team) => count(first, team))).toEqual([12, 8, 20, 1]);
  const then = left(all, chooseQueuesToEvict(all, 38));
  expect(['a1', 'a2', 'b1', 'c1'].map((team) => count(then, team))).toEqual([5, 5, 10, 1]);
});

test('a team releases idle queues first, and among them those that were used the longest ago', () => {
  const [busy, replayed, old, young, taken] = [1, 2, 3, 4, 5].map((usedAt) => queue('a1', usedAt)) as [
    EndpointQueue,
    EndpointQueue,
    EndpointQueue,
    EndpointQueue,
    EndpointQueue,
  ];
  busy.beginReplayed(newId(), 1, null);
  replayed.hasReplay = true;
  const all = [taken, busy, young, replayed, old];
  expect(chooseQueuesToEvict(all, 2)).toEqual([old, young]);
  expect(chooseQueuesToEvict(all, 4)).toEqual([old, young, taken, busy]);
});

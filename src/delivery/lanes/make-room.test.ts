// Which lanes make room for others, without a database.
import { expect, test } from 'vitest';
import { newId } from '../../ids.ts';
import { Lane } from './lane.ts';
import { lanesToLetGo } from './make-room.ts';

const ORGS = new Map([
  ['a1', 'a'],
  ['a2', 'a'],
  ['b1', 'b'],
  ['c1', 'c'],
]);
const lane = (team_id: string, usedAt = 0): Lane =>
  new Lane({ webhook_id: newId(), team_id, org_id: ORGS.get(team_id) as string, fence: 1 }, 16, usedAt);
const lanes = (team: string, count: number): Lane[] => Array.from({ length: count }, () => lane(team));
const left = (all: Lane[], gone: Lane[]): string[] =>
  all.filter((one) => !gone.includes(one)).map(({ team_id }) => team_id);
const count = (teams: string[], team: string): number => teams.filter((one) => one === team).length;

test('room is made by the organisation that holds the most, in it by the team, until they hold as many as others', () => {
  const all = [...lanes('c1', 1), ...lanes('a1', 30), ...lanes('a2', 8), ...lanes('b1', 20)];
  const first = left(all, lanesToLetGo(all, 18));
  expect(['a1', 'a2', 'b1', 'c1'].map((team) => count(first, team))).toEqual([12, 8, 20, 1]);
  const then = left(all, lanesToLetGo(all, 38));
  expect(['a1', 'a2', 'b1', 'c1'].map((team) => count(then, team))).toEqual([5, 5, 10, 1]);
});

test('of a team those go first that have nothing under way, and of these what was begun or taken the longest ago', () => {
  const [busy, replayed, old, young, taken] = [1, 2, 3, 4, 5].map((usedAt) => lane('a1', usedAt)) as [
    Lane,
    Lane,
    Lane,
    Lane,
    Lane,
  ];
  busy.beginReplayed(newId(), 1, null);
  replayed.hasReplay = true;
  const all = [taken, busy, young, replayed, old];
  expect(lanesToLetGo(all, 2)).toEqual([old, young]);
  expect(lanesToLetGo(all, 4)).toEqual([old, young, taken, busy]);
});

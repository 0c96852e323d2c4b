import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/app.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { Threshold } from '../../fair/threshold.ts';
import { Lane } from './lane.ts';
import type { Owner } from '../../fair/round-robin.ts';
import { readLanes } from './read-lanes.ts';

const own = (id: string): Owner => ({ org: id, team: id });

test('one lane is read of a team that has all of its places, and of another as many as it has left', async () => {
  const app = await startTestApp();
  const { db } = acrossTeams(app.ctx);
  const places = new Threshold(12);
  const laneOf = (team_id: string): Lane =>
    new Lane({ webhook_id: newId(), team_id, org_id: team_id, fence: 1 }, 16, performance.now());
  const readOf = async (team: string): Promise<number> => {
    const lanes = Array.from({ length: 4 }, () => laneOf(team));
    await readLanes(db, lanes, places);
    return lanes.filter((lane) => lane.firstAttemptsWanted() === null).length;
  };
  const [full, other] = [newId(), newId()];
  while (places.roomFor(own(full)) > 0) places.take(own(full));
  expect([await readOf(full), await readOf(other)]).toEqual([1, Math.min(4, places.roomFor(own(other)))]);
  await app.close();
});

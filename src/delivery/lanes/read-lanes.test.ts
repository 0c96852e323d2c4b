import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/app.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { Shares } from '../../outbound/shares.ts';
import { Lane } from './lane.ts';
import { readLanes } from './read-lanes.ts';

test('one lane is read of a team that has all of its places, and of another as many as it has left', async () => {
  const app = await startTestApp();
  const { db } = acrossTeams(app.ctx);
  const shares = new Shares(12);
  const laneOf = (team_id: string): Lane => new Lane({ webhook_id: newId(), team_id, fence: 1 }, 16, performance.now());
  const readOf = async (team: string): Promise<number> => {
    const lanes = Array.from({ length: 4 }, () => laneOf(team));
    await readLanes(db, lanes, shares);
    return lanes.filter((lane) => lane.firstAttemptsWanted() === null).length;
  };
  const [full, other] = [newId(), newId()];
  while (shares.roomFor(full) > 0) shares.take(full);
  expect([await readOf(full), await readOf(other)]).toEqual([1, Math.min(4, shares.roomFor(other))]);
  await app.close();
});

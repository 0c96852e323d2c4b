import { expect, test } from 'vitest';
import { startTestApp } from '../../../test/test-app.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { Threshold } from '../../fair/threshold.ts';
import { EndpointQueue } from './endpoint-queue.ts';
import type { Owner } from '../../fair/round-robin.ts';
import { fillQueues } from './fill-queues.ts';

const own = (id: string): Owner => ({ org: id, team: id });

test('reads one queue of a team without free permits, and of another team as many as it has permits', async () => {
  const app = await startTestApp();
  const { db } = acrossTeams(app.ctx);
  const permits = new Threshold(12);
  const queueOf = (team_id: string): EndpointQueue =>
    new EndpointQueue({ webhook_id: newId(), team_id, org_id: team_id, fence: 1 }, 16, performance.now());
  const readOf = async (team: string): Promise<number> => {
    const queues = Array.from({ length: 4 }, () => queueOf(team));
    await fillQueues(db, queues, permits);
    return queues.filter((queue) => queue.firstAttemptsWanted() === null).length;
  };
  const [full, other] = [newId(), newId()];
  while (permits.capacityFor(own(full)) > 0) permits.take(own(full));
  expect([await readOf(full), await readOf(other)]).toEqual([1, Math.min(4, permits.capacityFor(own(other)))]);
  await app.close();
});

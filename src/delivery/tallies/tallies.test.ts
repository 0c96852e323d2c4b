import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { newId } from '../../ids.ts';
import { dropExpired } from '../../jobs/retention.ts';
import { Tallies } from './tallies.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const attempt = (ok: boolean, duration_ms = 4) => ({ ok, duration_ms });
const stored = async (teamId: string) => {
  const rows = await acrossTeams(app.ctx)
    .db.selectFrom('delivery_tallies')
    .selectAll()
    .where('team_id', '=', teamId)
    .orderBy('webhook_id')
    .execute();
  return rows.map(({ webhook_id, succeeded, durations }) => ({
    webhook_id,
    succeeded,
    attempts: durations.reduce((sum, count) => sum + count, 0),
  }));
};

test('counts of two processes for the same endpoints at the same time add up', async () => {
  const team = await app.makeTeam();
  const endpoints = Array.from({ length: 300 }, () => newId());
  const processes = [1, 2, 3].map(() => new Tallies(acrossTeams(app.ctx)));
  for (let round = 0; round < 2; round += 1) {
    for (const [n, tallies] of processes.entries()) {
      // The second process counts the endpoints in the reverse order. Without sorting, the writes could deadlock.
      const met = n === 1 ? endpoints.toReversed() : endpoints;
      for (const webhook_id of met) tallies.add({ team_id: team.id, webhook_id }, attempt(n > 0));
    }
    await Promise.all(processes.map((tallies) => tallies.write()));
  }
  const [all, ...each] = await stored(team.id);
  expect(all).toMatchObject({ succeeded: 1_200, attempts: 1_800 });
  expect(each).toEqual(endpoints.toSorted().map((webhook_id) => ({ webhook_id, succeeded: 4, attempts: 6 })));
});

test('counts that cannot be written are kept and written with the next', async () => {
  const team = await app.makeTeam();
  let away = true;
  const ctx = acrossTeams(app.ctx);
  const tallies = new Tallies({
    ...ctx,
    get db() {
      if (away) throw new Error('The database is away.');
      return ctx.db;
    },
  });
  const webhook_id = newId();
  tallies.add({ team_id: team.id, webhook_id }, attempt(true));
  await tallies.write();
  expect(await stored(team.id)).toEqual([]);
  tallies.add({ team_id: team.id, webhook_id }, attempt(false));
  away = false;
  await tallies.write();
  expect(await stored(team.id)).toMatchObject([
    { succeeded: 1, attempts: 2 },
    { webhook_id, succeeded: 1, attempts: 2 },
  ]);
});

test('attempts of a deleted team are not counted, and other counts are written', async () => {
  const team = await app.makeTeam();
  const tallies = new Tallies(acrossTeams(app.ctx));
  const gone = newId();
  tallies.add({ team_id: gone, webhook_id: newId() }, attempt(true));
  tallies.add({ team_id: team.id, webhook_id: newId() }, attempt(true));
  await tallies.write();
  expect([(await stored(gone)).length, (await stored(team.id)).length]).toEqual([0, 2]);
});

test('counts have the same retention as attempts', async () => {
  const team = await app.makeTeam();
  const tallies = new Tallies(acrossTeams(app.ctx));
  for (let n = 0; n < 2; n += 1) tallies.add({ team_id: team.id, webhook_id: newId() }, attempt(true));
  await tallies.write();
  const [all, old, retained] = await stored(team.id);
  const age = (webhookId: string | undefined, days: number) =>
    acrossTeams(app.ctx)
      .db.updateTable('delivery_tallies')
      .set({ started_at: new Date(Date.now() - days * 86_400_000).toISOString() })
      .where('team_id', '=', team.id)
      .where('webhook_id', '=', webhookId as string)
      .execute();
  await age(all?.webhook_id, app.config.retentionDays + 1);
  await age(old?.webhook_id, app.config.retentionDays + 1);
  await age(retained?.webhook_id, app.config.retentionDays - 1);
  await dropExpired(app.ctx);
  expect((await stored(team.id)).map(({ webhook_id }) => webhook_id)).toEqual([retained?.webhook_id]);
});

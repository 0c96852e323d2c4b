import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { makeUser } from '../../../test/factories.ts';
import { Uuid } from '../../wire/schema.ts';
import { defineTeamJob } from './define-team-job.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('a job of a team reads rows of that team only, and does not run for a deleted team', async () => {
  const team = await app.makeTeam();
  const { user_id } = await makeUser(team);
  await makeUser(app.team);
  const seen: unknown[] = [];
  const job = defineTeamJob({
    name: 'look',
    payload: Type.Object({ team_id: Uuid }),
    run: async ({ db, team }) => void seen.push([team.id, await db.selectFrom('users').select('id').execute()]),
  });
  await job.run(app.ctx, { team_id: team.id });
  expect(seen).toEqual([[team.id, [{ id: user_id }]]]);
  await job.run(app.ctx, { team_id: '00000000-0000-7000-8000-000000000000' });
  expect(seen).toHaveLength(1);
  await team.api('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
  await job.run(app.ctx, { team_id: team.id });
  expect(seen).toHaveLength(1);
});

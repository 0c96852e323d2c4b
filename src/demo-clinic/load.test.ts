import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askForClinic as ask, clinicPath, rowsOfTeam, type Clinic, type Webhook } from '../../test/demo-clinics.ts';
import { webhookPath } from '../../test/factories.ts';
import { query } from '../../test/global-setup.ts';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { signInMember } from '../../test/signed-in.ts';
import { demoClinicStep, resumeDemoClinics } from './load.ts';
import { STEPS } from './steps.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const countOf = (team: Team, table: string): Promise<number> => rowsOfTeam(app, team, table);

/** Takes the next steps of a clinic only, as a worker does until it is killed. */
async function takeSteps(team: Team, many: number): Promise<void> {
  const { body } = await ask(team, 'GET');
  for (let step = body.done; step < body.done + many; step += 1)
    await demoClinicStep.run(app.ctx, { team_id: team.id, step });
}
/** Ends what the queue would do, as a killed worker leaves its job locked for hours. */
const loseJobs = (team: Team): Promise<unknown> =>
  sql`select graphile_worker.remove_job(${`demo clinic ${team.id}`})`.execute(app.db);

/** Whether a step of the team's clinic is in the queue. */
const waits = async (team: Team): Promise<boolean> => {
  const { rows } = await sql`select from graphile_worker.jobs where key = ${`demo clinic ${team.id}`}`.execute(app.db);
  return rows.length > 0;
};

test('a new team is empty, and is refused a second request while it loads', async () => {
  const team = await app.makeTeam();
  const before = await ask(team, 'GET');
  expect(before.body).toMatchObject({ state: 'none', done: 0, next: null, team_is_empty: true, started_at: null });
  const begun = await ask(team, 'POST');
  expect(begun.body).toMatchObject({ state: 'loading', done: 0, next: 'Two endpoints for webhooks' });
  expect((await ask(team, 'POST')).body.code).toBe('demo_clinic_exists');
  await takeSteps(team, 1);
  expect((await ask(team, 'GET')).body).toMatchObject({ done: 1, next: expect.stringMatching(/^Person 1 of 40/) });
  await loseJobs(team);
});

test('continues where a killed worker stopped, and makes nobody twice', async () => {
  const team = await app.makeTeam();
  await ask(team, 'POST');
  await takeSteps(team, 9);
  await loseJobs(team);
  // The worker had begun a step again that had been taken.
  await demoClinicStep.run(app.ctx, { team_id: team.id, step: 3 });
  expect([await countOf(team, 'users'), await waits(team)]).toEqual([8, false]);
  await resumeDemoClinics(app.ctx, 60);
  expect(await waits(team)).toBe(false);
  await resumeDemoClinics(app.ctx, 0);
  expect(await waits(team)).toBe(true);
  await takeSteps(team, 2);
  expect((await ask(team, 'GET')).body).toMatchObject({ state: 'loading', done: 11 });
  expect(await countOf(team, 'users')).toBe(10);
  await loseJobs(team);
});

test('a step that fails leaves nothing, fails the clinic at the third time, and can be requested again', async () => {
  const team = await app.makeTeam();
  await ask(team, 'POST');
  await takeSteps(team, 1);
  await query(app.databaseUrl, 'alter table insurances add constraint refuses_all check (false) not valid');
  const step = { team_id: team.id, step: 1 };
  for (let time = 1; time <= 3; time += 1) {
    await demoClinicStep.run(app.ctx, step);
    expect((await ask(team, 'GET')).body.state).toBe(time < 3 ? 'loading' : 'failed');
  }
  expect([await countOf(team, 'users'), (await ask(team, 'GET')).body.ended_at]).toEqual([0, expect.any(String)]);
  await query(app.databaseUrl, 'alter table insurances drop constraint refuses_all');
  const again = await ask(team, 'POST');
  expect([again.status, again.body]).toEqual([
    202,
    expect.objectContaining({ state: 'loading', done: 1, ended_at: null }),
  ]);
  await takeSteps(team, 1);
  await loseJobs(team);
  expect(await countOf(team, 'users')).toBe(1);
});

test('makes no endpoints where the service may not send to its own address, and continues', async () => {
  const open = await startTestApp({ PHIAL_HOST: '0.0.0.0', PHIAL_BASE_URL: 'http://127.0.0.1:8080' });
  try {
    await open.api('POST', clinicPath(open.team));
    await demoClinicStep.run(open.ctx, { team_id: open.team.id, step: 0 });
    expect((await open.api<Clinic>('GET', clinicPath(open.team))).body).toMatchObject({ state: 'loading', done: 1 });
    expect((await open.api<{ data: Webhook[] }>('GET', webhookPath(open.team))).body.data).toEqual([]);
  } finally {
    await open.close();
  }
});

test('adds members for a caller who manages the organisation, and for no team_admin', async () => {
  const peopleOf = async ({ org_id }: Team): Promise<number> => {
    const { rows } = await sql<{ n: number }>`
      select ((select count(*) from org_members where org_id = ${org_id})
            + (select count(*) from org_invites where org_id = ${org_id}))::integer as n`.execute(app.db);
    return rows[0]?.n ?? NaN;
  };
  const membersStep = STEPS.findIndex(({ addsMembers }) => addsMembers === true);
  for (const [role, added] of [
    ['team_admin', 0],
    ['org_admin', 3],
  ] as const) {
    const team = await app.makeTeam();
    const { api } = await signInMember(app, team, { role, ...(role === 'team_admin' ? { teams: [team.id] } : {}) });
    const before = await peopleOf(team);
    expect((await api('POST', clinicPath(team))).status).toBe(202);
    await loseJobs(team);
    await sql`update demo_clinics set done = ${membersStep} where team_id = ${team.id}`.execute(app.db);
    await takeSteps(team, 1);
    expect([role, (await peopleOf(team)) - before]).toEqual([role, added]);
    expect((await ask(team, 'GET')).body.done).toBe(membersStep + 1);
    await loseJobs(team);
  }
});

test("another organisation's team is not found", async () => {
  const [mine, other] = [await app.makeTeam(), await app.makeTeam()];
  for (const method of ['GET', 'POST'] as const) expect((await ask(mine, method, other)).status).toBe(404);
  expect((await ask(other, 'GET')).body.state).toBe('none');
});

test('production refuses it', async () => {
  const production = await startTestApp({
    PHIAL_ENVIRONMENT: 'production',
    PHIAL_BASE_URL: 'https://api.example.com',
  });
  try {
    const path = clinicPath(production.team).replace('/sandbox/', '/production/');
    for (const method of ['GET', 'POST']) {
      const refused = await production.api<Clinic>(method, path);
      expect([refused.status, refused.body.code]).toEqual([403, 'sandbox_only']);
    }
    const token = '0'.repeat(64);
    const sent = await production.api(
      'POST',
      `/demo/endpoint/${production.team.id}/healthy/${token}`,
      {},
      { key: null },
    );
    expect(sent.status).toBe(404);
  } finally {
    await production.close();
  }
});

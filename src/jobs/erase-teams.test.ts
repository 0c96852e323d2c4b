import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import {
  orderKit,
  pushEverySummary,
  readOrder,
  register,
  simulate,
  subscribe,
  patientDetails,
} from '../../test/factories.ts';
import { upload } from '../../test/exports.ts';
import { homeAddress, person } from '../../test/people.ts';
import { query } from '../../test/global-setup.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import { findTraces } from '../../test/find-traces.ts';
import { eraseSomeOfTeam } from './erase-teams.ts';
import { CHUNKED_ERASURES } from './erase-users.ts';
import { jobs } from './run-jobs.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const deleteTeam = (team: Team, by: Team = team) =>
  by.api<{ code: string }>('DELETE', `/v1/org/${by.org_id}/team/${team.id}`);

async function erase(team: Team, stepsPerRound?: number): Promise<number> {
  let rounds = 1;
  while (await eraseSomeOfTeam(app.ctx, team.id, stepsPerRound)) rounds += 1;
  return rounds;
}

type Deletion = {
  status: string;
  started_at: string | null;
  ended_at: string | null;
  progress: { users: number | null; erased_users: number; rooms: number | null; erased_rooms: number };
};
const deletionOf = async (team: Team): Promise<Deletion> =>
  (await team.api<Deletion>('GET', `/v1/org/${team.org_id}/team/${team.id}/deletion`)).body;

/**
 * The tables that still have the texts: the audit log, the progress of the deletion, the organisation, which has the
 * same name, and jobs that are not due yet, which have the team's id and will find nothing to do.
 */
const tracesLeft = async (texts: string[]): Promise<string[]> =>
  (await findTraces(app, texts)).filter(
    (column) =>
      !/^(audit_log\..*|team_deletions\.id|orgs\.name|graphile_worker\._private_jobs\.(payload|key|flags))$/.test(
        column,
      ),
  );

/** A team with data in every module that owns data of teams, and with a unique name. */
async function makeFullTeam(mark: string): Promise<{ team: Team; traces: string[] }> {
  const team = await app.makeTeam(`Clinic ${mark}`);
  const endpoint = await startEndpoint();
  await subscribe(team, endpoint);
  endpoint.answer((response) => response.writeHead(500).end(`no ${mark}`));
  const payor = await team.api<{ payor_code: string }>('POST', '/v3/payor', { name: mark, address: homeAddress });
  const {
    body: { user_id },
  } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: mark });
  await team.api('PATCH', `/v2/user/${user_id}/info`, { ...person, last_name: mark });
  await team.api(
    'POST',
    `/v2/user/${user_id}/insurance`,
    { payor_code: payor.body.payor_code, member_id: mark, relationship: 'Self', insured: person },
    { headers: { 'x-idempotency-key': mark } },
  );
  await pushEverySummary(team, user_id);
  await upload(team, user_id, '<gpx/>');
  await sql`insert into queue_last_served values ('imports', ${team.id}, now())`.execute(app.db);
  const { id } = await orderKit(team, user_id);
  await simulate(team, id);
  const { sample_id } = await readOrder(team, id);
  await register(team, { sample_id, patient_details: { ...patientDetails, last_name: mark } });
  await simulate(team, id, '?delay=3600');
  await app.deliver();
  await endpoint.close();
  return { team, traces: [team.id, user_id, mark] };
}

test('a deleted team is refused at once, and erased except from the audit log and its organisation', async () => {
  const { team, traces } = await makeFullTeam('Quailbush');
  const bystander = await makeFullTeam('Ironwood');
  const theirs = await findTraces(app, bystander.traces);
  expect((await findTraces(app, traces)).length).toBeGreaterThan(25);

  expect((await deleteTeam(team)).status).toBe(200);
  const locked = await team.api<{ code: string }>('GET', '/v2/user');
  expect([locked.status, locked.body.code]).toEqual([401, 'invalid_api_key']);
  expect((await deleteTeam(team)).body.code).toBe('not_found');

  await app.runJobs();
  expect(await tracesLeft(traces)).toEqual([]);
  expect(await findTraces(app, [traces[1] as string])).toEqual(['audit_log.records']);
  expect(await findTraces(app, bystander.traces)).toEqual(theirs);
});

test('an erasure that stopped halfway continues, and a team that is not deleted is not erased', async () => {
  const { team, traces } = await makeFullTeam('Ocotillo');
  await erase(team);
  expect((await team.api('GET', '/v2/user')).status).toBe(200);

  expect((await deleteTeam(team)).status).toBe(200);
  await sql`delete from users where team_id = ${team.id}`.execute(app.db);
  await erase(team);
  await erase(team);
  expect(await tracesLeft(traces)).toEqual([]);
});

const usersOf = (team: Team) => app.db.selectFrom('users').select('id').where('team_id', '=', team.id).execute();

test('the schedule finds a deleted team whose job was lost', async () => {
  const { team, traces } = await makeFullTeam('Tumbleweed');
  expect((await deleteTeam(team)).status).toBe(200);
  await sql`delete from graphile_worker._private_jobs`.execute(app.db);
  await app.runJobs();
  expect(await usersOf(team)).not.toEqual([]);

  for (const { name, cron } of jobs) {
    if (cron) await sql`select graphile_worker.add_job(${name}, ${JSON.stringify(cron.payload)}::json)`.execute(app.db);
  }
  await app.runJobs();
  expect(await tracesLeft(traces)).toEqual([]);
});

test('a process whose clock is a minute off erases nothing', async () => {
  const { team, traces } = await makeFullTeam('Chuparosa');
  expect((await deleteTeam(team)).status).toBe(200);
  const before = await findTraces(app, traces);
  const now = Date.now.bind(Date);
  vi.spyOn(Date, 'now').mockImplementation(() => now() + 70_000);
  try {
    await expect(erase(team)).rejects.toThrow(/clocks/);
  } finally {
    vi.restoreAllMocks();
  }
  expect(await findTraces(app, traces)).toEqual(before);
  await erase(team);
  expect(await tracesLeft(traces)).toEqual([]);
});

test('a team that cannot be erased delays no other, and a later run continues with it', async () => {
  const [stuck, other] = [await app.makeTeam(), await app.makeTeam()];
  for (const team of [stuck, other]) expect((await deleteTeam(team)).status).toBe(200);
  const left = async (): Promise<string[]> =>
    (await app.db.selectFrom('teams').select('id').where('deleted_at', 'is not', null).execute()).map(({ id }) => id);
  await query(app.databaseUrl, `create function refuse() returns trigger language plpgsql as 'begin raise; end'`);
  await query(
    app.databaseUrl,
    `create trigger refuse before delete on teams for each row when (old.id = '${stuck.id}') execute function refuse()`,
  );
  await app.runJobs();
  expect(await left()).toEqual([stuck.id]);
  expect((await deletionOf(stuck)).status).toBe('running');
  await query(app.databaseUrl, 'drop function refuse cascade');
  await sql`select graphile_worker.add_job('erase_deleted_teams', '{}'::json)`.execute(app.db);
  await app.runJobs();
  expect(await left()).toEqual([]);
});

test('a team that another process erases is left to that process', async () => {
  const team = await app.makeTeam();
  expect((await deleteTeam(team)).status).toBe(200);
  const erased = () =>
    app.db
      .selectFrom('audit_log')
      .select('id')
      .where('team_id', '=', team.id)
      .where('action', '=', 'team.erased')
      .execute();
  await app.db.transaction().execute(async (elsewhere) => {
    await sql`select from teams where id = ${team.id} for no key update`.execute(elsewhere);
    await erase(team);
    expect(await erased()).toEqual([]);
  });
  await erase(team);
  await erase(team);
  expect(await erased()).toHaveLength(1);
});

test("another organisation's team is not found", async () => {
  const other = await app.makeTeam();
  expect((await deleteTeam(other, app.team)).body.code).toBe('not_found');
  expect((await other.api('GET', '/v2/user')).status).toBe(200);
});

test('an erasure reports its progress after each run, and is done when nothing of the team is left', async () => {
  const team = await app.makeTeam();
  for (let n = 0; n < 4; n += 1) await team.api('POST', '/v2/user', { client_user_id: `user-${n}` });
  const none = await team.api<{ code: string }>('GET', `/v1/org/${team.org_id}/team/${team.id}/deletion`);
  expect([none.status, none.body.code]).toEqual([404, 'not_found']);
  const answer = await team.api<{ deletion: Deletion }>('DELETE', `/v1/org/${team.org_id}/team/${team.id}`);
  expect(answer.body.deletion).toMatchObject({ status: 'scheduled', started_at: null, progress: { users: null } });
  expect(await deletionOf(team)).toEqual(answer.body.deletion);

  // One step to begin. For each user one step for each kind of chunked data, and one for the rest.
  expect(await eraseSomeOfTeam(app.ctx, team.id, 1 + 2 * (CHUNKED_ERASURES.length + 1))).toBe(true);
  expect(await deletionOf(team)).toMatchObject({
    status: 'running',
    ended_at: null,
    progress: { users: 4, erased_users: 2, erased_rooms: 0 },
  });
  const { started_at } = await deletionOf(team);
  // One of the two remaining users is erased for another reason, and counts as erased in the end.
  const [gone] = await usersOf(team);
  await sql`delete from users where id = ${gone?.id}`.execute(app.db);
  expect(await eraseSomeOfTeam(app.ctx, team.id, 1 + (CHUNKED_ERASURES.length + 1))).toBe(true);
  // A run that was stopped begins with the first module again, and its progress does not go back.
  expect(await eraseSomeOfTeam(app.ctx, team.id, 1 + 1 + 6)).toBe(true);
  expect(await eraseSomeOfTeam(app.ctx, team.id, 1 + 1 + 2)).toBe(true);
  expect((await deletionOf(team)).progress).toMatchObject({ users: 4, erased_users: 3, erased_rooms: 6 });
  await erase(team);
  const { ended_at, progress, ...ended } = await deletionOf(team);
  expect([ended_at === null, ended]).toMatchObject([false, { status: 'done', started_at }]);
  expect(progress).toEqual({ users: 4, erased_users: 4, rooms: progress.rooms, erased_rooms: progress.rooms });
  const outsider = await app.makeTeam();
  const path = `/v1/org/${outsider.org_id}/team/${team.id}/deletion`;
  expect((await outsider.api('GET', path)).status).toBe(404);
});

test('deliveries of a team without users are erased in chunks, however many there are', async () => {
  const team = await app.makeTeam();
  const endpoint = await startEndpoint();
  const webhook = await subscribe(team, endpoint);
  await endpoint.close();
  await deleteTeam(team);
  const some = 'generate_series(1, 21000) as n';
  await query(
    app.databaseUrl,
    `insert into deliveries (webhook_id, event_id, team_id)
       select '${webhook}', gen_random_uuid(), '${team.id}' from ${some};
     insert into delivery_tallies (team_id, webhook_id, started_at, succeeded, durations)
       select '${team.id}', '${webhook}', now() - make_interval(mins => n), 1, '{1}' from ${some};
     insert into events (team_id, id, event_type, body)
       select '${team.id}', gen_random_uuid(), 'message.attempt.exhausted', '' from generate_series(1, 500);
     insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, duration_ms)
       select team_id, id, '${webhook}', id, 1, 'failed', 1 from events where team_id = '${team.id}'`,
  );
  const left = async (): Promise<number[]> => {
    const { rows } = await sql<{ left: number[] }>`
      select array[(select count(*) from deliveries where team_id = ${team.id}),
                   (select count(*) from delivery_tallies where team_id = ${team.id}),
                   (select count(*) from events where team_id = ${team.id}),
                   (select count(*) from attempts where team_id = ${team.id})]::int[] as left`.execute(app.db);
    return rows[0]?.left ?? [];
  };
  const seen: number[][] = [];
  // One step to begin, and one chunk.
  for (let rounds = 0; rounds < 5; rounds += 1) {
    expect(await eraseSomeOfTeam(app.ctx, team.id, 1 + 1)).toBe(true);
    seen.push(await left());
  }
  expect(seen).toEqual([
    [11_000, 21_000, 500, 500],
    [1_000, 21_000, 500, 500],
    [0, 11_000, 300, 300],
    [0, 1_000, 100, 100],
    [0, 0, 0, 0],
  ]);
  await erase(team);
  expect((await deletionOf(team)).status).toBe('done');
});

test('two large teams are erased in round robin: neither waits for the end of the other', async () => {
  const teams = [await app.makeTeam(), await app.makeTeam()] as const;
  // One run erases 39 users.
  const users = 45;
  await app.runJobs();
  for (const team of teams) {
    await sql`insert into users (id, team_id, client_user_id)
      select gen_random_uuid(), ${team.id}, n::text from generate_series(1, ${users}) as n`.execute(app.db);
    await deleteTeam(team);
  }
  const jobOf = (name: string) =>
    jobs.find((job) => job.name === name)?.run as (ctx: unknown, payload: object) => Promise<void>;
  const dueJobs = async () =>
    (
      await sql<{ team_id: string }>`
        select payload ->> 'team_id' as team_id from graphile_worker._private_jobs as job
          join graphile_worker._private_tasks as task on task.id = job.task_id
         where task.identifier = 'erase_deleted_team' order by job.run_at, job.id`.execute(app.db)
    ).rows.map(({ team_id }) => team_id);
  for (let n = 0; n < 2; n += 1) {
    const [next] = await dueJobs();
    await sql`delete from graphile_worker._private_jobs where payload ->> 'team_id' = ${next}`.execute(app.db);
    await jobOf('erase_deleted_team')(app.ctx, { team_id: next });
  }
  for (const team of teams) {
    const { status, progress } = await deletionOf(team);
    expect([status, progress.erased_users > 0, progress.erased_users < users]).toEqual(['running', true, true]);
  }
  await app.runJobs();
  for (const team of teams) expect((await deletionOf(team)).status).toBe('done');
});

test('after the deletion, nothing is sent to the webhooks of the team', async () => {
  const team = await app.makeTeam();
  const endpoint = await startEndpoint();
  await subscribe(team, endpoint);
  await orderKit(team);
  await app.deliver();
  const before = endpoint.requests();
  await orderKit(team);
  await deleteTeam(team);
  await app.deliver();
  expect([before > 0, endpoint.requests()]).toEqual([true, before]);
  await endpoint.close();
});

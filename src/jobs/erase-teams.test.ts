import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import { orderKit, readOrder, register, simulate, subscribe, patientDetails } from '../../test/factories.ts';
import { homeAddress, person } from '../../test/people.ts';
import { startReceiver } from '../../test/receiver.ts';
import { findTraces } from '../../test/traces.ts';
import { eraseTeam } from './erase-teams.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const deleteTeam = (team: Team, by: Team = team) =>
  by.api<{ code: string }>('DELETE', `/v1/org/${by.org_id}/team/${team.id}`);

/**
 * Where the texts stand besides the audit log, the organisation, which bears the same name, and jobs that are not due
 * yet, which have the team's id and then find nothing to do.
 */
const tracesLeft = async (texts: string[]): Promise<string[]> =>
  (await findTraces(app, texts)).filter(
    (place) => !/^(audit_log\..*|orgs\.name|graphile_worker\._private_jobs\.payload)$/.test(place),
  );

/** A team with something in every room that owns something of teams, under a name that is nobody else's. */
async function makeFullTeam(mark: string): Promise<{ team: Team; traces: string[] }> {
  const team = await app.makeTeam(`Clinic ${mark}`);
  const receiver = await startReceiver();
  await subscribe(team, receiver);
  receiver.answer((response) => response.writeHead(500).end(`no ${mark}`));
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
  const { id } = await orderKit(team, user_id);
  await simulate(team, id);
  const { sample_id } = await readOrder(team, id);
  await register(team, { sample_id, patient_details: { ...patientDetails, last_name: mark } });
  await simulate(team, id, '?delay=3600');
  await app.deliver();
  await receiver.close();
  return { team, traces: [team.id, user_id, mark] };
}

test('a deleted team is locked out at once, and erased from every table but the audit log and its organisation', async () => {
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

test('an erasure that stopped halfway goes on, and one of a team that is there in full does nothing', async () => {
  const { team, traces } = await makeFullTeam('Ocotillo');
  await eraseTeam(app.ctx, team.id);
  expect((await team.api('GET', '/v2/user')).status).toBe(200);

  expect((await deleteTeam(team)).status).toBe(200);
  await sql`delete from users where team_id = ${team.id}`.execute(app.db);
  await eraseTeam(app.ctx, team.id);
  await eraseTeam(app.ctx, team.id);
  expect(await tracesLeft(traces)).toEqual([]);
});

test("another organisation's team is not found", async () => {
  const other = await app.makeTeam();
  expect((await deleteTeam(other, app.team)).body.code).toBe('not_found');
  expect((await other.api('GET', '/v2/user')).status).toBe(200);
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiOf, startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { makeUser, registeredKit, simulate, subscribe } from '../../../../test/factories.ts';
import { startEndpoint, type Endpoint } from '../../../../test/endpoint.ts';
import { findTraces } from '../../../../test/find-traces.ts';
import { untilBlocked } from '../../../../test/until-blocked.ts';
import type { Ctx, ManagementCtx } from '../../../context.ts';
import { boundToOrg } from '../../../db/session/bind.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { createManagementKey } from '../../keys/create-management-key.ts';
import { createTeamKey } from '../../keys/create-team-key.ts';
import { createTeam } from '../create.ts';
import { deleteTeam } from './delete.ts';

let app: TestApp;
let elsewhere: TestApp;
let endpoint: Endpoint;
beforeAll(async () => {
  [app, endpoint] = await Promise.all([startTestApp(), startEndpoint()]);
  elsewhere = await startTestApp({}, { databaseUrl: app.databaseUrl });
});
afterAll(async () => {
  await elsewhere.close();
  await app.close();
  await endpoint.close();
});

let team: Team;
beforeEach(async () => {
  team = await app.makeTeam();
});

type Refusal = { code: string };
const path = (id: string, of: Team = team): string => `/v1/org/${of.org_id}/team/${id}`;
const remove = (id: string, key?: string) =>
  team.api<{ success: boolean } & Refusal>('DELETE', path(id), undefined, key ? { key } : {});

/** Another team of the same organisation, with its own key. */
async function sibling(): Promise<Team> {
  const { id } = await createTeam(app.ctx, { org_id: team.org_id, name: 'Sibling' });
  const key = await createTeamKey(app.ctx, { team_id: id, label: 'test' });
  return { ...team, id, api_key: key.value, api: apiOf(app.baseUrl, key.value, team.management_key) };
}

const bind = (...team_ids: string[]) =>
  createManagementKey(app.ctx, { org_id: team.org_id, label: 'bound', role: 'team_admin', team_ids });

test('every process refuses its keys and does not find it at once, and in the end no table has it', async () => {
  const stays = await sibling();
  await subscribe(team, endpoint);
  const order = await registeredKit(team);
  await simulate(team, order.id);
  await app.deliver();
  await team.api('POST', '/v2/user', { client_user_id: 'kept' }, { headers: { 'x-idempotency-key': 'user' } });
  await makeUser(stays);
  const both = await bind(team.id, stays.id);
  const ask = (base: string, key: string) =>
    fetch(`${base}/v2/user`, { headers: { 'x-service-api-key': key } }).then(({ status }) => status);
  expect([await ask(app.baseUrl, team.api_key), await ask(elsewhere.baseUrl, team.api_key)]).toEqual([200, 200]);

  const response = await remove(team.id.toUpperCase());
  expect([await ask(app.baseUrl, team.api_key), await ask(elsewhere.baseUrl, team.api_key)]).toEqual([401, 401]);
  expect([response.status, response.body.success]).toEqual([200, true]);
  expect((await team.api('GET', `${path(team.id)}/sandbox/webhook`)).status).toBe(404);
  expect((await remove(team.id)).status).toBe(404);

  await app.runJobs();
  // The audit log still names the deleted team. Its lines contain ids and actions, but no other data.
  expect((await findTraces(app, [team.id])).filter((column) => !column.startsWith('audit_log.'))).toEqual([
    'team_deletions.id',
  ]);
  expect((await stays.api<{ total: number }>('GET', '/v2/user')).body.total).toBe(1);
  const keys = await app.db.selectFrom('management_keys').select('team_ids').where('id', '=', both.id).execute();
  expect(keys).toEqual([{ team_ids: [stays.id] }]);
});

test('a key that is made during the deletion is revoked with the others, or is not made', async () => {
  const makeKey = (of: Team) =>
    of.api<{ value: string } & Refusal>('POST', `/v1/org/${of.org_id}/team_api_keys/sandbox/us`, {
      label: 'late',
      team_id: of.id,
    });
  const keyFirst = await inTransaction(app.ctx, async (tx) => {
    const { value } = await createTeamKey(tx as unknown as Ctx, { team_id: team.id, label: 'late' });
    const deletion = remove(team.id);
    await untilBlocked(app.db);
    return { value, deletion };
  });
  expect((await keyFirst.deletion).status).toBe(200);
  expect((await team.api('GET', '/v2/user', undefined, { key: keyFirst.value })).status).toBe(401);

  const other = await app.makeTeam();
  const deletionFirst = await inTransaction(app.ctx, async (tx) => {
    const ctx = { ...boundToOrg(tx, other.org_id), org: { id: other.org_id }, key: {} };
    await deleteTeam(ctx as unknown as ManagementCtx, other.id);
    const key = makeKey(other);
    await untilBlocked(app.db);
    return { key };
  });
  const refused = await deletionFirst.key;
  expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
});

test('an unrevoked key of a deleted team is refused', async () => {
  await remove(team.id);
  await app.db.updateTable('team_api_keys').set({ revoked_at: null }).where('team_id', '=', team.id).execute();
  const response = await team.api<Refusal>('GET', '/v2/user');
  expect([response.status, response.body.code]).toEqual([401, 'invalid_api_key']);
});

test('a Team Management Key that was bound to it only ends with it', async () => {
  const key = await bind(team.id);
  await remove(team.id);
  await app.runJobs();
  expect((await team.api('GET', `${path(team.id)}/sandbox/webhook`, undefined, { key: key.value })).status).toBe(401);
});

test('its id stays in use for everybody, also when it is completely erased', async () => {
  const outsider = await app.makeTeam();
  const create = (by: Team, id: string) =>
    by.api<Refusal & { id: string }>('POST', `/v1/org/${by.org_id}/team`, { id, name: 'Back again', region: 'us' });
  await remove(team.id);
  await app.runJobs();
  expect((await team.api<{ status: string }>('GET', `${path(team.id)}/deletion`)).body.status).toBe('done');
  const responses = await Promise.all([create(team, team.id), create(outsider, team.id)]);
  expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
    [409, 'team_id_taken'],
    [409, 'team_id_taken'],
  ]);
  expect((await team.api('GET', path(team.id))).status).toBe(404);
  const fresh = randomUUID();
  const made = await create(outsider, fresh);
  expect([made.status, made.body.id]).toEqual([200, fresh]);
});

test('a team with the id of a team that was deleted before can be deleted, with its own progress', async () => {
  const outsider = await app.makeTeam();
  const ended = { ended_at: new Date().toISOString(), started_at: new Date().toISOString(), users: 3, erased_users: 3 };
  await app.db
    .insertInto('team_deletions')
    .values({ id: team.id, org_id: outsider.org_id, ...ended })
    .execute();
  const { status, body } = await team.api<{ deletion: unknown }>('DELETE', path(team.id));
  expect(status).toBe(200);
  expect(body.deletion).toMatchObject({
    status: 'scheduled',
    started_at: null,
    ended_at: null,
    progress: { users: null, erased_users: 0, rooms: null, erased_rooms: 0 },
  });
  await app.runJobs();
  const response = await team.api<{ status: string }>('GET', `${path(team.id)}/deletion`);
  expect([response.status, response.body.status]).toEqual([200, 'done']);
});

test('its integration_team_id can be used at once', async () => {
  const create = () =>
    team.api<{ id: string }>('POST', `/v1/org/${team.org_id}/team`, {
      name: 'North',
      region: 'us',
      integration_team_id: 'ehr-7',
    });
  const first = await create();
  expect((await create()).status).toBe(409);
  await remove(first.body.id);
  expect((await create()).status).toBe(200);
});

test("needs an Org Management Key, and another organisation's team is not found and stays", async () => {
  const bound = await remove(team.id, (await bind(team.id)).value);
  expect([bound.status, bound.body.code]).toEqual([403, 'insufficient_scope']);
  const outsider = await app.makeTeam();
  expect((await remove(outsider.id)).status).toBe(404);
  expect((await remove(randomUUID())).status).toBe(404);
  expect((await team.api('DELETE', path(outsider.id, outsider))).status).toBe(404);
  await app.runJobs();
  expect((await outsider.api('GET', '/v2/user')).status).toBe(200);
});

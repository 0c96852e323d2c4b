// Calls every operation of the management API with every kind of key, with its example: its scope decides whether it is
// refused, the answer marks the deprecated header, and each call writes exactly its line to the audit log.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { BODIES, PARAMETERS, QUERIES } from '../src/openapi-texts/examples.ts';
import type { Operation } from '../src/operation/operation.ts';
import { createManagementKey } from '../src/tenancy/keys/create-management-key.ts';
import { createTeamKey } from '../src/tenancy/keys/create-team-key.ts';
import { newManagementKey } from '../src/tenancy/keys/key-value.ts';
import { setBeta } from '../src/tenancy/teams/betas.ts';
import { createTeam } from '../src/tenancy/teams/create.ts';
import { startTestApp, type Answer, type Team, type TestApp } from './test-app.ts';
import { makeUser } from './factories.ts';

type Output = { code?: string; required_plan?: string } | undefined;
type Tenant = { id: string; org_id: string };
type Headers = Record<string, string>;
type Known = { id: string; value: string };

const managed = operations.filter(({ auth }) => auth === 'management_key');

/**
 * Operations without a scope, which check the restrictions of the key themselves. The parameters that name the team are
 * listed. They also refuse a key that is not bound to the team.
 */
const NARROWED: Record<
  string,
  (ids: { team_id: string; api_key_id: string; credential_id: string }) => Record<string, string>
> = {
  // The team has the reference of the example.
  resolve_team: () => ({}),
  delete_team_api_keys: ({ api_key_id }) => ({ api_key_id }),
  delete_team_custom_credentials: ({ credential_id }) => ({ credential_id }),
};

/** Objects of the whole organisation: a Team Management Key reaches none of them. */
const OF_ORGANISATION = [
  'create_dashboard_url',
  'create_domain',
  'create_ehr_member',
  'create_invite',
  'create_management_key',
  'create_org_lab_account',
  'create_team',
  'delete_domain',
  'delete_ehr_member',
  'delete_invite',
  'delete_management_key',
  'delete_member',
  'delete_team',
  'get_domain',
  'get_ehr_configuration',
  'get_ehr_member',
  'get_org',
  'get_org_plan',
  'get_team_deletion',
  'get_usage',
  'list_domains',
  'list_ehr_members',
  'list_invites',
  'list_management_keys',
  'list_members',
  'list_org_lab_accounts',
  'patch_ehr_member',
  'patch_management_key',
  'patch_member',
  'patch_org',
  'patch_org_lab_account',
  'put_ehr_configuration',
  'put_org_lab_account_status',
  'put_org_plan',
  'resolve_ehr_member',
  'send_domain_instructions',
  'verify_domain',
];

let app: TestApp;
let team: Team;
let outsider: Team;
let org: Known;
let bound: Known;
let unbound: Known;
let teamKey: Known;
let credential_id: string;
const plans = {} as Record<'launch' | 'grow', Team>;
/** Credentials that no operation accepts, by name, with the refusal and, where the key is known, its id. */
const wrong: Record<string, { headers: Headers; said: [number, string]; key_id: string | null }> = {};

const deprecationLines: { key_id: string; deprecated: string }[] = [];
const logTo = (line: string): void => {
  const { key_id, deprecated } = JSON.parse(line) as { key_id: string; deprecated?: string };
  if (deprecated) deprecationLines.push({ key_id, deprecated });
};

const makeKey = (of: Tenant, team_ids: string[] | null = null): Promise<Known> =>
  createManagementKey(
    app.ctx,
    team_ids
      ? { org_id: of.org_id, label: 'bound', role: 'team_admin', team_ids }
      : { org_id: of.org_id, label: 'org', role: 'org_admin', team_ids: null },
  );
const as = (value: string): Headers => ({ 'x-management-key': value });

beforeAll(async () => {
  app = await startTestApp({ PHIAL_LOG_LEVEL: 'warn', PHIAL_TEAMS_PER_ORG: '500' }, { logTo });
  [team, outsider] = [app.team, await app.makeTeam('Mesa Labs')];
  for (const plan of ['launch', 'grow'] as const) {
    plans[plan] = await app.makeTeam();
    await app.db.updateTable('orgs').set({ plan }).where('id', '=', plans[plan].org_id).execute();
  }
  const { integration_team_id } = BODIES['resolve_team'] as { integration_team_id: string };
  await app.db.updateTable('teams').set({ integration_team_id }).where('id', '=', team.id).execute();
  const sibling = await createTeam(app.ctx, { org_id: team.org_id, name: 'Sibling' });
  [org, bound, unbound] = [await makeKey(team), await makeKey(team, [team.id]), await makeKey(team, [sibling.id])];
  teamKey = await createTeamKey(app.ctx, { team_id: team.id, label: 'walk' });
  const { body } = await team.api<{ id: string }>('POST', `/v1/org/${team.org_id}/team_custom_credentials/sandbox/us`, {
    team_id: team.id,
    provider: 'labcorp',
  });
  credential_id = body.id;
  await fillWrong();
});
afterAll(() => app.close());

async function fillWrong(): Promise<void> {
  const [revoked, foreign] = [await makeKey(team), await makeKey(outsider)];
  await team.api('DELETE', `/v1/org/${team.org_id}/management_key/${revoked.id}`);
  const { body: token } = await team.api<{ id: string; access_token: string }>(
    'POST',
    `/v1/org/${team.org_id}/team/${team.id}/create_api_access_token`,
    { env: 'sandbox' },
  );
  const { user_id } = await makeUser(team);
  const { body: ofUser } = await team.api<{ sign_in_token: string }>('POST', `/v2/user/${user_id}/sign_in_token`);
  const invalid: [number, string] = [401, 'invalid_api_key'];
  const otherKind: [number, string] = [401, 'wrong_key_kind'];
  Object.assign(wrong, {
    'no key': { headers: {}, said: invalid, key_id: null },
    'a text that is no key': { headers: as('mg_short'), said: invalid, key_id: null },
    'an unknown key': { headers: as(newManagementKey().value), said: invalid, key_id: null },
    'a revoked key': { headers: as(revoked.value), said: invalid, key_id: revoked.id },
    'a team key': { headers: { 'x-service-api-key': teamKey.value }, said: otherKind, key_id: teamKey.id },
    'a team key instead of a management key': { headers: as(teamKey.value), said: otherKind, key_id: teamKey.id },
    "a team's token": { headers: { authorization: `Bearer ${token.access_token}` }, said: otherKind, key_id: token.id },
    "a user's token": { headers: { authorization: `Bearer ${ofUser.sign_in_token}` }, said: otherKind, key_id: null },
    "another organisation's key": { headers: as(foreign.value), said: [404, 'not_found'], key_id: foreign.id },
  });
}

/** The example of the operation, for this team. */
function ask(
  { id, method, path, scope }: Operation,
  of: Tenant,
  headers: Headers,
  { query = {}, on = app }: { query?: Record<string, string>; on?: TestApp } = {},
): Promise<Answer<Output>> {
  const own: Record<string, unknown> = {
    ...PARAMETERS,
    environment: on.config.environment,
    env: on.config.environment,
  };
  const ids: Record<string, unknown> = { ...own, org_id: of.org_id, team_id: of.id };
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));
  const asked = new URLSearchParams(
    Object.entries({ ...QUERIES[id], ...query }).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const body = BODIES[id] as object | undefined;
  if (scope === 'teams' && !body) asked.set('team_id', of.id);
  const sent = {
    ...body,
    ...(body && 'team_id' in body && { team_id: of.id }),
    ...(body && 'team_ids' in body && { team_ids: [of.id] }),
  };
  return on.api<Output>(method, asked.size === 0 ? at : `${at}?${asked.toString()}`, body && sent, {
    key: null,
    headers,
  });
}

const said = ({ status, body }: Answer<Output>): [number, string | undefined] => [status, body?.code];

/** The audit lines of these requests: their operation, status and key, a line each. */
async function linesOf(answers: Answer<unknown>[]): Promise<object[]> {
  await app.flushAudit();
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  const { rows } = await sql<object>`
    select action, status, key_id from audit_log where request_id = any (${ids}::uuid[])
     order by array_position(${ids}::uuid[], request_id)`.execute(app.db);
  return rows;
}

test('there are many operations, and each has a scope or is listed here with its own check', () => {
  expect(managed.length).toBeGreaterThan(30);
  const ofOrganisation = managed.flatMap(({ id, scope }) => (scope === 'org' ? [id] : []));
  expect(ofOrganisation.toSorted()).toEqual(OF_ORGANISATION);
  expect(managed.flatMap(({ id, scope }) => (scope ? [] : [id])).toSorted()).toEqual(Object.keys(NARROWED).toSorted());
});

describe.each(managed.map((operation) => [operation.id, operation] as const))('%s', (action, operation) => {
  test('refuses every wrong key, and writes a line for each refusal of a known key', async () => {
    const answers: Answer<Output>[] = [];
    const lines: object[] = [];
    for (const [name, { headers, said: usual, key_id }] of Object.entries(wrong)) {
      const answer = await ask(operation, team, headers);
      // What only the operator may is refused to a key of any organisation, before the organisation is looked at.
      const expected = operation.operatorOnly && usual[0] === 404 ? [403, 'insufficient_scope'] : usual;
      expect([name, ...said(answer)]).toEqual([name, ...expected]);
      answers.push(answer);
      if (key_id) lines.push({ action, status: answer.status, key_id });
    }
    expect(await linesOf(answers)).toEqual(lines);
  });

  test('needs the plan scale', async () => {
    for (const [plan, of] of Object.entries(plans)) {
      const answer = await ask(operation, of, as(of.management_key));
      expect([plan, ...said(answer), answer.body?.required_plan]).toEqual([plan, 403, 'plan_required', 'scale']);
    }
  });

  test('is refused to a Team Management Key that is not bound to the team', async () => {
    const query = NARROWED[action]?.({ team_id: team.id, api_key_id: teamKey.id, credential_id }) ?? {};
    const answer = await ask(operation, team, as(unbound.value), { query });
    expect(said(answer)).toEqual([403, 'insufficient_scope']);
    expect(await linesOf([answer])).toEqual([{ action, status: 403, key_id: unbound.id }]);
  });

  test('is open to a Team Management Key bound to it, unless only the organisation or operator may', async () => {
    const of = operation.method === 'DELETE' ? await doomed() : team;
    const key = of === team ? bound : await makeKey(team, [of.id]);
    const answer = await ask(operation, of, as(key.value));
    if (operation.scope === 'org' || operation.operatorOnly) expect(said(answer)).toEqual([403, 'insufficient_scope']);
    else expect(answer.status, JSON.stringify(answer.body)).not.toBeOneOf([401, 403, 422, 500]);
    expect(await linesOf([answer])).toEqual([{ action, status: answer.status, key_id: key.id }]);
  });

  test('is open to an Org Management Key, unless only the operator may, and marks the old header', async () => {
    const of = operation.method === 'DELETE' ? await doomed() : team;
    const answer = await ask(operation, of, { 'x-service-org-key': org.value });
    if (operation.operatorOnly) expect(said(answer)).toEqual([403, 'insufficient_scope']);
    else expect(answer.status, JSON.stringify(answer.body)).not.toBeOneOf([401, 403, 422, 500]);
    const marks = ['deprecation', 'link', 'sunset'].map((name) => answer.headers.get(name));
    expect(marks).toEqual(['@1735689600', '</docs/introduction#authentication>; rel="deprecation"', null]);
    expect(await linesOf([answer])).toEqual([{ action, status: answer.status, key_id: org.id }]);
    const unknown = await ask(operation, of, { 'x-service-org-key': newManagementKey().value });
    expect([unknown.status, unknown.headers.get('deprecation')]).toEqual([401, '@1735689600']);
    const usual = await ask(operation, { ...of, org_id: randomUUID() }, as(org.value));
    expect([usual.status, usual.headers.get('deprecation')]).toEqual([operation.operatorOnly ? 403 : 404, null]);
  });
});

/** A team that an example may delete. */
const doomed = async (): Promise<Tenant> => ({
  ...(await createTeam(app.ctx, { org_id: team.org_id, name: 'Doomed' })),
  org_id: team.org_id,
});

test('the log mentions the deprecated header once for each key and day, by however many operations', () => {
  expect(deprecationLines.filter(({ key_id }) => key_id === org.id)).toEqual([
    { key_id: org.id, deprecated: 'x-service-org-key' },
  ]);
});

test('production refuses every operation of a closed beta until it is opened', async () => {
  const production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
  const of = production.team;
  const betas = operations.filter(({ beta }) => beta !== null);
  const answers = async () => {
    const found: [string, boolean][] = [];
    for (const operation of betas) {
      const headers: Headers =
        operation.auth === 'management_key' ? as(of.management_key) : { 'x-service-api-key': of.api_key };
      const answer = await ask(operation, of, headers, { on: production });
      found.push([operation.id, answer.body?.code === 'closed_beta' && answer.status === 403]);
    }
    return found;
  };
  try {
    const taking = betas.filter(({ body }) => !(body && 'media' in body));
    expect(taking.length).toBeGreaterThan(6);
    const isForm = (id: string) => !taking.some((operation) => operation.id === id);
    expect((await answers()).filter(([id, refused]) => !refused && !isForm(id))).toEqual([]);
    for (const beta of new Set(betas.flatMap(({ beta }) => beta ?? [])))
      await setBeta(production.ctx, { org_id: of.org_id, team_id: of.id, beta, open: true });
    expect((await answers()).filter(([, refused]) => refused)).toEqual([]);
  } finally {
    await production.close();
  }
});

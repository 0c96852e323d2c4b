import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signInMember, signInOperator } from '../../../test/signed-in.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { createTeam } from '../teams/create.ts';

type Document = { paths: Record<string, Record<string, { operationId: string; description?: string }>> };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('the operator sets a plan, also of an organisation that the management API is closed to', async () => {
  const team = await app.makeTeam();
  const path = `/v1/org/${team.org_id}/plan`;
  const operator = await signInOperator(app, team);
  expect((await operator.api('PUT', path, { plan: 'grow' })).body).toEqual({ plan: 'grow' });
  expect((await team.api<{ code: string }>('GET', path)).body.code).toBe('plan_required');
  expect((await operator.api('GET', path)).body).toEqual({ plan: 'grow' });
  expect((await operator.api('PUT', path, { plan: 'scale' })).status).toBe(200);
  expect((await team.api('GET', path)).body).toEqual({ plan: 'scale' });
  expect((await operator.api('PUT', path, { plan: 'free' })).status).toBe(422);
});

test('the operator opens a beta to a team of production, and closes it', async () => {
  const production = await startTestApp({
    PHIAL_ENVIRONMENT: 'production',
    PHIAL_BASE_URL: 'https://phial.example.com',
  });
  const { team } = production;
  const operator = await signInOperator(production, team);
  const path = `/v1/org/${team.org_id}/team/${team.id}/closed_beta`;
  const betas = { continuous_queries: false, etl_pipelines: false, lab_report_parser: false };
  const shown = (open: object) => ({
    data: Object.entries({ ...betas, ...open }).map(([name, is_open]) => ({ name, is_open })),
  });
  expect((await team.api('GET', path)).body).toEqual(shown({}));
  const opened = await operator.api('PUT', `${path}/lab_report_parser`, { is_open: true });
  expect(opened.body).toEqual(shown({ lab_report_parser: true }));
  const closed = await operator.api('PUT', `${path}/lab_report_parser`, { is_open: false });
  expect([closed.body, (await team.api('GET', path)).body]).toEqual([shown({}), shown({})]);
  await production.close();
});

test("the operator approves a team's own lab test, which can be ordered then", async () => {
  const { team } = app;
  const operator = await signInOperator(app, team);
  const ofKits = { name: 'Of ours', description: 'Ours.', method: 'testkit', marker_ids: [1101] };
  const { body: made } = await team.api<{ id: string; status: string }>('POST', '/v3/lab_tests', ofKits);
  const path = `/v1/org/${team.org_id}/team/${team.id}/sandbox/lab_test/${made.id}/approve`;
  expect((await operator.api('POST', path)).body).toEqual({ success: true });
  expect((await team.api<{ status: string }>('GET', `/v3/lab_tests/${made.id}`)).body.status).toBe('active');
  expect((await operator.api('POST', path.replace(made.id, randomUUID()))).status).toBe(404);
});

test('the operator adds a lab account of an organisation and suspends it', async () => {
  const { team } = app;
  const operator = await signInOperator(app, team);
  const path = `/v1/org/${team.org_id}/lab_account/sandbox/us`;
  const account = { lab: 'simulated-kit-lab', provider_account_id: 'ACC-7', allowed_billing: { client_bill: ['AZ'] } };
  const { body } = await operator.api<{ lab_account: { id: string } }>('POST', path, account);
  const expected = { ...account, org_id: team.org_id, status: 'active', team_id_allowlist: [] };
  expect(body.lab_account).toMatchObject(expected);
  const again = await operator.api<{ code: string }>('POST', path, account);
  expect(again.body.code).toBe('lab_account_taken');
  const unknown = await operator.api('POST', path, { ...account, allowed_billing: { cash: ['AZ'] } });
  expect(unknown).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'allowed_billing', 'cash'] }] } });
  const status = await operator.api('PUT', `${path}/${body.lab_account.id}/status`, { status: 'suspended' });
  expect(status.body).toMatchObject({ lab_account: { ...expected, status: 'suspended' } });
  expect((await operator.api('PUT', `${path}/${randomUUID()}/status`, { status: 'active' })).status).toBe(404);
});

test('the audit log names the operator', async () => {
  const team = await app.makeTeam();
  const operator = await signInOperator(app, team);
  await operator.api('PUT', `/v1/org/${team.org_id}/plan`, { plan: 'scale' });
  await app.flushAudit();
  const lines = app.db.selectFrom('audit_log').select(['actor', 'key_id']).where('action', '=', 'put_org_plan');
  expect(await lines.where('org_id', '=', team.org_id).execute()).toEqual([
    { actor: expect.stringContaining('session'), key_id: operator.shown.session.id },
  ]);
  const admin = await signInMember(app, team);
  expect((await admin.api('PUT', `/v1/org/${team.org_id}/plan`, { plan: 'grow' })).status).toBe(403);
});

test('what only the operator can do says so, and refuses every key and every other person alike', async () => {
  const { team } = app;
  const document = (await (await fetch(`${app.baseUrl}/openapi.json`)).json()) as Document;
  const described = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const id of ['put_org_plan', 'create_org_lab_account', 'put_org_lab_account_status']) {
    const { description } = described.find(({ operationId }) => operationId === id) ?? {};
    expect(description).toContain('Only the session of the operator');
    expect(description).not.toContain('Management Key.');
  }
  const refused = { status: 403, body: { detail: expect.stringMatching(/^Only the operator/) } };
  expect(await team.api('PUT', `/v1/org/${team.org_id}/plan`, { plan: 'grow' })).toMatchObject(refused);
  const bound = await signInMember(app, team, { role: 'team_admin', teams: [team.id] });
  expect(await bound.api('PUT', `/v1/org/${team.org_id}/plan`, { plan: 'grow' })).toMatchObject(refused);
  const sibling = await createTeam(app.ctx, { org_id: team.org_id, name: 'Sibling' });
  const webhooks = `/v1/org/${team.org_id}/team/${sibling.id}/sandbox/webhook`;
  expect(await bound.api('GET', webhooks)).toMatchObject({ body: { detail: expect.stringContaining('your role') } });
  expect(await bound.api('GET', `/v1/org/${team.org_id}`)).toMatchObject({
    body: { detail: expect.stringContaining('signed in as an org_admin') },
  });
});

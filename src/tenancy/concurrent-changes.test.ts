// Two equal requests arrive at the same moment. The second waits for the first, and then sees what the first wrote.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { overlapTransactions } from '../../test/overlap-transactions.ts';
import type { ManagementCtx, TxCtx } from '../context.ts';
import type { Tx } from '../db/open-database.ts';
import { createDomain } from './domains/create.ts';
import { createEhrMember } from './ehr/members/create.ts';
import { createInvite } from './members/invites/create.ts';

let app: TestApp;
let team: Team;
let key: ManagementCtx['key'];
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
  const { id } = await app.db
    .selectFrom('management_keys')
    .select('id')
    .where('org_id', '=', team.org_id)
    .executeTakeFirstOrThrow();
  key = { id, role: 'org_admin', team_ids: null };
});

const as = (db: Tx): TxCtx<ManagementCtx> => ({ ...app.ctx, db, org: { id: team.org_id, plan: 'launch' }, key });
const ask = (path: string, body: object) => team.api<object>('POST', `/v1/org/${team.org_id}/${path}`, body);

test('of two requests that add the same domain, the second gets domain_exists', async () => {
  const domain = 'clinic.example.com';
  const second = await overlapTransactions(
    app.db,
    (tx) => createDomain(as(tx) as ManagementCtx, domain),
    () => ask('domain', { domain }),
  );
  expect(second).toMatchObject({ status: 409, body: { code: 'domain_exists' } });
});

test('of two requests that add the same person of an EHR, the second gets the id of the first', async () => {
  const person = { integration_member_id: 'ehr-7', name: 'Grace Hopper', email: 'grace@example.com' };
  let id = '';
  const second = await overlapTransactions(
    app.db,
    async (tx) => ({ id } = await createEhrMember(as(tx) as ManagementCtx, person)),
    () => ask('ehr_integration/member', person),
  );
  expect(second).toMatchObject({ body: { code: 'integration_member_id_conflict', member_id: id } });
});

test('of two requests that invite the same address, the second sends the open invite again', async () => {
  const email = 'grace@example.com';
  const second = await overlapTransactions(
    app.db,
    (tx) => createInvite(as(tx) as ManagementCtx, email, { role: 'org_admin', team_ids: null }),
    () => ask('invite', { email }),
  );
  expect(second).toMatchObject({ status: 200, body: { status: 'invite_resent' } });
});

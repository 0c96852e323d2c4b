import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../../test/test-app.ts';
import { eraseTeams } from '../../../../test/erase-deleted-teams.ts';
import { createTeam } from '../../../tenancy/teams/create.ts';
import { createTeamKey } from '../../../tenancy/keys/create-team-key.ts';
import { newId } from '../../../ids.ts';
import { addLabAccount, type NewLabAccount } from './add.ts';
import type { LabAccounts } from './schemas.ts';
import { setLabAccountStatus } from './set-status.ts';

type Accounts = Static<typeof LabAccounts>['data'];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

let numbers = 0;
const add = ({ org_id }: Team, changes: Partial<NewLabAccount> = {}): Promise<string> =>
  addLabAccount(app.ctx, {
    org_id,
    lab: 'simulated-reference-lab',
    status: 'active',
    delegated_flow: 'not_delegated',
    provider_account_id: `ACC-${++numbers}`,
    account_name: 'Desert Health',
    default_clinical_notes: 'Draw in the morning.',
    business_units: ['WEST'],
    allowed_billing: { client_bill: ['AZ', 'CA'] },
    team_id_allowlist: [],
    ...changes,
  });

const list = async (team: Team, query = ''): Promise<Accounts> =>
  (await team.api<{ data: Accounts }>('GET', `/v3/lab_test/lab_account?${query}`)).body.data;
const own = async (team: Team, query = ''): Promise<string[]> =>
  (await list(team, query)).filter(({ org_id }) => org_id !== null).map(({ id }) => id);

/** Makes a second team of the organisation. */
async function sibling({ org_id }: Team): Promise<Team> {
  const team = await createTeam(app.ctx, { org_id, name: 'Mesa Clinic' });
  const { value } = await createTeamKey(app.ctx, { team_id: team.id, label: 'test' });
  const api: Team['api'] = (method, path, body, options) => app.api(method, path, body, { key: value, ...options });
  return { ...app.team, id: team.id, org_id, api_key: value, api };
}

describe('the lab accounts of a team', () => {
  test('in a sandbox are one at each simulated laboratory, open to everybody, with every type of billing', async () => {
    const accounts = await list(await app.makeTeam());
    expect(accounts.map(({ lab, org_id, status }) => [lab, org_id, status])).toEqual([
      ['simulated-kit-lab', null, 'active'],
      ['simulated-reference-lab', null, 'active'],
    ]);
    expect(Object.keys(accounts[0]?.allowed_billing ?? {}).toSorted()).toEqual([
      'client_bill',
      'commercial_insurance',
      'patient_bill',
      'patient_bill_passthrough',
    ]);
    expect(accounts[0]?.allowed_billing['client_bill']).toHaveLength(51);
  });

  test('include those of its organisation, with every field', async () => {
    const team = await app.makeTeam();
    const id = await add(team);
    expect((await list(team)).at(-1)).toEqual({
      id,
      lab: 'simulated-reference-lab',
      org_id: team.org_id,
      status: 'active',
      delegated_flow: 'not_delegated',
      provider_account_id: `ACC-${numbers}`,
      account_name: 'Desert Health',
      default_clinical_notes: 'Draw in the morning.',
      business_units: ['WEST'],
      allowed_billing: { client_bill: ['AZ', 'CA'] },
      team_id_allowlist: [],
    });
    expect(await own(await app.makeTeam())).toEqual([]);
  });

  test('that list teams are only for those teams, and show each team only itself', async () => {
    const team = await app.makeTeam();
    const [second, third] = [await sibling(team), await sibling(team)];
    const id = await add(team, { team_id_allowlist: [team.id, second.id] });
    expect([await own(team), await own(second), await own(third)]).toEqual([[id], [id], []]);
    expect((await list(second, `lab_account_id=${id}`))[0]?.team_id_allowlist).toEqual([second.id]);
  });

  test('are found by id and by status, and an unknown status matches none', async () => {
    const team = await app.makeTeam();
    const [active, pending] = [await add(team), await add(team, { status: 'pending' })];
    expect(await own(team)).toEqual([active, pending]);
    expect(await own(team, 'status=pending')).toEqual([pending]);
    expect(await own(team, `lab_account_id=${active}&status=pending`)).toEqual([]);
    expect((await list(team, `lab_account_id=${active}`)).map(({ id }) => id)).toEqual([active]);
    expect(await list(team, `lab_account_id=${newId()}`)).toEqual([]);
    expect(await list(team, 'status=asleep')).toEqual([]);
    await setLabAccountStatus(app.ctx, { org_id: team.org_id, lab_account_id: active, status: 'suspended' });
    expect(await own(team, 'status=suspended')).toEqual([active]);
  });

  test('cannot be added for an unknown laboratory, organisation or team, nor twice under one number', async () => {
    const [team, other] = [await app.makeTeam(), await app.makeTeam()];
    await expect(add(team, { lab: 'nowhere' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(add({ ...team, org_id: newId() })).rejects.toMatchObject({ code: 'not_found' });
    await expect(add(team, { team_id_allowlist: [other.id] })).rejects.toMatchObject({ code: 'not_found' });
    await add(team, { provider_account_id: 'SAME' });
    await expect(add(team, { provider_account_id: 'SAME' })).rejects.toMatchObject({ code: 'lab_account_taken' });
    await add(other, { provider_account_id: 'SAME' });
    await expect(
      setLabAccountStatus(app.ctx, { org_id: other.org_id, lab_account_id: newId(), status: 'active' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  test('that listed only an erased team are suspended, not opened to the others', async () => {
    const team = await app.makeTeam();
    const [leaving, staying] = [await sibling(team), await sibling(team)];
    const alone = await add(team, { team_id_allowlist: [leaving.id] });
    const shared = await add(team, { team_id_allowlist: [leaving.id, staying.id] });
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${leaving.id}`);
    await eraseTeams(app.ctx);
    expect((await list(staying)).map(({ id, status }) => [id, status]).slice(2)).toEqual([
      [alone, 'suspended'],
      [shared, 'active'],
    ]);
    expect(await own(await sibling(team))).toEqual([alone]);
  });
});

describe('the catalogue under a lab account', () => {
  type Codes = Answer<{ code: string }>;
  const codeOf = ({ status, body }: Codes): unknown[] => [status, body.code];

  test('has only the markers of its laboratory', async () => {
    const team = await app.makeTeam();
    const id = await add(team);
    const { body } = await team.api<{ markers: { lab_id: number }[]; total: number }>(
      'GET',
      `/v3/lab_tests/markers?lab_account_id=${id}&size=100`,
    );
    expect(body.total).toBeGreaterThan(10);
    expect(new Set(body.markers.map(({ lab_id }) => lab_id))).toEqual(new Set([2]));
  });

  test('has list prices under an account for everybody, and refers to the contract under an own account', async () => {
    const team = await app.makeTeam();
    const everybodys = (await list(team)).find(({ lab }) => lab === 'simulated-reference-lab')?.id;
    const prices = async (account?: string): Promise<unknown> =>
      (
        await team.api<{ pricing: { data: Record<string, unknown> } }>(
          'GET',
          `/v3/lab_tests/markers?lab_account_id=${account}&include_pricing=true&size=1`,
        )
      ).body.pricing.data['2001'];
    expect(await prices(everybodys)).toEqual({ base_amount_minor: expect.any(Number), modifiers: null });
    expect(await prices(await add(team))).toEqual({ unspecified: 'refer_to_contract' });
  });

  test('is refused for another laboratory or for an account of another organisation', async () => {
    const [team, other] = [await app.makeTeam(), await app.makeTeam()];
    const { body } = await team.api<{ data: { id: string; slug: string }[] }>('GET', '/v3/lab_test');
    const [kit, onSite] = ['standard-testkit', 'standard-on-site'].map(
      (slug) => body.data.find((each) => each.slug === slug)?.id,
    );
    const [mine, theirs] = [await add(team), await add(other)];
    const at = (path: string, account: string): Promise<Codes> =>
      team.api('GET', `/v3/lab_tests/${path}?lab_account_id=${account}`);
    for (const path of [`${kit}`, `${kit}/markers`, '1/markers/KIT-4548']) {
      expect([path, ...codeOf(await at(path, mine))]).toEqual([path, 400, 'lab_account_of_other_lab']);
      expect([path, ...codeOf(await at(path, theirs))]).toEqual([path, 404, 'not_found']);
    }
    expect(codeOf(await at('markers', theirs))).toEqual([404, 'not_found']);
    for (const path of [`${onSite}`, `${onSite}/markers`]) expect((await at(path, mine)).status).toBe(200);
  });
});

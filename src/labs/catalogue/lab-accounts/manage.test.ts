import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../../test/test-app.ts';
import { newId } from '../../../ids.ts';
import { createManagementKey } from '../../../tenancy/keys/create-management-key.ts';
import { createTeamKey } from '../../../tenancy/keys/create-team-key.ts';
import { createTeam } from '../../../tenancy/teams/create.ts';
import { addLabAccount } from './add.ts';
import type { ManagedLabAccount } from './schemas.ts';

type Account = Static<typeof ManagedLabAccount>;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/** Makes a second team of the organisation. */
async function sibling({ org_id }: Team): Promise<Team> {
  const team = await createTeam(app.ctx, { org_id, name: 'Mesa Clinic' });
  const { value } = await createTeamKey(app.ctx, { team_id: team.id, label: 'test' });
  const api: Team['api'] = (method, path, body, options) => app.api(method, path, body, { key: value, ...options });
  return { ...app.team, id: team.id, org_id, api_key: value, api };
}

let numbers = 0;
/** Adds an account that is open to all teams of the organisation. */
const addAccount = ({ org_id }: Team): Promise<string> =>
  addLabAccount(app.ctx, {
    org_id,
    lab: 'simulated-reference-lab',
    status: 'active',
    delegated_flow: 'not_delegated',
    provider_account_id: `ACC-${++numbers}`,
    account_name: null,
    default_clinical_notes: null,
    business_units: null,
    allowed_billing: {},
    team_id_allowlist: [],
  });

const collection = ({ org_id }: Team): string => `/v1/org/${org_id}/lab_account/sandbox/us`;

const list = async (team: Team, query = ''): Promise<Account[]> =>
  (await team.api<{ data: Account[] }>('GET', `${collection(team)}?${query}`)).body.data;

const open = (
  team: Team,
  account: string,
  team_id_allowlist: string[],
): Promise<Answer<{ lab_account: Account; code: string }>> =>
  team.api('PATCH', `${collection(team)}/${account}`, { team_id_allowlist });

/** Returns the accounts that a team may use. It asks with the team's own key. */
const usable = async (team: Team): Promise<string[]> =>
  (
    await team.api<{ data: { id: string; org_id: string | null }[] }>('GET', '/v3/lab_test/lab_account')
  ).body.data.flatMap(({ id, org_id }) => (org_id === null ? [] : [id]));

describe('the lab accounts of an organisation', () => {
  test('are its own, with all listed teams, and those that are open to everybody', async () => {
    const team = await app.makeTeam();
    const [second, account] = [await sibling(team), await addAccount(team)];
    await open(team, account, [team.id, second.id]);
    const accounts = await list(team);
    expect(accounts.map(({ lab, org_id }) => [lab, org_id]).slice(0, 2)).toEqual([
      ['simulated-kit-lab', null],
      ['simulated-reference-lab', null],
    ]);
    expect(accounts[2]).toMatchObject({ id: account, org_id: team.org_id, team_id_allowlist: [team.id, second.id] });
    expect(accounts).toHaveLength(3);
    expect((await list(await app.makeTeam())).map(({ org_id }) => org_id)).toEqual([null, null]);
  });

  test('are found by id, by status and by the team that may use them', async () => {
    const team = await app.makeTeam();
    const second = await sibling(team);
    const [listed, opened] = [await addAccount(team), await addAccount(team)];
    await open(team, listed, [second.id]);
    const own = async (query: string): Promise<string[]> =>
      (await list(team, query)).filter(({ org_id }) => org_id !== null).map(({ id }) => id);
    expect(await own(`team_id=${second.id}`)).toEqual([listed, opened]);
    expect(await own(`team_id=${team.id}`)).toEqual([opened]);
    expect(await own(`team_id=${second.id}&lab_account_id=${opened}`)).toEqual([opened]);
    expect(await own('status=active')).toEqual([listed, opened]);
    expect(await own('status=suspended')).toEqual([]);
    expect(await own('status=asleep')).toEqual([]);
    const unknown = await team.api('GET', `${collection(team)}?team_id=${newId()}`);
    expect(unknown.status).toBe(404);
  });
});

describe('the allowlist of a lab account', () => {
  test('takes effect with the answer, and an empty list opens the account to all teams', async () => {
    const team = await app.makeTeam();
    const [second, account] = [await sibling(team), await addAccount(team)];
    const both = async (): Promise<unknown[]> => [await usable(team), await usable(second)];
    expect(await both()).toEqual([[account], [account]]);
    const { body } = await open(team, account, [second.id.toUpperCase(), second.id]);
    expect(body.lab_account).toMatchObject({ id: account, team_id_allowlist: [second.id] });
    expect(await both()).toEqual([[], [account]]);
    await open(team, account, [team.id]);
    expect(await both()).toEqual([[account], []]);
    await open(team, account, []);
    expect(await both()).toEqual([[account], [account]]);
  });

  test('refuses teams of other organisations, and accounts that the organisation does not own', async () => {
    const [team, other] = [await app.makeTeam(), await app.makeTeam()];
    const [mine, theirs] = [await addAccount(team), await addAccount(other)];
    const everybodys = (await list(team))[0]?.id as string;
    for (const [account, teams] of [
      [mine, [team.id, other.id]],
      [mine, [newId()]],
      [theirs, []],
      [everybodys, []],
      [newId(), []],
    ] as const) {
      const answer = await open(team, account, [...teams]);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    expect((await list(team)).at(-1)).toMatchObject({ id: mine, team_id_allowlist: [] });
    expect(await usable(other)).toEqual([theirs]);
  });

  test('can neither be read nor changed with a key that is bound to a team', async () => {
    const team = await app.makeTeam();
    const account = await addAccount(team);
    const { value: key } = await createManagementKey(app.ctx, {
      org_id: team.org_id,
      label: 'bound',
      role: 'team_admin',
      team_ids: [team.id],
    });
    const answers = [
      await app.api<{ code: string }>('GET', collection(team), undefined, { key }),
      await app.api<{ code: string }>(
        'PATCH',
        `${collection(team)}/${account}`,
        { team_id_allowlist: [team.id] },
        { key },
      ),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
      [403, 'insufficient_scope'],
      [403, 'insufficient_scope'],
    ]);
    expect((await list(team)).at(-1)).toMatchObject({ team_id_allowlist: [] });
  });
});

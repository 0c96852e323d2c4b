import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { createManagementKey } from '../../tenancy/keys/create-management-key.ts';
import { createTeam } from '../../tenancy/teams/create.ts';

type CredentialsBody = {
  id: string;
  team_id: string;
  source: string;
  client_id: string | null;
  client_secret_hash: string | null;
  details: Record<string, unknown> | null;
  redirect_url_override: string | null;
  code?: string;
};
type Page = { credentials: CredentialsBody[]; next_cursor: string | null };
type Removed = { success: string[]; failure: string[]; not_found: string[] };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const pathOf = ({ org_id }: Team): string => `/v1/org/${org_id}/team_custom_credentials/sandbox/us`;
const set = (team: Team, body: object, key?: string): Promise<Answer<CredentialsBody>> =>
  team.api<CredentialsBody>('POST', pathOf(team), { team_id: team.id, ...body }, key === undefined ? {} : { key });
const list = async (team: Team, query = '', key?: string): Promise<Page> =>
  (await team.api<Page>('GET', `${pathOf(team)}?${query}`, undefined, key === undefined ? {} : { key })).body;
const remove = (team: Team, ids: string[], key?: string): Promise<Answer<Removed>> =>
  team.api<Removed>(
    'DELETE',
    `${pathOf(team)}?${ids.map((id) => `credential_id=${id}`).join('&')}`,
    undefined,
    key === undefined ? {} : { key },
  );
const ofOura = { provider: 'oura', client_id: 'clinic', client_secret: 'hush' };

describe("a team's own credentials", () => {
  test('are set, shown without the secret, changed and deleted', async () => {
    const team = await app.makeTeam();
    const { status, body: made } = await set(team, ofOura);
    expect([status, made]).toEqual([
      200,
      {
        id: expect.any(String),
        team_id: team.id,
        source: 'oura',
        client_id: 'clinic',
        client_secret_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        details: null,
        app_url: null,
        redirect_url_override: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect((await list(team)).credentials).toEqual([made]);
    expect((await list(team, 'provider=oura')).credentials).toEqual([made]);
    expect((await list(team, 'provider=none-of-these')).credentials).toEqual([]);

    const redirect_url_override = 'https://clinic.example.com/back';
    const { body: moved } = await set(team, { provider: 'oura', redirect_url_override });
    expect(moved).toMatchObject({ id: made.id, client_secret_hash: made.client_secret_hash, redirect_url_override });
    const { body: rotated } = await set(team, { provider: 'oura', client_secret: 'hush hush' });
    expect(rotated).toMatchObject({ id: made.id, redirect_url_override });
    expect(rotated.client_secret_hash).not.toBe(made.client_secret_hash);
    expect((await set(team, ofOura)).body.client_secret_hash).toBe(made.client_secret_hash);
    expect((await set(team, { provider: 'oura', redirect_url_override: null })).body.redirect_url_override).toBeNull();

    const unknown = '01890000-0000-7000-8000-000000000000';
    expect((await remove(team, [made.id, unknown])).body).toEqual({
      success: [made.id],
      failure: [],
      not_found: [unknown],
    });
    expect((await remove(team, [made.id])).body).toEqual({ success: [], failure: [], not_found: [made.id] });
    expect(await list(team)).toEqual({ credentials: [], next_cursor: null });
  });

  test('get a new id with another application and take over nothing of the former one', async () => {
    const team = await app.makeTeam();
    const { body: first } = await set(team, { ...ofOura, redirect_url_override: 'https://clinic.example.com/back' });
    const refused = await set(team, { provider: 'oura', client_id: 'another' });
    expect([refused.status, refused.body.code]).toEqual([400, 'credentials_incomplete']);
    const { body: second } = await set(team, { ...ofOura, client_id: 'another' });
    expect(second.id).not.toBe(first.id);
    expect(second.redirect_url_override).toBeNull();
    expect((await list(team)).credentials).toEqual([second]);
  });

  test.each([
    ['no secret', { provider: 'oura', client_id: 'clinic' }],
    ['no id', { provider: 'oura', client_secret: 'hush' }],
    ['a secret that is removed', { ...ofOura, client_secret: null }],
  ])('are refused with %s, for a provider that can be connected', async (_what, body) => {
    const team = await app.makeTeam();
    const { status, body: said } = await set(team, body);
    expect([status, said.code]).toEqual([400, 'credentials_incomplete']);
  });

  test('have a secret that is stored only sealed, and a hash that depends on the team and deployment', async () => {
    const [team, other] = [await app.makeTeam(), await app.makeTeam()];
    const [{ body: mine }, { body: theirs }] = [await set(team, ofOura), await set(other, ofOura)];
    expect(mine.client_secret_hash).not.toBe(theirs.client_secret_hash);
    const { rows } = await sql<{ row: string }>`
      select encode(client_secret, 'escape') || team_credentials::text as row from team_credentials`.execute(app.db);
    for (const { row } of rows) expect(row).not.toContain('hush');
  });

  test('are listed over teams, a page at a time, by team and by provider', async () => {
    const team = await app.makeTeam();
    const { id: sibling } = await createTeam(app.ctx, { org_id: team.org_id, name: 'Mesa Clinic' });
    const made: string[] = [];
    for (const [team_id, provider] of [
      [team.id, 'oura'],
      [sibling, 'oura'],
      [sibling, 'labcorp'],
    ])
      made.push((await set(team, { ...ofOura, team_id, provider })).body.id);
    const first = await list(team, 'limit=2');
    const rest = await list(team, `limit=2&next_cursor=${first.next_cursor}`);
    const ids = ({ credentials }: Page): string[] => credentials.map(({ id }) => id);
    expect([ids(first), ids(rest), rest.next_cursor]).toEqual([made.slice(0, 2), made.slice(2), null]);
    expect(ids(await list(team, `team_id=${sibling}`))).toEqual(made.slice(1));
    expect(ids(await list(team, 'provider=labcorp'))).toEqual(made.slice(2));
    expect(ids(await list(await app.makeTeam()))).toEqual([]);

    const bound = { org_id: team.org_id, label: 'bound', role: 'team_admin' as const, team_ids: [team.id] };
    const { value: key } = await createManagementKey(app.ctx, bound);
    expect(ids(await list(team, '', key))).toEqual(made.slice(0, 1));
    const refused = [await set(team, { ...ofOura, team_id: sibling }, key), await remove(team, made, key)];
    for (const { status, body } of refused)
      expect([status, (body as { code?: string }).code]).toEqual([403, 'insufficient_scope']);
    expect(ids(await list(team))).toEqual(made);
  });

  test('are not listed and cannot be deleted after their team is deleted', async () => {
    const team = await app.makeTeam();
    const { id } = await createTeam(app.ctx, { org_id: team.org_id, name: 'Mesa Clinic' });
    const { body: made } = await set(team, { ...ofOura, team_id: id });
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${id}`);
    expect((await list(team)).credentials).toEqual([]);
    expect((await remove(team, [made.id])).body.not_found).toEqual([made.id]);
  });

  test('leave lines in the audit log that name them and contain no value', async () => {
    const team = await app.makeTeam();
    const { body: made } = await set(team, ofOura);
    await remove(team, [made.id]);
    const lines = await app.db
      .selectFrom('audit_log')
      .select(['action', 'records'])
      .where('org_id', '=', team.org_id)
      .where('action', 'like', '%team_custom_credentials')
      .orderBy('id')
      .execute();
    expect(lines.map(({ action, records }) => [action, [...new Set(records)]])).toEqual([
      ['set_team_custom_credentials', [made.id]],
      ['delete_team_custom_credentials', [made.id]],
    ]);
  });
});

const fitbit = {
  is_hr_enabled: true,
  workout_verify_token: 'w-hush',
  sleep_verify_token: 's-hush',
  body_verify_token: 'b-hush',
  foods_verify_token: null,
};
const hidden = '[hidden]';
const noBilling = {
  sub_account_id: null,
  sub_account_name: null,
  allowed_billing_types: null,
  disallowed_billing_states: null,
};

describe('details', () => {
  test.each([
    [
      'fitbit',
      { fitbit },
      {
        fitbit: { ...fitbit, workout_verify_token: hidden, sleep_verify_token: hidden, body_verify_token: hidden },
      },
    ],
    ['google_fit', { redirect_uri: 'https://clinic.example.com', data_scopes: ['fitness.activity.read'] }, null],
    ['google_health', { project_number: '12345', service_account_email: 'phial@clinic.example.com' }, null],
    ['polar', { webhook_secret: 'hush' }, { webhook_secret: hidden }],
    ['my_fitness_pal_v2', { client: 'clinic' }, null],
    [
      'getlabs',
      { getlabs: { webhook_secret_key: 'hush', webhook_secret_token: 'hush' } },
      { getlabs: { webhook_secret_key: hidden, webhook_secret_token: hidden } },
    ],
    [
      'phlebfinders',
      {
        phlebfinders: {
          account_id: '1',
          account_name: 'Clinic',
          team_id: '2',
          team_name: 'Draws',
          webhook_token: 'hush',
          email: 'draws@clinic.example.com',
        },
      },
      {
        phlebfinders: {
          account_id: '1',
          account_name: 'Clinic',
          team_id: '2',
          team_name: 'Draws',
          webhook_token: hidden,
          email: 'draws@clinic.example.com',
        },
      },
    ],
    [
      'bioreference',
      { bioreference: { password: 'hush' }, sub_account_id: '7' },
      { ...noBilling, bioreference: { password: hidden }, sub_account_id: '7' },
    ],
    [
      'quest',
      {
        quest: { account: 'hush' },
        allowed_business_units: ['PHX'],
        disallowed_billing_states: { patient_bill: ['AZ'] },
      },
      {
        ...noBilling,
        quest: { account: hidden },
        allowed_business_units: ['PHX'],
        disallowed_billing_states: { patient_bill: ['AZ'] },
      },
    ],
    [
      'labcorp',
      { labcorp: { account_number: '123', billing_method: 'CM' }, allowed_billing_types: ['client_bill'] },
      {
        ...noBilling,
        labcorp: { account_number: '123', billing_method: 'CM' },
        allowed_billing_types: ['client_bill'],
      },
    ],
    [
      'labcorp',
      { sending_facility: 'A', sending_application: 'B', receiving_facility: 'C', receiving_application: 'D' },
      {
        ...noBilling,
        sending_facility: 'A',
        sending_application: 'B',
        receiving_facility: 'C',
        receiving_application: 'D',
      },
    ],
  ])(
    'of %s are stored, shown with every key and without their secrets, and unchanged when sent back as shown',
    async (provider, details, shown) => {
      const team = await app.makeTeam();
      const connects = { client_id: 'clinic', client_secret: 'hush' };
      const { status, body: made } = await set(team, { provider, details, ...connects });
      expect([status, made.details]).toEqual([200, shown ?? details]);
      const stored = (): Promise<unknown> => storedDetails(made);
      expect(await stored()).toEqual(details);
      const again = await set(team, { provider, details: made.details });
      expect(again.body.details).toEqual(made.details);
      expect(await stored()).toMatchObject(details);
      await set(team, { provider });
      expect(await stored()).toMatchObject(details);
      expect((await set(team, { provider, details: null })).body.details).toBeNull();
    },
  );

  test.each([
    ['of another provider', 'oura', { webhook_secret: 'hush' }],
    ['with a key that the provider does not have', 'polar', { webhook_secret: 'hush', client: 'clinic' }],
    ['without a key that it needs', 'google_health', { project_number: '12345' }],
    ['of two shapes', 'labcorp', { labcorp: { account_number: '1', billing_method: 'CM' }, sending_facility: 'A' }],
    ['without any value', 'polar', {}],
    ['with an invalid code', 'labcorp', { labcorp: { account_number: '1', billing_method: 'XX' } }],
  ])('%s are refused', async (_what, provider, details) => {
    const team = await app.makeTeam();
    const { status, body } = await set(team, { ...ofOura, provider, details });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('details')]);
  });

  test('cannot refer to a secret that is not stored', async () => {
    const team = await app.makeTeam();
    const { status, body } = await set(team, { ...ofOura, provider: 'polar', details: { webhook_secret: hidden } });
    expect([status, body.code]).toEqual([400, 'credentials_incomplete']);
  });
});

async function storedDetails({ id, team_id }: CredentialsBody): Promise<unknown> {
  const row = await app.db
    .selectFrom('team_credentials')
    .select('details')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return row.details && app.ctx.cipher.openJson('team_credentials.details', { team_id, id }, row.details);
}

describe('what to enter at a provider', () => {
  const prepare = async (provider: string): Promise<object> => {
    const path = `/v1/org/${app.team.org_id}/prepare_team_custom_credentials/sandbox/us`;
    return (await app.api<object>('POST', path, { team_id: app.team.id, provider })).body;
  };

  test('is the address of this deployment that users come back to', async () => {
    expect(await prepare('oura')).toEqual({
      status: 'preparations_required',
      preparation_steps: [
        {
          type: 'redirect_uri',
          key: null,
          value: `${app.config.baseUrl}/v2/link/oauth/oura/callback`,
          description: expect.stringContaining('Oura'),
        },
      ],
    });
  });

  test.each(['fitbit', 'apple_health_kit', 'labcorp', 'getlabs'])(
    'is nothing where no address of ours is needed: %s',
    async (provider) => {
      expect(await prepare(provider)).toEqual({ status: 'no_action_needed', preparation_steps: [] });
    },
  );
});

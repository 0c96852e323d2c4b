import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { createManagementKey } from '../keys/create-management-key.ts';

type Problems = { detail: { type: string; loc: string[] }[] };
type Refusal = { code: string; detail: { team_id: string }; team_id: string };
type ManagedTeam = {
  id: string;
  name: string;
  created_on: string;
  integration_team_id: string | null;
  sandbox: Record<string, unknown>;
};
type Key = { id: string; label: string; value: string; team_id: string; created_at: string };

let app: TestApp;
let other: Team;
beforeAll(async () => {
  app = await startTestApp();
  other = await app.makeTeam('Mesa Labs');
});
afterAll(() => app.close());

const problemPathsOf = (response: { body: Problems }): string[] =>
  response.body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`);

const bind = async (...team_ids: string[]): Promise<string> =>
  (await createManagementKey(app.ctx, { org_id: app.team.org_id, label: 'bound', role: 'team_admin', team_ids })).value;

describe('creating a team', () => {
  const create = <T = ManagedTeam>(body: object, key?: string) =>
    app.api<T>(
      'POST',
      `/v1/org/${app.team.org_id}/team`,
      { name: 'North Clinic', region: 'us', ...body },
      key ? { key } : {},
    );

  test('has the default settings', async () => {
    const { status, body } = await create({});
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      name: 'North Clinic',
      created_on: expect.any(String),
      region: 'us',
      integration_team_id: null,
      environments: ['sandbox'],
      production: null,
      sandbox: {
        lab_tests_patient_sms_communication_enabled: true,
        lab_tests_patient_email_communication_enabled: true,
        critical_result_notification_email: null,
        brand_information: null,
        logo_url: null,
        reject_duplicate_connection: false,
        sdk_per_device_activity_timeseries: false,
        partial_webhooks_enabled: false,
        minor_ordering_enabled: false,
        patient_experience: true,
        backfill_events_enabled: true,
        signed_links_end_with_key: null,
      },
    });
  });

  test('has the settings and the id of the request', async () => {
    const chosen = {
      lab_tests_patient_sms_communication_enabled: false,
      lab_tests_patient_email_communication_enabled: false,
      critical_result_notification_email: 'lab@example.com',
      logo_url: 'https://example.com/logo.png',
      reject_duplicate_connection: true,
      sdk_per_device_activity_timeseries: true,
      partial_webhooks_enabled: null,
      minor_ordering_enabled: true,
    };
    const id = randomUUID();
    const { body } = await create({
      ...chosen,
      id,
      integration_team_id: 'ehr-7',
      brand_information: { company_name: 'North' },
    });
    expect([body.id, body.integration_team_id]).toEqual([id, 'ehr-7']);
    expect(body.sandbox).toEqual({
      ...chosen,
      patient_experience: true,
      backfill_events_enabled: true,
      signed_links_end_with_key: null,
      brand_information: {
        company_name: 'North',
        company_website: '',
        support_contact: '',
        company_address: '',
        brand_color: '',
      },
    });
    const row = await app.db.selectFrom('teams').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ org_id: app.team.org_id, settings: { minor_ordering_enabled: true } });
  });

  test('null for a text of its brand stores an empty text', async () => {
    const nothing = { company_website: null, support_email: null, support_contact: null, company_address: null };
    const { body } = await create({ brand_information: { company_name: 'North', ...nothing, brand_color: null } });
    const brand = {
      company_name: 'North',
      company_website: '',
      support_contact: '',
      company_address: '',
      brand_color: '',
    };
    expect(body.sandbox['brand_information']).toEqual(brand);
    const { settings } = await app.db
      .selectFrom('teams')
      .select('settings')
      .where('id', '=', body.id)
      .executeTakeFirstOrThrow();
    expect(settings).toMatchObject({ brand_information: brand });
  });

  test('has the standard lab tests', async () => {
    const { body } = await create({});
    const tests = await app.db.selectFrom('lab_tests').select('method').where('team_id', '=', body.id).execute();
    expect(new Set(tests.map(({ method }) => method))).toEqual(
      new Set(['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection']),
    );
  });

  test('can have a team key that gives access to the team', async () => {
    const { body: team } = await create({});
    const { body: key } = await app.api<Key>('POST', `/v1/org/${app.team.org_id}/team_api_keys/sandbox/us`, {
      label: 'first',
      team_id: team.id,
    });
    const made = await app.api<{ team_id: string }>('POST', '/v2/user', { client_user_id: 'ada' }, { key: key.value });
    expect([made.status, made.body.team_id]).toEqual([200, team.id]);
  });

  test('with an integration_team_id in use is refused with the team that has it', async () => {
    const { body: first } = await create({ integration_team_id: 'ehr-taken' });
    const again = await create<Refusal>({ integration_team_id: 'ehr-taken' });
    expect([again.status, again.body.code, again.body.detail, again.body.team_id]).toEqual([
      409,
      'integration_team_id_conflict',
      { team_id: first.id },
      first.id,
    ]);
  });

  test('many times at once with one integration_team_id makes one team, and the others get its id', async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => create<Refusal & ManagedTeam>({ integration_team_id: 'ehr-race' })),
    );
    const made = responses.filter(({ status }) => status === 200);
    expect(made.length).toBe(1);
    for (const { status, body } of responses.filter((response) => response !== made[0])) {
      expect([status, body.code, body.detail]).toEqual([
        409,
        'integration_team_id_conflict',
        { team_id: made[0]?.body.id },
      ]);
    }
  });

  test('can use an integration_team_id of another organisation', async () => {
    await create({ integration_team_id: 'ehr-both' });
    const response = await other.api('POST', `/v1/org/${other.org_id}/team`, {
      name: 'South',
      region: 'us',
      integration_team_id: 'ehr-both',
    });
    expect(response.status).toBe(200);
  });

  test('with an id in use gets the same refusal, whether our organisation or another has it', async () => {
    const [foreign, own] = [await create<Refusal>({ id: other.id }), await create<Refusal>({ id: app.team.id })];
    expect(foreign.status).toBe(409);
    expect({ ...foreign.body, request_id: '' }).toEqual({
      detail: 'This id is in use. Choose another, or leave it out.',
      code: 'team_id_taken',
      request_id: '',
    });
    expect({ ...own.body, request_id: '' }).toEqual({ ...foreign.body, request_id: '' });
  });

  test('with the id of an organisation gets the same refusal, and no organisation gets the id of a team', async () => {
    const body = { code: 'team_id_taken', detail: 'This id is in use. Choose another, or leave it out.' };
    for (const id of [other.org_id, app.team.org_id, other.org_id.toUpperCase()])
      expect(await create<Refusal>({ id })).toMatchObject({ status: 409, body });
    const teams = await app.db
      .selectFrom('teams')
      .select('id')
      .where('id', 'in', [other.org_id, app.team.org_id])
      .execute();
    expect(teams).toEqual([]);
    const org = { id: app.team.id, name: 'Mesa', plan: 'scale' } as const;
    await expect(app.db.insertInto('orgs').values(org).execute()).rejects.toThrow('have different ids');
    const team = { id: other.org_id, org_id: app.team.org_id, name: 'Mesa' };
    await expect(app.db.insertInto('teams').values(team).execute()).rejects.toThrow('have different ids');
  });

  test('in another region is refused as another deployment', async () => {
    const response = await create<Refusal>({ region: 'eu' });
    expect([response.status, response.body.code]).toEqual([404, 'wrong_deployment']);
    expect(response.body.detail).toMatch(/eu.*sandbox us/);
  });

  test('lists every problem', async () => {
    const response = await create<Problems>({
      name: 'Clinic <b>',
      region: 'mars',
      id: 'x',
      integration_team_id: 'i'.repeat(257),
      logo_url: 'javascript:alert(1)',
      critical_result_notification_email: 'nobody',
      lab_tests_patient_sms_communication_enabled: null,
      brand_information: { support_email: 'nobody' },
    });
    expect(response.status).toBe(422);
    expect(problemPathsOf(response).toSorted()).toEqual([
      'bool_type body.lab_tests_patient_sms_communication_enabled',
      'enum body.region',
      'missing body.brand_information.company_name',
      'string_pattern_mismatch body.name',
      'string_too_long body.integration_team_id',
      'url_parsing body.logo_url',
      'uuid_parsing body.id',
      'value_error body.brand_information.support_email',
      'value_error body.critical_result_notification_email',
    ]);
  });

  test.each(["Dr. O'Neil", 'Clinic\nTwo', 'a'.repeat(81)])('with the name %j is refused', async (name) => {
    expect((await create({ name })).status).toBe(422);
  });

  test.each(["Équipe d'Été (Nord), A/B: 1|2 & Co_x-y’s", 'a'.repeat(80)])(
    'with the name %j is accepted',
    async (name) => {
      expect((await create({ name })).body.name).toBe(name);
    },
  );

  test('needs an Org Management Key of that organisation', async () => {
    const bound = await create<Refusal>({}, await bind(app.team.id));
    expect([bound.status, bound.body.code]).toEqual([403, 'insufficient_scope']);
    expect((await create({}, other.management_key)).status).toBe(404);
    expect((await app.api('POST', `/v1/org/${app.team.org_id}/team`, {}, { key: null })).status).toBe(401);
  });
});

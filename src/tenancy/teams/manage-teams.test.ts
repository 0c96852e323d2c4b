import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { makeUser, registeredKit } from '../../../test/factories.ts';
import { textOf } from '../../../test/pdf.ts';
import { untilBlocked } from '../../../test/until-blocked.ts';
import { inTransaction } from '../../db/transaction.ts';
import { createManagementKey } from '../keys/create-management-key.ts';

type Settings = Record<string, unknown> & { brand_information: Record<string, unknown> | null };
type Managed = {
  id: string;
  name: string;
  integration_team_id: string | null;
  environments: string[];
  sandbox: Settings;
  production: null;
};
type Page = { teams: { id: string; name: string }[]; next_cursor: string | null };
type Refusal = { code: string; detail: { team_id: string } & string };
type Problems = { detail: { type: string; loc: string[] }[] };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

let team: Team;
beforeEach(async () => {
  team = await app.makeTeam();
});

const org = (): string => `/v1/org/${team.org_id}`;
const path = (id = team.id): string => `${org()}/team/${id}`;
const read = async (query = ''): Promise<Managed> => (await team.api<Managed>('GET', path() + query)).body;
const patch = <T = Managed>(body: object, id = team.id) => team.api<T>('PATCH', path(id), body);
const patchSettings = async (sandbox: object): Promise<Settings> => (await patch({ sandbox })).body.sandbox;
const create = async (body: object): Promise<Managed> =>
  (await team.api<Managed>('POST', `${org()}/team`, { name: 'North', region: 'us', ...body })).body;
const bind = async (...team_ids: string[]): Promise<string> =>
  (await createManagementKey(app.ctx, { org_id: team.org_id, label: 'bound', role: 'team_admin', team_ids })).value;

describe('an organisation', () => {
  test('is read and renamed by an Org Management Key', async () => {
    expect((await team.api('GET', org())).body).toEqual({ id: team.org_id, name: 'Desert Health', expires_at: null });
    const renamed = await team.api('PATCH', org(), { name: 'Mesa Health' });
    expect(renamed.body).toEqual({ id: team.org_id, name: 'Mesa Health', expires_at: null });
    expect((await team.api('GET', org())).body).toEqual(renamed.body);
  });

  test('does not accept a name that documents cannot show', async () => {
    for (const body of [{}, { name: null }, { name: 'a<b>' }, { name: 'a'.repeat(81) }]) {
      expect((await team.api('PATCH', org(), body)).status).toBe(422);
    }
  });
});

describe('the list of teams', () => {
  const list = async (query = '', key?: string): Promise<Page> =>
    (await team.api<Page>('GET', `${org()}/team${query}`, undefined, key ? { key } : {})).body;
  const namesOf = ({ teams }: Page): string[] => teams.map(({ name }) => name);

  test('has each team once, page by page', async () => {
    for (let n = 0; n < 55; n += 1) await create({ name: `Team ${n}` });
    const first = await list();
    const second = await list(`?next_cursor=${first.next_cursor}`);
    expect([first.teams.length, second.teams.length, second.next_cursor]).toEqual([50, 6, null]);
    const ids = [...first.teams, ...second.teams].map(({ id }) => id);
    expect(new Set(ids).size).toBe(56);
    expect(ids).toEqual(ids.toSorted());
    const refused = await team.api<Refusal>('GET', `${org()}/team?next_cursor=nonsense`);
    expect([refused.status, refused.body.code]).toEqual([422, 'invalid_cursor']);
  });

  test('is filtered by a part of the name or integration_team_id, by region, and by one team', async () => {
    const clinic = await create({ name: 'Ironwood Clinic', integration_team_id: 'ehr-100%' });
    await create({ name: 'Saguaro' });
    expect(namesOf(await list('?search_query=WOOD'))).toEqual(['Ironwood Clinic']);
    expect(namesOf(await list('?search_query=EHR-100%25'))).toEqual(['Ironwood Clinic']);
    expect(namesOf(await list('?search_query=%25'))).toEqual(['Ironwood Clinic']);
    expect(namesOf(await list('?search_query=nobody'))).toEqual([]);
    expect((await list('?search_query=')).teams).toHaveLength(3);
    expect(namesOf(await list(`?team_id=${clinic.id}`))).toEqual(['Ironwood Clinic']);
    expect((await list('?region=eu&region=us')).teams).toHaveLength(3);
    expect((await list('?region=eu')).teams).toEqual([]);
    expect((await list('?region=mars')).teams).toEqual([]);
  });

  test('shows a Team Management Key its own teams, and no deleted team', async () => {
    const [own, gone] = [await create({ name: 'Own' }), await create({ name: 'Gone' })];
    const key = await bind(own.id, gone.id);
    expect(namesOf(await list('', key))).toEqual(['Own', 'Gone']);
    await team.api('DELETE', path(gone.id));
    expect(namesOf(await list('', key))).toEqual(['Own']);
    expect(namesOf(await list())).toEqual(['Desert Health', 'Own']);
    const other = await team.api<Refusal>('GET', `${org()}/team?team_id=${team.id}`, undefined, { key });
    expect([other.status, other.body.code]).toEqual([403, 'insufficient_scope']);
  });
});

describe('a team', () => {
  test('is read with the settings of the requested environments', async () => {
    const made = await create({ integration_team_id: 'ehr-7', brand_information: { company_name: 'North Labs' } });
    expect((await team.api('GET', path(made.id.toUpperCase()))).body).toEqual(made);
    expect(await read('?include_environment=sandbox')).toEqual(await read());
    expect(await read('?include_environment=production')).toEqual({ ...(await read()), sandbox: null });
  });

  test('is changed in the keys of the request only', async () => {
    const before = await read();
    const { body } = await patch({
      name: 'Renamed',
      integration_team_id: 'ehr-8',
      sandbox: { minor_ordering_enabled: true, logo_url: 'https://example.com/logo.png' },
    });
    expect(body).toEqual({
      ...before,
      name: 'Renamed',
      integration_team_id: 'ehr-8',
      sandbox: { ...before.sandbox, minor_ordering_enabled: true, logo_url: 'https://example.com/logo.png' },
    });
    expect(await read()).toEqual(body);
    expect((await patch({})).body).toEqual(body);
    await team.api('PUT', `${path()}/link_redirect_urls`, { urls: ['https://example.com/done'] });
    await patch({ sandbox: { minor_ordering_enabled: false } });
    expect((await team.api('GET', `${path()}/link_redirect_urls`)).body).toEqual({
      urls: ['https://example.com/done'],
    });
  });

  test('null clears only what can be empty', async () => {
    await patch({ integration_team_id: 'ehr-9' });
    const set = await patchSettings({
      lab_tests_patient_sms_communication_enabled: false,
      critical_result_notification_email: 'lab@example.com',
      logo_url: 'https://example.com/logo.png',
      partial_webhooks_enabled: true,
      patient_experience: false,
    });
    const nothing = Object.fromEntries(Object.keys(set).map((key) => [key, null]));
    const { body } = await patch({ name: null, integration_team_id: null, sandbox: nothing, production: null });
    expect([body.name, body.integration_team_id]).toEqual(['Desert Health', null]);
    expect(body.sandbox).toEqual({
      ...set,
      critical_result_notification_email: null,
      logo_url: null,
      partial_webhooks_enabled: null,
      minor_ordering_enabled: null,
    });
  });

  test("changes its brand key by key, and a new brand has the team's name by default", async () => {
    const first = await patchSettings({
      brand_information: { support_email: 'help@example.com', brand_color: '#102030' },
    });
    const brand = {
      company_name: 'Desert Health',
      company_website: '',
      support_email: 'help@example.com',
      support_contact: '',
      company_address: '',
      brand_color: '#102030',
    };
    expect(first.brand_information).toEqual(brand);
    const second = await patchSettings({ brand_information: { company_name: 'Desert Labs', brand_color: null } });
    expect(second.brand_information).toEqual({ ...brand, company_name: 'Desert Labs', brand_color: '' });
    const third = await patchSettings({ brand_information: { company_name: null, support_email: null } });
    const { support_email: _, ...without } = second.brand_information as Record<string, string>;
    expect(third.brand_information).toEqual(without);
    expect((await patchSettings({ brand_information: null })).brand_information).toBeNull();
  });

  test('two concurrent changes of the same team are both stored', async () => {
    const { one, two } = await inTransaction({ ...app.ctx, db: app.db }, async ({ db }) => {
      await db.selectFrom('teams').select('id').where('id', '=', team.id).forUpdate().execute();
      const one = patch({ sandbox: { brand_information: { brand_color: 'red' } } });
      await untilBlocked(app.db);
      const two = patch({ sandbox: { brand_information: { support_contact: 'Ask us' } } });
      return { one, two };
    });
    expect([(await one).status, (await two).status]).toEqual([200, 200]);
    expect((await read()).sandbox.brand_information).toMatchObject({ brand_color: 'red', support_contact: 'Ask us' });
  });

  test('a change is visible to its own key, on documents and on pages for patients', async () => {
    const { id, user_id } = await registeredKit(team);
    await patchSettings({
      brand_information: { company_name: 'Palo Verde Labs', support_email: 'help@example.com' },
      logo_url: 'https://example.com/new.png',
    });
    expect((await team.api<{ logo_url: string }>('GET', `/v2/team/${team.id}`)).body.logo_url).toMatch(/new\.png$/);
    const link = await team.api<{ url: string }>('POST', `/v2/user/${user_id}/create_portal_url`, {
      context: 'launch',
      order_id: id,
    });
    const page = await (await fetch(app.baseUrl + new URL(link.body.url).pathname)).text();
    expect(page).toContain('Palo Verde Labs');
    expect(page).toContain('help@example.com');
    const requisition = await fetch(`${app.baseUrl}/v3/order/${id}/requisition/pdf`, {
      headers: { 'x-service-api-key': team.api_key },
    });
    expect(
      (await textOf({ bytes: await requisition.arrayBuffer().then((bytes) => new Uint8Array(bytes)) })).join(),
    ).toContain('Palo Verde Labs');
  });

  test('without pages for patients makes no links to them, and existing links stop working', async () => {
    const { user_id } = await makeUser(team);
    const link = () =>
      team.api<{ url: string } & Refusal>('POST', `/v2/user/${user_id}/create_portal_url`, { context: 'launch' });
    const open = async (url: string) => (await fetch(app.baseUrl + new URL(url).pathname)).text();
    const { url } = (await link()).body;
    const page = await open(url);
    await patchSettings({ patient_experience: false });
    const refused = await link();
    expect([refused.status, refused.body.code]).toEqual([400, 'patient_experience_off']);
    expect(await open(url)).toContain('This link does not open');
    await patchSettings({ patient_experience: true });
    expect(page).not.toContain('This link does not open');
    expect(await open(url)).not.toContain('This link does not open');
  });

  test('settings of an environment that is not served here are refused, and nothing changes', async () => {
    const before = await read();
    const response = await patch<Refusal>({ name: 'Other', production: { minor_ordering_enabled: true } });
    expect([response.status, response.body.code]).toEqual([404, 'wrong_deployment']);
    expect(response.body.detail).toMatch(/production.*sandbox us/);
    expect(await read()).toEqual(before);
  });

  test('a change lists every problem', async () => {
    const { status, body } = await patch<Problems>({
      name: 'a<b>',
      integration_team_id: '',
      sandbox: {
        logo_url: 'javascript:alert(1)',
        critical_result_notification_email: 'nobody',
        minor_ordering_enabled: 'yes',
        brand_information: { support_email: 'nobody', company_name: '', brand_color: 'a\nb' },
      },
    });
    expect(status).toBe(422);
    expect(body.detail.map(({ type, loc }) => `${type} ${loc.join('.')}`).toSorted()).toEqual([
      'bool_type body.sandbox.minor_ordering_enabled',
      'string_pattern_mismatch body.name',
      'string_pattern_mismatch body.sandbox.brand_information.brand_color',
      'string_too_short body.integration_team_id',
      'string_too_short body.sandbox.brand_information.company_name',
      'url_parsing body.sandbox.logo_url',
      'value_error body.sandbox.brand_information.support_email',
      'value_error body.sandbox.critical_result_notification_email',
    ]);
  });

  test('a Team Management Key reads and changes its own team', async () => {
    const key = await bind(team.id);
    expect((await team.api('GET', path(), undefined, { key })).status).toBe(200);
    const changed = await team.api<Managed>('PATCH', path(), { name: 'By its own key' }, { key });
    expect(changed.body.name).toBe('By its own key');
  });
});

describe('an integration_team_id', () => {
  const resolve = <T = Managed>(integration_team_id: string, key?: string) =>
    team.api<T>('POST', `${org()}/resolve_team`, { integration_team_id }, key ? { key } : {});

  test('finds the team, for keys with access to it', async () => {
    const made = await create({ integration_team_id: 'ehr-1' });
    expect((await resolve('ehr-1')).body).toEqual(made);
    expect((await resolve('ehr-1', await bind(made.id))).body).toEqual(made);
    const unbound = await resolve<Refusal>('ehr-1', await bind(team.id));
    expect([unbound.status, unbound.body.code]).toEqual([403, 'insufficient_scope']);
    for (const id of ['ehr-2', 'EHR-1', randomUUID()]) expect((await resolve(id)).status).toBe(404);
    const outsider = await app.makeTeam();
    await outsider.api('PATCH', `/v1/org/${outsider.org_id}/team/${outsider.id}`, { integration_team_id: 'ehr-3' });
    expect((await resolve('ehr-3')).status).toBe(404);
  });

  test("of another team is a conflict with that team's id, and its own is accepted again", async () => {
    const made = await create({ integration_team_id: 'ehr-4' });
    const taken = await patch<Refusal>({ integration_team_id: 'ehr-4' });
    expect([taken.status, taken.body.code, taken.body.detail]).toEqual([
      409,
      'integration_team_id_conflict',
      { team_id: made.id },
    ]);
    expect((await patch({ integration_team_id: 'ehr-4', name: 'Same' }, made.id)).status).toBe(200);
  });

  test('that two teams request at once is given to one, and the other gets its id', async () => {
    const [one, two] = [await create({}), await create({})];
    const responses = await Promise.all(
      [one, two].map(({ id }) => patch<Managed & Refusal>({ integration_team_id: 'ehr-5' }, id)),
    );
    const [won, lost] = responses.toSorted((a, b) => a.status - b.status) as [
      (typeof responses)[0],
      (typeof responses)[0],
    ];
    expect([won.status, lost.status, lost.body.detail.team_id]).toEqual([200, 409, won.body.id]);
  });
});

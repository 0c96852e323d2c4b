import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { eraseTeams } from '../../../test/erase-deleted-teams.ts';
import { ehrPath, ehrPipeline } from '../../../test/pipelines.ts';
import { createManagementKey } from '../../tenancy/keys/create-management-key.ts';
import { createTeam } from '../../tenancy/teams/create.ts';
import type { EhrPipeline } from './schemas.ts';

type Page = { data: EhrPipeline[]; next_token: string | null };
type Refused = { code: string; detail: { loc: string[] }[] };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const oauth = {
  type: 'client_credentials',
  client_id: 'phial',
  client_secret: 'a secret of the EHR',
  token_url: 'https://ehr.example.com/token',
};
const set = (team: Team, body: object, key?: string): Promise<Answer<EhrPipeline[]>> =>
  team.api<EhrPipeline[]>('POST', ehrPath(team), body, key === undefined ? {} : { key });
const list = async (team: Team, query = '', key?: string): Promise<Page> =>
  (await team.api<Page>('GET', `${ehrPath(team)}?${query}`, undefined, key === undefined ? {} : { key })).body;
const sibling = async ({ org_id }: Team): Promise<string> =>
  (await createTeam(app.ctx, { org_id, name: 'Mesa Clinic' })).id;

describe('the EHR pipelines of teams', () => {
  test('are configured for several teams, shown without their secrets, replaced as a whole and removed', async () => {
    const team = await app.makeTeam();
    const second = await sibling(team);
    const made = await set(team, { ...ehrPipeline([team.id, second], oauth), allowed_mappers: ['lab_result'] });
    const shown = {
      type: 'native',
      ehr_type: 'fhir',
      base_url: 'https://ehr.example.com/fhir',
      authentication: { ...oauth, client_secret: '********' },
      allowed_mappers: ['lab_result'],
    };
    expect(made.body).toEqual([
      { team_id: team.id, ...shown },
      { team_id: second, ...shown },
    ]);
    expect(await list(team)).toEqual({ data: made.body, next_token: null });

    const iam = {
      type: 'google_iam',
      service_account_email: 'phial@example.com',
      audience: 'https://healthcare.googleapis.com/',
    };
    await set(team, ehrPipeline([second], iam));
    await set(team, { ...ehrPipeline([second]), ehr_type: 'hint_health' });
    expect((await list(team, `team_id=${second}`)).data).toMatchObject([
      { ehr_type: 'fhir', authentication: iam, allowed_mappers: null },
      { ehr_type: 'hint_health', authentication: { type: 'api_key', api_key: '********' } },
    ]);

    const removed = await team.api<EhrPipeline[]>('DELETE', `${ehrPath(team)}?ehr_type=fhir&team_id=${second}`);
    expect(removed.body).toMatchObject([{ team_id: second, ehr_type: 'fhir' }]);
    const left = (await list(team)).data.map(({ team_id, ehr_type }) => [team_id, ehr_type]);
    expect(left).toEqual([
      [team.id, 'fhir'],
      [second, 'hint_health'],
    ]);
  });

  test('are stored sealed, each for its own row', async () => {
    const team = await app.makeTeam();
    await set(team, ehrPipeline([team.id], oauth));
    const { authentication } = await app.db
      .selectFrom('ehr_pipelines')
      .select('authentication')
      .where('team_id', '=', team.id)
      .executeTakeFirstOrThrow();
    expect(authentication.includes('phial')).toBe(false);
    const open = (id: string) =>
      app.ctx.cipher.openJson('ehr_pipelines.authentication', { team_id: team.id, id }, authentication);
    expect(open(`${team.id}/fhir`)).toEqual(oauth);
    expect(() => open(`${team.id}/hint_health`)).toThrow('does not open');
  });

  test('are listed by team, a page at a time, and a Team Management Key gets only its own teams', async () => {
    const team = await app.makeTeam();
    const others = await Promise.all(Array.from({ length: 51 }, () => sibling(team)));
    const ids = [team.id, ...others].toSorted();
    await set(team, ehrPipeline(ids));
    const first = await list(team);
    const rest = await list(team, `next_cursor=${first.next_token}`);
    expect([...first.data, ...rest.data].map(({ team_id }) => team_id)).toEqual(ids);
    expect([first.data.length, rest.next_token]).toEqual([50, null]);
    const bound = { org_id: team.org_id, label: 'bound', role: 'team_admin' as const, team_ids: ids.slice(0, 2) };
    const { value } = await createManagementKey(app.ctx, bound);
    expect((await list(team, '', value)).data.map(({ team_id }) => team_id)).toEqual(ids.slice(0, 2));
    expect((await set(team, ehrPipeline(ids.slice(0, 3)), value)).status).toBe(403);
  });

  test('are set for all teams that the key may access when the request names none', async () => {
    const team = await app.makeTeam();
    const others = [await sibling(team), await sibling(team)];
    const bound = { org_id: team.org_id, label: 'bound', role: 'team_admin' as const, team_ids: others };
    const { value } = await createManagementKey(app.ctx, bound);
    const { team_ids: _, ...unnamed } = ehrPipeline([]);
    await set(team, unnamed, value);
    expect((await list(team)).data.map(({ team_id }) => team_id)).toEqual(others.toSorted());
    await set(team, { ...unnamed, team_ids: null });
    expect((await list(team)).data.map(({ team_id }) => team_id)).toEqual([team.id, ...others].toSorted());
  });

  test('are deleted with the team', async () => {
    const team = await app.makeTeam();
    const leaving = await sibling(team);
    await set(team, ehrPipeline([team.id, leaving]));
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${leaving}`);
    expect((await list(team)).data.map(({ team_id }) => team_id)).toEqual([team.id]);
    await eraseTeams(app.ctx);
    const rows = await app.db.selectFrom('ehr_pipelines').select('team_id').execute();
    expect(rows.map(({ team_id }) => team_id)).not.toContain(leaving);
  });

  test.each([
    [
      'the mask in place of a secret',
      { authentication: { ...oauth, client_secret: '********' } },
      'pipeline_url_refused',
      ['authentication'],
    ],
    [
      'an unknown type of authentication',
      { authentication: { type: 'none' } },
      'validation_failed',
      ['authentication', 'type'],
    ],
    [
      'incomplete authentication',
      { authentication: { ...oauth, client_secret: undefined } },
      'validation_failed',
      ['authentication', 'client_secret'],
    ],
    ['a login in the URL', { base_url: 'https://me:mine@ehr.example.com' }, 'validation_failed', ['base_url']],
    ['another EHR', { ehr_type: 'paper' }, 'validation_failed', ['ehr_type']],
    ['nobody', { team_ids: [] }, 'validation_failed', ['team_ids']],
    ['too many mappers', { allowed_mappers: Array(101).fill('a') }, 'validation_failed', ['allowed_mappers']],
  ])('are refused with %s', async (_what, changed, code, path) => {
    const { status, body } = await set(app.team, { ...ehrPipeline([app.team.id]), ...changed });
    const { code: said, detail } = body as unknown as Refused;
    expect([status, said, detail.map(({ loc }) => loc)]).toEqual([422, code, [['body', ...path]]]);
  });
});

describe('in production an EHR', () => {
  let production: TestApp;
  beforeAll(async () => {
    production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
  });
  afterAll(() => production.close());

  test.each([
    ['with a public address and TLS', { base_url: 'https://93.184.215.14' }, 200, undefined],
    ['without TLS', { base_url: 'http://93.184.215.14' }, 422, 'pipeline_url_refused'],
    ['inside', { base_url: 'https://10.0.0.1/fhir' }, 422, 'pipeline_url_refused'],
    [
      'with a private token URL',
      { authentication: { ...oauth, token_url: 'https://localhost/t' } },
      422,
      'pipeline_url_refused',
    ],
  ])('%s is accepted or refused as the URL of a webhook is', async (_what, changed, status, code) => {
    const { team } = production;
    const body = { ...ehrPipeline([team.id]), base_url: 'https://93.184.215.14', ...changed };
    const response = await team.api<Refused>('POST', ehrPath(team).replace('sandbox', 'production'), body);
    expect([response.status, response.body.code]).toEqual([status, code]);
  });
});

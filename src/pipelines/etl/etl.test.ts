import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { overlapTransactions } from '../../../test/overlap-transactions.ts';
import { eraseTeams } from '../../../test/erase-deleted-teams.ts';
import { etlPath, etlPipeline } from '../../../test/pipelines.ts';
import type { Problems } from '../../../test/webhooks.ts';
import { boundToOrg } from '../../db/session/bind.ts';
import { createManagementKey } from '../../tenancy/keys/create-management-key.ts';
import { setBeta } from '../../tenancy/teams/betas.ts';
import { createTeam } from '../../tenancy/teams/create.ts';
import type { EtlPipeline } from './schemas.ts';
import { setEtlPipelines } from './set.ts';

type Page = { pipelines: EtlPipeline[]; next_cursor: string | null };
type Refused = { code: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const set = (team: Team, body: object, key?: string): Promise<Answer<EtlPipeline[]>> =>
  team.api<EtlPipeline[]>('POST', etlPath(team), body, key === undefined ? {} : { key });
const list = async (team: Team, query = '', key?: string): Promise<Page> =>
  (await team.api<Page>('GET', `${etlPath(team)}?${query}`, undefined, key === undefined ? {} : { key })).body;
const sibling = async ({ org_id }: Team, on = app): Promise<string> =>
  (await createTeam(on.ctx, { org_id, name: 'Mesa Clinic' })).id;

describe('the event pipelines of teams', () => {
  test('are configured for several teams, shown without the password, changed key by key and removed', async () => {
    const team = await app.makeTeam();
    const second = await sibling(team);
    const made = await set(team, { ...etlPipeline([team.id, second]), event_type_prefixes: ['labtest.'] });
    const shown = {
      push_historical_data: false,
      provider_raw_data: false,
      preferences: { preferred: 'rabbitmq', enabled: ['rabbitmq'] },
      cloud_pubsub: null,
      rabbitmq: { uri: 'amqps://phial:********@broker.example.com/clinic', exchange: 'health' },
      svix: null,
      azure_amqp: null,
      event_type_prefixes: ['labtest.'],
    };
    expect(made.body).toEqual([
      { team_id: team.id, ...shown },
      { team_id: second, ...shown },
    ]);
    expect(await list(team)).toEqual({ pipelines: made.body, next_cursor: null });

    const preferences = { preferred: 'svix', enabled: [] };
    const changed = await set(team, { team_ids: [second], preferences, svix: {}, event_type_prefixes: [] });
    const next = { ...shown, team_id: second, preferences, svix: { regional: true }, event_type_prefixes: null };
    expect(changed.body).toEqual([next]);
    expect((await list(team, `team_id=${second}`)).pipelines).toEqual([next]);
    const removed = await team.api<EtlPipeline[]>('DELETE', `${etlPath(team)}?team_id=${second}`);
    expect(removed.body).toEqual([next]);
    expect((await list(team)).pipelines.map(({ team_id }) => team_id)).toEqual([team.id]);
  });

  test('stream to a broker that is configured later, unless preferences were set', async () => {
    const team = await app.makeTeam();
    const second = await sibling(team);
    const both = [team.id, second].toSorted();
    const webhooks = { preferred: 'svix', enabled: ['svix'] };
    const broker = { preferred: 'rabbitmq', enabled: ['rabbitmq'] };
    const first = await set(team, { team_ids: both, event_type_prefixes: ['labtest.'] });
    expect(first.body.map(({ preferences }) => preferences)).toEqual([webhooks, webhooks]);
    await set(team, { team_ids: [second], preferences: webhooks });
    const then = await set(team, etlPipeline(both));
    expect(new Map(then.body.map(({ team_id, preferences }) => [team_id, preferences]))).toEqual(
      new Map([
        [team.id, broker],
        [second, webhooks],
      ]),
    );
  });

  test('keep the keys of two concurrent first requests', async () => {
    const team = await app.makeTeam();
    const rabbitmq = { uri: 'amqps://phial:of-broker@broker.example.com/clinic', exchange: 'health' };
    const { id } = await app.db
      .selectFrom('management_keys')
      .select('id')
      .where('org_id', '=', team.org_id)
      .executeTakeFirstOrThrow();
    const asOrg = {
      ...boundToOrg(app.ctx, team.org_id),
      org: { id: team.org_id, plan: 'scale' as const },
      key: { id, role: 'org_admin' as const, team_ids: null },
      teamIds: [team.id],
      namesTeams: true,
    };
    const second = await overlapTransactions(
      asOrg.db,
      (db) => setEtlPipelines({ ...asOrg, db }, [team.id], { team_ids: [team.id], rabbitmq }),
      () => set(team, { team_ids: [team.id], svix: {}, event_type_prefixes: ['labtest.'] }),
    );
    const uri = rabbitmq.uri.replace('of-broker', '********');
    const both = { rabbitmq: { ...rabbitmq, uri }, svix: { regional: true }, event_type_prefixes: ['labtest.'] };
    expect(second.body).toMatchObject([both]);
    expect((await list(team)).pipelines).toMatchObject([both]);
  });

  test('are refused with a sentence about prefixes', async () => {
    const { team } = app;
    const event_type_prefixes = ['labtest.*', 'labtst.', 'labtest.'];
    const { body } = await team.api<Problems>('POST', etlPath(team), {
      ...etlPipeline([team.id]),
      event_type_prefixes,
    });
    expect(body.detail.map(({ loc, msg }) => [loc.at(-1), msg])).toEqual([
      [0, 'String should be a prefix of event types, as labtest. or daily.data.sleep, without *'],
      [1, 'No type of event has this prefix: GET /v2/event_types lists them'],
    ]);
  });

  test('are stored sealed', async () => {
    const team = await app.makeTeam();
    await set(team, etlPipeline([team.id]));
    const { sinks } = await app.db
      .selectFrom('etl_pipelines')
      .select('sinks')
      .where('team_id', '=', team.id)
      .executeTakeFirstOrThrow();
    expect([sinks.includes('broker'), sinks.includes('of-broker')]).toEqual([false, false]);
  });

  test('are listed by team, a page at a time, and a Team Management Key gets only its own teams', async () => {
    const team = await app.makeTeam();
    const others = await Promise.all(Array.from({ length: 51 }, () => sibling(team)));
    const ids = [team.id, ...others].toSorted();
    await set(team, etlPipeline(ids));
    const first = await list(team);
    const rest = await list(team, `next_cursor=${first.next_cursor}`);
    expect([...first.pipelines, ...rest.pipelines].map(({ team_id }) => team_id)).toEqual(ids);
    const bound = { org_id: team.org_id, label: 'bound', role: 'team_admin' as const, team_ids: ids.slice(0, 2) };
    const { value } = await createManagementKey(app.ctx, bound);
    expect((await list(team, '', value)).pipelines.map(({ team_id }) => team_id)).toEqual(ids.slice(0, 2));
    expect((await set(team, etlPipeline(ids.slice(0, 3)), value)).status).toBe(403);
  });

  test('are set for all teams of the organisation when none is named, up to the limit of a request', async () => {
    const big = await startTestApp({ PHIAL_TEAMS_PER_ORG: '200' });
    const { team } = big;
    const { team_ids: _, ...unnamed } = etlPipeline([]);
    await sql`
      insert into teams (id, org_id, name)
      select gen_random_uuid(), ${team.org_id}, n::text from generate_series(1, 99) n`.execute(big.db);
    expect((await set(team, unnamed)).body).toHaveLength(100);
    const one = await createTeam(big.ctx, { org_id: team.org_id, name: 'One more' });
    const { status, body } = await set(team, unnamed);
    expect([status, body]).toMatchObject([403, { code: 'limit_reached', limit: 100 }]);
    expect((await set(team, { ...unnamed, team_ids: [one.id] })).status).toBe(200);
    await big.close();
  });

  test('are deleted with the team', async () => {
    const team = await app.makeTeam();
    const leaving = await sibling(team);
    await set(team, etlPipeline([team.id, leaving]));
    await team.api('DELETE', `/v1/org/${team.org_id}/team/${leaving}`);
    expect((await list(team)).pipelines.map(({ team_id }) => team_id)).toEqual([team.id]);
    await eraseTeams(app.ctx);
    const rows = await app.db.selectFrom('etl_pipelines').select('team_id').execute();
    expect(rows.map(({ team_id }) => team_id)).not.toContain(leaving);
  });

  const broker = (uri: string): object => ({ rabbitmq: { uri, exchange: 'health' } });
  test.each([
    ['Pub/Sub', { cloud_pubsub: { project: 'p', topic: 't', message_ordering: true } }, 400, 'sink_not_available'],
    ['Event Hubs', { azure_amqp: { connection_string: 'c', default_event_hub: 'h' } }, 400, 'sink_not_available'],
    ['an unavailable sink', { preferences: { preferred: 'svix', enabled: ['azure_amqp'] } }, 400, 'sink_not_available'],
    ['raw data', { provider_raw_data: true }, 400, 'sink_not_available'],
    ['no broker', { rabbitmq: null, preferences: { preferred: 'rabbitmq', enabled: [] } }, 400, 'sink_not_configured'],
    ['another protocol', broker('https://broker.example.com'), 422, 'pipeline_url_refused'],
    ['a query', broker('amqps://broker.example.com/?heartbeat=1'), 422, 'pipeline_url_refused'],
    ['a port of mail servers', broker('amqps://broker.example.com:25'), 422, 'pipeline_url_refused'],
    [
      'the mask in place of a password',
      broker('amqps://phial:********@broker.example.com'),
      422,
      'pipeline_url_refused',
    ],
    ['half a percent sign', broker('amqps://phial:a%zz@broker.example.com'), 422, 'pipeline_url_refused'],
    ['no host', broker('amqps:///clinic'), 422, 'pipeline_url_refused'],
    ['a prefix of no type', { event_type_prefixes: ['Labtest*'] }, 422, 'validation_failed'],
    ['too many prefixes', { event_type_prefixes: Array(201).fill('a') }, 422, 'validation_failed'],
    ['nobody', { team_ids: [] }, 422, 'validation_failed'],
    ['nothing to configure', { rabbitmq: undefined, rabbit_mq: {} }, 422, 'validation_failed'],
    ['a prefix without a type', { event_type_prefixes: ['labtst.'] }, 422, 'validation_failed'],
  ])('are refused with %s', async (_what, changed, status, code) => {
    const team = await app.makeTeam();
    const response = await set(team, { ...etlPipeline([team.id]), ...changed });
    expect([response.status, (response.body as unknown as Refused).code]).toEqual([status, code]);
    expect((await list(team)).pipelines).toEqual([]);
  });
});

describe('in production', () => {
  let production: TestApp;
  beforeAll(async () => {
    production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
  });
  afterAll(() => production.close());
  const path = (team: Team): string => etlPath(team).replace('sandbox', 'production');
  const open = (team: Team, team_id: string) =>
    setBeta(production.ctx, { org_id: team.org_id, team_id, beta: 'etl_pipelines', open: true });

  test('every named team needs the closed beta, and a list needs it for one team of the key', async () => {
    const team = await production.makeTeam();
    const second = await sibling(team, production);
    const uri = 'amqps://93.184.215.14';
    const ask = async (ids: string[]) => {
      const query = ids.map((id) => `team_id=${id}`).join('&');
      const said = [
        await team.api<Refused>('POST', path(team), etlPipeline(ids, uri)),
        await team.api<Refused>('GET', `${path(team)}?team_id=${ids.at(-1)}`),
        await team.api<Refused>('DELETE', `${path(team)}?${query}`),
        await team.api<Refused>('GET', path(team)),
      ];
      return said.map(({ body }) => body.code === 'closed_beta');
    };
    expect(await ask([team.id])).toEqual([true, true, true, true]);
    await open(team, team.id);
    expect(await ask([team.id])).toEqual([false, false, false, false]);
    expect(await ask([team.id, second])).toEqual([true, true, true, false]);
    const { team_ids: _, ...unnamed } = etlPipeline([], uri);
    const set = await team.api<EtlPipeline[]>('POST', path(team), unnamed);
    expect(set.body.map(({ team_id }) => team_id)).toEqual([team.id]);
    await open(team, second);
    expect(await ask([team.id, second])).toEqual([false, false, false, false]);
  });

  test.each([
    ['without TLS', 'amqp://93.184.215.14', 422, 'pipeline_url_refused'],
    ['inside', 'amqps://10.0.0.1', 400, 'pipeline_address_refused'],
    ['on this machine', 'amqps://localhost', 400, 'pipeline_address_refused'],
  ])('a broker %s is refused', async (_what, uri, status, code) => {
    const { team } = production;
    await open(team, team.id);
    const response = await team.api<Refused>('POST', path(team), etlPipeline([team.id], uri));
    expect([response.status, response.body.code]).toEqual([status, code]);
  });

  test('the broker uri is checked before sinks that are not available', async () => {
    const { team } = production;
    await open(team, team.id);
    const body = { ...etlPipeline([team.id], 'amqp://93.184.215.14'), provider_raw_data: true };
    const response = await team.api<Refused>('POST', path(team), body);
    expect([response.status, response.body.code]).toEqual([422, 'pipeline_url_refused']);
  });
});

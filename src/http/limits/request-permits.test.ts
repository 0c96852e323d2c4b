// That nobody starves, over sockets: the order itself is proven where it is made (src/fair).
import { once } from 'node:events';
import { connect } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/app.ts';
import { holdConnections } from '../../../test/hold-connections.ts';
import { endpoints } from '../../endpoints.ts';
import type { Endpoint } from '../endpoint.ts';
import { createTeam } from '../../tenancy/teams/create.ts';
import { createTeamKey } from '../../tenancy/keys/create-team-key.ts';
import { RequestPermits } from './request-permits.ts';

const CONNECTIONS = 10;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({}, { poolSize: CONNECTIONS, poolWaitMs: 30_000 });
});
afterAll(() => app.close());

const HOURS = 2_000;
/** As much as one question may ask: five tables of a row an hour. */
const QUERIES = Array.from({ length: 5 }, () => ({
  select: [
    { group_key: '*' },
    ...['median', 'stddev', 'mean'].map((func) => ({ func, arg: { timeseries: 'heartrate' } })),
  ],
  group_by: [{ date_trunc: { unit: 'hour', value: 1 } }],
}));

/** Teams of one new organisation, each with a user whose aggregates take long. */
async function heavyTeams(count: number): Promise<(() => Promise<number>)[]> {
  const { org_id } = await app.makeTeam('Loud');
  const teams: (() => Promise<number>)[] = [];
  for (let n = 0; n < count; n += 1) {
    const team = await createTeam(app.ctx, { org_id, name: `Loud ${n}` });
    const key = (await createTeamKey(app.ctx, { team_id: team.id, label: 'loud' })).value;
    const ask = async (path: string, body: object): Promise<Answer<{ user_id: string }>> =>
      app.api('POST', path, body, { key });
    const { user_id } = (await ask('/v2/user', { client_user_id: 'heavy' })).body;
    const samples = Array.from({ length: HOURS }, (_, hour) => ({
      resource: 'heartrate',
      provider: 'oura',
      source_type: 'ring',
      unit: 'bpm',
      value: 60 + (hour % 40),
      timestamp: new Date(Date.UTC(2025, 8, 1, hour)).toISOString(),
    }));
    expect((await ask(`/v2/timeseries/${user_id}/samples`, samples)).status).toBe(200);
    const body = {
      timeframe: { type: 'relative', anchor: '2026-01-01', past: { unit: 'day', value: 120 } },
      queries: QUERIES,
    };
    teams.push(async () => (await ask(`/aggregate/v1/user/${user_id}/query`, body)).status);
  }
  return teams;
}

test('seven teams of one organisation that always have heavy requests waiting let those of another in, after a turn', async () => {
  const teams = await heavyTeams(7);
  const quiet = await app.makeTeam('Quiet');
  let isOver = false;
  let answered = 0;
  const flood = async (ask: () => Promise<number>): Promise<void> => {
    while (!isOver) {
      expect(await ask()).toBe(200);
      answered += 1;
      // A service that starves others would never come to its end.
      if (answered > 400) isOver = true;
    }
  };
  const floods = teams.flatMap((ask) => [flood(ask), flood(ask), flood(ask)]);
  await expect.poll(() => answered, { timeout: 20_000 }).toBeGreaterThan(21);
  const meanwhile: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const before = answered;
    expect((await quiet.api('GET', '/v2/user?limit=1')).status).toBe(200);
    meanwhile.push(answered - before);
  }
  isOver = true;
  await Promise.all(floods);
  // What was under way, and what was answered before its client had read the answer: a few rounds of the seven permits.
  expect(Math.max(...meanwhile)).toBeLessThan(40);
}, 90_000);

/** An operation of teams. */
const OPERATION = endpoints.find(({ id }) => id === 'list_users') as Endpoint;
const NEVER = new Promise<never>(() => undefined);

test('requests of one organisation leave permits for another, whatever its teams send', async () => {
  const permits = new RequestPermits(4);
  for (let team = 0; team < 8; team += 1) void permits.run(OPERATION, { org: 'loud', team: `${team}` }, () => NEVER);
  const other = { org: 'other', team: 'other' };
  await expect(permits.run(OPERATION, other, async () => 'answered')).resolves.toBe('answered');
});

test('a thousand requests of a team may wait, and the next is refused as not_ready, while another team’s is served', async () => {
  const permits = new RequestPermits(4);
  const flood = { org: 'loud', team: 'loud' };
  for (let n = 0; n < 1_003; n += 1) void permits.run(OPERATION, flood, () => NEVER);
  await expect(permits.run(OPERATION, flood, async () => undefined)).rejects.toMatchObject({ code: 'not_ready' });
  const other = { org: 'other', team: 'other' };
  await expect(permits.run(OPERATION, other, async () => 'answered')).resolves.toBe('answered');
});

test('requests sent ahead whose connection is cut before their answers are sent give their permits back', async () => {
  const { hostname, port } = new URL(app.baseUrl);
  const one = `GET /v2/user?limit=1 HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${app.team.api_key}\r\n\r\n`;
  for (let n = 0; n < 3; n += 1) {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.resume().write(one.repeat(500));
    await once(socket, 'close');
  }
  // On a busy machine so many are carried out after their connection was cut that more of the team's are refused meanwhile.
  const isServed = async (): Promise<number> => (await app.team.api('GET', '/v2/user')).status;
  await expect.poll(isServed, { timeout: 20_000 }).toBe(200);
}, 60_000);

describe('while other requests hold every connection and many wait', () => {
  test('a management key finds a team’s keys and revokes one, and /readyz says how long the others wait', async () => {
    const teams = await Promise.all(Array.from({ length: 12 }, (_, n) => app.makeTeam(`Loud ${n}`)));
    const victim = await app.makeTeam('Victim');
    const release = await holdConnections(app.db, CONNECTIONS);
    try {
      // Two of each organisation: more than there are permits.
      const waiting = teams.flatMap((team) => [team.api('GET', '/v2/user'), team.api('GET', '/v2/user')]);
      await expect.poll(() => readWait(), { timeout: 10_000 }).toBeGreaterThan(0.2);
      const path = `/v1/org/${victim.org_id}/team_api_keys/sandbox/us`;
      const { body } = await victim.api<{ api_keys: { id: string }[] }>('GET', path);
      const revoked = await victim.api('DELETE', `${path}?api_key_id=${body.api_keys[0]?.id}`);
      expect(revoked.status).toBe(200);
      expect((await victim.api('GET', '/v2/user')).status).toBe(401);
      expect(await app.metrics.registry.metrics()).toMatch(/^phial_request_wait_seconds (?!0$)[\d.]+$/m);
      await release();
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
      expect(await readWait()).toBe(0);
    } finally {
      await release();
    }
  }, 60_000);

  async function readWait(): Promise<number> {
    const { status, body } = await app.api<{ request_wait_seconds: number }>('GET', '/readyz', undefined, {
      key: null,
    });
    expect(status).toBe(200);
    return body.request_wait_seconds;
  }

  test('two keys that are revoked at once do not wait for one another to be heard of', async () => {
    const revoke = async (victim: Team): Promise<number> => {
      const path = `/v1/org/${victim.org_id}/team_api_keys/sandbox/us`;
      const { body } = await victim.api<{ api_keys: { id: string }[] }>('GET', path);
      return (await victim.api('DELETE', `${path}?api_key_id=${body.api_keys[0]?.id}`)).status;
    };
    const times: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const victims: Team[] = [];
      for (let each = 0; each < 8; each += 1) victims.push(await app.makeTeam('Victim'));
      const from = performance.now();
      expect(await Promise.all(victims.map(revoke))).toEqual(victims.map(() => 200));
      times.push(performance.now() - from);
    }
    // One after the other they would wait 8 times 50 ms.
    expect(Math.min(...times)).toBeLessThan(350);
  });
});

test('who needs no key has permits by the network of the address', async () => {
  const permits = new RequestPermits(4);
  const keyless = endpoints.find(({ auth, tag }) => auth === 'none' && tag !== 'system') as Endpoint;
  const from = (ip: string, work: () => Promise<string>) =>
    permits.runStranger(keyless, { ip } as FastifyRequest, work);
  // As many addresses of one network as there are permits.
  for (let n = 1; n <= 16; n += 1) void from(`2001:db8:0:1::${n}`, () => NEVER);
  await expect(from('2001:db8:0:2::1', async () => 'answered')).resolves.toBe('answered');
});

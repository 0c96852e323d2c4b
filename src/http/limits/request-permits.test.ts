// Tests over sockets that every organisation gets permits, however busy another one is. The tests in src/fair test the
// order in which permits are given.
import { once } from 'node:events';
import { connect } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { occupyConnections } from '../../../test/occupy-connections.ts';
import { operations } from '../../operations.ts';
import type { Operation } from '../../operation/operation.ts';
import { createTeam } from '../../tenancy/teams/create.ts';
import { createTeamKey } from '../../tenancy/keys/create-team-key.ts';
import { RequestPermits } from './request-permits.ts';

const CONNECTIONS = 10;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({}, { poolSize: CONNECTIONS, poolWaitMs: 30_000 });
});
afterAll(() => app.close());

const HOURS = 400;
/** The largest query: five tables with one row per hour. */
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

test('seven busy teams of one organisation leave room for another organisation', async () => {
  const teams = await heavyTeams(7);
  const quiet = await app.makeTeam('Quiet');
  let isOver = false;
  let answered = 0;
  const flood = async (ask: () => Promise<number>): Promise<void> => {
    while (!isOver) {
      expect(await ask()).toBe(200);
      answered += 1;
      // We stop here, because the requests of the quiet organisation would never end if it got no permit.
      if (answered > 400) isOver = true;
    }
  };
  const floods = teams.flatMap((ask) => [flood(ask), flood(ask), flood(ask)]);
  const meanwhile: number[] = [];
  try {
    await expect.poll(() => answered, { timeout: 20_000 }).toBeGreaterThan(21);
    for (let n = 0; n < 5; n += 1) {
      const before = answered;
      expect((await quiet.api('GET', '/v2/user?limit=1')).status).toBe(200);
      meanwhile.push(answered - before);
    }
  } finally {
    isOver = true;
    await Promise.all(floods);
  }
  // The busy organisation has at most seven permits. While one quiet request ran, each of them served only a few
  // requests.
  expect(Math.max(...meanwhile)).toBeLessThan(40);
}, 90_000);

/** An operation that a team calls with its API key. */
const OPERATION = operations.find(({ id }) => id === 'list_users') as Operation;
const NEVER = new Promise<never>(() => undefined);

test('requests of one organisation leave permits for another', async () => {
  const permits = new RequestPermits(4);
  for (let team = 0; team < 8; team += 1) void permits.run(OPERATION, { org: 'loud', team: `${team}` }, () => NEVER);
  const other = { org: 'other', team: 'other' };
  await expect(permits.run(OPERATION, other, async () => 'answered')).resolves.toBe('answered');
});

test('a thousand requests of a team can wait, the next is refused, and another team is served', async () => {
  const permits = new RequestPermits(4);
  const flood = { org: 'loud', team: 'loud' };
  for (let n = 0; n < 1_003; n += 1) void permits.run(OPERATION, flood, () => NEVER);
  await expect(permits.run(OPERATION, flood, async () => undefined)).rejects.toMatchObject({ code: 'not_ready' });
  const other = { org: 'other', team: 'other' };
  await expect(permits.run(OPERATION, other, async () => 'answered')).resolves.toBe('answered');
});

test('pipelined requests return their permits when their connection is cut before the answers', async () => {
  const { hostname, port } = new URL(app.baseUrl);
  const one = `GET /v2/user?limit=1 HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${app.team.api_key}\r\n\r\n`;
  for (let n = 0; n < 3; n += 1) {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.resume().write(one.repeat(500));
    await once(socket, 'close');
  }
  // On a busy machine, many requests run after their connection was cut, so more requests of the team are refused.
  const isServed = async (): Promise<number> => (await app.team.api('GET', '/v2/user')).status;
  await expect.poll(isServed, { timeout: 20_000 }).toBe(200);
}, 60_000);

describe('while other requests hold every connection and many wait', () => {
  test('a management key lists and revokes keys, and /readyz shows how long requests wait', async () => {
    const teams = await Promise.all(Array.from({ length: 12 }, (_, n) => app.makeTeam(`Loud ${n}`)));
    const victim = await app.makeTeam('Victim');
    const release = await occupyConnections(app.db, CONNECTIONS);
    try {
      // Each team sends two requests. Together they are more than the permits.
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

  test('two revocations at the same time do not wait for each other', async () => {
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
    // Each revocation waits 50 ms before its response. One after the other, the eight would take 400 ms.
    expect(Math.min(...times)).toBeLessThan(350);
  });
});

test('anonymous callers share permits by network', async () => {
  const permits = new RequestPermits(4);
  const keyless = operations.find(({ auth, tag }) => auth === 'none' && tag !== 'system') as Operation;
  const from = (ip: string, work: () => Promise<string>) =>
    permits.runAnonymous(keyless, { ip } as FastifyRequest, work);
  // There are 16 permits for anonymous callers. Here 16 addresses of one network ask for one each.
  for (let n = 1; n <= 16; n += 1) void from(`2001:db8:0:1::${n}`, () => NEVER);
  await expect(from('2001:db8:0:2::1', async () => 'answered')).resolves.toBe('answered');
});

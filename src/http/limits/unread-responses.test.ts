// Clients that send requests and do not read, over real sockets, beside clients that read.
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { steps } from '../../../test/invented-events.ts';
import { publishTo } from '../../../test/publish-event.ts';
import { createTeamKey } from '../../tenancy/keys/create-team-key.ts';
import { createTeam } from '../../tenancy/teams/create.ts';
import { UnreadResponses } from './unread-responses.ts';

const MEBIBYTE = 1024 * 1024;
const [OF_A_TEAM, OF_AN_ORG] = [16 * MEBIBYTE, 32 * MEBIBYTE];
const PATIENCE = { timeout: 15_000, interval: 20 };

let app: TestApp;
let other: Team;
const sockets: Socket[] = [];
beforeAll(async () => {
  app = await startTestApp();
  other = await app.makeTeam();
  for (const team of [app.team, other]) await fill(team);
});
afterAll(() => app.close());
afterEach(async () => {
  const open = sockets.splice(0).filter((socket) => !socket.closed);
  await Promise.all(open.map((socket) => (socket.destroy(), once(socket, 'close'))));
  await vi.waitUntil(() => app.unreadBytes() === 0, PATIENCE);
});

/** Publishes three large events of the team. The page of its events then has about 600 kB. */
async function fill(team: { id: string }): Promise<void> {
  for (let n = 0; n < 3; n += 1) await publishTo(app, team, steps, { n, s: 'é'.repeat(100_000) });
}

type SentRequest = { path: string; key?: string; ahead?: number };

/** Sends requests on a new connection, and reads no answer. */
function askAndReadNothing({ path, key, ahead = 15 }: SentRequest): Socket {
  const { hostname, port } = new URL(app.baseUrl);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${key ? `x-service-api-key: ${key}\r\n` : ''}\r\n`.repeat(ahead));
  return socket;
}

/**
 * Repeats `look` until it returns what we expect, while clients do not read. The kernel buffers some responses of each
 * connection. So each repetition first adds further clients that do not read.
 */
const whilePressed = async (asked: SentRequest[], look: () => Promise<unknown>, expected: unknown): Promise<void> => {
  const press = (): Promise<unknown> => {
    for (const one of asked) askAndReadNothing(one);
    return look();
  };
  await expect.poll(press, PATIENCE).toEqual(expected);
};

/** Sends a last request, which closes the connection, and returns the statuses of all responses on it. */
async function statusesOn(socket: Socket): Promise<number[]> {
  socket.write('GET /nowhere HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  return [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}

const asksOne = async (team: Team): Promise<[number, string | undefined, string | null]> => {
  const { status, body, headers } = await team.api<{ code?: string }>('GET', '/v2/user?limit=1');
  return [status, body.code, headers.get('retry-after')];
};
const isServed = [200, undefined, null];
const isRefused = [503, 'not_ready', '1'];

const pages = (team: { api_key: string }): SentRequest => ({ path: '/v2/events', key: team.api_key });

test('a team that leaves too much unread is refused before any work is done, and no other team is', async () => {
  await whilePressed([pages(app.team)], () => asksOne(app.team), isRefused);
  let n = 0;
  const makes = async () => (await app.api('POST', '/v2/user', { client_user_id: `user ${(n += 1)}` })).status;
  await whilePressed([pages(app.team)], makes, 503);
  const { body } = await other.api<{ data: unknown[] }>('GET', '/v2/events');
  expect([await asksOne(other), body.data.length]).toEqual([isServed, 3]);
  expect(app.unreadBytes()).toBeGreaterThan(OF_A_TEAM / 2);
  expect(app.unreadBytes()).toBeLessThan(OF_A_TEAM + 2 * MEBIBYTE);
}, 60_000);

test('bytes that are read are free again, and pipelined refusals keep their order', async () => {
  const met: number[] = [];
  await whilePressed([pages(app.team)], () => asksOne(app.team), isRefused);
  for (const statuses of await Promise.all(sockets.map(statusesOn))) {
    expect([statuses.length, statuses.at(-1)]).toEqual([16, 404]);
    met.push(...statuses);
  }
  expect([...new Set(met)].toSorted()).toEqual([200, 404, 503]);
  await expect.poll(app.unreadBytes, PATIENCE).toBe(0);
  expect(await asksOne(app.team)).toEqual(isServed);
}, 30_000);

test('closed connections free the bytes of all answers that waited on them', async () => {
  await whilePressed([pages(app.team)], () => asksOne(app.team), isRefused);
  for (const socket of sockets) socket.destroy();
  await expect.poll(app.unreadBytes, PATIENCE).toBe(0);
  expect(await asksOne(app.team)).toEqual(isServed);
}, 30_000);

test('teams of one organisation together may leave more unread than one of them', async () => {
  const teams = [];
  for (const name of ['North', 'South', 'West']) {
    const team = await createTeam(app.ctx, { org_id: app.team.org_id, name });
    const { value } = await createTeamKey(app.ctx, { team_id: team.id, label: 'test' });
    await fill(team);
    teams.push({ api_key: value });
  }
  await whilePressed(teams.map(pages), () => asksOne(app.team), isRefused);
  expect(app.unreadBytes()).toBeLessThan(OF_AN_ORG + 2 * MEBIBYTE);
  expect(await asksOne(other)).toEqual(isServed);
}, 60_000);

test('an anonymous caller is refused by address, for large answers only', async () => {
  const socket = askAndReadNothing({ path: '/openapi.json', ahead: 60 });
  await expect.poll(app.unreadBytes, PATIENCE).toBeGreaterThan(OF_A_TEAM / 2);
  expect(app.unreadBytes()).toBeLessThan(OF_A_TEAM + 8 * MEBIBYTE);
  expect((await fetch(`${app.baseUrl}/healthz`)).status).toBe(200);
  expect(await asksOne(app.team)).toEqual(isServed);
  expect([...new Set(await statusesOn(socket))].toSorted()).toEqual([200, 404, 503]);
}, 30_000);

/** Hands over a response of `size` bytes on a socket that never sends it, so its bytes stay counted. */
function handOver(
  unread: UnreadResponses,
  size: number,
  as: { org: number; method: string; isAlone: boolean; reads?: boolean },
) {
  const { org, method, isAlone, reads = false } = as;
  const trail = { key: { kind: 'team_key', team_id: `team-${org}`, org_id: `org-${org}` } };
  const raw = Object.assign(new EventEmitter(), { socket: {} });
  const reply = { raw, removeHeader: () => reply, header: () => reply } as never as FastifyReply;
  const routeOptions = { config: { operation: { reads } } };
  const raws = { socket: new EventEmitter() };
  const request = { ip: '127.0.0.1', method, trail, routeOptions, raw: raws } as never as FastifyRequest;
  return { sent: unread.handOver(request, reply, 'x'.repeat(size), isAlone), close: () => raw.emit('close') };
}

test('the process has a limit for all answers, and answers to changes are sent beyond it', () => {
  const unread = new UnreadResponses();
  const answer = (org: number, method: string) => handOver(unread, MEBIBYTE, { org, method, isAlone: true });
  for (let org = 0; org < 8; org += 1) for (let n = 0; n < 16; n += 1) answer(org, 'GET');
  expect(unread.bytes).toBe(128 * MEBIBYTE);
  expect(() => answer(8, 'GET')).toThrow(expect.objectContaining({ code: 'not_ready' }));
  expect(answer(8, 'POST').sent).toHaveLength(MEBIBYTE);
  const query = { org: 8, method: 'POST', isAlone: true, reads: true };
  expect(() => handOver(unread, MEBIBYTE, query)).toThrow(expect.objectContaining({ code: 'not_ready' }));
});

test('a small answer is not counted and stays unchanged, unless it is pipelined', () => {
  const unread = new UnreadResponses();
  const answer = (size: number, isAlone: boolean) => handOver(unread, size, { org: 1, method: 'GET', isAlone });
  expect([answer(16_384, true).sent, unread.bytes]).toEqual([undefined, 0]);
  const { sent, close } = answer(16_384, false);
  expect([sent, unread.bytes]).toEqual([undefined, 16_384]);
  close();
  expect([answer(16_385, true).sent?.length, unread.bytes]).toEqual([16_385, 16_385]);
});

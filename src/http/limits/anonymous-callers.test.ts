// Callers without a key, or with an unknown key, take no permits and no connections from callers with a valid key.
import { randomUUID } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { sql } from 'kysely';
import { Readable } from 'node:stream';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../../test/test-app.ts';
import { linkTokenOf, makeUser } from '../../../test/factories.ts';
import { occupyConnections } from '../../../test/occupy-connections.ts';
import { signToken } from '../../privacy/signed-link.ts';
import { newToken } from '../../tenancy/keys/key-value.ts';
import { HookBodies } from '../../hook-bodies.ts';
import { networkOf } from './network-of.ts';

const CONNECTIONS = 4;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({}, { poolSize: CONNECTIONS, poolWaitMs: 30_000 });
});
afterAll(() => app.close());

type Output = { code?: string };
const asAnonymousCaller = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer<Output>> => app.api<Output>(method, path, method === 'POST' ? [] : undefined, { key: null, headers });
const withUserToken = (value: string): Promise<Answer<Output>> =>
  asAnonymousCaller('POST', `/v2/timeseries/${randomUUID()}/samples`, { authorization: `Bearer ${value}` });
const withLinkToken = (value: string): Promise<Answer<Output>> =>
  asAnonymousCaller('GET', '/v2/link/providers', { 'x-service-link-token': value });
const signedBy = (team: string, expires: number): string =>
  signToken(app.ctx.cipher, 'requisition', { team_id: team, id: randomUUID(), expires });

describe('while requests of teams hold every connection', () => {
  let release = async (): Promise<void> => undefined;
  afterEach(() => release());

  test.each<[string, () => Promise<Answer<Output>>, number, string | undefined]>([
    ['an unknown user token', () => withUserToken(newToken('user').value), 401, 'invalid_api_key'],
    ['an unknown link token', () => withLinkToken(newToken('link').value), 401, 'invalid_api_key'],
    [
      'an expired signed link',
      () => asAnonymousCaller('GET', `/documents/requisition/${signedBy(app.team.id, 1)}`),
      403,
      'link_refused',
    ],
    [
      'a signed link of an unknown team',
      () => asAnonymousCaller('GET', `/documents/requisition/${signedBy(randomUUID(), 4_000_000_000)}`),
      403,
      'link_refused',
    ],
    [
      'an unknown code',
      () => asAnonymousCaller('POST', `/v2/link/code/exchange?code=${randomUUID()}`),
      400,
      'link_code_invalid',
    ],
    [
      'an unknown link with a page as its answer',
      () => asAnonymousCaller('GET', `/v2/link/oauth/oura/start?token=${newToken('link').value}`),
      200,
      undefined,
    ],
  ])('%s is refused at once', async (_, ask, status, code) => {
    release = await occupyConnections(app.db, CONNECTIONS);
    const from = performance.now();
    const response = await ask();
    expect([response.status, response.body.code]).toEqual([status, code]);
    expect(performance.now() - from).toBeLessThan(5_000);
  });

  test('known tokens are accepted, and wait only for the work of their operation', async () => {
    const { user_id } = await makeUser(app.team);
    const { link_token } = await linkTokenOf(app.team, user_id);
    release = await occupyConnections(app.db, CONNECTIONS);
    const asked = withLinkToken(link_token);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await release();
    expect((await asked).status).toBe(200);
  });
});

test('an unknown token is looked up once, and a new token is accepted at once', async () => {
  const isLookup = (call: unknown): boolean =>
    /from "(user_tokens|link_tokens)"/.test((call as { text?: string }).text ?? '');
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    const [ofUser, ofLink] = [newToken('user').value, newToken('link').value];
    for (let n = 0; n < 5; n += 1) {
      expect((await withUserToken(ofUser)).status).toBe(401);
      expect((await withLinkToken(ofLink)).status).toBe(401);
    }
    expect(spy.mock.calls.filter(([call]) => isLookup(call)).length).toBe(2);
  } finally {
    spy.mockRestore();
  }
  const { user_id } = await makeUser(app.team);
  expect((await withLinkToken((await linkTokenOf(app.team, user_id)).link_token)).status).toBe(200);
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('%s shares permits with its network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

describe('bodies of provider events', () => {
  const at = (address: string) => ({ ...app.ctx, address });
  const endless = (): Readable => new Readable({ read: () => undefined });
  const whole = (): Readable => Readable.from([Buffer.from('whole')]);

  test('from one address leave room for another address', async () => {
    const bodies = new HookBodies();
    const slow = Array.from({ length: 60 }, endless);
    const taken = slow.map((body) => bodies.take(at('192.0.2.1'), body, async () => 'never'));
    const from = performance.now();
    expect(await bodies.take(at('192.0.2.2'), whole(), async (bytes) => String(bytes))).toBe('whole');
    expect(performance.now() - from).toBeLessThan(1_000);
    for (const body of slow) body.destroy();
    expect((await Promise.allSettled(taken)).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('are refused for one address when a hundred of them wait', async () => {
    const bodies = new HookBodies();
    const slow = Array.from({ length: 108 }, endless);
    const taken = slow.map((body) => bodies.take(at('192.0.2.1'), body, async () => 'never'));
    await expect(bodies.take(at('192.0.2.1'), whole(), async () => 'done')).rejects.toMatchObject({
      code: 'not_ready',
    });
    expect(await bodies.take(at('192.0.2.2'), whole(), async () => 'done')).toBe('done');
    for (const body of slow) body.destroy();
    await Promise.allSettled(taken);
  });

  test('that do not arrive end after five seconds when nobody waits', async () => {
    const from = performance.now();
    const arriving = new HookBodies().take(at('192.0.2.1'), endless(), async () => 'never');
    await expect(arriving).rejects.toMatchObject({ code: 'not_ready' });
    expect(performance.now() - from).toBeGreaterThan(4_500);
  });
});

describe('X-Forwarded-For', () => {
  const CLIENT = '198.51.100.7';

  /** Returns the address of a request in the audit log. */
  async function addressOf(service: TestApp, headers: Record<string, string>): Promise<string> {
    const sent = request(`${service.baseUrl}/v2/user?limit=1`, {
      headers: { 'x-service-api-key': service.team.api_key, ...headers },
    });
    const [response] = (await once(sent.end(), 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    const id = response.headers['x-request-id'];
    await expect.poll(async () => (await lineOf(service, String(id)))?.length).toBe(1);
    return (await lineOf(service, String(id)))[0]?.address ?? '';
  }
  const lineOf = async (service: TestApp, id: string) =>
    (
      await sql<{ address: string }>`select host(address) as address from audit_log where request_id = ${id}`.execute(
        service.db,
      )
    ).rows;

  test('X-Forwarded-For is trusted from a trusted proxy only', async () => {
    expect(await addressOf(app, { 'x-forwarded-for': CLIENT })).toBe('127.0.0.1');
    const behind = await startTestApp({
      PHIAL_TRUSTED_PROXIES: '127.0.0.1/32',
      PHIAL_MAX_CONNECTIONS_PER_ADDRESS: '2',
    });
    try {
      expect(await addressOf(behind, { 'x-forwarded-for': CLIENT })).toBe(CLIENT);
      // The client wrote the first address itself, so it is not trusted.
      expect(await addressOf(behind, { 'x-forwarded-for': `203.0.113.1, ${CLIENT}` })).toBe(CLIENT);
      // The limit of two connections does not apply to a trusted proxy, because all its clients share its address.
      const agents = Array.from({ length: 5 }, () => addressOf(behind, { connection: 'keep-alive' }));
      expect(await Promise.all(agents)).toEqual(agents.map(() => '127.0.0.1'));
    } finally {
      await behind.close();
    }
  });
});

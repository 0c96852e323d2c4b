// Signed links on operations that exist only in this test.
import { randomUUID } from 'node:crypto';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { openCipher } from '../../privacy/cipher.ts';
import { endOfLink, readToken, signedUrl, signToken } from '../../privacy/signed-link.ts';
import { openApp, type App } from '../app.ts';
import { operation } from '../../operation/operation.ts';
import { openMetrics } from '../../metrics.ts';

const documentOf = (kind: string) =>
  operation({
    id: `open_${kind}`,
    tag: 'test',
    summary: 'For a test',
    method: 'GET',
    path: `/documents/${kind}/{token}`,
    auth: 'signature',
    params: Type.Object({ token: Type.String() }),
    response: Type.Object({ id: Type.String(), team: Type.String() }),
    handle: async ({ signedId, team }) => ({ id: signedId, team: team.id }),
  });

let service: TestApp;
let app: App;
let baseUrl: string;
beforeAll(async () => {
  service = await startTestApp();
  app = openApp(service.ctx, [documentOf('letter'), documentOf('stamp')], openMetrics());
  baseUrl = await app.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(async () => {
  await app.server.close();
  await service.close();
});

const id = randomUUID();
const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3_600;
const token = (changes: { kind?: string; team?: Team; expires?: number } = {}): string =>
  signToken(service.ctx.cipher, changes.kind ?? 'letter', {
    team_id: (changes.team ?? service.team).id,
    id,
    expires: changes.expires ?? inAnHour(),
  });

type SignedResponse = { status: number; body: { request_id?: string; [key: string]: unknown } };
async function open(value: string, kind = 'letter'): Promise<SignedResponse> {
  const response = await fetch(`${baseUrl}/documents/${kind}/${value}`);
  return { status: response.status, body: (await response.json()) as SignedResponse['body'] };
}

/** Opens an invalid link, and returns the refusal without its request id. It is the same for all invalid links. */
const refused = async (value: string, kind?: string): Promise<unknown> => {
  const { status, body } = await open(value, kind);
  const { request_id, ...said } = body;
  expect(request_id).toMatch(/^[0-9a-f-]{36}$/);
  return { status, ...said };
};
const REFUSAL = {
  status: 403,
  code: 'link_refused',
  detail: 'This link is not valid or has expired. Ask for a new one where you got it.',
};

describe('a signed link', () => {
  test('opens its record for its team without a key', async () => {
    const url = new URL(
      signedUrl({ ...service.ctx, config: { ...service.config, baseUrl } }, 'letter', {
        team_id: service.team.id,
        id,
      }),
    );
    expect(url.pathname).toMatch(/^\/documents\/letter\/[\w-]{119}$/);
    const response = await fetch(url);
    expect([response.status, await response.json()]).toEqual([200, { id, team: service.team.id }]);
  });

  test('gets the same refusal for every changed, missing or added letter', async () => {
    const value = token();
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let at = 0; at < value.length; at++) {
      const other = letters[(letters.indexOf(value[at] as string) + 1 + (at % 63)) % 64] as string;
      expect(await refused(value.slice(0, at) + other + value.slice(at + 1))).toEqual(REFUSAL);
    }
    for (const changed of [value.slice(1), value.slice(0, -1), `${value}A`, `${value}=`, 'x', 'x'.repeat(500)])
      expect(await refused(changed)).toEqual(REFUSAL);
  });

  test('gets the same refusal when it has expired, has another kind or has an unknown encryption key', async () => {
    const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
    expect(await refused(token({ expires: hourAgo }))).toEqual(REFUSAL);
    expect(await refused(token(), 'stamp')).toEqual(REFUSAL);
    expect(await refused(token({ kind: 'stamp' }))).toEqual(REFUSAL);
    const foreign = openCipher({ sealing: 9, keys: new Map([[9, Buffer.alloc(32, 9)]]), lookupKey: Buffer.alloc(32) });
    const link = { team_id: service.team.id, id, expires: inAnHour() };
    expect(await refused(signToken(foreign, 'letter', link))).toEqual(REFUSAL);
    const sameVersion = openCipher({
      sealing: 1,
      keys: new Map([[1, Buffer.alloc(32, 9)]]),
      lookupKey: Buffer.alloc(32),
    });
    expect(await refused(signToken(sameVersion, 'letter', link))).toEqual(REFUSAL);
  });

  test('to a record is bound to one team and ends with that team', async () => {
    const other = await service.makeTeam();
    const value = token({ team: other });
    expect((await open(value)).body).toEqual({ id, team: other.id });
    await service.db
      .updateTable('teams')
      .set({ deleted_at: new Date().toISOString() })
      .where('id', '=', other.id)
      .execute();
    expect(await refused(value)).toEqual(REFUSAL);
    expect(await refused(token({ team: { ...other, id: randomUUID() } }))).toEqual(REFUSAL);
  });

  test('adds an audit line for each use, with the record and without the link', async () => {
    const value = token();
    const over = token({ expires: Math.floor(Date.now() / 1000) - 1 });
    const ids = [];
    for (const each of [value, value, over]) {
      const response = await fetch(`${baseUrl}/documents/letter/${each}`);
      ids.push(response.headers.get('x-request-id') as string);
    }
    await app.audit.flush();
    const lines = await service.db
      .selectFrom('audit_log')
      .select(['actor', 'action', 'status', 'team_id', 'org_id', 'key_id', 'records', 'address'])
      .where('request_id', 'in', ids)
      .orderBy('id')
      .execute();
    const line = {
      actor: 'signed_link',
      action: 'open_letter',
      team_id: service.team.id,
      org_id: service.team.org_id,
      records: [id],
      address: '127.0.0.1',
    };
    expect(lines).toMatchObject([
      { ...line, status: 200 },
      { ...line, status: 200 },
      { ...line, status: 403 },
    ]);
    expect(lines[0]?.key_id).toBe(lines[1]?.key_id);
    expect(lines[0]?.key_id).not.toBe(lines[2]?.key_id);
  });

  test('has its own rate limit', async () => {
    const { status, headers } = await fetch(`${baseUrl}/documents/letter/${token()}`);
    expect([status, headers.get('ratelimit-policy') !== null]).toEqual([200, service.config.rateLimit !== null]);
  });
});

test('of version 0.1.0, without a generation and a key, is valid until it expires', async () => {
  const { cipher } = service.ctx;
  const uuid = (value: string): Buffer => Buffer.from(value.replaceAll('-', ''), 'hex');
  const expires = Buffer.alloc(4);
  expires.writeUInt32BE(inAnHour());
  const signed = Buffer.concat([Buffer.from([cipher.sealing]), expires, uuid(service.team.id), uuid(id)]);
  const message = Buffer.concat([Buffer.from('document letter '), signed]);
  const signature = cipher.signatureOf(cipher.sealing, service.team.id, message) as Buffer;
  const old = Buffer.concat([signed, signature]).toString('base64url');
  expect(old).toHaveLength(92);
  expect(await open(old)).toMatchObject({ status: 200, body: { id, team: service.team.id } });
});

test('is valid for seven days, stays the same for an hour, and survives a key rotation', () => {
  const now = Date.parse('2026-03-01T10:20:30Z');
  expect(new Date(endOfLink(now) * 1000).toISOString()).toBe('2026-03-08T11:00:00.000Z');
  expect(endOfLink(Date.parse('2026-03-01T10:59:59Z'))).toBe(endOfLink(now));
  const keys = new Map([1, 2].map((version) => [version, Buffer.alloc(32, version)]));
  const ring = { keys, lookupKey: Buffer.alloc(32) };
  const link = { team_id: randomUUID(), id, expires: inAnHour() };
  const old = signToken(openCipher({ ...ring, sealing: 1 }), 'letter', link);
  expect(readToken(openCipher({ ...ring, sealing: 2 }), 'letter', old)).toEqual({
    ...link,
    generation: 0,
    key_id: null,
  });
  expect(
    readToken(openCipher({ ...ring, sealing: 2, keys: new Map([[2, keys.get(2) as Buffer]]) }), 'letter', old),
  ).toBeNull();
});

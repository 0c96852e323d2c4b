// What a refused token does to its connection, and that it does nothing to a connection that has another token by then.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../../test/factories.ts';
import { startProvider, type Provider } from '../../../../test/provider.ts';
import { refresh } from '../../../../test/pulled.ts';

let provider: Provider;
let app: TestApp;
let team: Team;
let userId: string;

beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('oura'));
});
beforeEach(async () => {
  team = await app.makeTeam();
  ({ user_id: userId } = await makeUser(team));
  provider.play(() => ({ json: { data: [] } }));
  await connect();
  await app.runJobs();
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

const connect = () =>
  importConnection(team, userId, { oauth_scopes: ['daily'], refresh_token: provider.issueRefreshToken() });
const status = async () =>
  (await app.db.selectFrom('connections').select('status').where('user_id', '=', userId).executeTakeFirstOrThrow())
    .status;
/** Both the token and its renewed token are refused; `meanwhile` runs before the second refusal arrives. */
async function refuseTwice(meanwhile: () => Promise<unknown>): Promise<void> {
  const tokens = new Set<string>();
  provider.play(async ({ token }) => {
    tokens.add(token);
    if (tokens.size === 2) await meanwhile();
    return tokens.size <= 2 ? { status: 401, json: {} } : { json: { data: [] } };
  });
  await refresh(app, team, userId);
}

test('a token that is refused, and again after its renewal, puts the connection in error', async () => {
  await refuseTwice(async () => undefined);
  expect(await status()).toBe('error');
});

test('a connection that was made anew meanwhile stays connected, and its pull is tried again', async () => {
  await refuseTwice(() => importConnection(team, userId, { oauth_scopes: ['daily'], access_token: 'another' }));
  expect(await status()).toBe('connected');
  await app.runJobs();
  const { rows } = await sql`select from pulls where user_id = ${userId} and status <> 'success'`.execute(app.db);
  expect(rows).toEqual([]);
});

test('a connection that was paused meanwhile stays paused', async () => {
  await refuseTwice(() => team.api('POST', '/v2/link/bulk_pause', { provider: 'oura', user_ids: [userId] }));
  expect(await status()).toBe('paused');
});

// A refresh waits for polls, which are jobs. Tests what it responds, and that it does not hold up other requests.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../test/test-app.ts';
import { importConnection, makeUser } from '../../../test/factories.ts';
import { startProvider, type Provider } from '../../../test/provider.ts';
import { pollsAskedFor, refresh, type Refreshed } from '../../../test/pulled.ts';
import { teamCtx } from '../../../test/team-ctx.ts';
import { pollConnection } from './poll.ts';

let provider: Provider;
let app: TestApp;
let team: Team;

beforeAll(async () => {
  provider = await startProvider();
  app = await startTestApp(provider.env('oura'));
});
beforeEach(async () => {
  await sql`delete from graphile_worker._private_jobs`.execute(app.db);
  team = await app.makeTeam();
  provider.play(() => ({ json: { data: [] } }));
  provider.asked.length = 0;
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

/** A user with a connection whose past is pulled. */
async function connected(of = team, recipe: object = {}): Promise<string> {
  const { user_id } = await makeUser(of);
  await importConnection(of, user_id, { oauth_scopes: ['daily'], ...recipe });
  await app.runJobs();
  provider.asked.length = 0;
  return user_id;
}
const ask = (userId: string, of = team): Promise<Answer<Refreshed>> =>
  of.api<Refreshed>('POST', `/v2/user/refresh/${userId}?timeout=5`);
async function asked(many: number): Promise<void> {
  await expect.poll(() => pollsAskedFor(app), { interval: 5 }).toBe(many);
}
const scoped = () => teamCtx(app.ctx, team.id);
const job = (userId: string) => ({ team_id: team.id, user_id: userId, provider: 'oura' as const });

describe('a refresh', () => {
  test('leaves the requests to a job, and the answer has its outcome', async () => {
    const userId = await connected();
    const response = ask(userId);
    await asked(1);
    expect(provider.asked).toEqual([]);
    await app.runJobs();
    expect((await response).body).toMatchObject({ refreshed_sources: ['oura'], in_progress_sources: [] });
    expect(provider.asked.length).toBeGreaterThan(0);
    provider.play(() => ({ status: 500 }));
    expect((await refresh(app, team, userId)).body.failed_sources).toEqual(['oura']);
  });

  test('of more users than may wait does not wait, and reports most of them as in progress', async () => {
    const users: string[] = [];
    for (let n = 0; n < 12; n += 1) users.push(await connected());
    const [first = '', ...others] = users;
    const waits = [ask(first)];
    await asked(1);
    // The same user once more, and more users than may wait.
    expect(await ask(first)).toMatchObject({ status: 202, body: { in_progress_sources: ['oura'] } });
    waits.push(...others.map((user) => ask(user)));
    await asked(12);
    const other = await app.makeTeam();
    const { user_id } = await makeUser(other);
    let isAnswered = 0;
    for (const wait of waits) void wait.finally(() => (isAnswered += 1));
    await expect.poll(() => isAnswered, { interval: 5 }).toBe(8);
    expect((await other.api('GET', `/v2/user/${user_id}`)).status).toBe(200);
    await app.runJobs();
    expect((await Promise.all(waits)).map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: 4 }, () => 200),
      ...Array.from({ length: 8 }, () => 202),
    ]);
  });

  test('of a connection that ends meanwhile is answered when the end is seen', async () => {
    const userId = await connected();
    const response = ask(userId);
    await asked(1);
    await team.api('DELETE', `/v2/user/${userId}/oura`);
    expect((await response).body.failed_sources).toEqual(['oura']);
  });

  test('during a poll starts none beside it, and is answered by the one that begins afterwards', async () => {
    const userId = await connected();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    provider.play(async () => {
      await released;
      return { json: { data: [] } };
    });
    await sql`update polls set due_at = now() where user_id = ${userId}`.execute(app.db);
    const first = pollConnection(await scoped(), job(userId));
    await expect.poll(() => provider.asked.length, { interval: 5 }).toBe(1);
    const response = ask(userId);
    await asked(1);
    await app.runJobs();
    expect(provider.asked.length).toBe(1);
    release();
    await first;
    await asked(1);
    const before = provider.asked.length;
    await app.runJobs();
    expect(provider.asked.length).toBeGreaterThan(before);
    expect((await response).body.refreshed_sources).toEqual(['oura']);
  });
});

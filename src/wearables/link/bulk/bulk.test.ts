import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { importConnection, makeUser, recipeOf } from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { problemsOf } from '../../../../test/people.ts';
import { untilBlocked } from '../../../../test/until-blocked.ts';

type Recipe = { user_id: string; access_token: string; refresh_token: string; provider_id: string };
type Exported = { data: Recipe[]; next_token: string | null };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const statusOf = async (userId: string): Promise<string | undefined> =>
  (await app.api<{ providers: { status: string }[] }>('GET', `/v2/user/providers/${userId}`)).body.providers[0]?.status;
const exportAll = (body: object = {}): ReturnType<typeof app.api<Exported>> =>
  app.api<Exported>('POST', '/v2/link/bulk_export', { provider: 'oura', ...body });

describe('importing connections', () => {
  test('connects the users of the team and returns the unknown ones as failed', async () => {
    const [one, two] = [await makeUser(app.team), await makeUser(app.team)];
    const otherUser = await makeUser(await app.makeTeam());
    const nobody = randomUUID();
    const { body } = await app.api('POST', '/v2/link/bulk_import', {
      provider: 'oura',
      connections: [one.user_id, otherUser.user_id, two.user_id, nobody].map(recipeOf),
      wait_for_completion: true,
    });
    expect(body).toEqual({
      user_ids_imported: [one.user_id, two.user_id],
      user_ids_failed: [otherUser.user_id, nobody],
    });
    expect(await statusOf(one.user_id)).toBe('connected');
  });

  test('without waiting answers 202 without a body, also when the request is repeated', async () => {
    const { user_id } = await makeUser(app.team);
    const send = () =>
      app.api(
        'POST',
        '/v2/link/bulk_import',
        { provider: 'oura', connections: [recipeOf(user_id)] },
        { headers: { 'x-idempotency-key': user_id } },
      );
    const responses = [await send(), await send()];
    expect(responses.map(({ status, body }) => [status, body])).toEqual([
      [202, undefined],
      [202, undefined],
    ]);
    expect(await statusOf(user_id)).toBe('connected');
  });

  test('uses the last entry of a user who is named twice', async () => {
    const { user_id } = await makeUser(app.team);
    const recipes = ['first', 'last'].map((access_token) => ({ ...recipeOf(user_id), access_token }));
    await app.api('POST', '/v2/link/bulk_import', { provider: 'oura', connections: recipes });
    expect((await exportAll({ user_ids: [user_id] })).body.data).toMatchObject([{ access_token: 'last' }]);
  });

  test('refuses providers without a page of their own, empty tokens and too many users', async () => {
    const { user_id } = await makeUser(app.team);
    const refused = async (body: object): Promise<string[]> =>
      problemsOf(await app.api('POST', '/v2/link/bulk_import', body));
    expect(await refused({ provider: 'apple_health_kit', connections: [recipeOf(user_id)] })).toEqual([
      'body.provider enum',
    ]);
    expect(await refused({ provider: 'oura', connections: [{ ...recipeOf(user_id), access_token: ' ' }] })).toEqual([
      'body.connections.0.access_token string_too_short',
    ]);
    expect(await refused({ provider: 'oura', connections: Array(501).fill(recipeOf(user_id)) })).toEqual([
      'body.connections too_long',
    ]);
  });
});

describe('exporting connections', () => {
  test('returns what was imported, a hundred at a time', async () => {
    const team = await app.makeTeam();
    const users = await Promise.all(Array.from({ length: 101 }, () => makeUser(team)));
    const recipes = users.map(({ user_id }) => recipeOf(user_id));
    await team.api('POST', '/v2/link/bulk_import', { provider: 'oura', connections: recipes });
    const first = await team.api<Exported>('POST', '/v2/link/bulk_export', { provider: 'oura' });
    expect(first.body.data).toHaveLength(100);
    const { next_token } = first.body;
    const second = await team.api<Exported>('POST', '/v2/link/bulk_export', { provider: 'oura', next_token });
    expect(second.body.next_token).toBeNull();
    const all = [...first.body.data, ...second.body.data];
    const byUser = (a: { user_id?: unknown }, b: { user_id?: unknown }): number =>
      String(a.user_id) < String(b.user_id) ? -1 : 1;
    expect(all.toSorted(byUser)).toEqual(recipes.toSorted(byUser));
  });

  test('leaves out other providers and refuses an invented next_token', async () => {
    const { user_id } = await makeUser(app.team);
    await importConnection(app.team, user_id);
    const other = await app.api<Exported>('POST', '/v2/link/bulk_export', { provider: 'strava', user_ids: [user_id] });
    expect(other.body.data).toEqual([]);
    expect((await exportAll({ next_token: 'bm90aGluZw' })).status).toBe(422);
  });
});

describe('pausing connections', () => {
  test('pauses connected ones until their users connect again, and returns the other users as failed', async () => {
    const [user, without] = [await makeUser(app.team), await makeUser(app.team)];
    await importConnection(app.team, user.user_id);
    const pause = () =>
      app.api('POST', '/v2/link/bulk_pause', { provider: 'oura', user_ids: [user.user_id, without.user_id] });
    for (const { body } of [await pause(), await pause()])
      expect(body).toEqual({ user_ids_paused: [user.user_id], user_ids_failed: [without.user_id] });
    expect(await statusOf(user.user_id)).toBe('paused');
    await importConnection(app.team, user.user_id);
    expect(await statusOf(user.user_id)).toBe('connected');
  });

  test('locks them in the same order as imports: while it waits for the first it holds no other', async () => {
    const [first, second] = [await makeUser(app.team), await makeUser(app.team)];
    for (const { user_id } of [second, first]) await importConnection(app.team, user_id);
    const ids = [second.user_id, first.user_id];
    // Updates the first user's row, so that without an ORDER BY it would be read last.
    await app.api('PATCH', `/v2/user/${first.user_id}`, { fallback_time_zone: 'America/Phoenix' });
    await query(app.databaseUrl, 'analyze');
    let pausing: ReturnType<typeof app.api> | undefined;
    await app.db.transaction().execute(async (tx) => {
      await sql`select from connections where user_id = ${first.user_id} for update`.execute(tx);
      pausing = app.api('POST', '/v2/link/bulk_pause', { provider: 'oura', user_ids: ids });
      await untilBlocked(app.db);
      await sql`select from connections where user_id = ${second.user_id} for update nowait`.execute(tx);
    });
    expect((await pausing)?.status).toBe(200);
    for (const id of ids) expect(await statusOf(id)).toBe('paused');
  });
});

describe('the list of bulk operations', () => {
  test('has every import, newest first, in pages', async () => {
    const team = await app.makeTeam();
    const { user_id } = await makeUser(team);
    for (const provider of ['oura', 'strava', 'withings']) await importConnection(team, user_id, {}, provider);
    type Page = { data: { provider: string }[]; next_cursor: string | null };
    const first = await team.api<Page>('GET', '/v2/link/bulk_op?page_size=2');
    expect(first.body.data).toMatchObject([
      { type: 'link_bulk_import', status: 'success', provider: 'withings', pending: 0, processed: 1 },
      { provider: 'strava' },
    ]);
    const rest = await team.api<Page>('GET', `/v2/link/bulk_op?next_cursor=${first.body.next_cursor}`);
    expect(rest.body).toMatchObject({ data: [{ provider: 'oura' }], next_cursor: null });
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { makeUser, problemsOf } from '../../test/people.ts';
import { untilBlocked } from '../../test/until-blocked.ts';

type UserBody = { user_id: string; client_user_id: string };
type Fallback = { fallback_time_zone: { id: string } | null; fallback_birth_date: { value: string } | null };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const read = async (userId: string) => (await app.api<UserBody & Fallback>('GET', `/v2/user/${userId}`)).body;
const reservations = async (userId: string): Promise<string[]> =>
  (await app.db.selectFrom('client_user_ids').select('client_user_id').where('user_id', '=', userId).execute()).map(
    (row) => row.client_user_id,
  );

describe('changing a user', () => {
  test('keys that are present change, the others stay, and null clears', async () => {
    const userId = await makeUser(app.api);
    const response = await app.api('PATCH', `/v2/user/${userId}`, {
      fallback_time_zone: 'America/Phoenix',
      fallback_birth_date: '1980-12-10',
      ingestion_start: '2025-01-01',
      ingestion_end: '2025-12-31',
    });
    expect([response.status, response.body]).toEqual([204, undefined]);
    await app.api('PATCH', `/v2/user/${userId}`, { fallback_time_zone: null, ingestion_end: null });
    expect(await read(userId)).toEqual(
      expect.objectContaining({
        fallback_time_zone: null,
        fallback_birth_date: expect.objectContaining({ value: '1980-12-10' }),
        ingestion_start: '2025-01-01',
        ingestion_end: null,
      }),
    );
  });

  test('an empty object changes nothing, and a request without a body is refused', async () => {
    const userId = await makeUser(app.api);
    const before = await read(userId);
    expect((await app.api('PATCH', `/v2/user/${userId}`, {})).status).toBe(204);
    expect(await read(userId)).toEqual(before);
    expect(problemsOf(await app.api('PATCH', `/v2/user/${userId}`))).toEqual(['body missing']);
  });

  test('every wrong field is listed at once and nothing changes', async () => {
    const userId = await makeUser(app.api);
    const before = await read(userId);
    const response = await app.api('PATCH', `/v2/user/${userId}`, {
      client_user_id: '',
      fallback_time_zone: 'Mars',
      fallback_birth_date: '2999-01-01',
      ingestion_start: 5,
      ingestion_end: '2025-13-01',
    });
    expect(problemsOf(response)).toEqual([
      'body.client_user_id string_too_short',
      'body.fallback_birth_date date_parsing',
      'body.fallback_time_zone value_error',
      'body.ingestion_end date_parsing',
      'body.ingestion_start string_type',
    ]);
    expect(await read(userId)).toEqual(before);
  });

  test('keys that the operation does not know cannot move a user to another team', async () => {
    const other = await app.makeTeam();
    const userId = await makeUser(app.api);
    const before = await read(userId);
    for (const change of [
      { team_id: other.id },
      { deleted_at: '2020-01-01T00:00:00Z' },
      { id: other.id },
      { created_at: '2020-01-01T00:00:00Z' },
    ]) {
      expect((await app.api('PATCH', `/v2/user/${userId}`, change)).status).toBe(204);
      expect(await read(userId)).toEqual(before);
    }
  });

  test('a user that is scheduled for deletion cannot be changed', async () => {
    const userId = await makeUser(app.api);
    await app.api('DELETE', `/v2/user/${userId}`);
    const response = await app.api<{ code: string }>('PATCH', `/v2/user/${userId}`, {
      fallback_time_zone: 'America/Phoenix',
    });
    expect([response.status, response.body.code]).toEqual([404, 'user_scheduled_for_deletion']);
  });
});

describe('changing the client_user_id', () => {
  test('the user is found by the new reference and the old one is free', async () => {
    const userId = await makeUser(app.api, 'old-name');
    expect((await app.api('PATCH', `/v2/user/${userId}`, { client_user_id: 'new-name' })).status).toBe(204);
    expect((await app.api<UserBody>('GET', '/v2/user/resolve/new-name')).body.user_id).toBe(userId);
    expect((await app.api('GET', '/v2/user/resolve/old-name')).status).toBe(404);
    expect((await app.api('POST', '/v2/user', { client_user_id: 'old-name' })).status).toBe(200);
  });

  test('the reference of another user answers 400 with that user, and nothing changes', async () => {
    const taken = await makeUser(app.api, 'taken-name');
    const userId = await makeUser(app.api, 'kept-name');
    const response = await app.api<{ detail: { user_id: string }; code: string }>('PATCH', `/v2/user/${userId}`, {
      client_user_id: 'taken-name',
      fallback_time_zone: 'America/Phoenix',
    });
    expect([response.status, response.body.code, response.body.detail.user_id]).toEqual([
      400,
      'client_user_id_conflict',
      taken,
    ]);
    expect(await read(userId)).toEqual(
      expect.objectContaining({ client_user_id: 'kept-name', fallback_time_zone: null }),
    );
    expect(await reservations(userId)).toEqual(['kept-name']);
  });

  test("the user's own reference and null change nothing", async () => {
    const userId = await makeUser(app.api, 'same-name');
    expect((await app.api('PATCH', `/v2/user/${userId}`, { client_user_id: 'same-name' })).status).toBe(204);
    expect((await app.api('PATCH', `/v2/user/${userId}`, { client_user_id: null })).status).toBe(204);
    expect((await read(userId)).client_user_id).toBe('same-name');
  });

  test('of two concurrent renames the second waits, and one reference stays reserved', async () => {
    const userId = await makeUser(app.api, 'race-a');
    const rename = await app.db.transaction().execute(async (tx) => {
      await tx.updateTable('users').set({ client_user_id: 'race-b' }).where('id', '=', userId).execute();
      await tx.updateTable('client_user_ids').set({ client_user_id: 'race-b' }).where('user_id', '=', userId).execute();
      const second = app.api('PATCH', `/v2/user/${userId}`, { client_user_id: 'race-c' });
      await untilBlocked(app.db);
      return { second };
    });
    expect((await rename.second).status).toBe(204);
    expect(await reservations(userId)).toEqual(['race-c']);
    expect((await read(userId)).client_user_id).toBe('race-c');
  });
});

test('an end before a start that is already stored is refused', async () => {
  const user = await app.api<{ user_id: string }>('POST', '/v2/user', {
    client_user_id: 'bounded',
    ingestion_start: '2025-01-01',
  });
  const response = await app.api<{ code: string }>('PATCH', `/v2/user/${user.body.user_id}`, {
    ingestion_end: '2020-01-01',
  });
  expect([response.status, response.body.code]).toEqual([400, 'ingestion_range_invalid']);
  const read = await app.api<{ ingestion_end: string | null }>('GET', `/v2/user/${user.body.user_id}`);
  expect(read.body.ingestion_end).toBeNull();
});

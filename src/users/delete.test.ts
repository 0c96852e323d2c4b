import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../test/test-app.ts';
import { makeUser, person, problemsOf } from '../../test/people.ts';

type Refused = { code: string; detail: { user_id: string } };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const undo = (query: string): Promise<Answer<Refused & { success: boolean }>> =>
  app.api('POST', `/v2/user/undo_delete${query}`);

describe('deleting a user', () => {
  test('the user answers 404 with a code of its own in every operation', async () => {
    const userId = await makeUser(app.api, 'leaving');
    const deleted = await app.api<{ success: boolean }>('DELETE', `/v2/user/${userId}`);
    expect([deleted.status, deleted.body]).toEqual([200, { success: true }]);
    const calls: [string, string, unknown?][] = [
      ['GET', `/v2/user/${userId}`],
      ['GET', '/v2/user/resolve/leaving'],
      ['PATCH', `/v2/user/${userId}`, {}],
      ['PATCH', `/v2/user/${userId}/info`, person],
      ['GET', `/v2/user/${userId}/info/latest`],
    ];
    for (const [method, path, body] of calls) {
      const response = await app.api<Refused>(method, path, body);
      expect([method, path, response.status, response.body.code]).toEqual([
        method,
        path,
        404,
        'user_scheduled_for_deletion',
      ]);
    }
  });

  test('a second deletion answers like the first and does not restart the 7 days', async () => {
    const userId = await makeUser(app.api);
    await app.api('DELETE', `/v2/user/${userId}`);
    const at = () => app.db.selectFrom('users').select('deleted_at').where('id', '=', userId).executeTakeFirst();
    const first = await at();
    const again = await app.api<{ success: boolean }>('DELETE', `/v2/user/${userId}`);
    expect([again.status, again.body]).toEqual([200, { success: true }]);
    expect(await at()).toEqual(first);
  });

  test("another team's deleted user answers like an unknown one", async () => {
    const other = await app.makeTeam();
    const userId = await makeUser(app.api);
    await app.api('DELETE', `/v2/user/${userId}`);
    const response = await other.api<Refused>('GET', `/v2/user/${userId}`);
    expect([response.status, response.body.code]).toEqual([404, 'not_found']);
  });

  test('the client_user_id stays reserved and the refusal names the deleted user', async () => {
    const userId = await makeUser(app.api, 'reserved');
    await app.api('DELETE', `/v2/user/${userId}`);
    const again = await app.api<Refused>('POST', '/v2/user', { client_user_id: 'reserved' });
    expect([again.status, again.body.detail.user_id]).toEqual([400, userId]);
    const renamed = await app.api<Refused>('PATCH', `/v2/user/${await makeUser(app.api)}`, {
      client_user_id: 'reserved',
    });
    expect([renamed.status, renamed.body.detail.user_id]).toEqual([400, userId]);
  });
});

describe('undoing a deletion', () => {
  test.each(['user_id', 'client_user_id'])('by %s everything of the user is restored', async (by) => {
    const reference = `back by ${by}/100%`;
    const userId = await makeUser(app.api, reference);
    await app.api('PATCH', `/v2/user/${userId}/info`, person);
    const before = [await app.api('GET', `/v2/user/${userId}`), await app.api('GET', `/v2/user/${userId}/info/latest`)];
    await app.api('DELETE', `/v2/user/${userId}`);
    const undone = await undo(`?${by}=${encodeURIComponent(by === 'user_id' ? userId : reference)}`);
    expect([undone.status, undone.body]).toEqual([200, { success: true }]);
    const after = [await app.api('GET', `/v2/user/${userId}`), await app.api('GET', `/v2/user/${userId}/info/latest`)];
    expect(after.map((response) => response.body)).toEqual(before.map((response) => response.body));
  });

  test('a user that is not scheduled for deletion stays as it is', async () => {
    const userId = await makeUser(app.api);
    expect((await undo(`?user_id=${userId}`)).status).toBe(200);
    expect((await app.api('GET', `/v2/user/${userId}`)).status).toBe(200);
  });

  test('exactly one of the two ids is needed', async () => {
    const userId = await makeUser(app.api, 'both');
    for (const query of ['', `?user_id=${userId}&client_user_id=both`]) {
      const response = await undo(query);
      expect([query, response.status]).toEqual([query, 422]);
      expect((response.body as unknown as { detail: { loc: string[] }[] }).detail).toEqual([
        {
          type: query.includes('both') ? 'value_error' : 'missing',
          loc: ['query'],
          msg: expect.stringContaining('user_id, client_user_id'),
        },
      ]);
    }
    expect(problemsOf(await undo('?user_id=nonsense'))).toEqual(['query.user_id uuid_parsing']);
    expect(problemsOf(await undo('?user_id='))).toEqual(['query.user_id uuid_parsing']);
    expect(problemsOf(await undo('?client_user_id='))).toEqual(['query.client_user_id string_too_short']);
    expect(problemsOf(await undo('?user_id=nonsense&client_user_id=both'))).toEqual([
      'query value_error',
      'query.user_id uuid_parsing',
    ]);
  });

  test('an unknown id is 404', async () => {
    for (const query of [`?user_id=${randomUUID()}`, '?client_user_id=nobody']) {
      const response = await undo(query);
      expect([response.status, response.body.code]).toEqual([404, 'not_found']);
    }
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type TestApp } from '../../test/test-app.ts';
import { makeUser, person, problemsOf } from '../../test/people.ts';
import { untilBlocked } from '../../test/until-blocked.ts';

type UserBody = { user_id: string; client_user_id: string; created_on: string };
type Conflict = {
  detail: { error_type: string; error_message: string; user_id: string; created_on: string };
  code: string;
};
type Page = { users: UserBody[]; total: number; offset: number; limit: number };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const create = (body: unknown): Promise<Answer<UserBody>> => app.api<UserBody>('POST', '/v2/user', body);

describe('creating a user', () => {
  test('a user with all fields is created and read back', async () => {
    const made = await create({
      client_user_id: 'ada',
      fallback_time_zone: 'America/Phoenix',
      fallback_birth_date: '1980-12-10',
      ingestion_start: '2025-01-01',
      ingestion_end: '2025-12-31',
    });
    expect(made.body).toEqual({
      user_id: expect.any(String),
      team_id: app.team.id,
      client_user_id: 'ada',
      created_on: expect.any(String),
      connected_sources: [],
      fallback_time_zone: { id: 'America/Phoenix', source_slug: 'manual', updated_at: expect.any(String) },
      fallback_birth_date: { value: '1980-12-10', source_slug: 'manual', updated_at: expect.any(String) },
      ingestion_start: '2025-01-01',
      ingestion_end: '2025-12-31',
    });
    const read = await app.api('GET', `/v2/user/${made.body.user_id}`);
    expect(read.body).toEqual(made.body);
  });

  test('a user needs nothing but a client_user_id, and the other keys read null', async () => {
    const made = await create({ client_user_id: 'bare' });
    expect(made.body).toEqual(
      expect.objectContaining({
        fallback_time_zone: null,
        fallback_birth_date: null,
        ingestion_start: null,
        ingestion_end: null,
      }),
    );
  });

  test('a client_user_id is trimmed and may be 256 characters long', async () => {
    const long = 'x'.repeat(256);
    expect((await create({ client_user_id: `  ${long} ` })).body.client_user_id).toBe(long);
    expect(problemsOf(await create({ client_user_id: `${long}x` }))).toEqual(['body.client_user_id string_too_long']);
  });

  test('every wrong field is listed at once', async () => {
    const response = await create({
      client_user_id: '  ',
      fallback_time_zone: 'Mars/Olympus',
      fallback_birth_date: '1980-02-30',
      ingestion_start: 'yesterday',
      ingestion_end: 20250101,
    });
    expect(response.status).toBe(422);
    expect(problemsOf(response)).toEqual([
      'body.client_user_id string_too_short',
      'body.fallback_birth_date date_parsing',
      'body.fallback_time_zone value_error',
      'body.ingestion_end string_type',
      'body.ingestion_start date_parsing',
    ]);
  });

  test('an ingestion that ends before it starts is refused', async () => {
    const response = await create({
      client_user_id: 'backwards',
      ingestion_start: '2025-02-01',
      ingestion_end: '2025-01-01',
    });
    expect(problemsOf(response)).toEqual(['body.ingestion_end value_error']);
  });

  test.each([
    [{}, 'body.client_user_id missing'],
    [undefined, 'body missing'],
    [[], 'body dict_type'],
    [{ client_user_id: null }, 'body.client_user_id string_type'],
    [{ client_user_id: 'line\nbreak' }, 'body.client_user_id string_pattern_mismatch'],
  ])('%j is refused with %s', async (body, problem) => {
    const response = await create(body);
    expect(response.status).toBe(422);
    expect(problemsOf(response)).toEqual([problem]);
  });

  test('a client_user_id that is in use answers 400 with the id and date of the user that has it', async () => {
    const first = await create({ client_user_id: 'twice' });
    const second = await app.api<Conflict>('POST', '/v2/user', { client_user_id: 'twice' });
    expect(second.status).toBe(400);
    expect(second.body).toEqual({
      detail: {
        error_type: 'INVALID_REQUEST',
        error_message: expect.any(String),
        user_id: first.body.user_id,
        created_on: first.body.created_on,
      },
      code: 'client_user_id_conflict',
      request_id: expect.any(String),
    });
  });

  test('of concurrent creates with one client_user_id one succeeds and all others name its user', async () => {
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => app.api<Conflict & UserBody>('POST', '/v2/user', { client_user_id: 'race' })),
    );
    const made = responses.find((response) => response.status === 200);
    const refused = responses.filter((response) => response.status === 400);
    expect(refused).toHaveLength(7);
    expect(new Set(refused.map((response) => response.body.detail.user_id))).toEqual(new Set([made?.body.user_id]));
    const { users } = await app.db
      .selectFrom('users')
      .select((eb) => eb.fn.countAll<number>().as('users'))
      .where('client_user_id', '=', 'race')
      .executeTakeFirstOrThrow();
    expect(users).toBe(1);
  });

  test('a create waits for another create of the same client_user_id and then names its user', async () => {
    const first = await makeUser(app.api, 'placeholder');
    const { second } = await app.db.transaction().execute(async (tx) => {
      await tx
        .insertInto('client_user_ids')
        .values({ team_id: app.team.id, client_user_id: 'contested', user_id: first })
        .execute();
      const second = app.api<Conflict>('POST', '/v2/user', { client_user_id: 'contested' });
      await untilBlocked(app.db);
      return { second };
    });
    const response = await second;
    expect([response.status, response.body.detail.user_id]).toEqual([400, first]);
  });

  test('two teams may use one client_user_id', async () => {
    const other = await app.makeTeam();
    const made = await other.api<UserBody>('POST', '/v2/user', { client_user_id: 'twice' });
    expect(made.status).toBe(200);
  });
});

describe('resolving a client_user_id', () => {
  test.each([
    'a/b',
    'a%2Fb',
    'a b+c',
    'q?x=1&y=2',
    '#hash',
    '100%',
    'müller·日本',
    '"quoted"',
    "o'hara",
    '\\back',
    'semi;colon',
    '*',
    'metrics',
    '../x',
  ])('the reference %j is found when it is URL-encoded', async (reference) => {
    const userId = await makeUser(app.api, reference);
    const found = await app.api<UserBody>('GET', `/v2/user/resolve/${encodeURIComponent(reference)}`);
    expect(found.body).toEqual(expect.objectContaining({ user_id: userId, client_user_id: reference }));
  });

  test('a reference of 256 characters of four bytes each is found', async () => {
    const reference = '𝛼'.repeat(256);
    const userId = await makeUser(app.api, reference);
    const found = await app.api<UserBody>('GET', `/v2/user/resolve/${encodeURIComponent(reference)}`);
    expect(found.body.user_id).toBe(userId);
  });

  test('an unknown reference answers 404 and one that is too long 422', async () => {
    const unknown = await app.api<{ code: string }>('GET', '/v2/user/resolve/nobody');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'not_found']);
    const long = await app.api('GET', `/v2/user/resolve/${'x'.repeat(257)}`);
    expect(long.status).toBe(422);
    expect(problemsOf(long)).toEqual(['path.client_user_id string_too_long']);
  });
});

describe('listing and counting', () => {
  test('pages list the users in the order in which they were created, without the deleted ones', async () => {
    const { api } = await app.makeTeam();
    const ids: string[] = [];
    for (let number = 0; number < 5; number += 1) ids.push(await makeUser(api));
    const deleted = await makeUser(api);
    await api('DELETE', `/v2/user/${deleted}`);

    const whole = await api<Page>('GET', '/v2/user');
    expect(whole.body).toEqual(expect.objectContaining({ total: 5, offset: 0, limit: 100 }));
    expect(whole.body.users.map((user) => user.user_id)).toEqual(ids);
    const page = await api<Page>('GET', '/v2/user?offset=2&limit=2');
    expect(page.body.users.map((user) => user.user_id)).toEqual(ids.slice(2, 4));
    expect(page.body).toEqual(expect.objectContaining({ total: 5, offset: 2, limit: 2 }));
    const beyond = await api<Page>('GET', '/v2/user?offset=5');
    expect(beyond.body).toEqual({ users: [], total: 5, offset: 5, limit: 100 });
  });

  test('the limit is at most 500, and both wrong numbers are listed at once', async () => {
    expect((await app.api('GET', '/v2/user?limit=500')).status).toBe(200);
    expect(problemsOf(await app.api('GET', '/v2/user?limit=501&offset=-1'))).toEqual([
      'query.limit less_than_equal',
      'query.offset greater_than_equal',
    ]);
    expect(problemsOf(await app.api('GET', '/v2/user?limit=many&offset=1.5'))).toEqual([
      'query.limit int_parsing',
      'query.offset int_parsing',
    ]);
  });

  test('the metrics count only the users and orders of the team', async () => {
    const { api, id } = await app.makeTeam();
    await makeUser(api);
    await makeUser(api);
    await api('DELETE', `/v2/user/${await makeUser(api)}`);
    const metrics = await api('GET', '/v2/user/metrics');
    expect(metrics.body).toEqual({
      team_id: id,
      number_of_connected_sources: 0,
      number_of_users: 2,
      number_of_errored_connected_sources: 0,
      number_of_connected_sources_by_week: [],
      number_of_ordered_tests: 0,
    });
  });
});

describe('searching', () => {
  const search = async (text: string): Promise<string[]> =>
    (await app.api<UserBody[]>('GET', `/v2/team/users/search?query_id=${encodeURIComponent(text)}`)).body.map(
      (user) => user.client_user_id,
    );

  test('without a text gives the newest 50, newest first', async () => {
    const team = await app.makeTeam();
    for (let n = 0; n < 51; n++) await makeUser(team.api, `newest-${n}`);
    const { body } = await team.api<UserBody[]>('GET', '/v2/team/users/search');
    expect(body.map((user) => user.client_user_id)).toEqual(Array.from({ length: 50 }, (_, n) => `newest-${50 - n}`));
  });

  test('a part of the client_user_id finds the user in either case', async () => {
    await makeUser(app.api, 'Search-Target-1');
    expect(await search('target')).toEqual(['Search-Target-1']);
  });

  test.each([
    ['50%off', '50xoff'],
    ['snake_case', 'snakeXcase'],
    ['back\\slash', 'backslash'],
  ])('in %j the wildcard is an ordinary character and does not find %j', async (literal, lookalike) => {
    await makeUser(app.api, literal);
    await makeUser(app.api, lookalike);
    expect(await search(literal)).toEqual([literal]);
  });

  test('a user_id finds its user in either case', async () => {
    const userId = await makeUser(app.api, 'by-its-id');
    expect(await search(userId)).toEqual(['by-its-id']);
    expect(await search(userId.toUpperCase())).toEqual(['by-its-id']);
  });

  test('deleted users are not found', async () => {
    const userId = await makeUser(app.api, 'gone-from-search');
    await app.api('DELETE', `/v2/user/${userId}`);
    expect(await search('gone-from-search')).toEqual([]);
  });

  test('without a text, or with an empty one, the newest 50 are found, newest first', async () => {
    const team = await app.makeTeam();
    for (let number = 1; number <= 51; number += 1) await makeUser(team.api, `many-${number}`);
    for (const query of ['', '?query_id=', '?query_id=%20']) {
      const { body } = await team.api<UserBody[]>('GET', `/v2/team/users/search${query}`);
      expect([body.length, body[0]?.client_user_id, body[49]?.client_user_id]).toEqual([50, 'many-51', 'many-2']);
    }
  });

  test('fewer than two characters and unprintable characters are refused', async () => {
    expect(problemsOf(await app.api('GET', '/v2/team/users/search?query_id=x'))).toEqual([
      'query.query_id string_too_short',
    ]);
    expect((await app.api('GET', '/v2/team/users/search?query_id=ab%00cd')).status).toBe(422);
  });
});

describe('access to users', () => {
  test('without a key every operation answers 401', async () => {
    const userId = await makeUser(app.api);
    for (const [method, path] of operations(userId, 'someone')) {
      const response = await app.api<{ code: string }>(method, path, undefined, { key: null });
      expect([path, response.status, response.body.code]).toEqual([path, 401, 'invalid_api_key']);
    }
  });

  test("another team's user answers exactly like an unknown one", async () => {
    const other = await app.makeTeam();
    const userId = await makeUser(app.api, 'somebody-elses');
    await app.api('PATCH', `/v2/user/${userId}/info`, person);
    for (const [method, path, body] of operations(userId, 'somebody-elses')) {
      const hidden = await other.api<Record<string, unknown>>(method, path, body);
      const unknown = await other.api<Record<string, unknown>>(
        method,
        path.replace(userId, randomUUID()).replace('somebody-elses', 'nobodys'),
        body,
      );
      expect([path, hidden.status]).toEqual([path, 404]);
      expect({ ...hidden.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
    }
    const found = await other.api<UserBody[]>('GET', '/v2/team/users/search?query_id=somebody-elses');
    expect(found.body).toEqual([]);
    expect((await other.api<Page>('GET', '/v2/user')).body.total).toBe(0);
    expect((await app.api<UserBody>('GET', `/v2/user/${userId}`)).body.client_user_id).toBe('somebody-elses');
  });

  test('a malformed user_id answers 422 with the id repeated', async () => {
    for (const [method, path, body] of operations('not-a-uuid', 'x').filter(([, path]) =>
      path.includes('not-a-uuid'),
    )) {
      const response = await app.api<{ detail: unknown[] }>(method, path, body);
      expect(response.status).toBe(422);
      expect(response.body.detail).toEqual([
        {
          type: 'uuid_parsing',
          loc: [path.includes('?') ? 'query' : 'path', 'user_id'],
          msg: expect.any(String),
          input: 'not-a-uuid',
        },
      ]);
    }
  });
});

/** Every operation that names a user. */
const operations = (userId: string, reference: string): [method: string, path: string, body?: unknown][] => [
  ['GET', `/v2/user/${userId}`],
  ['GET', `/v2/user/resolve/${reference}`],
  ['PATCH', `/v2/user/${userId}`, { fallback_time_zone: 'America/Phoenix' }],
  ['DELETE', `/v2/user/${userId}`],
  ['POST', `/v2/user/undo_delete?user_id=${userId}`],
  ['POST', `/v2/user/undo_delete?client_user_id=${reference}`],
  ['PATCH', `/v2/user/${userId}/info`, person],
  ['GET', `/v2/user/${userId}/info/latest`],
];

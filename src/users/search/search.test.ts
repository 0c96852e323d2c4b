import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser } from '../../../test/factories.ts';
import { person } from '../../../test/people.ts';
import { query } from '../../../test/global-setup.ts';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';

type Found = { user_id: string; person: { first_name: string } | null };
type Page = { data: Found[]; next_cursor: string | null; code?: string };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const search = async (team: Team, body: object): Promise<Page> =>
  (await team.api<Page>('POST', '/v2/user/search', body)).body;
const idsOf = async (team: Team, body: object): Promise<string[]> =>
  (await search(team, body)).data.map(({ user_id }) => user_id);
async function withInfo(team: Team, changes: object = {}): Promise<string> {
  const { user_id } = await makeUser(team);
  await team.api('PATCH', `/v2/user/${user_id}/info`, { ...person, ...changes });
  return user_id;
}

test.each([
  [{ email: ' ADA@Example.com' }],
  [{ phone_number: '(602) 555-0123' }],
  [{ birth_date: '1980-12-10' }],
  [{ name: 'lovelace' }],
  [{ name: 'LOVELACE,  Ada' }],
  [{ name: 'Ada', email: 'ada@example.com', birth_date: '1980-12-10', phone_number: '+16025550123' }],
])('a user is found by %j', async (body) => {
  const team = await app.makeTeam();
  const id = await withInfo(team);
  await withInfo(team, {
    first_name: 'Byron',
    last_name: 'King',
    email: 'b@example.com',
    phone_number: '+16025550124',
    dob: '1970-01-01',
  });
  expect((await search(team, body)).data).toMatchObject([
    { user_id: id, person: { first_name: 'Ada', last_name: 'Lovelace', dob: '1980-12-10' } },
  ]);
});

test.each([[{ email: 'ada@example.org' }], [{ name: 'Love' }], [{ name: 'Ada King' }], [{ name: '...' }]])(
  'nobody is found by %j',
  async (body) => {
    const team = await app.makeTeam();
    await withInfo(team);
    expect(await search(team, body)).toEqual({ data: [], next_cursor: null });
  },
);

test('accents do not matter, and new demographics replace what a user is found by', async () => {
  const team = await app.makeTeam();
  const id = await withInfo(team, { first_name: 'Zoe', last_name: 'Munoz-Perez' });
  expect(await idsOf(team, { name: 'Pérez, ZOË' })).toEqual([id]);
  await team.api('PATCH', `/v2/user/${id}/info`, person);
  expect([await idsOf(team, { name: 'perez' }), await idsOf(team, { name: 'ada' })]).toEqual([[], [id]]);
});

test('the fallback birth date finds a user too, until it changes', async () => {
  const team = await app.makeTeam();
  const { body } = await team.api<Found>('POST', '/v2/user', {
    client_user_id: 'a',
    fallback_birth_date: '1990-05-05',
  });
  expect(await search(team, { birth_date: '1990-05-05' })).toMatchObject({ data: [{ ...body, person: null }] });
  await team.api('PATCH', `/v2/user/${body.user_id}`, { fallback_birth_date: '1991-06-06' });
  expect([await idsOf(team, { birth_date: '1990-05-05' }), await idsOf(team, { birth_date: '1991-06-06' })]).toEqual([
    [],
    [body.user_id],
  ]);
});

test('pages are newest first, and a user who leaves is not found', async () => {
  const team = await app.makeTeam();
  const ids = [await withInfo(team), await withInfo(team), await withInfo(team)].toReversed();
  const first = await search(team, { name: 'ada', birth_date: '1980-12-10', limit: 2 });
  const next = await search(team, { name: 'ada', limit: 2, next_cursor: first.next_cursor });
  expect([...first.data, ...next.data].map(({ user_id }) => user_id)).toEqual(ids);
  expect(next.next_cursor).toBeNull();
  await team.api('DELETE', `/v2/user/${ids[0]}`);
  expect(await idsOf(team, { name: 'ada' })).toEqual(ids.slice(1));
});

test('known users come with their names, and other data narrow them', async () => {
  const [team, other] = [await app.makeTeam(), await app.makeTeam()];
  const ada = await withInfo(team);
  const { user_id: nameless } = await makeUser(team);
  const byron = await withInfo(team, { first_name: 'Byron' });
  const theirs = await withInfo(other);
  const user_ids = [byron, ada, nameless, theirs, ada.toUpperCase()];
  const { data, next_cursor } = await search(team, { user_ids });
  expect(data.map(({ user_id, person: found }) => [user_id, found?.first_name])).toEqual([
    [byron, 'Byron'],
    [nameless, undefined],
    [ada, 'Ada'],
  ]);
  expect(next_cursor).toBeNull();
  expect(await idsOf(team, { user_ids, name: 'lovelace' })).toEqual([byron, ada]);
  expect(await idsOf(team, { user_ids: [nameless], name: 'ada' })).toEqual([]);
  expect(await idsOf(team, { user_ids, name: '...' })).toEqual([]);
  const first = await search(team, { user_ids, limit: 2 });
  expect(await idsOf(team, { user_ids, limit: 2, next_cursor: first.next_cursor })).toEqual([ada]);
  await team.api('DELETE', `/v2/user/${ada}`);
  expect(await idsOf(team, { user_ids: [ada] })).toEqual([]);
});

test('another team finds nobody, and equal names have other hashes there', async () => {
  const [team, other] = [await app.makeTeam(), await app.makeTeam()];
  await withInfo(team);
  expect(await idsOf(other, { name: 'ada' })).toEqual([]);
  await withInfo(other);
  const hashes = app.db.selectFrom('user_search_hashes').select(['hash', 'kind']);
  const rows = await hashes.where('team_id', 'in', [team.id, other.id]).execute();
  expect(rows.length).toBe(10);
  expect(new Set(rows.map(({ hash }) => hash.toString('hex'))).size).toBe(10);
});

test('the job makes the hashes of users who were there before', async () => {
  const team = await app.makeTeam();
  const id = await withInfo(team);
  await query(app.databaseUrl, `delete from user_search_hashes where user_id = '${id}'`);
  await query(app.databaseUrl, `update users set lacks_search_hashes = true where id = '${id}'`);
  expect(await idsOf(team, { email: 'ada@example.com' })).toEqual([]);
  const { searchFilling } = await import('./fill.ts');
  await searchFilling.run(app.ctx, {});
  expect(await idsOf(team, { email: 'ada@example.com' })).toEqual([id]);
  const waiting = app.db.selectFrom('users').select('id').where('lacks_search_hashes', '=', true);
  expect(await waiting.execute()).toEqual([]);
});

test.each([
  [{}, 'body missing'],
  [{ limit: 5 }, 'body missing'],
  [{ email: 'no address' }, 'body.email value_error'],
  [{ birth_date: '10.12.1980' }, 'body.birth_date date_parsing'],
  [{ user_ids: [] }, 'body.user_ids too_short'],
  [{ user_ids: ['7'] }, 'body.user_ids.0 uuid_parsing'],
])('refuses %j', async (body, problem) => {
  const { problemsOf } = await import('../../../test/people.ts');
  const answer = await app.api('POST', '/v2/user/search', body);
  expect([answer.status, problemsOf(answer)]).toEqual([422, [problem]]);
});

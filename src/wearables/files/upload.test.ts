import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import { appleDocument, appleExport, upload, type FileImport } from '../../../test/exports.ts';
import { makeUser } from '../../../test/factories.ts';
import { eraseUsers } from '../../../test/erase-due-users.ts';
import { dropExpired } from '../../jobs/retention.ts';

const MIB = 1024 * 1024;

let app: TestApp;
let userId: string;
beforeAll(async () => {
  app = await startTestApp({
    PHIAL_UPLOAD_LIMIT_BYTES: String(2 * MIB),
    PHIAL_UPLOAD_QUOTA_BYTES: String(3 * MIB),
    PHIAL_REQUEST_TIMEOUT_SECONDS: '1',
  });
  userId = (await makeUser(app.team)).user_id;
});
afterAll(() => app.close());

const folder = (): string => app.config.uploadDir as string;
const filesThere = (): string[] => (existsSync(folder()) ? readdirSync(folder()) : []);
const GPX = '<?xml version="1.0"?>\n<gpx version="1.1" creator="test"></gpx>';
const read = (id: string, user = userId) => app.api<FileImport>('GET', `/v2/user/${user}/import/${id}`);
const rowsOf = async (user: string): Promise<string[]> =>
  (await app.db.selectFrom('imports').select('status').where('user_id', '=', user).execute()).map(
    ({ status }) => status,
  );

describe('an uploaded file', () => {
  test('is in the upload directory under the id of its import, and only the service can read it', async () => {
    const { status, body } = await upload(app.team, userId, GPX, 'application/gpx+xml');
    expect([status, body]).toMatchObject([
      202,
      { status: 'queued', kind: 'gpx', bytes: GPX.length, progress: 0, created: 0, error: null, ended_at: null },
    ]);
    expect(readFileSync(join(folder(), body.id), 'utf8')).toBe(GPX);
    expect(statSync(join(folder(), body.id)).mode & 0o777).toBe(0o600);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect((await read(body.id)).body).toEqual(body);
  });

  test.each<[string, string | Buffer, string]>([
    ['a zip archive', appleExport([]), 'apple_health'],
    ['an export that was unpacked', appleDocument([]), 'apple_health'],
    [
      'an export with a long document type',
      `<!DOCTYPE HealthData [${' '.repeat(9_000)}]><HealthData/>`,
      'apple_health',
    ],
    ['a FIT file', Buffer.concat([Buffer.from([14, 16, 0, 0, 0, 0, 0, 0]), Buffer.from('.FIT')]), 'fit'],
    ['a TCX file with a byte order mark', '\uFEFF<TrainingCenterDatabase/>', 'tcx'],
    ['a GPX file after a comment', '<!-- made by hand --><gpx/>', 'gpx'],
    ['a GPX file with a prefix', '<g:gpx xmlns:g="http://www.topografix.com/GPX/1/1"/>', 'gpx'],
  ])('is recognised by its first bytes: %s', async (_what, file, kind) => {
    const { user_id } = await makeUser(app.team);
    expect((await upload(app.team, user_id, file)).body).toMatchObject({ kind });
  });

  test.each<[string, string | Buffer]>([
    ['a text', 'heart rate, 60'],
    ['another XML document', '<?xml version="1.0"?><ClinicalDocument/>'],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['JSON', '{"gpx": "<gpx/>"}'],
    ['a web page that contains <gpx>', '<!DOCTYPE html><html><gpx/></html>'],
  ])('is refused and leaves nothing if its kind is not supported: %s', async (_what, file) => {
    const { user_id } = await makeUser(app.team);
    const before = filesThere();
    const { status, body } = await upload(app.team, user_id, file, 'application/zip');
    expect([status, body.code]).toEqual([422, 'file_not_recognised']);
    expect([filesThere(), await rowsOf(user_id)]).toEqual([before, []]);
  });

  test('is refused if it is empty or its content type is not accepted', async () => {
    expect(await upload(app.team, userId, GPX, 'image/png')).toMatchObject({ status: 415 });
    expect(await upload(app.team, userId, '')).toMatchObject({ status: 422 });
  });

  test('is refused and leaves nothing if it is too large', async () => {
    const { user_id } = await makeUser(app.team);
    const before = filesThere();
    const { status, body } = await upload(app.team, user_id, GPX + ' '.repeat(2 * MIB));
    expect([status, body.code]).toEqual([413, 'file_too_large']);
    expect([filesThere(), await rowsOf(user_id)]).toEqual([before, []]);
  });

  test('is refused for a user of another team, and for one who is scheduled for deletion', async () => {
    const other = await app.makeTeam('Mesa Labs');
    expect(await upload(other, userId, GPX)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const { user_id } = await makeUser(app.team);
    await app.api('DELETE', `/v2/user/${user_id}`);
    expect(await upload(app.team, user_id, GPX)).toMatchObject({ body: { code: 'user_scheduled_for_deletion' } });
  });

  test('is refused while files of its team fill the quota, and accepted afterwards', async () => {
    const team = await app.makeTeam('Mesa Labs');
    const { user_id } = await makeUser(team);
    const file = GPX + ' '.repeat(MIB);
    expect((await upload(team, user_id, file)).status).toBe(202);
    const { status, body } = await upload(team, user_id, file);
    expect([status, body.code]).toEqual([403, 'limit_reached']);
    // Waiting files of other teams do not count.
    expect((await upload(app.team, userId, GPX)).status).toBe(202);
    await sql`update imports set status = 'success', ended_at = now() where user_id = ${user_id}`.execute(app.db);
    expect((await upload(team, user_id, file)).status).toBe(202);
  });

  test('is refused if fifty files of its team wait', async () => {
    const team = await app.makeTeam('Mesa Labs');
    const { user_id } = await makeUser(team);
    await sql`
      insert into imports (user_id, id, team_id, kind, bytes, status)
      select ${user_id}, gen_random_uuid(), ${team.id}, 'gpx', 1, 'queued' from generate_series(1, 49)`.execute(app.db);
    expect((await upload(team, user_id, GPX)).status).toBe(202);
    expect(await upload(team, user_id, GPX)).toMatchObject({ status: 403, body: { code: 'limit_reached' } });
  });
});

describe('a sender', () => {
  /** Sends the first bytes of a file. The test sends the rest. */
  const begin = (user: string, to = app) => {
    const { hostname, port } = new URL(to.baseUrl);
    const headers = { 'x-service-api-key': to.team.api_key, 'content-type': 'application/gpx+xml' };
    const request = httpRequest({ hostname, port, method: 'POST', path: `/v2/user/${user}/import`, headers });
    request.on('error', () => undefined);
    const answered = new Promise<number>((resolve) => {
      request.on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
    });
    request.write(GPX + ' '.repeat(8_192));
    return { request, answered };
  };

  test('that disconnects leaves nothing', async () => {
    const { user_id } = await makeUser(app.team);
    const before = filesThere().length;
    const { request } = begin(user_id);
    await expect.poll(() => rowsOf(user_id)).toEqual(['uploading']);
    expect((await app.api<{ data: unknown[] }>('GET', `/v2/user/${user_id}/import`)).body.data).toEqual([]);
    request.destroy();
    await expect.poll(() => rowsOf(user_id)).toEqual([]);
    expect(filesThere()).toHaveLength(before);
  });

  test('may take longer than the request timeout as long as it sends', async () => {
    const { user_id } = await makeUser(app.team);
    const { request, answered } = begin(user_id);
    for (let n = 0; n < 12; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      request.write(' ');
    }
    request.end();
    expect(await answered).toBe(202);
  });

  test('that stops sending gets 408 and leaves nothing', async () => {
    const { user_id } = await makeUser(app.team);
    const { answered } = begin(user_id);
    await expect.poll(() => rowsOf(user_id)).toEqual(['uploading']);
    expect(await answered).toBe(408);
    expect(await rowsOf(user_id)).toEqual([]);
  });

  test('that sends slowly does not take the only permit of its team', async () => {
    // With a pool of two connections, a team has one permit.
    const narrow = await startTestApp({ PHIAL_DATABASE_POOL_SIZE: '2' });
    const { user_id } = await makeUser(narrow.team);
    const { request } = begin(user_id, narrow);
    const statuses = () => narrow.db.selectFrom('imports').select('status').execute();
    await expect.poll(statuses).toEqual([{ status: 'uploading' }]);
    expect((await narrow.api('GET', `/v2/user/${user_id}`)).status).toBe(200);
    expect(await statuses()).toEqual([{ status: 'uploading' }]);
    request.destroy();
    await expect.poll(statuses).toEqual([]);
    await narrow.close();
  });
});

describe('imports', () => {
  test('of a user are listed page by page, newest first', async () => {
    const { user_id } = await makeUser(app.team);
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await upload(app.team, user_id, GPX)).body.id);
    type Page = { data: FileImport[]; next_cursor: string | null };
    const first = await app.api<Page>('GET', `/v2/user/${user_id}/import?page_size=2`);
    const second = await app.api<Page>(
      'GET',
      `/v2/user/${user_id}/import?page_size=2&next_cursor=${first.body.next_cursor}`,
    );
    expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids);
    expect(second.body.next_cursor).toBeNull();
    expect(await app.api('GET', `/v2/user/${user_id}/import?next_cursor=bm8`)).toMatchObject({ status: 422 });
  });

  test('of another user, or that do not exist, are not found', async () => {
    const { body } = await upload(app.team, userId, GPX);
    const { user_id } = await makeUser(app.team);
    expect((await read(body.id, user_id)).status).toBe(404);
    expect((await read(randomUUID())).status).toBe(404);
  });

  test('are deleted after the retention time of events', async () => {
    const { user_id } = await makeUser(app.team);
    await upload(app.team, user_id, GPX);
    const old = (await upload(app.team, user_id, GPX)).body.id;
    await sql`
      update imports set status = 'success', ended_at = now() - interval '31 days' where id = ${old}`.execute(app.db);
    await dropExpired(app.ctx);
    expect(await rowsOf(user_id)).toEqual(['queued']);
  });
});

describe('the upload directory', () => {
  test('has no file of a user who was erased', async () => {
    const { user_id } = await makeUser(app.team);
    const { id } = (await upload(app.team, user_id, GPX)).body;
    await app.api('DELETE', `/v2/user/${user_id}`);
    await sql`update users set deleted_at = now() - interval '8 days' where id = ${user_id}`.execute(app.db);
    expect(filesThere()).toContain(id);
    await eraseUsers(app.ctx);
    expect([filesThere().includes(id), await rowsOf(user_id)]).toEqual([false, []]);
  });

  test('is cleared of uploads that a killed process left, but not of other files', async () => {
    const { user_id } = await makeUser(app.team);
    const waiting = (await upload(app.team, user_id, GPX)).body.id;
    const cut = (await upload(app.team, user_id, GPX)).body.id;
    await sql`
      update imports set status = 'uploading', created_at = now() - interval '4 hours' where id = ${cut}`.execute(
      app.db,
    );
    const [old, fresh] = [randomUUID(), randomUUID()];
    for (const name of [old, fresh, 'notes.txt']) writeFileSync(join(folder(), name), 'x');
    const before = Date.now() / 1000 - 4 * 3_600;
    for (const name of [old, cut, waiting, 'notes.txt']) utimesSync(join(folder(), name), before, before);
    await dropExpired(app.ctx);
    const left = filesThere();
    expect([old, cut, fresh, waiting, 'notes.txt'].map((name) => left.includes(name))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(await rowsOf(user_id)).toEqual(['queued']);
  });
});

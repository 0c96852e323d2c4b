// Which files are accepted as a lab report, how they are downloaded, and how they are deleted.
import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeArchive } from '../../../../test/make-archive.ts';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { makeUser } from '../../../../test/factories.ts';
import { jpegHead, pngHead } from '../../../../test/images.ts';
import { publishedTo } from '../../../../test/publish-event.ts';
import {
  readJob,
  reportForm,
  REPORT_ROWS,
  reportPdf,
  sendReport,
  type ParsingJob,
} from '../../../../test/sent-reports.ts';
import { signToken } from '../../../privacy/signed-link.ts';
import { eraseUsers } from '../../../../test/erase-due-users.ts';
import { dropExpired } from '../../../jobs/retention.ts';
import { setBeta } from '../../../tenancy/teams/betas.ts';
import { findJobScope, listToReview, reviewJob } from './review.ts';

const MIB = 1024 * 1024;

let app: TestApp;
let userId: string;
let report: Buffer;
beforeAll(async () => {
  app = await startTestApp();
  userId = (await makeUser(app.team)).user_id;
  report = await reportPdf({ rows: REPORT_ROWS });
});
afterAll(() => app.close());

/** Returns how many files, chunks and bytes are stored for a team. */
async function stored(team: Team = app.team): Promise<{ files: number; chunks: number; bytes: number }> {
  const { rows } = await sql<{ files: number; chunks: number; bytes: number }>`
    select (select count(*)::int from lab_report_files where team_id = ${team.id}) as files,
           (select count(*)::int from lab_report_chunks where team_id = ${team.id}) as chunks,
           (select coalesce(sum(bytes), 0)::int from lab_report_files where team_id = ${team.id}) as bytes`.execute(
    app.db,
  );
  return rows[0] as { files: number; chunks: number; bytes: number };
}
const sent = async (file: Buffer, team: Team = app.team, user = userId) => {
  const { status, body } = await sendReport(team, user, [file]);
  return { status, code: body.code, body };
};
/** Fetches a link from the test server. The link itself has the public address of the service, with another port. */
const open = (url: string): Promise<Response> => fetch(app.baseUrl + new URL(url).pathname);

describe('what is not accepted', () => {
  test.each<[string, () => Buffer, string]>([
    ['a page of HTML', () => Buffer.from('<html><script>alert(1)</script></html>'), 'file_not_recognised'],
    ['an archive', () => makeArchive([{ name: 'report.pdf', content: report }]), 'file_not_recognised'],
    ['an archive followed by a PDF', () => Buffer.concat([makeArchive([]), report]), 'file_not_recognised'],
    ['HTML followed by a PDF', () => Buffer.concat([Buffer.from('<html>'), report]), 'file_not_recognised'],
    ['a GIF', () => Buffer.from('GIF89a\u0001\u0000\u0001\u0000', 'latin1'), 'file_not_recognised'],
    ['an image of 70 million pixels', () => pngHead(10_000, 7_000), 'file_too_large'],
    ['an empty file', () => Buffer.alloc(0), 'file_not_recognised'],
    ['more than 20 MiB', () => Buffer.concat([report, Buffer.alloc(20 * MIB)]), 'file_too_large'],
  ])('%s is refused, and nothing of it stays stored', async (_what, make, code) => {
    const before = await stored();
    expect(await sent(make())).toMatchObject({ code });
    expect(await stored()).toEqual(before);
  });

  test('a file beyond the quota of the team, while other teams have their own', async () => {
    const quota = await startTestApp(
      { PHIAL_LAB_REPORT_QUOTA_BYTES: String(20 * MIB + report.length) },
      { databaseUrl: app.databaseUrl },
    );
    try {
      const [first, second] = [await quota.makeTeam(), await quota.makeTeam()];
      const firstUser = (await makeUser(first)).user_id;
      const secondUser = (await makeUser(second)).user_id;
      const send = async (team: Team, user: string) => (await sent(report, team, user)).code ?? 'taken';
      expect([await send(first, firstUser), await send(first, firstUser)]).toEqual(['taken', 'taken']);
      expect(await send(first, firstUser)).toBe('limit_reached');
      expect(await send(second, secondUser)).toBe('taken');
      expect((await stored(first)).files).toBe(2);
    } finally {
      await quota.close();
    }
  });

  test('any file in production, until an operator opens the beta to the team', async () => {
    const production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
    try {
      const { team } = production;
      const { user_id } = await makeUser(team);
      const ask = async (): Promise<(string | number)[]> => {
        const made = await sendReport(team, user_id, [report]);
        const read = await team.api<{ code: string }>('GET', `/lab_report/v1/parser/job/${made.body.id ?? user_id}`);
        return [made.status, made.body.code ?? 'taken', read.status];
      };
      expect(await ask()).toEqual([403, 'closed_beta', 403]);
      const { rows } = await sql`select from lab_report_files`.execute(production.db);
      expect(rows).toHaveLength(0);
      const beta = { org_id: team.org_id, team_id: team.id, beta: 'lab_report_parser', open: true } as const;
      await setBeta(production.ctx, beta);
      expect(await ask()).toEqual([200, 'taken', 200]);
    } finally {
      await production.close();
    }
  });
});

describe('a file by its link', () => {
  test.each<[string, () => Buffer, string, string]>([
    ['a PDF', () => report, 'application/pdf', 'lab-report.pdf'],
    ['an image', () => pngHead(20, 30), 'image/png', 'lab-report.png'],
    ['another image', () => jpegHead(20, 30), 'image/jpeg', 'lab-report.jpeg'],
    [
      'a PDF that is also a page and an archive',
      () => Buffer.concat([report, Buffer.from('<script>alert(1)</script>'), makeArchive([])]),
      'application/pdf',
      'lab-report.pdf',
    ],
    [
      'a file of many chunks',
      () => Buffer.concat([report, Buffer.alloc(MIB, 'x')]),
      'application/pdf',
      'lab-report.pdf',
    ],
  ])('%s is saved as it was sent, and browsers do not show or run it', async (_what, make, type, name) => {
    const file = make();
    const { body } = await sent(file);
    expect(body.files).toEqual([{ content_type: type, bytes: file.length, url: expect.any(String) }]);
    const response = await open(body.files[0]?.url as string);
    const bytes = Buffer.from(await response.arrayBuffer());
    const digest = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
    expect([response.status, digest(bytes)]).toEqual([200, digest(file)]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
    });
  });

  test('has one refusal: after 15 minutes, with a changed letter, for another team or a deleted user', async () => {
    const own = (await makeUser(app.team)).user_id;
    const { body } = await sent(report, app.team, own);
    const url = body.files[0]?.url as string;
    const token = url.split('/').at(-1) as string;
    const now = Math.floor(Date.now() / 1000);
    const { id } = await app.db
      .selectFrom('lab_report_files')
      .select('id')
      .where('job_id', '=', body.id)
      .executeTakeFirstOrThrow();
    const signed = (team: Team, expires: number): string =>
      `http://x/documents/lab_report/${signToken(app.ctx.cipher, 'lab_report', { team_id: team.id, id, expires })}`;
    expect(url).not.toContain(own);
    expect(Buffer.from(token, 'base64url').readUInt32BE(1) - now).toBeLessThanOrEqual(15 * 60);
    const refused = async (link: string): Promise<void> => {
      const response = await open(link);
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, 'link_refused']);
    };
    expect((await open(signed(app.team, now + 60))).status).toBe(200);
    await refused(signed(app.team, now - 1));
    await refused(signed(await app.makeTeam(), now + 60));
    const other = token[40] === 'A' ? 'B' : 'A';
    await refused(url.replace(token, token.slice(0, 40) + other + token.slice(41)));
    await app.api('DELETE', `/v2/user/${own}`);
    await refused(url);
  });
});

describe('a report that is sent again under its idempotency key', () => {
  const send = (
    team: Team,
    key: string,
    {
      files = [report],
      fields = {},
      fileName = 'report.pdf',
    }: { files?: Buffer[]; fields?: object; fileName?: string },
  ) => {
    const { raw, headers } = reportForm({ ...fields } as Record<string, string>, files, fileName);
    const options = { raw, headers: { ...headers, 'x-idempotency-key': key } };
    return team.api<ParsingJob & { code: string }>('POST', '/lab_report/v1/parser/job', undefined, options);
  };

  test('gets the first answer, and is stored and published once', async () => {
    const team = await app.makeTeam();
    const fields = { user_id: (await makeUser(team)).user_id };
    const first = await send(team, 'once', { fields });
    const again = await send(team, 'once', { fields, fileName: 'copy.pdf' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await stored(team)).toEqual({ files: 1, chunks: 1, bytes: report.length });
    expect(
      (await publishedTo(app, team)).filter(({ event_type }) => event_type.startsWith('lab_report.')),
    ).toHaveLength(1);
    expect((await send(team, 'another', { fields })).body.id).not.toBe(first.body.id);
  });

  test('with other bytes, another order or other fields is refused, and nothing is stored', async () => {
    const team = await app.makeTeam();
    const fields = { user_id: (await makeUser(team)).user_id };
    const files = [report, pngHead(5, 5)];
    const { body } = await send(team, 'once', { fields, files });
    const before = await stored(team);
    for (const other of [
      { fields, files: [report, pngHead(5, 6)] },
      { fields, files: files.toReversed() },
      { fields, files: [report] },
      { fields: { ...fields, needs_human_review: 'true' }, files },
    ]) {
      expect(await send(team, 'once', other)).toMatchObject({ status: 409, body: { code: 'idempotency_mismatch' } });
      expect(await stored(team)).toEqual(before);
    }
    expect((await readJob(team, body.id)).files).toHaveLength(2);
    expect((await send(await app.makeTeam(), 'once', { fields })).status).toBe(404);
  });

  test('is accepted after a refusal', async () => {
    const team = await app.makeTeam();
    const fields = { user_id: (await makeUser(team)).user_id };
    expect((await send(team, 'once', { fields: { user_id: randomUUID() } })).status).toBe(404);
    expect((await send(team, 'once', { fields, files: [Buffer.from('GIF89a')] })).body.code).toBe(
      'file_not_recognised',
    );
    expect((await send(team, 'once', { fields })).status).toBe(200);
  });

  test('at the same time is stored once: a second request is refused or gets the first answer', async () => {
    const team = await app.makeTeam();
    const fields = { user_id: (await makeUser(team)).user_id };
    const answers = await Promise.all(Array.from({ length: 4 }, () => send(team, 'once', { fields })));
    const taken = answers.filter(({ status }) => status === 200);
    expect(new Set(taken.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ body }) => body.code === 'idempotency_in_flight').length).toBe(4 - taken.length);
    expect(await stored(team)).toMatchObject({ files: 1, chunks: 1 });
  });
});

describe('a report that waits for a review', () => {
  test('is reviewed once, and the review is published', async () => {
    const team = await app.makeTeam();
    const user = (await makeUser(team)).user_id;
    // The jobs of other tests have large files. Without this, `runJobs` would read them.
    await sql`delete from lab_report_jobs`.execute(app.db);
    const { body } = await sent(pngHead(20, 30), team, user);
    const scoped = await findJobScope(app.ctx, body.id);
    const waiting = async () => (await listToReview(app.ctx, team.id)).map(({ job_id }) => job_id);
    expect(await waiting()).toEqual([]);
    await expect(reviewJob(scoped, body.id, { confirm_patient: false })).rejects.toMatchObject({ code: 'not_found' });
    await app.runJobs();
    expect(await waiting()).toEqual([body.id]);
    expect(await listToReview(app.ctx, (await app.makeTeam()).id)).toEqual([]);
    for (let n = 0; n < 2; n += 1)
      expect(await reviewJob(scoped, body.id, { confirm_patient: false })).toMatchObject({
        needs_human_review: true,
        is_reviewed: true,
      });
    expect(await waiting()).toEqual([]);
    expect((await readJob(team, body.id)).is_reviewed).toBe(true);
    const eventTypes = (await publishedTo(app, team)).map(({ event_type }) => event_type);
    expect(eventTypes.filter((type) => type === 'lab_report.parsing_job.updated')).toHaveLength(2);
  });

  test('is not found under an unknown id, and not listed once its user is scheduled for deletion', async () => {
    await expect(findJobScope(app.ctx, randomUUID())).rejects.toMatchObject({ code: 'not_found' });
    const team = await app.makeTeam();
    const user = (await makeUser(team)).user_id;
    const { body } = await sent(pngHead(20, 30), team, user);
    await app.runJobs();
    await team.api('DELETE', `/v2/user/${user}`);
    expect(await listToReview(app.ctx, team.id)).toEqual([]);
    const review = reviewJob(await findJobScope(app.ctx, body.id), body.id, { confirm_patient: false });
    await expect(review).rejects.toMatchObject({ code: 'user_scheduled_for_deletion' });
  });
});

describe('stored files', () => {
  test('are deleted with their user, to the last byte', async () => {
    const team = await app.makeTeam();
    const own = (await makeUser(team)).user_id;
    await sent(Buffer.concat([report, Buffer.alloc(MIB, 'x')]), team, own);
    const stays = (await makeUser(team)).user_id;
    const retained = await sent(report, team, stays);
    expect(await stored(team)).toMatchObject({ files: 2, chunks: 6 });
    await team.api('DELETE', `/v2/user/${own}`);
    await sql`update users set deleted_at = deleted_at - interval '8 days' where id = ${own}`.execute(app.db);
    expect(await eraseUsers(app.ctx)).toBe(1);
    expect(await stored(team)).toEqual({ files: 1, chunks: 1, bytes: report.length });
    expect((await readJob(team, retained.body.id)).files).toHaveLength(1);
  });

  test('of an interrupted upload are deleted after three hours, and not before', async () => {
    const team = await app.makeTeam();
    const own = (await makeUser(team)).user_id;
    await sent(report, team, own);
    const cutOff = (hours: number) => sql`
      with file as (
        insert into lab_report_files (id, team_id, job_id, n, kind, bytes, created_at)
        values (gen_random_uuid(), ${team.id}, gen_random_uuid(), 0, 'pdf', 1, now() - make_interval(hours => ${hours}))
        returning id
      ) insert into lab_report_chunks (file_id, n, team_id, content) select id, 0, ${team.id}, 'x' from file`;
    await cutOff(2).execute(app.db);
    await cutOff(4).execute(app.db);
    expect(await stored(team)).toMatchObject({ files: 3, chunks: 3 });
    await dropExpired(app.ctx);
    expect(await stored(team)).toMatchObject({ files: 2, chunks: 2 });
  });
});

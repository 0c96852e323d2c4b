import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { makeUser } from './factories.ts';
import { endPrograms, makeDatabase, makeFolder } from './program.ts';
import { publishedTo } from './publish-event.ts';
import { REPORT_ROWS, reportPdf, type ParsingJob } from './sent-reports.ts';

const curl = spawnSync('curl', ['--version']).status === 0;

let app: TestApp;
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await makeDatabase();
  app = await startTestApp({}, { databaseUrl });
});
afterAll(async () => {
  await app.close();
  await endPrograms();
});

test.skipIf(!curl)(
  `the commands of the guide send a report, read it and review it${curl ? '' : ' (skipped: there is no curl)'}`,
  async () => {
    const { user_id } = await makeUser(app.team);
    const folder = makeFolder();
    const report = await reportPdf({ rows: [...REPORT_ROWS, { name: 'Frobnicase', value: '3', unit: '', range: '' }] });
    writeFileSync(join(folder, 'report.pdf'), report);
    const guide = readFileSync('docs/guides/parse-a-report.md', 'utf8');
    const [send = '', read = '', review = ''] = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, lines]) => lines);
    const [list = '', show = '', look = ''] = review.split('\n');
    const env = { ...process.env, BASE_URL: app.baseUrl, TEAM_API_KEY: app.team.api_key, USER_ID: user_id };
    const operator = { DATABASE_URL: databaseUrl, PHIAL_LOG_LEVEL: 'silent' };
    const run = async (command: string, job = ''): Promise<string> => {
      const text = command.replace('bin/phial.mjs', join(PACKAGE_ROOT, 'bin/phial.mjs'));
      const given = { ...env, ...operator, JOB_ID: job };
      return (await promisify(execFile)('sh', ['-ec', text], { cwd: folder, env: given })).stdout.trim();
    };

    const { id, status } = JSON.parse(await run(send)) as ParsingJob;
    expect(status).toBe('started');
    expect(await run(list)).toBe('');
    await app.runJobs();
    const job = JSON.parse(await run(read, id)) as ParsingJob;
    expect(job).toMatchObject({ status: 'completed', needs_human_review: true, is_reviewed: false });
    expect(job.data?.results.map(({ test_name }) => test_name)).toContain('Glucose');

    const listed = await run(list);
    expect(JSON.parse(listed)).toEqual({
      job_id: id,
      team_id: app.team.id,
      user_id,
      files: 1,
      created_at: expect.any(String),
    });
    expect(listed).not.toContain('Palmer');
    expect(JSON.parse(await run(show, id))).toMatchObject({ data: { metadata: { patient_last_name: 'Palmer' } } });
    expect(await run(look, id)).toBe('The report is reviewed, and its team is notified.');
    expect(await run(list)).toBe('');
    const reviewed = { ...job, is_reviewed: true, files: expect.any(Array) };
    expect(JSON.parse(await run(read, id))).toEqual(reviewed);
    const event = (await publishedTo(app, app.team)).at(-1);
    const { files: _, ...data } = reviewed;
    expect([event?.event_type, (JSON.parse(event?.body ?? '') as { data: object }).data]).toEqual([
      'lab_report.parsing_job.updated',
      data,
    ]);
    const lines = await app.db.selectFrom('audit_log').selectAll().where('actor', '=', 'operator').execute();
    expect(lines.map(({ action, records }) => [action, records])).toEqual([
      ['report-parser show', [id]],
      ['report-parser review', [id]],
    ]);
  },
);

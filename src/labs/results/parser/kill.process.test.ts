import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { makeUser } from '../../../../test/factories.ts';
import { endPrograms, makeDatabase, startProgram } from '../../../../test/program.ts';
import { publishedTo } from '../../../../test/publish-event.ts';
import { readJob, REPORT_ROWS, reportPdf, sendReport } from '../../../../test/sent-reports.ts';
import { labReportParsing } from './run-parsing.ts';

const FILES = 10;

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

test('a report whose worker is killed while it reads is read by another worker and published once', async () => {
  const { user_id } = await makeUser(app.team);
  const report = await reportPdf({ rows: REPORT_ROWS });
  const { body } = await sendReport(
    app.team,
    user_id,
    Array.from({ length: FILES }, () => report),
  );
  const row = async () =>
    app.db
      .selectFrom('lab_report_jobs')
      .select(['status', 'attempts'])
      .where('id', '=', body.id)
      .executeTakeFirstOrThrow();
  const worker = await startProgram({ args: ['worker'], env: { DATABASE_URL: databaseUrl } });
  await expect.poll(row, { timeout: 60_000, interval: 10 }).toEqual({ status: 'running', attempts: 1 });
  expect(await worker.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
  expect(await row()).toEqual({ status: 'running', attempts: 1 });

  // Another worker takes the report only after the lease of the killed worker has expired.
  await labReportParsing.run(app.ctx, {});
  expect(await row()).toEqual({ status: 'running', attempts: 1 });
  await sql`update lab_report_jobs set lease_until = now() - interval '1 second'`.execute(app.db);
  await labReportParsing.run(app.ctx, {});
  expect(await row()).toEqual({ status: 'completed', attempts: 2 });
  expect((await readJob(app.team, body.id)).data?.results).toHaveLength(FILES * REPORT_ROWS.length);
  const eventTypes = (await publishedTo(app, app.team)).map(({ event_type }) => event_type);
  expect(eventTypes.filter((type) => type === 'lab_report.parsing_job.updated')).toHaveLength(1);
});

// Lab reports from their upload to the data, with the process that reads them.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { makeUser, patientDetails, registeredKit, simulate } from '../../../../test/factories.ts';
import { byMllp, connectTestLaboratory } from '../../../../test/hl7-deployment.ts';
import { nestedStates, pageDrawnBy, samePage } from '../../../../test/hostile-pdfs.ts';
import { jpegHead, pngHead } from '../../../../test/images.ts';
import {
  LAYOUTS,
  pdf,
  readJob,
  REPORT_ROWS,
  reportPdf,
  sendReport,
  type ParsingJob,
} from '../../../../test/sent-reports.ts';
import { person } from '../../../../test/people.ts';
import { fetchPdf } from '../../../../test/pdf.ts';
import { publishedTo } from '../../../../test/publish-event.ts';
import { claimNext, type Leased } from '../../../files/file-queue.ts';
import { LAB_REPORTS } from './lab-report-queue.ts';
import { finishJob } from './finish-job.ts';
import { runParsing } from './run-parsing.ts';
import { setBeta } from '../../../tenancy/teams/betas.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/team-scope.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const newUser = async (): Promise<string> => (await makeUser(app.team)).user_id;
async function parsed(files: Buffer[], userId?: string, fields: Record<string, string> = {}): Promise<ParsingJob> {
  const { status, body } = await sendReport(app.team, userId ?? (await newUser()), files, fields);
  expect([status, body.status]).toEqual([200, 'started']);
  await app.runJobs();
  return readJob(app.team, body.id);
}
const eventsOf = async (userId: string) =>
  (await publishedTo(app, app.team))
    .filter(({ event_type, user_id }) => event_type.startsWith('lab_report.') && user_id === userId)
    .map(({ event_type, body }) => [event_type, (JSON.parse(body) as { data: Record<string, unknown> }).data] as const);

describe('a lab report as a PDF', () => {
  test.each(LAYOUTS)('in the layout %s is read into results with LOINC codes and markers', async (layout) => {
    const job = await parsed([await reportPdf({ layout, rows: REPORT_ROWS })]);
    expect(job).toMatchObject({
      status: 'completed',
      failure_reason: null,
      needs_human_review: false,
      is_reviewed: false,
    });
    expect(job.job_id).toBe(job.id);
    expect(job.data?.metadata).toEqual({
      patient_first_name: 'Grace',
      patient_last_name: 'Palmer',
      dob: '1988-04-12',
      gender: 'female',
      lab_name: 'Saguaro Clinical Laboratories',
      date_reported: '2026-01-06',
      date_collected: '2026-01-05',
      specimen_number: 'SG-104233',
    });
    const code = (result: Record<string, unknown>) =>
      (result['loinc_matches'] as { loinc_code: string }[] | null)?.[0]?.loinc_code;
    expect(
      job.data?.results.map((result) => [
        result.test_name,
        result.value,
        result['units'],
        code(result),
        result['loinc_match_status'],
        result['interpretation'],
      ]),
    ).toEqual([
      ['Glucose', '95', 'mg/dL', '2345-7', 'auto_match', 'normal'],
      ['Hemoglobin A1c', '6.1', '%', '4548-4', 'auto_match', 'abnormal'],
      ['TSH', '2.10', 'mIU/L', '3016-3', 'auto_match', 'normal'],
      ['LDL Cholesterol', '162', 'mg/dL', '2089-1', 'auto_match', 'abnormal'],
      ['HDL Cholesterol', '38', 'mg/dL', '2085-9', 'auto_match', 'abnormal'],
    ]);
    expect(job.data?.results[1]).toMatchObject({
      type: 'percentage',
      max_reference_range: 5.7,
      min_reference_range: null,
      is_above_max_range: true,
      is_below_min_range: null,
      sample_type: 'serum_plasma_blood',
      source_markers: expect.arrayContaining([expect.objectContaining({ marker_id: expect.any(Number) })]),
    });
  });

  test('is published when it was sent and when it was read, without links', async () => {
    const userId = await newUser();
    const job = await parsed([await reportPdf({ rows: REPORT_ROWS })], userId);
    const { files, ...rest } = job;
    expect(files).toHaveLength(1);
    expect(await eventsOf(userId)).toEqual([
      ['lab_report.parsing_job.created', { ...rest, status: 'started', data: null }],
      ['lab_report.parsing_job.updated', rest],
    ]);
  });

  test.each([
    ['an unknown name', [{ name: 'Frobnicase', value: '3', unit: 'U/L', range: '1-5' }], 'no_match'],
    [
      'a unit that the analyte does not have',
      [{ name: 'Glucose', value: '5.2', unit: 'mmol/L', range: '3.9-5.5' }],
      'needs_review',
    ],
  ])('with %s waits for a review', async (_what, rows, status) => {
    const job = await parsed([await reportPdf({ rows })]);
    expect([job.status, job.needs_human_review, job.data?.results[0]?.['loinc_match_status']]).toEqual([
      'completed',
      true,
      status,
    ]);
  });

  test.each([
    ['the same', { ...person, first_name: 'Grace', last_name: 'Palmer', dob: '1988-04-12' }, false],
    ['another name', { ...person, first_name: 'Ada', last_name: 'Palmer', dob: '1988-04-12' }, true],
    ['another date of birth', { ...person, first_name: 'Grace', last_name: 'Palmer', dob: '1988-04-13' }, true],
  ])(
    'of a user with %s is marked for review only if they differ, and is not refused',
    async (_what, info, needsReview) => {
      const userId = await newUser();
      expect((await app.api('PATCH', `/v2/user/${userId}/info`, info)).status).toBe(200);
      const job = await parsed([await reportPdf({ rows: REPORT_ROWS })], userId);
      expect([job.status, job.needs_human_review, job.data?.results.length]).toEqual(['completed', needsReview, 5]);
    },
  );

  test('shows the reviewer its unread lines and the patient as read, also after a correction', async () => {
    const rows = [...REPORT_ROWS, { name: 'Ferritin', value: 'l2.4', unit: 'ng/mL', range: '15-150' }];
    const { id } = await parsed([await reportPdf({ rows })]);
    const at = `/v1/org/${app.team.org_id}/team/${app.team.id}/sandbox/lab_report_review/${id}`;
    const asRead = {
      read_patient: { first_name: 'Grace', last_name: 'Palmer', dob: '1988-04-12' },
      unread_lines: ['Ferritin l2.4 ng/mL 15-150'],
    };
    expect((await app.api('GET', at)).body).toMatchObject(asRead);
    const corrected = {
      metadata: { patient_first_name: 'Elena', patient_last_name: 'Marsh', dob: '1961-10-27' },
      results: [{ test_name: 'Ferritin', value: '12.4' }],
    };
    expect((await app.api('PUT', `${at}/data`, corrected)).body).toMatchObject({
      ...asRead,
      data: { metadata: corrected.metadata },
    });
  });

  test('waits for a review if the request asked for one', async () => {
    const job = await parsed([await reportPdf({ rows: REPORT_ROWS })], undefined, { needs_human_review: 'true' });
    expect([job.needs_human_review, job.data?.results.length]).toEqual([true, 5]);
  });
});

test('in production a report is read by the analytes and names of the connected laboratories', async () => {
  const production = await startTestApp({ PHIAL_ENVIRONMENT: 'production' });
  try {
    const { team, databaseUrl } = production;
    await connectTestLaboratory(databaseUrl, { orders: byMllp(9) });
    await setBeta(production.ctx, {
      org_id: team.org_id,
      team_id: team.id,
      beta: 'lab_report_parser',
      open: true,
    });
    const { body } = await sendReport(team, (await makeUser(team)).user_id, [await reportPdf({ rows: REPORT_ROWS })]);
    await production.runJobs();
    const job = await readJob(team, body.id);
    expect([job.status, job.data?.results[0]?.['loinc_matches']]).toMatchObject([
      'completed',
      [{ loinc_code: '2345-7', loinc_name: 'Glucose', display_name: 'Glucose' }],
    ]);
  } finally {
    await production.close();
  }
});

/** A report states the day in the zone of the patient, who lives in Phoenix. */
const dayOfPatient = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Phoenix' });

test('a report that we print is read back with its patient and its laboratory', async () => {
  const order = await registeredKit(app.team);
  await simulate(app.team, order.id, '?final_status=completed.testkit.completed');
  const { bytes } = await fetchPdf(app, `/v3/order/${order.id}/result/pdf`);
  const { metadata } = (await app.api<{ metadata: { date_reported: string } }>('GET', `/v3/order/${order.id}/result`))
    .body;
  const job = await parsed([Buffer.from(bytes)]);
  expect(job.data?.metadata).toMatchObject({
    patient_first_name: patientDetails.first_name,
    patient_last_name: patientDetails.last_name,
    dob: patientDetails.dob,
    gender: patientDetails.gender,
    lab_name: 'Phial Simulated Kit Laboratory',
    date_reported: dayOfPatient.format(new Date(metadata.date_reported)),
    specimen_number: order.sample_id,
  });
});

describe('text in images is not recognised', () => {
  test('an image is stored and waits for a review', async () => {
    const job = await parsed([pngHead(2_000, 3_000), jpegHead(2_000, 3_000)]);
    expect(job).toMatchObject({ status: 'completed', data: null, needs_human_review: true });
    expect(job.files.map(({ content_type }) => content_type)).toEqual(['image/png', 'image/jpeg']);
  });

  test('a PDF without text waits for a review', async () => {
    const job = await parsed([await pdf((document) => void document.rect(50, 50, 100, 100).fill('black'))]);
    expect(job).toMatchObject({ status: 'completed', data: null, needs_human_review: true });
  });

  test('a PDF with an image beside it waits for a review', async () => {
    const job = await parsed([await reportPdf({ rows: REPORT_ROWS }), pngHead(20, 30)]);
    expect([job.data?.results.length, job.needs_human_review]).toEqual([5, true]);
  });
});

describe('a file that is made to break its reader', () => {
  test.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ['locked by a password', () => reportPdf({ rows: REPORT_ROWS }, { userPassword: 'saguaro' }), 'invalid_input'],
    ['cut off', async () => (await reportPdf({ rows: REPORT_ROWS })).subarray(0, 900), 'invalid_input'],
    ['of rubbish', () => Buffer.from(`%PDF-1.7\n${'obj <<'.repeat(5_000)}`), 'invalid_input'],
    ['of 10,000 pages', () => samePage(10_000), 'too_many_pages'],
  ])('%s fails with its reason', async (_what, make, reason) => {
    const job = await parsed([await make()]);
    expect([job.status, job.failure_reason, job.data]).toEqual(['failed', reason, null]);
  });

  test.each<[string, () => Buffer]>([
    ['nested deep', () => pageDrawnBy('['.repeat(5_000))],
    ['with text in a loop of states', () => nestedStates(2_000)],
  ])('%s ends the job, completed or failed', async (_what, make) => {
    expect(['completed', 'failed']).toContain((await parsed([make()])).status);
  });
});

const claim = (): Promise<Leased | null> => claimNext(app.ctx, LAB_REPORTS);

describe('a report that two processes know', () => {
  test('is read by one, and after the end of its lease by the other; the first cannot change it then', async () => {
    const userId = await newUser();
    const { body } = await sendReport(app.team, userId, [await reportPdf({ rows: REPORT_ROWS })]);
    const first = await claim();
    expect(first?.id).toBe(body.id);
    expect(await claim()).toBeNull();
    await runParsing(app.ctx);
    expect((await readJob(app.team, body.id)).status).toBe('started');
    await sql`update lab_report_jobs set lease_until = now() - interval '1 second' where id = ${body.id}`.execute(
      app.db,
    );
    await runParsing(app.ctx);
    const read = await readJob(app.team, body.id);
    expect(read.status).toBe('completed');
    const team = await findTeamScopeOrNull(app.ctx, app.team.id);
    if (!first || !team) throw new Error('There is no team or no claim.');
    await finishJob(forTeam(app.ctx, team), first, { failure: 'processing_error' });
    const { files: _, ...before } = read;
    expect(await readJob(app.team, body.id)).toMatchObject(before);
    expect((await eventsOf(userId)).map(([type]) => type)).toHaveLength(2);
  });

  test('is given up when every attempt ended its process', async () => {
    const { body } = await sendReport(app.team, await newUser(), [await reportPdf({ rows: REPORT_ROWS })]);
    await sql`
      update lab_report_jobs set attempts = 3, status = 'running', lease_until = now() - interval '1 second'
       where id = ${body.id}`.execute(app.db);
    await runParsing(app.ctx);
    expect(await readJob(app.team, body.id)).toMatchObject({ status: 'failed', failure_reason: 'processing_error' });
  });

  test('lets other teams run: one report of a team at a time, the oldest first', async () => {
    const other = await app.makeTeam('Mesa Labs');
    const { user_id } = await makeUser(other);
    const mine = await newUser();
    const ids = [];
    for (let n = 0; n < 2; n += 1) ids.push((await sendReport(app.team, mine, [pngHead(5, 5)])).body.id);
    const theirs = (await sendReport(other, user_id, [pngHead(5, 5)])).body.id;
    const claims = [await claim(), await claim(), await claim()];
    expect(claims.map((each) => each?.id ?? null)).toEqual([ids[0], theirs, null]);
  });
});

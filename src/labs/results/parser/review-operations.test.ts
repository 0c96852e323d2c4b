import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { makeUser, patientAddress, patientDetails } from '../../../../test/factories.ts';
import { pngHead } from '../../../../test/images.ts';
import { publishedTo } from '../../../../test/publish-event.ts';
import { sendReport } from '../../../../test/sent-reports.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Page = { data: { job_id: string; user_id: string; files: number }[]; next_cursor: string | null };
const base = ({ org_id, id }: Team): string => `/v1/org/${org_id}/team/${id}/sandbox/lab_report_review`;
const list = async (team: Team, query = ''): Promise<Page> =>
  (await team.api<Page>('GET', `${base(team)}?${query}`)).body;

async function waiting(team: Team): Promise<{ job_id: string; user_id: string }> {
  const { user_id } = await makeUser(team);
  const { body } = await sendReport(team, user_id, [pngHead(5, 5)]);
  await sql`
    update lab_report_jobs set status = 'completed', needs_human_review = true, ended_at = now()
     where id = ${body.id}`.execute(app.db);
  return { job_id: body.id, user_id };
}

test('lab reports that wait for a review are listed page by page, the oldest first', async () => {
  const team = await app.makeTeam();
  const [first, second] = [await waiting(team), await waiting(team)];
  await sendReport(team, first.user_id, [pngHead(5, 5)]);
  const page = await list(team, 'limit=1');
  expect(page.data).toEqual([{ ...first, files: 1, created_at: expect.any(String), is_reviewed: false }]);
  const rest = await list(team, `limit=1&next_cursor=${page.next_cursor}`);
  expect([rest.data.map(({ job_id }) => job_id), rest.next_cursor]).toEqual([[second.job_id], null]);
  expect((await list(await app.makeTeam())).data).toEqual([]);
  await team.api('DELETE', `/v2/user/${first.user_id}`);
  expect((await list(team)).data.map(({ job_id }) => job_id)).toEqual([second.job_id]);
});

test('an accepted report leaves the list, and its team is notified once', async () => {
  const team = await app.makeTeam();
  const { job_id } = await waiting(team);
  const at = `${base(team)}/${job_id}`;
  expect((await team.api('GET', at)).body).toMatchObject({ job_id, is_reviewed: false, files: [{}] });
  const published = async (): Promise<number> =>
    (await publishedTo(app, team)).filter(({ event_type }) => event_type === 'lab_report.parsing_job.updated').length;
  const before = await published();
  for (let n = 0; n < 2; n += 1)
    expect((await team.api('POST', `${at}/accept`)).body).toMatchObject({ job_id, is_reviewed: true });
  expect(await published()).toBe(before + 1);
  expect((await list(team)).data).toEqual([]);
});

test('accepted reports are found again by their status, the newest first', async () => {
  const team = await app.makeTeam();
  const [first, second, third] = [await waiting(team), await waiting(team), await waiting(team)];
  for (const { job_id } of [first, second]) await team.api('POST', `${base(team)}/${job_id}/accept`);
  const idsOf = ({ data }: Page): string[] => data.map(({ job_id }) => job_id);
  const page = await list(team, 'status=accepted&limit=1');
  expect([idsOf(page), page.data]).toMatchObject([[second.job_id], [{ is_reviewed: true }]]);
  const rest = await list(team, `status=accepted&limit=1&next_cursor=${page.next_cursor}`);
  expect([idsOf(rest), rest.next_cursor]).toEqual([[first.job_id], null]);
  expect(idsOf(await list(team, 'status=all'))).toEqual([third.job_id, second.job_id, first.job_id]);
  expect(idsOf(await list(team))).toEqual([third.job_id]);
});

const corrected = {
  metadata: { patient_first_name: 'Ada', patient_last_name: 'Lovelace', dob: '1980-12-10' },
  results: [
    { test_name: 'Glucose', value: '250', units: 'mg/dL', reference_range: '70-99', source_panel_name: 'Chemistry' },
    { test_name: 'Not a test that anybody knows', value: 'negative' },
  ],
};

test('a person corrects what was read, and the event of the acceptance has the corrected data', async () => {
  const team = await app.makeTeam();
  const { job_id } = await waiting(team);
  const at = `${base(team)}/${job_id}`;
  const published = async () =>
    (await publishedTo(app, team)).filter(({ event_type }) => event_type === 'lab_report.parsing_job.updated');
  const before = (await published()).length;
  const { status, body } = await team.api<{ data: { results: object[] } }>('PUT', `${at}/data`, corrected);
  expect([status, body]).toMatchObject([
    200,
    {
      is_reviewed: false,
      data: {
        metadata: { ...corrected.metadata, gender: 'other', lab_name: null },
        results: [
          {
            test_name: 'Glucose',
            value: '250',
            units: 'mg/dL',
            min_reference_range: 70,
            max_reference_range: 99,
            is_above_max_range: true,
            interpretation: 'abnormal',
            loinc_match_status: 'auto_match',
          },
          { value: 'negative', loinc_match_status: 'no_match' },
        ],
      },
    },
  ]);
  expect((await published()).length).toBe(before);
  await team.api('POST', `${at}/accept`);
  const events = await published();
  expect([events.length, JSON.parse(events.at(-1)?.body ?? '')]).toMatchObject([
    before + 1,
    { data: { is_reviewed: true, data: body.data } },
  ]);
  expect((await team.api('PUT', `${at}/data`, corrected)).status).toBe(404);
});

test('a report that names another patient is marked, and accepted only with a confirmation', async () => {
  const team = await app.makeTeam();
  const { job_id, user_id } = await waiting(team);
  const ann = { ...patientDetails, first_name: 'Ann', last_name: 'Lee', dob: '1980-01-01', address: patientAddress };
  expect((await team.api<object>('PATCH', `/v2/user/${user_id}/info`, ann)).status).toBe(200);
  const at = `${base(team)}/${job_id}`;
  type Review = { names_other_patient: boolean; is_reviewed: boolean; code?: string };
  const correct = async (first: string, last: string, dob: string): Promise<boolean> => {
    const metadata = { patient_first_name: first, patient_last_name: last, dob };
    const answer = await team.api<Review>('PUT', `${at}/data`, { ...corrected, metadata });
    expect(answer.status).toBe(200);
    return answer.body.names_other_patient;
  };
  const accept = async (query = '') => {
    const { status, body } = await team.api<Review>('POST', `${at}/accept${query}`);
    return [status, body.code ?? body.is_reviewed];
  };
  expect(await correct('Ann M.', 'Lee', '1980-01-01')).toBe(false);
  expect(await correct('Bob', 'Other', '1955-05-05')).toBe(true);
  expect((await team.api<Review>('GET', at)).body.names_other_patient).toBe(true);
  expect(await accept()).toEqual([400, 'report_of_other_patient']);
  expect((await list(team)).data).toHaveLength(1);
  expect(await accept('?confirm_patient=true')).toEqual([200, true]);
  expect(await accept()).toEqual([200, true]);
});

test('a correction needs results, and a report that waits', async () => {
  const [team, other] = [await app.makeTeam(), await app.makeTeam()];
  const { job_id, user_id } = await waiting(other);
  expect((await team.api('PUT', `${base(team)}/${job_id}/data`, corrected)).status).toBe(404);
  expect((await other.api('PUT', `${base(other)}/${job_id}/data`, { ...corrected, results: [] })).status).toBe(422);
  const { body } = await sendReport(other, user_id, [pngHead(5, 5)]);
  expect((await other.api('PUT', `${base(other)}/${body.id}/data`, corrected)).status).toBe(404);
});

test('a report of another team, and one that needs no review, cannot be accepted', async () => {
  const [team, other] = [await app.makeTeam(), await app.makeTeam()];
  const { job_id, user_id } = await waiting(other);
  expect((await team.api('GET', `${base(team)}/${job_id}`)).status).toBe(404);
  expect((await team.api('POST', `${base(team)}/${job_id}/accept`)).status).toBe(404);
  const { body } = await sendReport(other, user_id, [pngHead(5, 5)]);
  expect((await other.api('POST', `${base(other)}/${body.id}/accept`)).status).toBe(404);
});

type Data = { metadata: Record<string, unknown>; results: Record<string, unknown>[] };
type Problems = { detail: { loc: unknown[] }[] };
const twoMore = [
  { test_name: 'Hemoglobin A1c', value: '5.7', units: '%', reference_range: '<=5.7' },
  { test_name: 'Glucose', value: '80', units: 'mg/dL', reference_range: '>=60', flag: 'HH' },
];

test('what was answered can be sent back, and changes nothing', async () => {
  const team = await app.makeTeam();
  const { job_id } = await waiting(team);
  const at = `${base(team)}/${job_id}`;
  const read = async () => (await team.api<{ data: Data }>('GET', at)).body.data;
  await team.api('PUT', `${at}/data`, { ...corrected, results: [...corrected.results, ...twoMore] });
  const first = await read();
  expect(first.results.map(({ interpretation }) => interpretation)).toEqual([
    'abnormal',
    'unknown',
    'normal',
    'critical',
  ]);
  expect((await team.api('PUT', `${at}/data`, first)).status).toBe(200);
  expect(await read()).toEqual(first);
  const [glucose] = first.results;
  await team.api('PUT', `${at}/data`, { ...first, results: [{ ...glucose, value: '88' }] });
  expect((await read()).results).toEqual([
    { ...glucose, value: '88', interpretation: 'normal', is_above_max_range: false },
  ]);
});

test('a correction that cannot be true is refused, with all problems', async () => {
  const team = await app.makeTeam();
  const { job_id } = await waiting(team);
  const refused = async (metadata: object, ...results: object[]): Promise<unknown[]> => {
    const of = (more: object) => ({ test_name: 'Glucose', value: '88', units: 'mg/dL', ...more });
    const body = { metadata, results: results.map(of) };
    const answer = await team.api<Problems>('PUT', `${base(team)}/${job_id}/data`, body);
    return answer.status === 422 ? answer.body.detail.map(({ loc }) => loc.slice(1).join('.')).toSorted() : [];
  };
  const later = { date_collected: '2026-01-06', date_reported: '2026-01-05' };
  expect(await refused({ ...later, dob: '2999-01-01' }, { reference_range: '99-70' })).toEqual([
    'metadata.date_reported',
    'metadata.dob',
    'results.0.reference_range',
  ]);
  expect(await refused({ dob: '1700-01-01', date_collected: '2999-01-01' }, {})).toEqual([
    'metadata.date_collected',
    'metadata.dob',
  ]);
  const ends = { min_reference_range: 70, max_reference_range: 99 };
  expect(await refused({}, { ...ends, reference_range: '65-99' }, { ...ends, min_reference_range: 100 })).toEqual([
    'results.0.reference_range',
    'results.1.min_reference_range',
  ]);
  expect(await refused({}, { ...ends, reference_range: '70 - 99' })).toEqual([]);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LAYOUTS, pdf, REPORT_ROWS, reportPdf, type ReportText, type Row } from '../../../../../test/sent-reports.ts';
import { readPdf } from './read-pdf.ts';
import type { ReadReport } from './read-report.ts';

async function read(bytes: Uint8Array): Promise<ReadReport> {
  const said = await readPdf(bytes);
  if ('failed' in said) throw new Error(said.failed);
  return said.report;
}
const readReport = async (report: ReportText): Promise<ReadReport> => read(await reportPdf(report));

describe.each(LAYOUTS)('a report in the layout %s', (layout) => {
  test('is read row by row, with unit, range, flag and panel', async () => {
    const { rows, unread } = await readReport({ layout, rows: REPORT_ROWS });
    expect(rows).toEqual(
      REPORT_ROWS.map(({ name, value, unit, range, flag }) => ({
        name,
        value,
        unit,
        range,
        flag: flag ?? null,
        panel: layout === 'sentences' ? null : 'GENERAL CHEMISTRY',
      })),
    );
    expect(unread).toBe(0);
  });

  test('is read over several pages', async () => {
    const rows = Array.from({ length: 95 }, (_, n) => ({ ...(REPORT_ROWS[n % 5] as Row), value: String(n + 1) }));
    expect((await readReport({ layout, rows })).rows.map(({ value }) => value)).toEqual(rows.map(({ value }) => value));
  });

  test('is read with any names and figures', async () => {
    const word = fc.stringMatching(/^[A-Z][a-z]{2,9}$/);
    const row = fc.record({
      name: fc.tuple(word, fc.option(word)).map((words) => words.filter(Boolean).join(' ')),
      value: fc.oneof(
        fc.integer({ min: 0, max: 99_999 }).map(String),
        fc.integer({ min: 1, max: 999 }).map((n) => `${n}.${n % 10}`),
      ),
      unit: fc.constantFrom('mg/dL', '%', 'ng/mL', 'U/L', '10*3/uL', 'mL/min/1.73'),
      range: fc.tuple(fc.nat(50), fc.integer({ min: 51, max: 999 })).map(([low, high]) => `${low}-${high}`),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
        const found = (await readReport({ layout, rows })).rows;
        expect(found.map(({ name, value, unit, range }) => ({ name, value, unit, range }))).toEqual(rows);
      }),
      { numRuns: 12 },
    );
  });
});

describe('the lines above the table', () => {
  test('are not the panel of its rows, whether they name the laboratory or the patient', async () => {
    const heads = [['Saguaro Clinical Laboratories'], ['Laboratory report', 'Patient Name: Palmer, Grace']];
    for (const head of heads) {
      const { rows } = await readReport({ head, panel: null, rows: REPORT_ROWS });
      expect([...new Set(rows.map(({ panel }) => panel))]).toEqual([null]);
    }
  });

  test('are read if labels stand beside one another above their values', async () => {
    const { header } = await read(
      await pdf((document) => {
        const put = (y: number, ...texts: string[]): void =>
          texts.forEach((text, at) => document.text(text, 40 + at * 150, y, { lineBreak: false }));
        put(40, 'Name (last, first)', 'Date of birth', 'Sex');
        put(55, 'Palmer, Grace', 'Apr 12, 1988', 'Female');
        put(80, 'Collected', 'Received', 'Reported');
        put(95, 'Jan 5, 2026, 14:30 UTC', 'Jan 6, 2026, 09:00 UTC', 'Jan 7, 2026, 11:15 UTC');
        put(120, 'Laboratory', 'Address', 'CLIA number');
        put(135, 'Saguaro Clinical', '200 East Test Street', '03D0000001');
        put(150, 'Laboratories', 'Phoenix, AZ 85004');
        put(180, 'Comments of all kinds');
      }),
    );
    expect(header).toEqual({
      patient_first_name: 'Grace',
      patient_last_name: 'Palmer',
      dob: '1988-04-12',
      gender: 'female',
      lab_name: 'Saguaro Clinical Laboratories',
      date_reported: '2026-01-07',
      date_collected: '2026-01-05',
      specimen_number: null,
    });
  });

  test('name the patient, the laboratory and the dates', async () => {
    expect((await readReport({ rows: REPORT_ROWS })).header).toEqual({
      patient_first_name: 'Grace',
      patient_last_name: 'Palmer',
      dob: '1988-04-12',
      gender: 'female',
      lab_name: 'Saguaro Clinical Laboratories',
      date_reported: '2026-01-06',
      date_collected: '2026-01-05',
      specimen_number: 'SG-104233',
    });
  });

  test.each([
    ['SIMEKAVRPXENVAK', 'SIMEKAVRPXENVAK'],
    ['SG-104233', 'SG-104233'],
    ['SERUM', null],
  ])('name the specimen %s by the number %s', async (specimen, number) => {
    const { header } = await readReport({
      head: ['Patient: Grace Palmer', `Specimen: ${specimen}`],
      rows: REPORT_ROWS,
    });
    expect(header.specimen_number).toBe(number);
  });

  test.each([
    [
      ['Patient: Ada B. Palmer', 'Date of Birth: Apr 12, 1988', 'Gender: Male'],
      'Ada B.',
      'Palmer',
      '1988-04-12',
      'male',
    ],
    [['Patient First Name: Ada', 'Patient Last Name: Palmer', 'DOB: 1988-04-12'], 'Ada', 'Palmer', '1988-04-12', null],
    [['DOB: 31/12/1988', 'Sex: X'], null, null, null, null],
    [['The patient was well.', 'Name: 12345'], null, null, null, null],
  ])('are read as %j', async (head, patient_first_name, patient_last_name, dob, gender) => {
    expect((await readReport({ head, rows: REPORT_ROWS })).header).toMatchObject({
      patient_first_name,
      patient_last_name,
      dob,
      gender,
    });
  });
});

describe('a file that cannot be read', () => {
  test.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ['a file that ends early', async () => (await reportPdf({ rows: REPORT_ROWS })).subarray(0, 700), 'invalid_input'],
    ['rubbish', () => Buffer.from(`%PDF-1.7\n${'x'.repeat(5_000)}`), 'invalid_input'],
    ['a file with a password', () => reportPdf({ rows: REPORT_ROWS }, { userPassword: 'saguaro' }), 'invalid_input'],
    [
      '101 pages',
      () => pdf((document) => void Array.from({ length: 100 }, () => document.addPage())),
      'too_many_pages',
    ],
  ])('%s fails with a reason', async (_what, make, failed) => {
    expect(await readPdf(await make())).toEqual({ failed });
  });

  test('prose has no rows, and a page without text counts as unread', async () => {
    const text = 'Your results were discussed on 01/05/2026. Glucose was fine: take 2 tablets (5 mg) a day.';
    const { rows, unread } = await read(await pdf((document) => void document.text(text).addPage()));
    expect([rows, unread]).toEqual([[], 1]);
  });

  test('a line of a table with a figure that is not a result is counted and not guessed', async () => {
    const rows = [...REPORT_ROWS, { name: 'Ratio of things', value: '12 of about 40', unit: '', range: '' }];
    const report = await readReport({ rows });
    expect([report.rows.length, report.unread]).toEqual([5, 1]);
    expect(report.unread_lines).toEqual([expect.stringContaining('Ratio of things 12 of about 40')]);
  });
});

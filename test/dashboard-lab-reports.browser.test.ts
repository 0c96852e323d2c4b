import { expect, test } from 'vitest';
import { chooseByKeyboard, describeDashboard } from './dashboard.ts';
import { makeUser } from './factories.ts';
import { readJob, REPORT_ROWS, reportPdf, sendReport } from './sent-reports.ts';

/** A picture of one dot. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

await describeDashboard('the pages of lab reports', (dashboard) => {
  /** Sends a report that waits for a review, because nobody knows one of its tests. */
  async function reportToReview(): Promise<string> {
    const { app, team } = dashboard;
    const { user_id } = await makeUser(team);
    const rows = [...REPORT_ROWS, { name: 'Zorblax index', value: '7', unit: 'U', range: '1-5' }];
    const { body } = await sendReport(team, user_id, [await reportPdf({ rows })]);
    await app.runJobs();
    return body.id;
  }

  test('a report is found in the list, compared with its file, corrected and accepted', async () => {
    const { team } = dashboard;
    const id = await reportToReview();
    await dashboard.onEachScreen('lab-reports', '/laboratories?tab=reports', async (page) => {
      await page.getByRole('link', { name: `Review …${id.slice(-8)}` }).waitFor();
      // The list names no patient.
      expect(await page.getByText('Palmer').count()).toBe(0);
    });
    await dashboard.onEachScreen('lab-report', `/laboratories/reports/${id}`, async (page) => {
      await page.locator('iframe[title="File 1 of the report"]').waitFor();
      await page.getByText('No LOINC code has this name').waitFor();
    });
    const page = await dashboard.open('/');
    await page.getByRole('link', { name: /^Lab reports\s*1\s*Wait for a review/ }).click();
    await page.getByRole('link', { name: /^Review/ }).click();
    const glucose = page.getByRole('group', { name: 'Glucose' });
    await glucose.getByText(/^LOINC 2345-7/).waitFor();
    expect(await glucose.getByLabel('Range').inputValue()).toBe('70-99');
    await glucose.getByLabel('Value').fill('250');
    expect(await page.getByRole('button', { name: 'Accept this report?' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Remove Zorblax index' }).click();
    await page.getByRole('button', { name: 'Save the correction' }).click();
    await glucose.getByText('Abnormal').waitFor();
    await dashboard.check(page);
    expect((await readJob(team, id)).is_reviewed).toBe(false);
    await page.getByRole('button', { name: 'Accept this report?' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('heading', { name: 'What was accepted' }).waitFor();
    await page.getByRole('row', { name: 'Glucose 250 mg/dL 70-99 Abnormal High' }).waitFor();
    await dashboard.check(page);
    const { is_reviewed, data } = await readJob(team, id);
    expect(is_reviewed).toBe(true);
    expect(data?.results.map(({ test_name, value, units }) => [test_name, value, units])).toEqual([
      ['Glucose', '250', 'mg/dL'],
      ...REPORT_ROWS.slice(1).map(({ name, value, unit }) => [name, value, unit]),
    ]);
    expect(data?.metadata).toMatchObject({ patient_last_name: 'Palmer', dob: '1988-04-12', gender: 'female' });
    // What the form made of ranges and flags means the same as before.
    expect(data?.results.slice(1).map(({ interpretation }) => interpretation)).toEqual([
      'abnormal',
      'normal',
      'abnormal',
      'abnormal',
    ]);
    await page.getByRole('link', { name: 'All that wait' }).click();
    await page.getByText('No lab report waits for a review').waitFor();
    await chooseByKeyboard(page, page.getByRole('combobox', { name: 'State' }), 'Accepted');
    await page.getByRole('link', { name: `Report …${id.slice(-8)}` }).waitFor();
    expect(page.url()).toContain('state=accepted');
    await dashboard.check(page);
  });

  test('a picture that nobody could read is written down by the keyboard', async () => {
    const { app, team } = dashboard;
    const { user_id } = await makeUser(team);
    const { body } = await sendReport(team, user_id, [PICTURE]);
    await app.runJobs();
    const page = await dashboard.open(`/laboratories/reports/${body.id}?user=${user_id}`);
    await page.getByRole('img', { name: 'File 1 of the report' }).waitFor();
    await page.getByText('Nothing could be read.').waitFor();
    await page.getByRole('textbox', { name: 'Test' }).focus();
    await page.keyboard.type('TSH');
    await page.keyboard.press('Tab');
    await page.keyboard.type('2.1');
    await page.keyboard.press('Tab');
    await page.keyboard.type('mIU/L');
    await page.keyboard.press('Enter');
    await page
      .getByRole('group', { name: 'TSH' })
      .getByText(/^LOINC/)
      .waitFor();
    await dashboard.check(page);
    expect((await readJob(team, body.id)).data?.results).toMatchObject([{ test_name: 'TSH', value: '2.1' }]);
    expect(await page.getByRole('link', { name: 'Its user' }).getAttribute('href')).toContain(user_id);
  });
});

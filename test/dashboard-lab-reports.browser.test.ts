import { expect, test } from 'vitest';
import { chooseByKeyboard, describeDashboard } from './dashboard.ts';
import { makeUser, patientAddress, patientDetails } from './factories.ts';
import { readJob, REPORT_ROWS, reportPdf, sendReport, type Row } from './sent-reports.ts';

/** A picture of one dot. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

const GRACE = { first_name: 'Grace', last_name: 'Palmer', dob: '1988-04-12' };

await describeDashboard('the pages of lab reports', (dashboard) => {
  /** Sends a report that waits for a review, because nobody knows one of its tests. */
  async function reportToReview(user = GRACE, more: Row[] = []): Promise<string> {
    const { app, team } = dashboard;
    const { user_id } = await makeUser(team);
    await team.api('PATCH', `/v2/user/${user_id}/info`, { ...patientDetails, ...user, address: patientAddress });
    const rows = [...REPORT_ROWS, { name: 'Zorblax index', value: '7', unit: 'U', range: '1-5' }, ...more];
    const { body } = await sendReport(team, user_id, [await reportPdf({ rows })]);
    await app.runJobs();
    return body.id;
  }

  test('a report is found in the list, compared with its file, corrected and accepted', async () => {
    const { team } = dashboard;
    const id = await reportToReview();
    await dashboard.onEachScreen('lab-reports', '/laboratories?tab=reports', async (page) => {
      await page.getByRole('link', { name: `Review …${id.slice(-8)}` }).waitFor();
      await page.getByRole('cell', { name: 'Grace Palmer, born Apr 12, 1988' }).waitFor();
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
    await page.getByText('Saguaro Clinical Laboratories').waitFor();
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

  test('a report of another person shows both, why it waits, and what was read before a correction', async () => {
    const unread = { name: 'Ferritin', value: 'l2.4', unit: 'ng/mL', range: '15-150' };
    const id = await reportToReview({ first_name: 'Elena', last_name: 'Marsh', dob: '1961-10-27' }, [unread]);
    await dashboard.onEachScreen('lab-report-other', `/laboratories/reports/${id}`, async (page) => {
      await page.getByRole('row', { name: 'Name Differs Grace Palmer Elena Marsh' }).waitFor();
      await page.getByText('Lines that could not be read: 1.').waitFor();
      await page.getByText('Ferritin l2.4 ng/mL 15-150').waitFor();
    });
    const page = await dashboard.open(`/laboratories/reports/${id}`);
    await page.getByRole('row', { name: 'Date of birth Differs Apr 12, 1988 Oct 27, 1961' }).waitFor();
    await page.getByLabel('First name').fill('Elena');
    // Nobody loses what they typed by a click.
    await page.getByRole('link', { name: 'All that wait' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    await page.getByLabel('Last name').fill('Marsh');
    await page.getByLabel('Date of birth').fill('1961-10-27');
    await page.getByRole('button', { name: 'Save the correction' }).click();
    await page.getByText('A person corrected this. The service read Grace Palmer, born Apr 12, 1988.').waitFor();
    await page.getByRole('button', { name: 'Accept this report?' }).click();
    await page
      .getByRole('dialog')
      .getByText(/The service read another name or date of birth/)
      .waitFor();
    await dashboard.check(page);
  });

  test('a picture that nobody could read is written down by the keyboard', async () => {
    const { app, team } = dashboard;
    const { user_id } = await makeUser(team);
    const { body } = await sendReport(team, user_id, [PICTURE]);
    await app.runJobs();
    const page = await dashboard.open(`/laboratories/reports/${body.id}`);
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

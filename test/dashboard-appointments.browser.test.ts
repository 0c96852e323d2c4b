import { expect, test } from 'vitest';
import { bookedOrder } from './collected-orders.ts';
import { describeDashboard } from './dashboard.ts';
import { patientDetails } from './factories.ts';
import { query } from './global-setup.ts';

await describeDashboard('the page of appointments', (dashboard) => {
  test('the appointments of a day name the patient, the test and the time where the patient is', async () => {
    const { app, team } = dashboard;
    const id = await bookedOrder(team, 'phlebotomy');
    await query(
      app.databaseUrl,
      `update appointments set start_at = '2099-03-10T20:00:00Z', end_at = '2099-03-10T21:00:00Z',
              iana_timezone = 'Pacific/Honolulu' where order_id = '${id}'`,
    );
    await dashboard.onEachScreen('appointments', '/appointments?date=2099-03-10', async (page) => {
      await page.getByText('There: Mar 10, 2099, 10:00 AM HST').waitFor();
      await page.getByText('born Apr 12, 1988').waitFor();
    });
    const page = await dashboard.open('/appointments?date=2099-03-10');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${patientDetails.first_name} ${patientDetails.last_name}`).waitFor();
    await dialog.getByText('Mar 10, 2099, 10:00 AM HST').waitFor();
    const cancel = dialog.getByRole('button', { name: 'Cancel the appointment' });
    expect(await cancel.isDisabled()).toBe(true);
    await dialog.getByLabel(/^Reason/).selectOption('The address was wrong');
    await dialog.getByLabel('Note').fill('They moved');
    await cancel.click();
    const row = page.getByRole('row').filter({ hasText: 'Cancelled' });
    await row.getByText('The address was wrong').waitFor();
    await dashboard.check(page);
    await row.getByRole('rowheader').getByRole('link').click();
    await page.getByText('Cancelled because').waitFor();
    await page.getByText('They moved').waitFor();
    await dashboard.check(page);
  });

  test('an appointment that has begun cannot be cancelled, and a zone with the same time is not shown', async () => {
    const { app, team } = dashboard;
    const id = await bookedOrder(team, 'phlebotomy');
    await query(
      app.databaseUrl,
      `update appointments set start_at = '2020-03-10T20:00:00Z', end_at = '2020-03-10T21:00:00Z',
              iana_timezone = 'America/Phoenix' where order_id = '${id}'`,
    );
    const page = await dashboard.open('/appointments?date=2020-03-10', { timeZone: 'America/Hermosillo' });
    const row = page.getByRole('row').filter({ hasText: 'Mar 10, 2020' });
    await row.getByText('born Apr 12, 1988').waitFor();
    await expect.poll(() => row.getByRole('cell', { name: '–' }).count()).toBe(1);
    await expect.poll(() => page.getByRole('button', { name: 'Cancel', exact: true }).count()).toBe(0);
    await expect.poll(() => row.getByText('There:').count()).toBe(0);
    await dashboard.check(page);
  });
});

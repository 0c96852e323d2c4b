import { expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';
import { patientDetails, registeredKit, simulate } from './factories.ts';

await describeDashboard('the page of critical results', (dashboard) => {
  test('a result is acknowledged with who was called, and signed off with what was decided', async () => {
    const { team } = dashboard;
    const order = await registeredKit(team);
    await simulate(team, order.id, '', { interpretation: 'critical' });
    const name = `${patientDetails.first_name} ${patientDetails.last_name}`;
    await dashboard.onEachScreen('critical-results', '/critical-results', async (page) => {
      await page.getByRole('link', { name: `${name}, born Apr 12, 1988` }).waitFor();
    });
    const page = await dashboard.open('/critical-results');
    await page.getByText('Open (1)').waitFor();
    await page
      .getByRole('link', { name: /^Trend of / })
      .first()
      .waitFor();
    const inNavigation = page.getByRole('link', { name: /^Critical results/ });
    await inNavigation.getByLabel('1 open').waitFor();
    const acknowledge = page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' });

    // Nothing says who was told, so nothing is acknowledged.
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByRole('dialog').getByText(`${name}, born Apr 12, 1988`).waitFor();
    await dashboard.check(page);
    await acknowledge.click();
    await page
      .getByLabel(/^Who was called/)
      .and(page.locator(':invalid'))
      .waitFor();
    await page.getByLabel(/^When/).fill('2099-01-01T09:30');
    expect(await page.getByText('Choose a time that is not in the future').count()).toBe(1);
    expect(await acknowledge.isDisabled()).toBe(true);
    await page.getByText('Nobody was reached yet: it stays open').click();
    await page.getByLabel(/^Whom you tried to reach/).fill('Dr Ruiz, again at 9');
    await page.getByRole('button', { name: 'Keep it open' }).click();
    await page.getByText(`The critical result of ${name} stays open`).waitFor();
    const notes = await team.api<{ data: { text: string }[] }>('GET', `/v3/order/${order.id}/note`);
    expect(notes.body.data[0]?.text).toBe('Critical result, nobody was reached yet: Dr Ruiz, again at 9');

    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByLabel(/^Who was called/).fill('Dr Ana Ruiz');
    await page.getByLabel(/read the values back/).check();
    await acknowledge.click();
    await page.getByText(`The critical result of ${name} is acknowledged`).waitFor();
    await page.getByText('No critical result waits').waitFor();
    // The button that opened the dialogue went away with its row.
    await page.locator('h1:focus').waitFor();
    expect(await inNavigation.getByLabel('1 open').count()).toBe(0);
    await page.getByText('Acknowledged (1)').click();
    await page.getByText(/Dr Ana Ruiz was called at .*, and read the values back/).waitFor();

    await page.getByRole('button', { name: 'Sign off' }).click();
    const signOff = page.getByRole('dialog').getByRole('button', { name: 'Sign off' });
    await signOff.click();
    await page
      .getByLabel(/^What was decided/)
      .and(page.locator(':invalid'))
      .waitFor();
    await page.getByLabel(/^What was decided/).fill('Treated at once');
    await dashboard.check(page);
    await signOff.click();
    await page.getByText(`The critical result of ${name} is signed off`).waitFor();
    await page.getByText('Signed off (1)').click();
    await page.getByText(/Treated at once/).waitFor();
    await dashboard.check(page);
  });
});

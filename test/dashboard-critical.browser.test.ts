import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeDashboard, PHONE } from './dashboard.ts';
import { patientDetails, registeredKit, simulate } from './factories.ts';
import { query } from './global-setup.ts';

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
    await page.getByLabel(/^When/).fill('2001-01-01T09:30');
    await page.getByText(/^The call cannot be before the result was reported: \w+ \d+, \d+, /).waitFor();
    expect(await acknowledge.isDisabled()).toBe(true);
    await page.getByText('Nobody was reached yet: it stays open').click();
    await page.getByLabel(/^Whom you tried to reach/).fill('Dr Ruiz, again at 9');
    await page.getByRole('button', { name: 'Keep it open' }).click();
    await page.getByText(`The critical result of ${name} stays open`).waitFor();
    const notes = await team.api<{ data: { text: string }[] }>('GET', `/v3/order/${order.id}/note`);
    expect(notes.body.data[0]?.text).toBe('Critical result, nobody was reached yet: Dr Ruiz, again at 9');
    const tried = /reached nobody, \w+ \d+, .*: Dr Ruiz, again at 9$/;
    await page.getByRole('article').getByText(tried).waitFor();
    await page.getByText(/^Times are those of your time zone, \S+\.$/).waitFor();
    await page.getByRole('link', { name: 'Open the order' }).click();
    await page.getByRole('region', { name: 'Critical result' }).getByText(tried).waitFor();
    await page.getByText(/^Times are those of your time zone, /).waitFor();
    await page.goBack();

    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByLabel(/^Who was called/).fill('Dr Ana Ruiz');
    await page.getByLabel(/read the values back/).check();
    await acknowledge.click();
    await page.getByText(`The critical result of ${name} is acknowledged`).waitFor();
    await page.getByText('No critical result waits').waitFor();
    // The button that opened the dialogue went away with its row.
    await page.locator('h1:focus').waitFor();
    expect(await inNavigation.getByLabel('1 open').count()).toBe(0);
    await page.getByText('One acknowledged result waits for a sign-off.').waitFor();
    await page.getByRole('button', { name: 'Show what waits for a sign-off' }).click();
    // What was done on one list says nothing about another.
    await page.getByText(`The critical result of ${name} is acknowledged`).waitFor({ state: 'detached' });
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
    await page.getByText('No critical result waits for a sign-off').waitFor();
    await page.getByText('Signed off (1)').click();
    await page.getByText(/Treated at once/).waitFor();
    await dashboard.check(page);
  });

  test('a card has units in its ranges and hours beyond a day, and the overview leads to it', async () => {
    const { app, team } = dashboard;
    const order = await registeredKit(team);
    await simulate(team, order.id, '', { interpretation: 'critical' });
    const { body } = await team.api<{ data: { id: string; order_id: string }[] }>('GET', '/v3/critical_result');
    const { id = '' } = body.data.find(({ order_id }) => order_id === order.id) ?? {};
    await query(
      app.databaseUrl,
      `update critical_results set created_at = created_at - interval '33 hours' where id = '${id}'`,
    );
    const page = await dashboard.open('/critical-results', { screen: PHONE });
    const card = page.getByRole('article');
    await card.getByText('reported 33 hours ago').waitFor();
    const heightOf = async (at: Locator): Promise<number> => (await at.boundingBox())?.height ?? 0;
    for (const link of [/^Trend of /, / born /])
      expect(await heightOf(card.getByRole('link', { name: link }))).toBeGreaterThan(32);
    expect(await heightOf(page.getByRole('button', { name: 'Open the navigation' }))).toBe(40);
    await page.getByRole('banner').getByLabel('1 open critical results').waitFor();
    await page.getByRole('button', { name: 'Open the navigation' }).tap();
    await page.getByRole('banner').getByLabel('1 open critical results').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Close the navigation' }).tap();
    const values = await card.locator('.mantine-Badge-label').allInnerTexts();
    const ranges = await card.getByText(/^range /).allInnerTexts();
    expect(values.length).toBeGreaterThan(0);
    const unitOf = (text: string): string | undefined => text.split('\u00a0')[1];
    expect(unitOf(values[0] ?? '')).toMatch(/\S/);
    expect(ranges.map(unitOf)).toEqual(values.map(unitOf));
    await dashboard.check(page);
    const called = { acknowledged_by: 'Ana Ruiz', called_person: 'Dr Ana Ruiz' };
    await team.api('POST', `/v3/critical_result/${id}/acknowledge`, called);
    await page.goto(`${app.baseUrl}/dashboard/`);
    await page.getByRole('link', { name: /^Results to sign off ?1/ }).tap();
    await page.waitForURL(/critical-results\?status=acknowledged$/);
    await page.getByRole('article').getByText('Dr Ana Ruiz was called').waitFor();
  });
});

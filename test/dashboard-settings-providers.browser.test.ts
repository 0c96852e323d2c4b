import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';
import { addAccount, physician } from './factories.ts';

const OF_REGION = 'sandbox/us';

/** Confirms what the open dialogue asks. */
const confirm = (page: Page, action: string): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();

await describeDashboard('the providers and laboratories in the settings', (dashboard) => {
  test('keep an application of the team, whose secret nobody reads again', async () => {
    const { team } = dashboard;
    const page = await dashboard.open('/settings?tab=providers');
    await page.getByText('The team has none. Add one').waitFor();
    await page.getByRole('button', { name: 'Add an application' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'Oura', exact: true }).click();
    await page.getByText('Do this at the provider first').waitFor();
    await page.getByLabel('Client id').fill('desert-health');
    await page.getByLabel('Client secret').first().fill('a-secret-of-oura');
    await dashboard.check(page);
    await page.getByRole('button', { name: 'Save the application' }).click();
    await page.getByRole('rowheader', { name: 'Oura' }).waitFor();
    const path = `/v1/org/${team.org_id}/team_custom_credentials/${OF_REGION}`;
    const stored = async () => {
      const { body } = await team.api<{ credentials: Record<string, unknown>[] }>('GET', path);
      return body.credentials.map(({ source, client_id, client_secret_hash, redirect_url_override }) => ({
        source,
        client_id,
        client_secret_hash,
        redirect_url_override,
      }));
    };
    const [before] = await stored();
    expect(before).toMatchObject({ source: 'oura', client_id: 'desert-health' });

    await page.getByRole('button', { name: 'Change the application at Oura' }).click();
    expect(await page.getByLabel('Client secret').first().inputValue()).toBe('');
    await page.getByLabel('Address that users come back to').fill('https://app.example.com/oura');
    await page.getByRole('button', { name: 'Save the application' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await stored()).toEqual([{ ...before, redirect_url_override: 'https://app.example.com/oura' }]);
    expect(await page.content()).not.toContain('a-secret-of-oura');

    await page.getByRole('button', { name: 'Delete the application at Oura?' }).click();
    await confirm(page, 'Delete');
    await page.getByText('The team has none. Add one').waitFor();
    expect(await stored()).toEqual([]);
  });

  test('put providers in an order, by keyboard alone', async () => {
    const { team } = dashboard;
    const order = async () => {
      const { body } = await team.api<{ source: { slug: string } }[]>('GET', '/v2/team/source/priorities');
      return body.map(({ source }) => source.slug);
    };
    const page = await dashboard.open('/settings?tab=providers');
    await page.getByText('No provider comes before another.').waitFor();
    for (const name of ['Fitbit', 'Oura', 'Polar']) {
      await page.getByRole('combobox', { name: 'Add a provider' }).fill(name);
      await page.getByRole('option', { name, exact: true }).waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: `Move ${name} up` }).waitFor();
    }
    await page.getByRole('button', { name: 'Move Polar up' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Polar is number 2.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Polar is number 1.').waitFor();
    expect(await order()).toEqual(['polar', 'fitbit', 'oura']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Polar is number 2.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Polar is number 3.').waitFor();
    expect(await order()).toEqual(['fitbit', 'oura', 'polar']);
    await page.getByRole('button', { name: 'Take Oura out of the order' }).press('Enter');
    await page.getByText('Oura is out of the order.').waitFor();
    expect(await page.evaluate(`document.activeElement.tagName`)).not.toBe('BODY');
    expect(await order()).toEqual(['fitbit', 'polar']);
    await dashboard.check(page);
  });

  test('choose how far back connections begin, and keep the days of single resources', async () => {
    const { team } = dashboard;
    const path = `/v1/org/${team.org_id}/team_data_pull_preferences/${OF_REGION}`;
    const days = (historical_days_to_pull: number) => ({ historical_days_to_pull });
    await team.api<object>('POST', path, {
      team_ids: [team.id],
      providers: { oura: { default: days(10), resource_overrides: { sleep: days(20) } } },
    });
    await team.api<object>('POST', `/v1/org/${team.org_id}/team/${team.id}/scope_requirements`, {
      strava: { user_must_grant: ['activity:read_all'], user_may_grant: ['read'] },
    });
    await dashboard.onEachScreen('settings-providers', '/settings?tab=providers', async (page) => {
      await page.getByRole('cell', { name: 'Sleep: 20' }).waitFor();
      await page.getByRole('cell', { name: 'activity:read_all' }).waitFor();
    });
    const page = await dashboard.open('/settings?tab=providers');
    await page.getByRole('button', { name: 'Change the days of Oura' }).click();
    await page.getByRole('textbox', { name: 'Days' }).fill('40');
    await dashboard.check(page);
    await page.getByRole('button', { name: 'Save the days' }).click();
    await page.getByRole('cell', { name: '40', exact: true }).waitFor();
    const { body } = await team.api<object>('GET', path);
    expect(body).toMatchObject({
      data_pull_preferences: [{ providers: { oura: { default: days(40), resource_overrides: { sleep: days(20) } } } }],
    });
    await page.getByRole('button', { name: 'Remove the days of Oura?' }).click();
    await confirm(page, 'Remove');
    await page.getByText('Every provider has its usual days.').waitFor();
    await page.getByRole('button', { name: 'Reset the scopes of Strava?' }).click();
    await confirm(page, 'Reset');
    await page.getByText('The team has chosen no scopes.').waitFor();
  });

  test('add, rename and remove physicians, and show the accounts of the team', async () => {
    const { app, team } = dashboard;
    await addAccount(app, team);
    const page = await dashboard.open('/settings?tab=laboratories', { expected: /status of 422/ });
    await page.getByText('The team has none. Add the first one').waitFor();
    await page.getByRole('button', { name: 'Add a physician' }).click();
    await page.getByLabel('First name').fill(physician.first_name);
    await page.getByLabel('Last name').fill(physician.last_name);
    await page.getByLabel('NPI').fill('1234567890');
    await page.getByRole('button', { name: 'Save the physician' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('NPI').fill(physician.npi);
    await page.getByRole('button', { name: 'Save the physician' }).click();
    await page.getByRole('rowheader', { name: 'Ana Ruiz' }).waitFor();
    await page.getByRole('button', { name: 'Change the name of Ana Ruiz' }).click();
    await page.getByLabel('Last name').fill('Ruiz Vega');
    await page.getByRole('button', { name: 'Save the physician' }).click();
    await page.getByRole('rowheader', { name: 'Ana Ruiz Vega' }).waitFor();
    const { body } = await team.api<object[]>('GET', `/v2/team/${team.id}/physicians`);
    expect(body).toEqual([{ ...physician, last_name: 'Ruiz Vega' }]);
    await dashboard.onEachScreen('settings-laboratories', '/settings?tab=laboratories', async (each) => {
      await each.getByRole('rowheader', { name: 'Ana Ruiz Vega' }).waitFor();
      // It stands among the accounts of the team and among those of the organisation.
      await each.getByRole('rowheader', { name: 'Desert Health' }).nth(1).waitFor();
    });
    await page.getByRole('button', { name: 'Remove Ana Ruiz Vega?' }).click();
    await confirm(page, 'Remove');
    await page.getByText('The team has none. Add the first one').waitFor();
    await dashboard.check(page);
  });
});

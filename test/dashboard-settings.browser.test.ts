import { expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';

await describeDashboard('the settings', (dashboard) => {
  test('name the team and show its brand, and keep what was changed', async () => {
    const page = await dashboard.open('/settings');
    await page.getByLabel('Name of the team').fill('Cactus Health');
    await page.getByLabel('Company').fill('Cactus Health Inc.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.close();
    const { team } = dashboard;
    const { body } = await team.api<{ name: string; sandbox: { brand_information: { company_name: string } } }>(
      'GET',
      `/v1/org/${team.org_id}/team/${team.id}`,
    );
    expect([body.name, body.sandbox.brand_information.company_name]).toEqual(['Cactus Health', 'Cactus Health Inc.']);
    await dashboard.onEachScreen('settings-team', '/settings', (page) =>
      page.locator('input[value="Cactus Health Inc."]').waitFor(),
    );
  });

  test('make a team key that can only read, show it once, and revoke it', async () => {
    const page = await dashboard.open('/settings?tab=keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Label').fill('nightly export');
    await page.getByRole('combobox', { name: 'It may' }).click();
    await page.getByRole('option', { name: 'Read everything' }).click();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('Copy the key now').waitFor();
    const value = (await page.getByRole('alert').locator('code').textContent()) as string;
    await dashboard.check(page);
    const read = (key: string) => dashboard.team.api('GET', '/v2/user', undefined, { key });
    const write = (key: string) => dashboard.team.api('POST', '/v2/user', { client_user_id: 'a-user' }, { key });
    expect([(await read(value)).status, (await write(value)).status]).toEqual([200, 403]);

    await page.reload();
    await page.getByRole('rowheader', { name: 'nightly export' }).waitFor();
    expect(await page.getByText(value).count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke the key “nightly export”?' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).last().click();
    await expect.poll(() => page.getByRole('rowheader', { name: 'nightly export' }).count()).toBe(0);
    expect((await read(value)).status).toBe(401);
    await page.close();
    await dashboard.onEachScreen('settings-keys', '/settings?tab=keys', (page) =>
      page.getByRole('rowheader', { name: 'test' }).waitFor(),
    );
  });

  test('invite a person as administrator of one team, and withdraw the invite', async () => {
    const page = await dashboard.open('/settings?tab=members');
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByLabel('Email address').fill('grace@example.com');
    await page.getByRole('button', { name: 'Send the invite' }).click();
    await page.getByRole('rowheader', { name: 'grace@example.com' }).waitFor();
    await page.close();
    await dashboard.onEachScreen('settings-members', '/settings?tab=members', (page) =>
      page.getByRole('rowheader', { name: 'grace@example.com' }).waitFor(),
    );
    const again = await dashboard.open('/settings?tab=members');
    await again.getByRole('button', { name: 'Withdraw the invite of grace@example.com?' }).click();
    await again.getByRole('button', { name: 'Withdraw', exact: true }).last().click();
    await again.getByText('Nobody is invited at the moment.').waitFor();
    await dashboard.check(again);
  });

  test('create a team, and delete it with the progress of its erasure', async () => {
    const page = await dashboard.open('/settings?tab=teams');
    await page.getByRole('button', { name: 'Create a team' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Second clinic');
    await page.getByRole('button', { name: 'Create the team' }).click();
    await page.getByRole('rowheader', { name: 'Second clinic' }).waitFor();
    await dashboard.check(page);
    await page.getByRole('button', { name: 'Delete the team Second clinic?' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).last().click();
    await page.getByText('The deleted team is being erased').waitFor();
    await dashboard.app.runJobs();
    await page.getByText('The deleted team is erased.').waitFor();
    await dashboard.check(page);
  });

  test('show the management keys of the organisation', async () => {
    await dashboard.onEachScreen('settings-management-keys', '/settings?tab=management-keys', (page) =>
      page.getByRole('table').waitFor(),
    );
  });
});

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';
import { orderKit } from './factories.ts';
import { makeMember, memberPath, type Member } from './people-of-orgs.ts';

await describeDashboard('the settings', (dashboard) => {
  test('name the team and show its brand, and keep what was changed', async () => {
    const page = await dashboard.open('/settings');
    await page.getByLabel('Name of the team').fill('Cactus Health');
    await page.getByLabel('Company').fill('Cactus Health Inc.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
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

  test('refuse a brand that is none, beside its field', async () => {
    const page = await dashboard.open('/settings', { expected: /status of 422/ });
    const [website, colour] = [page.getByLabel('Website'), page.getByLabel('Colour', { exact: true })];
    await website.fill('nonsense');
    await colour.fill('bluish');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    for (const field of [website, colour])
      expect(await field.evaluate((input: { validity: { valid: boolean } }) => input.validity.valid)).toBe(false);
    await website.fill('https://example.com/kits');
    await colour.fill('#1f7073');
    const email = page.getByLabel('Email for patients');
    await email.fill('nobody@localhost');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => email.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('Mend the fields that are marked.').waitFor();
    await dashboard.check(page);
  });

  test('set the addresses that users come back to, and say which of them is refused', async () => {
    const page = await dashboard.open('/settings', { expected: /status of 422/ });
    await page.getByLabel('Addresses').fill('https://app.example.com/connected\n\n not an address ');
    await page.getByRole('button', { name: 'Save the addresses' }).click();
    await page.getByRole('alert').waitFor();
    await dashboard.check(page);
    await page.getByLabel('Addresses').fill('https://app.example.com/connected\n\n https://app.example.com/other ');
    await page.getByRole('button', { name: 'Save the addresses' }).click();
    await page.getByText('The addresses are saved.').waitFor();
    const { team } = dashboard;
    const { body } = await team.api<object>('GET', `/v1/org/${team.org_id}/team/${team.id}/link_redirect_urls`);
    expect(body).toEqual({ urls: ['https://app.example.com/connected', 'https://app.example.com/other'] });
    await page.reload();
    await page.getByText('https://app.example.com/other').waitFor();
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
    await page.getByRole('cell', { name: 'Read everything' }).waitFor();
    await page.getByText(`${value.slice(0, 12)}…`).waitFor();
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

  test('no longer ask to copy a key that was revoked', async () => {
    const page = await dashboard.open('/settings?tab=keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Label').fill('mistaken');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByText('Copy the key now').waitFor();
    await page.getByRole('button', { name: 'Revoke the key “mistaken”?' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).last().click();
    await page.getByText('Copy the key now').waitFor({ state: 'detached' });
    await page.getByRole('rowheader', { name: 'mistaken' }).waitFor({ state: 'detached' });
    expect(await page.getByText('Copy the key now').count()).toBe(0);
  });

  test('invite a person as administrator of one team, and withdraw the invite', async () => {
    const page = await dashboard.open('/settings?tab=members');
    await page.getByRole('button', { name: 'Invite a person' }).click();
    await page.getByLabel('Email address').fill('grace@example.com');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByRole('rowheader', { name: 'grace@example.com' }).waitFor();
    await page.getByText(`Run phial org invites --org ${dashboard.team.org_id}`).waitFor();
    await page.getByRole('cell', { name: /^Administrator of (?!the whole)/ }).waitFor();
    await dashboard.check(page);
    await page.close();
    await dashboard.onEachScreen('settings-members', '/settings?tab=members', (page) =>
      page.getByRole('rowheader', { name: 'grace@example.com' }).waitFor(),
    );
    const again = await dashboard.open('/settings?tab=members');
    await again.getByRole('button', { name: 'Withdraw the invite of grace@example.com?' }).click();
    await again.getByRole('button', { name: 'Withdraw', exact: true }).last().click();
    await again.getByText('Nobody is invited at the moment.').waitFor();
    await dashboard.check(again);
    await again.route('**/v1/session', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { org: object };
      await route.fulfill({ response, json: { ...body, org: { ...body.org, plan: 'grow' } } });
    });
    await again.reload();
    await again.getByText('The plan Grow has no members').waitFor();
  });

  test('give a member another role, and keep the other teams that this person manages', async () => {
    const { app, team } = dashboard;
    const other = await team.api<{ id: string }>('POST', `/v1/org/${team.org_id}/team`, {
      name: 'Other',
      region: 'us',
    });
    const bindings = { role: 'team_admin', team_role_bindings: [{ team_id: other.body.id }] };
    const { id } = await makeMember(app, team, { name: 'Grace', email: 'grace.h@example.com', ...bindings });
    const page = await dashboard.open('/settings?tab=members');
    const choose = async (role: RegExp): Promise<void> => {
      await page.getByRole('button', { name: 'Change what Grace manages' }).click();
      await page.getByRole('combobox', { name: 'Manages' }).click();
      await page.getByRole('option', { name: role }).click();
      await dashboard.check(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Change', exact: true }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    const stored = async () => {
      const { body } = await team.api<{ members: Member[] }>('GET', memberPath(team));
      const member = body.members.find((each) => each.id === id);
      return [member?.role, member?.team_role_bindings?.map(({ team_id }) => team_id).toSorted()];
    };
    await choose(/^Administrator of the team/);
    expect(await stored()).toEqual(['team_admin', [other.body.id, team.id].toSorted()]);
    await choose(/^Administrator of the whole organisation/);
    expect(await stored()).toEqual(['org_admin', undefined]);
    await page.getByRole('cell', { name: 'Administrator of the whole organisation' }).waitFor();
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

  test('show the plan, and what the organisation used in a month that is chosen', async () => {
    await orderKit(dashboard.team);
    const figure = (page: Page) => page.getByText('Orders placed').locator('..');
    await dashboard.onEachScreen('settings-usage', '/settings?tab=usage', async (page) => {
      await page.getByRole('rowheader').first().waitFor();
      expect(await figure(page).textContent()).toMatch(/Orders placed1in \d{4}-\d\d/);
    });
    const page = await dashboard.open('/settings?tab=usage&month=2020-02');
    await page.getByText('in 2020-02', { exact: true }).waitFor();
    expect(await figure(page).textContent()).toBe('Orders placed0in 2020-02');
    await page.getByLabel('Month, in UTC').fill('2021-03');
    await page.getByText('in 2021-03', { exact: true }).waitFor();
    expect(page.url()).toContain('month=2021-03');
  });

  test('show the management keys of the organisation', async () => {
    await dashboard.onEachScreen('settings-management-keys', '/settings?tab=management-keys', (page) =>
      page.getByRole('table').waitFor(),
    );
  });
});

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { US_STATES } from '../src/wire/us-state.ts';
import { chooseByKeyboard, describeDashboard, type Dashboard } from './dashboard.ts';
import { query } from './global-setup.ts';
import { signInMember } from './signed-in.ts';

/** Opens a page as an administrator of the organisation, who is not the operator. */
async function openAsMember({ app, team, open }: Dashboard, path: string): Promise<Page> {
  const page = await open('/settings');
  const { token: value } = await signInMember(app, team);
  await page.context().addCookies([{ name: 'phial_session', value, url: app.baseUrl }]);
  await page.goto(`${app.baseUrl}/dashboard${path}`);
  return page;
}

await describeDashboard("the operator's parts of the pages", (dashboard) => {
  test('set the plan of the organisation, by the keyboard', async () => {
    const { team } = dashboard;
    const page = await dashboard.open('/settings?tab=usage');
    await page.getByRole('button', { name: 'Change the plan' }).focus();
    await page.keyboard.press('Enter');
    await chooseByKeyboard(page, page.getByRole('combobox', { name: 'Plan' }), 'Grow');
    await dashboard.check(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Change', exact: true }).click();
    await page
      .getByRole('definition')
      .filter({ hasText: /^Grow$/ })
      .waitFor();
    expect((await team.api<{ code: string }>('GET', `/v1/org/${team.org_id}/plan`)).body.code).toBe('plan_required');
    await page.getByRole('button', { name: 'Change the plan' }).click();
    await page.getByRole('combobox', { name: 'Plan' }).click();
    await page.getByRole('option', { name: 'Scale' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Change', exact: true }).click();
    await page
      .getByRole('definition')
      .filter({ hasText: /^Scale$/ })
      .waitFor();
    expect((await team.api('GET', `/v1/org/${team.org_id}/plan`)).body).toEqual({ plan: 'scale' });
  });

  test("approve a team's own test, which can be ordered then", async () => {
    const { app, team } = dashboard;
    const ofKits = { name: 'Winter check', description: 'Ours.', method: 'testkit', marker_ids: [1101] };
    const { body } = await team.api<{ id: string }>('POST', '/v3/lab_tests', ofKits);
    // As a new test in production, where no laboratory is simulated.
    await query(
      app.databaseUrl,
      `update lab_tests set status = 'pending_approval', approved_at = null where id = '${body.id}'`,
    );
    const path = `/catalogue/${body.id}`;
    await dashboard.onEachScreen('lab-test-approve', path, (page) =>
      page.getByRole('button', { name: 'Approve the test Winter check?' }).waitFor(),
    );
    const read = await openAsMember(dashboard, path);
    await read.getByText('The operator of the service approves it.').waitFor();
    expect(await read.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    const page = await dashboard.open(path);
    await page.getByRole('button', { name: 'Approve the test Winter check?' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    expect((await team.api('GET', `/v3/lab_tests/${body.id}`)).body).toMatchObject({ status: 'active' });
    await dashboard.check(page);
  });

  test('add an account at a laboratory, limit it to a team, and suspend it', async () => {
    const { team } = dashboard;
    const accounts = async () => {
      const path = `/v1/org/${team.org_id}/lab_account/sandbox/us`;
      const { body } = await team.api<{ data: { org_id: string | null }[] }>('GET', path);
      return body.data.filter(({ org_id }) => org_id !== null);
    };
    const page = await dashboard.open('/settings?tab=laboratories', { expected: /status of 409/ });
    const dialog = page.getByRole('dialog');
    const add = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Add an account' }).click();
      await dialog.getByRole('combobox', { name: 'Laboratory' }).click();
      await page.getByRole('option').first().click();
      await dialog.getByLabel('Number').fill('ACC-7');
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Desert account');
      await dialog.getByRole('combobox', { name: 'Client bill', exact: true }).fill('AZ');
      await page.getByRole('option', { name: 'Arizona (AZ)' }).click();
      await page.keyboard.press('Escape');
      await dialog.getByRole('combobox', { name: 'Patient bill', exact: true }).click();
      await page.getByRole('option', { name: 'All states' }).click();
      await page.keyboard.press('Escape');
      await dashboard.check(page);
      await dialog.getByRole('button', { name: 'Add the account' }).click();
    };
    await add();
    await page.getByRole('button', { name: 'Change the account Desert account' }).waitFor();
    const [made] = (await accounts()) as unknown as { allowed_billing: Record<string, string[]> }[];
    expect(made).toMatchObject({ provider_account_id: 'ACC-7', status: 'active', team_id_allowlist: [] });
    expect(made?.allowed_billing['client_bill']).toEqual(['AZ']);
    expect(made?.allowed_billing['patient_bill']?.toSorted()).toEqual([...US_STATES].toSorted());
    await add();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();

    await page.getByRole('button', { name: 'Change the account Desert account' }).click();
    await dialog.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Suspended' }).click();
    await dialog.getByRole('combobox', { name: 'Teams' }).click();
    await page.getByRole('option').first().click();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Save the account' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(accounts).toMatchObject([{ status: 'suspended', team_id_allowlist: [team.id] }]);
    await page.close();
    await dashboard.onEachScreen('settings-org-accounts', '/settings?tab=laboratories', (each) =>
      each.getByRole('heading', { name: 'Accounts of the organisation' }).waitFor(),
    );
  });

  test('are hidden from an administrator, who chooses the teams of an account alone', async () => {
    const page = await openAsMember(dashboard, '/settings?tab=laboratories');
    await page.getByRole('button', { name: 'Change the account Desert account' }).click();
    await page.getByRole('combobox', { name: 'Teams' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Status' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(await page.getByRole('button', { name: 'Add an account' }).count()).toBe(0);
    await dashboard.check(page);
    await page.goto(`${dashboard.app.baseUrl}/dashboard/settings?tab=usage`);
    await page.getByText('The operator of this service changes the plan.').waitFor();
    expect(await page.getByRole('button', { name: 'Change the plan' }).count()).toBe(0);
  });
});

await describeDashboard(
  'the closed betas in production',
  (dashboard) => {
    test('are opened to a team by the operator, and only read by an administrator', async () => {
      const { team } = dashboard;
      const path = `/v1/org/${team.org_id}/team/${team.id}/closed_beta`;
      const isOpen = async () => {
        const { body } = await team.api<{ data: { name: string; is_open: boolean }[] }>('GET', path);
        return body.data.filter(({ is_open }) => is_open).map(({ name }) => name);
      };
      await dashboard.onEachScreen('settings-betas', '/settings', (page) =>
        page.getByRole('button', { name: 'Open “Reading of lab reports”?' }).waitFor(),
      );
      const page = await dashboard.open('/settings');
      await page.getByRole('button', { name: 'Open “Reading of lab reports”?' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByRole('button', { name: 'Close “Reading of lab reports”?' }).waitFor();
      expect(await isOpen()).toEqual(['lab_report_parser']);
      await page.getByRole('button', { name: 'Close “Reading of lab reports”?' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
      await page.getByRole('button', { name: 'Open “Reading of lab reports”?' }).waitFor();
      expect(await isOpen()).toEqual([]);
      await dashboard.check(page);
      const read = await openAsMember(dashboard, '/settings');
      await read.getByRole('rowheader', { name: 'Reading of lab reports' }).waitFor();
      expect(await read.getByRole('button', { name: /“Reading of lab reports”/ }).count()).toBe(0);
    });
  },
  { PHIAL_ENVIRONMENT: 'production' },
);

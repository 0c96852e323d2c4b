import { parse } from 'csv-parse/sync';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';
import { makeUser, orderKit } from './factories.ts';
import { signInMember, signInOperator } from './signed-in.ts';

await describeDashboard('the audit log in the settings', (dashboard) => {
  test('says who opened the orders of a patient, and exports these lines', async () => {
    const { app, team } = dashboard;
    const { user_id } = await makeUser(team);
    const { id } = await orderKit(team, user_id);
    const ada = await signInMember(app, team);
    await ada.api('GET', `/v3/order/${id}`, undefined, { team: team.id });
    await makeUser(team);
    await app.flushAudit();

    // The user has neither demographics nor insurance.
    const page = await dashboard.open(`/users/${user_id}`, { expected: /status of 404/ });
    await page.getByRole('link', { name: 'Who opened this' }).click();
    const row = page.getByRole('row', { name: ada.member.name });
    await row.waitFor();
    expect(await row.textContent()).toContain('Get order');
    expect(await page.getByRole('row', { name: 'Create user' }).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Operation' }).fill('get_order');
    await expect.poll(() => page.getByRole('rowheader').allTextContents()).toEqual(['Get order']);
    const today = new Date().toISOString().slice(0, 10);
    await page.getByLabel('Since').fill(today);
    await expect.poll(() => page.url()).toContain(`since=${today}`);
    expect(new URL(page.url()).searchParams.get('record')).toBe(user_id);

    const [download, response] = await Promise.all([
      page.waitForEvent('download'),
      page.waitForResponse((each) => each.url().includes('/audit_log/export')),
      page.getByRole('button', { name: 'As JSON' }).click(),
    ]);
    expect(response.headers()['content-type']).toBe('application/x-ndjson; charset=utf-8');
    expect(download.suggestedFilename()).toBe(`audit-log-${today}.ndjson`);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        action: 'get_order',
        actor: 'session',
        records: expect.arrayContaining([user_id, id]),
      }),
    ]);
    await page.getByText('one JSON object per line').waitFor();

    const [table] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export these lines' }).click(),
    ]);
    expect(table.suggestedFilename()).toBe(`audit-log-${today}.csv`);
    const [head, ...saved] = parse(await readFile(await table.path(), 'utf8'), { bom: true });
    expect(head?.slice(0, 3)).toEqual(['Operation', 'When (UTC)', 'Caller']);
    expect(saved).toEqual([
      [
        'Get order',
        expect.stringMatching(/^20.*Z$/),
        ada.member.name,
        'Person in the dashboard',
        expect.stringMatching(/./),
        expect.stringContaining(user_id),
        '200',
        '127.0.0.1',
      ],
    ]);
    await page.getByText('for a spreadsheet').waitFor();
    await page.getByLabel('Until').fill('2026-01-01');
    await page.getByText('“Since” is after “Until”').waitFor();
    expect(await page.getByRole('button', { name: 'Export these lines' }).count()).toBe(0);
    await page.getByLabel('Until').fill(today);
    await page.getByRole('rowheader', { name: 'Get order' }).waitFor();
    await dashboard.check(page);
  });

  test('shows an administrator of a team who did what, and no settings of the organisation', async () => {
    const { app, team } = dashboard;
    const ada = await signInMember(app, team);
    const { user_id } = await makeUser(team);
    await ada.api('GET', `/v2/user/${user_id}`, undefined, { team: team.id });
    await app.flushAudit();
    const { token: value } = await signInMember(app, team, { role: 'team_admin', teams: [team.id] });
    const page = await dashboard.open('/settings');
    await page.context().addCookies([{ name: 'phial_session', value, url: app.baseUrl }]);
    await page.goto(`${app.baseUrl}/dashboard/settings?tab=members`);
    await expect
      .poll(() => page.getByRole('tab').allTextContents())
      .toEqual(['This team', 'Team keys', 'Providers', 'Laboratories', 'All teams', 'Audit log']);
    await page.getByRole('tab', { name: 'This team', selected: true }).waitFor();
    await page.getByRole('tab', { name: 'Audit log' }).click();
    await page.getByRole('row', { name: ada.member.name }).first().waitFor();
    await dashboard.check(page);
  });

  test('names the operator in a line about members, and a member in another line', async () => {
    const { app, team } = dashboard;
    const ada = await signInMember(app, team);
    const operator = await signInOperator(app, team);
    await operator.api('GET', `/v1/org/${team.org_id}/member`);
    await app.flushAudit();
    const page = await dashboard.open(`/settings?tab=audit-log&actor=session&record=${ada.member.id}`);
    const rows = page.getByRole('row').filter({ hasText: 'List members' });
    await rows.filter({ hasText: 'Operator' }).first().waitFor();
    await page.getByRole('row').filter({ hasText: ada.member.name }).first().waitFor();
    expect(await rows.filter({ hasText: ada.member.name }).count()).toBe(0);
  });

  test('pages by cursor, and shows each filter of the address', async () => {
    const { app, team } = dashboard;
    const { user_id } = await makeUser(team);
    for (let n = 0; n < 52; n += 1) await team.api('GET', `/v2/user/${user_id}`);
    await app.flushAudit();
    const address = `/settings?tab=audit-log&actor=team_key&team=${team.id}&action=get_user&record=${user_id}`;
    await dashboard.onEachScreen('settings-audit-log', address, async (page) => {
      await page.getByRole('rowheader').first().waitFor();
      expect(await page.getByRole('combobox', { name: 'Caller' }).inputValue()).toBe('Team key');
      await page.getByRole('cell', { name: /test/ }).first().waitFor();
    });
    const page = await dashboard.open(address);
    await page.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => page.getByRole('rowheader').count()).toBe(2);
    await page.getByLabel('Until').fill('2026-01-01');
    await page.getByText('No line matches').waitFor();
    expect(new URL(page.url()).searchParams.has('cursor')).toBe(false);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await page.getByRole('rowheader').first().waitFor();
    await page.getByLabel('Id of a user, order or other record').fill('1234');
    await page.getByText('This is not a whole id').waitFor();
    await dashboard.check(page);
  });

  test('says what to do where a range is refused', async () => {
    const page = await dashboard.open('/settings?tab=audit-log&since=2024-01-01', { expected: /status of 422/ });
    await page.getByRole('alert').getByText('At most 366 days are allowed: ask for a shorter time').waitFor();
    await dashboard.check(page);
  });
});

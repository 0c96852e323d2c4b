import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';
import { createOrder, patientDetails, simulate } from './factories.ts';

await describeDashboard('the pages of users', (dashboard) => {
  test('somebody creates a user, connects invented data, and sees the days as charts', async () => {
    const { app, team } = dashboard;
    // A user without demographics and insurance answers 404 for them, and the page says so.
    const page = await dashboard.open('/users', { expected: /status of 404/ });
    await page.getByRole('button', { name: 'New user' }).first().click();
    await page.getByLabel(/^Your system’s id of this person/).fill('patient-4711');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'patient-4711' }).waitFor();
    await page.getByRole('tab', { name: 'Connections' }).click();
    await page.getByRole('button', { name: 'Connect invented data' }).click();
    await page.getByLabel('Provider').selectOption({ label: 'Oura' });
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: 'Oura' }).waitFor();
    await app.runJobs();
    const [, userId = ''] = /users\/([^?/]+)/.exec(page.url()) ?? [];
    await dashboard.check(page);
    await dashboard.onEachScreen('user-connections', `/users/${userId}?tab=connections`, async (on) => {
      await on.getByText(/The past: \d+ of \d+/).waitFor();
    });
    await dashboard.onEachScreen('user-days', `/users/${userId}?tab=days`, async (on) => {
      await on.getByRole('img', { name: /^Heart rate, in bpm\. [1-9]/ }).waitFor();
      await on.getByRole('img', { name: /^Steps, in steps\. [1-9]/ }).waitFor();
      // On a phone each day is a card, so the days wait until somebody opens them.
      const isNarrow = (on.viewportSize()?.width ?? 0) < 500;
      const days = on.getByRole('table', { name: 'Days' });
      await expect.poll(() => days.isVisible()).toBe(!isNarrow);
      if (!isNarrow) return;
      await on.getByText(/^(Each day|The newest 14 of \d+ days)$/).tap();
      await days.waitFor();
    });
    const away = await dashboard.open(`/users/${userId}?tab=days`, { timeZone: 'Pacific/Honolulu' });
    await away.getByText(/^Times are those of the patient: /).waitFor();
    await away.getByRole('columnheader', { name: 'Resting heart rate' }).waitFor();
    await away.getByText('Deep sleep').waitFor();
    // Invented people travel every 26 days.
    await away.getByText('90 days').click();
    await away.getByText(/^In another zone, .* to .* in \w+\/\w+/).waitFor();
    const { body } = await team.api<{ activity: { steps: number | null }[] }>(
      'GET',
      `/v2/summary/activity/${userId}?start_date=2026-01-01`,
    );
    expect(body.activity.some(({ steps }) => steps !== null)).toBe(true);
  });

  test('a browser whose language is no language tag shows the pages with charts too', async () => {
    const { team } = dashboard;
    const { user_id } = (await createOrder(team)).body.order as { user_id: string };
    const page = await dashboard.open('/users', { expected: /status of 404/ });
    await page
      .context()
      .addInitScript(`Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })`);
    await page.goto(`${dashboard.app.baseUrl}/dashboard/users/${user_id}?tab=days`);
    // The page has the charts' library, which failed while it was loaded.
    await page.getByText('No steps in this time.').waitFor();
    await dashboard.check(page);
  });

  test('the page of a patient shows demographics, orders, and results as trends', async () => {
    const { team } = dashboard;
    const made = (await createOrder(team)).body as unknown as { order: { id: string; user_id: string } };
    const { id, user_id } = made.order;
    const { first_name, last_name, dob, gender, phone_number, email } = patientDetails;
    const address = { first_line: '1 Saguaro Way', country: 'US', zip: '85004', city: 'Phoenix', state: 'AZ' };
    const person = { first_name, last_name, dob, gender, phone_number, email, address };
    await team.api('PATCH', `/v2/user/${user_id}/info`, person);
    const insurance = { payor_code: 'SBX00001', member_id: 'XYZ1', relationship: 'Self', insured: person };
    await team.api('POST', `/v2/user/${user_id}/insurance`, insurance);
    await simulate(team, id);
    await dashboard.onEachScreen('user', `/users/${user_id}`, async (on) => {
      await on.getByText(email).waitFor();
    });
    const page = await dashboard.open(`/users/${user_id}?tab=orders`);
    await page.route('**/result_trend', async (route) => {
      const response = await route.fetch();
      const { lines, ...others } = (await response.json()) as { lines: { name: string; slug: string }[] };
      const [one] = lines.slice(0, 1);
      const longer = { ...one, name: `${one?.name} A1c`, slug: `${one?.slug}-a1c` };
      await route.fulfill({ response, json: { ...others, lines: [longer, one] } });
    });
    await page.getByRole('link', { name: 'Results as trends' }).click();
    await page.getByRole('rowheader', { name: / A1c$/ }).waitFor();
    const [first = '', second] = await page.getByRole('rowheader').allInnerTexts();
    expect(second).toBe(`${first} A1c`);
    await page.getByRole('rowheader').getByRole('link').first().click();
    await page.getByText('One result').waitFor();
    // The ends of the range are no values.
    await page.getByRole('img', { name: /\. One value, [\d.]+\.$/ }).waitFor();
    expect(page.url()).toContain('marker=');
    await page.getByText(`${first_name} ${last_name}, born Apr 12, 1988`).waitFor();
    await page
      .getByText(/^(Lower|Upper) end of the range$/)
      .first()
      .waitFor();
    await dashboard.check(page);
  });

  test('somebody stores the demographics of a user, and changes them', async () => {
    const { body } = await dashboard.team.api<{ user_id: string }>('POST', '/v2/user', {
      client_user_id: 'patient-77',
    });
    const page = await dashboard.open(`/users/${body.user_id}`, { expected: /status of 404/ });
    await page.getByRole('button', { name: 'Add demographics' }).click();
    for (const [label, value] of [
      ['First name', 'Ines'],
      ['Last name', 'Marchetti'],
      ['Date of birth', '1980-12-10'],
      ['Phone', '+16025550123'],
      ['E-mail', 'ines@example.com'],
      ['Street and number', '1 Saguaro Way'],
      ['City', 'Phoenix'],
      ['Zip code', '85004'],
    ] as const)
      await page.getByLabel(new RegExp(`^${label}( \\*)?$`)).fill(value);
    await page.getByLabel(/^Gender/).selectOption('Other');
    const state = page.getByRole('combobox', { name: 'State' });
    await state.fill('Arizon');
    await page.getByLabel(/^City/).focus();
    // What names no state is not kept.
    expect(await state.inputValue()).toBe('');
    await state.pressSequentially('ariz');
    await expect
      .poll(() => page.getByRole('option', { name: 'Arizona (AZ)' }).getAttribute('data-combobox-selected'))
      .toBe('true');
    await page.keyboard.press('Enter');
    expect(await state.inputValue()).toBe('Arizona (AZ)');
    await dashboard.check(page);
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.getByRole('heading', { name: 'Ines Marchetti' }).waitFor();
    await page.getByText('Phoenix, AZ 85004').waitFor();
    // Browsers keep the titles of tabs.
    expect(await page.title()).toBe('patient-77 · Phial');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByLabel(/^Last name/).fill('Marsh');
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.getByRole('heading', { name: 'Ines Marsh' }).waitFor();
  });

  test('the list of users finds one by the id of the team', async () => {
    const id = `patient-4712-${randomUUID()}`;
    await dashboard.team.api('POST', '/v2/user', { client_user_id: id });
    await dashboard.onEachScreen('users', '/users?search=patient-4712', async (on) => {
      const link = on.getByRole('link', { name: id });
      await link.waitFor();
      await on.getByText('1 user matches').waitFor();
      // The id stays on one line, however long it is.
      expect((await link.boundingBox())?.height).toBeLessThan(40);
    });
    const page = await dashboard.open('/users?search=patient-9999');
    await page.getByText('Nobody matches').waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(0);
  });

  test('somebody finds a user by name and by date of birth, and the address says neither', async () => {
    const { team } = dashboard;
    const { body } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'patient-4713' });
    const { first_name, last_name, dob, gender, phone_number, email } = patientDetails;
    const address = { first_line: '1 Saguaro Way', country: 'US', zip: '85004', city: 'Phoenix', state: 'AZ' };
    const info = { first_name: 'Ottoline', last_name, dob: '1931-02-03', gender, phone_number, email, address };
    await team.api('PATCH', `/v2/user/${body.user_id}/info`, info);
    const page = await dashboard.open('/users');
    // The list names the users too.
    await page.getByRole('link', { name: 'Ottoline Palmer' }).waitFor();
    await page.getByLabel('Search', { exact: true }).fill(`${last_name} ottoline`);
    await page.getByText('1 user matches').waitFor();
    await page.getByText('Ottoline Palmer').waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(1);
    await page.getByLabel('Search by').selectOption('Phone');
    expect(await page.getByLabel('Search', { exact: true }).inputValue()).toBe(`${last_name} ottoline`);
    await page.getByLabel('Search by').selectOption('Date of birth');
    await page.getByLabel('Search', { exact: true }).fill('1931-02-03');
    await page.getByText('Ottoline Palmer').waitFor();
    expect(page.url()).not.toMatch(/ottoline|1931/i);
    await page.getByLabel('Search', { exact: true }).fill(dob);
    expect(first_name).not.toBe('Ottoline');
    await dashboard.check(page);
  });
});

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { bookedOrder } from './collected-orders.ts';
import { describeDashboard } from './dashboard.ts';
import { startEndpoint } from './endpoint.ts';
import {
  createOrder,
  kitTestId,
  makeUser,
  orderKit,
  patientDetails,
  readOrder,
  registeredKit,
  shippingAddress,
  simulate,
  subscribe,
} from './factories.ts';

async function fillPatient(page: Page, firstName: string): Promise<void> {
  for (const [label, value] of [
    ['First name', firstName],
    ['Last name', 'Ruiz'],
    ['Date of birth', '1980-12-10'],
    ['Phone', '+16025550123'],
    ['E-mail', 'nadia@example.com'],
    ['Street and number', '1 Saguaro Way'],
    ['City', 'Phoenix'],
    ['Zip code', '85004'],
  ] as const)
    await page.getByLabel(new RegExp(`^${label}( \\*)?$`)).fill(value);
  await page.getByRole('combobox', { name: 'State' }).fill('az');
  await page.getByLabel(/^Gender/).selectOption('Female');
}

const isCut = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }): boolean =>
  scrollWidth > clientWidth;

async function consent(page: Page): Promise<void> {
  for (const label of [/^Terms of use/, /^Telehealth informed consent/, /^Notice of privacy practices/])
    await page.getByLabel(label).check();
}

await describeDashboard('the pages of orders', (dashboard) => {
  test('lists the notes on all orders, each leading to its order', async () => {
    const team = await dashboard.app.makeTeam();
    const first = await registeredKit(team);
    const second = await orderKit(team);
    const write = (id: string, text: string) => team.api('POST', `/v3/order/${id}/note`, { text, author: 'Ana Ruiz' });
    await write(first.id, 'Called, no answer.');
    await write(second.id, 'Lost in the post.');
    const page = await dashboard.open('/orders', { team });
    await page.getByRole('link', { name: 'Notes', exact: true }).click();
    const rows = page.getByRole('table', { name: 'Notes' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(3);
    expect(await rows.nth(1).textContent()).toContain('Lost in the post.');
    expect(await rows.nth(2).textContent()).toContain('Called, no answer.');
    await dashboard.onEachScreen('notes', '/notes', (each) => each.getByText('Lost in the post.').waitFor(), { team });
    await rows.nth(2).getByRole('link', { name: 'Grace Palmer' }).click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/dashboard/orders/${first.id}`);
  });

  test('the list shows what the filters of its address name', async () => {
    const { team } = dashboard;
    const kit = await registeredKit(team);
    await simulate(team, kit.id, '', { interpretation: 'critical' });
    await orderKit(team);
    await bookedOrder(team, 'phlebotomy');
    await dashboard.onEachScreen('orders', '/orders', async (page) => {
      await page.getByRole('rowheader').nth(2).waitFor();
      // Nobody knows yet who uses a kit that is not registered.
      await page.getByText(`Sent to ${shippingAddress.receiver_name}`, { exact: true }).waitFor();
    });
    const page = await dashboard.open('/orders?result=critical');
    await page.getByText('1 order matches').waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(1);
    await page.getByRole('textbox', { name: 'Search' }).fill('Nobody');
    await page.getByText('No order matches').waitFor();
    // A name must not stand in the address, which histories and logs keep.
    expect(page.url()).not.toContain('Nobody');
    await page.getByRole('button', { name: 'Show all orders' }).click();
    await page.getByText('3 orders').waitFor();
    // A date of birth is found as the pages show it.
    await page.getByRole('textbox', { name: 'Search' }).fill('Apr 12, 1988');
    await page.getByText(/^\d orders? match/).waitFor();
    await page.getByRole('textbox', { name: 'Search' }).fill('4/13/1988');
    await page.getByText('No order matches').waitFor();
    await page.goto(`${dashboard.app.baseUrl}/dashboard/orders?overdue=true`);
    await page.getByText('Nothing is overdue').waitFor();
    await dashboard.check(page);
  });

  test('an order shows its results, its steps, and how its webhooks were delivered', async () => {
    const { app, team } = dashboard;
    const endpoint = await startEndpoint();
    await subscribe(team, endpoint);
    const order = await registeredKit(team);
    await simulate(team, order.id, '', { interpretation: 'abnormal' });
    await app.deliver();
    await dashboard.onEachScreen('order', `/orders/${order.id}`, async (page) => {
      await page.getByRole('heading', { name: 'Results' }).waitFor();
      // The steps read their webhooks one by one, in no order.
      const webhooks = page.locator('.mantine-Timeline-item').first().getByRole('group');
      await webhooks.locator('summary').click();
      await webhooks.getByText('Delivered (204)').waitFor();
      await webhooks.getByText(new URL(endpoint.url).host).waitFor();
      await page.getByRole('heading', { level: 1, name: `for ${patientDetails.first_name}` }).waitFor();
    });
    const page = await dashboard.open(`/orders/${order.id}`);
    const openResult = async (hasViewer: boolean): Promise<void> => {
      await page
        .context()
        .addInitScript(`Object.defineProperty(Navigator.prototype, 'pdfViewerEnabled', { get: () => ${hasViewer} })`);
      await page.reload();
      await page.getByRole('button', { name: 'Result', exact: true }).click();
      await page.getByRole('dialog', { name: `Result for ${patientDetails.first_name}` }).waitFor();
    };
    await openResult(false);
    await page.getByText('This browser shows no PDF here.').waitFor();
    expect(await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')).toMatch(/^blob:/);
    expect(await page.locator('iframe').count()).toBe(0);
    await dashboard.check(page);
    await openResult(true);
    await page.locator('iframe[title^="Result for "]').waitFor();
    const name = await page.getByRole('link', { name: 'Download' }).getAttribute('download');
    expect(name).toBe(`Result-${order.id.slice(-8)}.pdf`);
    await endpoint.close();
  });

  test('somebody orders a kit, walks it to a critical result, and cancels another', async () => {
    const { team } = dashboard;
    const user = await makeUser(team);
    const address = { first_line: '1 Saguaro Way', country: 'US', zip: '85004', city: 'Phoenix', state: 'AZ' };
    const info = { ...patientDetails, last_name: 'Ruizarez', address };
    expect((await team.api('PATCH', `/v2/user/${user.user_id}/info`, info)).status).toBe(200);
    await kitTestId(team);
    const physicians = `/v1/org/${team.org_id}/team/${team.id}/sandbox/physician`;
    await team.api('PUT', `${physicians}/1234567893`, { first_name: 'Ada', last_name: 'Li' });
    const page = await dashboard.open('/orders', { expected: /status of 422/ });
    await page.getByRole('button', { name: 'New order' }).first().click();
    await page.getByRole('combobox', { name: 'User' }).fill(user.client_user_id.slice(0, -1));
    await page.getByRole('option', { name: user.client_user_id }).waitFor();
    await page.getByRole('combobox', { name: 'User' }).fill('ruizarez');
    const chosen = `${patientDetails.first_name} Ruizarez, born Apr 12, 1988 · ${user.client_user_id}`;
    await page.getByRole('option', { name: chosen }).click();
    await page.getByRole('combobox', { name: 'Test' }).click();
    await page
      .getByRole('option', { name: /test kit/ })
      .first()
      .click();
    await page.getByRole('combobox', { name: 'Physician of the team' }).click();
    await page.getByRole('option', { name: 'Ada Li, 1234567893' }).click();
    for (const [label, value] of [
      ['First name', 'Ana'],
      ['Last name', 'Ruiz'],
      ['Date of birth', '1980-12-10'],
      ['Phone', '+16025550123'],
      ['E-mail', 'ana@example.com'],
      ['Street and number', '1 Saguaro Way'],
      ['City', 'Phoenix'],
      ['Zip code', '8500'],
    ] as const)
      await page.getByLabel(new RegExp(`^${label}( \\*)?$`)).fill(value);
    await page.getByLabel(/^Gender/).selectOption('Female');
    // Fields that stand in a row are level.
    for (const row of [
      ['City', 'State', 'Zip code'],
      ['Physician’s first name', 'Physician’s last name', 'Physician’s NPI'],
    ]) {
      const boxes = row.map((label) => page.getByLabel(label).first().boundingBox());
      const tops = (await Promise.all(boxes)).map((box) => Math.round(box?.y ?? 0));
      expect(tops.every((top) => top > 0 && top === tops[0])).toBe(true);
    }
    // The field shows a state whole.
    const state = page.getByRole('combobox', { name: 'State' });
    await state.fill('north car');
    await page.getByRole('option', { name: 'North Carolina (NC)' }).click();
    expect(await state.evaluate(isCut)).toBe(false);
    const order = page.getByRole('button', { name: 'Order', exact: true });
    await order.click();
    await page.getByText('Write 5 digits, or 9 as 85004-1234').first().waitFor();
    // The problem stands beside its field only, and goes when the field changes.
    expect(await page.getByText('Write 5 digits, or 9 as 85004-1234').count()).toBe(1);
    await page.getByText('Mend the fields that are marked.').waitFor();
    await page.getByLabel(/^Zip code/).fill('85004');
    expect(await page.getByText(/Write 5 digits|Mend the fields/).count()).toBe(0);
    await order.click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Simulate a step' }).click();
    await page.getByLabel('Results are').selectOption('critical');
    await page.getByRole('button', { name: 'Simulate', exact: true }).click();
    await page.getByText('Critical').first().waitFor();
    const [, id = ''] = /orders\/([^?/]+)/.exec(page.url()) ?? [];
    expect(await readOrder(team, id)).toMatchObject({ physician: { first_name: 'Ada', npi: '1234567893' } });

    const other = (await createOrder(team)).body as unknown as { order: { id: string } };
    await page.goto(page.url().replace(/[^/]+$/, other.order.id));
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Cancel the order' }).click();
    await page.getByRole('button', { name: 'Keep the order' }).waitFor();
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByText('Cancelled').first().waitFor();
    expect((await readOrder(team, other.order.id)).status).toBe('cancelled');
    await dashboard.check(page);
  });

  test('somebody who has no physician orders with the consents of the patient', async () => {
    const { team } = dashboard;
    const user = await makeUser(team);
    await kitTestId(team);
    const page = await dashboard.open(`/users/${user.user_id}`, { expected: /status of 404/ });
    await page.getByRole('link', { name: 'Order a test' }).click();
    await page.getByRole('combobox', { name: 'Test' }).click();
    await page
      .getByRole('option', { name: /test kit/ })
      .first()
      .click();
    // What was chosen stays where it is a choice.
    const test = await page.getByRole('combobox', { name: 'Test' }).inputValue();
    await page.getByText('Register later').click();
    expect(await page.getByRole('combobox', { name: 'Test' }).inputValue()).toBe(test);
    await page.getByText('Known patient').click();
    await fillPatient(page, 'Nadia');
    const order = page.getByRole('button', { name: 'Order', exact: true });
    await order.click();
    await page
      .getByLabel(/^Terms of use/)
      .and(page.locator(':invalid'))
      .waitFor();
    await consent(page);
    await dashboard.check(page);
    await order.click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    const id = page.url().split('/').at(-1) as string;
    expect(await readOrder(team, id)).toMatchObject({ physician: null, patient_details: { first_name: 'Nadia' } });
    // The user had no demographics, and has those of the patient now.
    await page.getByRole('link', { name: 'The user of this order' }).click();
    await page.getByRole('heading', { name: 'Nadia Ruiz' }).waitFor();
  });

  test('somebody registers a kit that was ordered without its patient, and acknowledges its result there', async () => {
    const { team } = dashboard;
    const { id } = await orderKit(team);
    const page = await dashboard.open(`/orders/${id}`);
    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    const simulateStep = page.getByRole('button', { name: 'Simulate', exact: true });
    await choose('Simulate a step');
    await page.getByText('This kit has no patient yet').waitFor();
    await simulateStep.click();
    await page.getByText('With the patient').first().waitFor();
    await choose('Simulate a step');
    await expect.poll(() => simulateStep.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await choose('Register the kit');
    await fillPatient(page, 'Nadia');
    await consent(page);
    await dashboard.check(page);
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByText('Kit registered').first().waitFor();
    await choose('Simulate a step');
    await page.getByLabel('Results are').selectOption('critical');
    await simulateStep.click();
    await page.getByText('Waits for acknowledgement').waitFor();
    const newest = async () => (await page.locator('.mantine-Timeline-itemTitle').allInnerTexts()).slice(0, 3);
    await expect.poll(newest).toEqual(['Completed', 'At the laboratory', 'On its way to the laboratory']);
    await page.getByText('Result critical: Waits to be sent').waitFor();
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText(/^Nadia Ruiz, born Dec 10, 1980/).waitFor();
    await page.getByLabel(/^Who was called/).fill('Dr Ana Ruiz');
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).last().click();
    await page.getByText('Waits for a sign-off', { exact: true }).waitFor();
    await page.getByText(/Dr Ana Ruiz was called/).waitFor();
    await dashboard.check(page);
  });

  test('somebody corrects the patient of an order, until the sample is collected', async () => {
    const { team } = dashboard;
    const { id } = (await createOrder(team)).body.order;
    const page = await dashboard.open(`/orders/${id}`, { expected: /status of 400/ });
    const openForm = async () => {
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Correct patient data' }).click();
      await page.getByRole('menu').waitFor({ state: 'detached' });
    };
    const correct = page.getByRole('button', { name: 'Correct', exact: true });
    await openForm();
    await page.getByText('The profile of the user and other orders keep').waitFor();
    await dashboard.check(page);
    await page.keyboard.press('Escape');
    const actions = page.getByRole('button', { name: 'Actions' });
    await expect.poll(() => actions.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await openForm();
    await page.getByLabel(/^Last name/).fill('Palmerston');
    await page.getByLabel(/^Street and number/).fill('2 Ocotillo Street');
    await correct.click();
    await page.getByText('The patient data are corrected.').waitFor();
    await page.getByText('Grace Palmerston').first().waitFor();
    expect(await readOrder(team, id)).toMatchObject({
      patient_details: { first_name: 'Grace', last_name: 'Palmerston', dob: '1988-04-12' },
      patient_address: { first_line: '2 Ocotillo Street', zip: '85004' },
    });
    await openForm();
    // What stands beside its field is not said again below.
    await page.getByLabel(/^Zip code/).fill('850');
    await correct.click();
    await page.getByText('Mend the fields that are marked.').waitFor();
    expect(await page.getByText('Write 5 digits').count()).toBe(1);
    await page.getByLabel(/^Zip code/).fill('85004');
    await team.api('POST', `/v3/order/${id}/cancel`);
    await page.getByLabel(/^Last name/).fill('Palmer');
    await correct.click();
    await page.getByText('only before the sample is collected').waitFor();
  });

  test('a lost order and its replacement lead to each other, and the lost one offers nothing more', async () => {
    const { team } = dashboard;
    const lost = await registeredKit(team);
    await simulate(team, lost.id, '?final_status=failed.testkit.lost');
    const page = await dashboard.open(`/orders/${lost.id}`);
    const actions = page.getByRole('button', { name: 'Actions' });
    await actions.click();
    expect(await page.getByRole('menuitem', { name: 'Simulate a step' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Order a replacement kit' }).click();
    await page.getByRole('dialog').getByText('It goes to').waitFor();
    await page.getByRole('dialog').getByText(shippingAddress.first_line).waitFor();
    await page.getByRole('button', { name: 'Order', exact: true }).click();
    await page.getByText('A replacement kit', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Result', exact: true }).count()).toBe(0);
    await page
      .getByText(`The replacement of order …${lost.id.slice(-8)}`)
      .getByRole('link')
      .click();
    await page.getByText('Replaced by order').waitFor();
    await actions.click();
    await page.getByRole('menuitem', { name: 'Send its webhooks again' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Order a replacement kit' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await dashboard.check(page);
  });
});

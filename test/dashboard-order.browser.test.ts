import { expect, test } from 'vitest';
import { bookedOrder } from './collected-orders.ts';
import { describeDashboard, PHONE } from './dashboard.ts';
import { startEndpoint } from './endpoint.ts';
import { kitTestId, makeUser, orderKit, registeredKit, simulate, subscribe } from './factories.ts';
import { query } from './global-setup.ts';

/** Puts the steps of an order into the past, which only a trigger of the database forbids. */
const makeOlder = (databaseUrl: string, orderId: string, days: number): Promise<unknown> =>
  query(
    databaseUrl,
    `set session_replication_role = replica;
     update order_events set created_at = created_at - interval '${days} days' where order_id = '${orderId}';
     update orders set last_event_at = last_event_at - interval '${days} days' where id = '${orderId}'`,
  );

await describeDashboard('the page of an order', (dashboard) => {
  test('says why the order is overdue, as the list of overdue orders does', async () => {
    const { app, team } = dashboard;
    const [sent, left] = [await orderKit(team), await orderKit(team)];
    await simulate(team, sent.id, '?final_status=collecting_sample.testkit.transit_customer');
    const age = (id: string, days: number) => makeOlder(app.databaseUrl, id, days);
    await age(sent.id, 12);
    await age(left.id, 2);
    await dashboard.onEachScreen('orders-overdue', '/orders?overdue=true', async (page) => {
      await page.getByText('Every order of the team, the oldest first.').waitFor();
      await page.getByText('no news for 12 days, on its way to the patient').waitFor();
    });
    const page = await dashboard.open('/orders');
    await page.getByText('no news for 12 days').waitFor();
    expect(await page.getByRole('table').getByText('Overdue', { exact: true }).count()).toBe(1);
    await page.goto(`${app.baseUrl}/dashboard/orders/${sent.id}`);
    await page.getByText('no news for 12 days, on its way to the patient').waitFor();
    await dashboard.check(page);
  });

  test('tells what happened in the order of time, also of an order whose steps are put into the past', async () => {
    const { app, team } = dashboard;
    const endpoint = await startEndpoint();
    await subscribe(team, endpoint);
    const id = await bookedOrder(team, 'phlebotomy');
    await makeOlder(app.databaseUrl, id, 6);
    await app.deliver();
    const page = await dashboard.open(`/orders/${id}`);
    await page.getByText('Appointment created: Told 1 endpoint').waitFor();
    const times = await page
      .locator('.mantine-Timeline-item time')
      .evaluateAll((found) => found.map((time) => time.getAttribute('datetime')));
    expect(times.length).toBeGreaterThan(2);
    expect(times).toEqual(times.toSorted().toReversed());
    await dashboard.check(page);
  });

  test('says in a line which endpoints got it, and shows in it how each answered', async () => {
    const { app, team } = dashboard;
    const [works, fails] = [await startEndpoint(), await startEndpoint()];
    fails.answer((response) => response.writeHead(500).end());
    for (const endpoint of [works, fails]) await subscribe(team, endpoint);
    const order = await registeredKit(team);
    await app.deliver();
    const page = await dashboard.open(`/orders/${order.id}`);
    const newest = page.locator('.mantine-Timeline-item').first();
    const webhooks = newest.getByRole('group').filter({ hasText: /1 of \d endpoints failed/ });
    await webhooks.locator('summary').click();
    await webhooks.getByText('Failed (500)').waitFor();
    await webhooks.getByTitle(new URL(fails.url).host).waitFor();
    await webhooks.getByRole('link', { name: /^labtest\.order\./ }).waitFor();
    await dashboard.check(page);
  });

  test('is not opened twice: Back does not show the form again after an order was placed', async () => {
    const { team } = dashboard;
    const { user_id } = await makeUser(team);
    await kitTestId(team);
    // Nothing is known of the user as a person.
    const page = await dashboard.open(`/users/${user_id}`, { expected: /status of 404/ });
    const openForm = async (): Promise<void> => {
      await page.getByRole('link', { name: 'Order a test' }).click();
      await page.getByRole('dialog').waitFor();
    };
    await openForm();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.url()).toMatch(/\/orders$/);
    await page.goBack();
    await openForm();
    await page.getByText('Register later').click();
    await page.getByRole('combobox', { name: 'Test' }).click();
    await page.getByRole('option').first().click();
    for (const [label, value] of [
      ['Recipient', 'Nadia Ruiz'],
      ['Phone of the recipient', '+16025550123'],
      ['Street and number', '1 Saguaro Way'],
      ['City', 'Phoenix'],
      ['Zip code', '85004'],
    ] as const)
      await page.getByLabel(new RegExp(`^${label}( \\*)?$`)).fill(value);
    await page.getByRole('combobox', { name: 'State' }).fill('ariz');
    await page.getByRole('option', { name: /^Arizona/ }).click();
    await page.getByRole('button', { name: 'Order', exact: true }).click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    await page.goBack();
    await page.waitForURL(`**/users/${user_id}`);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await dashboard.check(page);
  });

  test('says that there is no such order where the address has no id', async () => {
    const page = await dashboard.open('/orders/nonsense', { expected: /status of 422/ });
    await page.getByText('No such order').waitFor();
    await dashboard.check(page);
  });

  test('says that a result was corrected', async () => {
    const { team } = dashboard;
    const order = await registeredKit(team);
    await simulate(team, order.id);
    await simulate(team, order.id, '?final_status=completed.testkit.corrected', { interpretation: 'abnormal' });
    const page = await dashboard.open(`/orders/${order.id}`);
    await page.getByText(/, corrected, reported/).waitFor();
    expect(await page.locator('#content').innerText()).not.toMatch(/[[{]\w+[\]}]/);
    await dashboard.check(page);
  });

  test('a note is deleted only after a question', async () => {
    const { team } = dashboard;
    const order = await orderKit(team);
    const note = { text: 'The patient calls back at noon.', author: 'Ana Ruiz' };
    await team.api('POST', `/v3/order/${order.id}/note`, note);
    const page = await dashboard.open(`/orders/${order.id}`, { screen: PHONE });
    const notes = page.getByRole('region', { name: 'Notes' });
    const dialog = page.getByRole('dialog');
    await notes.getByRole('button', { name: 'Delete the note of Ana Ruiz?' }).tap();
    await dialog.getByText(note.text).waitFor();
    await dialog.getByText('This cannot be undone.').waitFor();
    await dashboard.check(page);
    await dialog.getByRole('button', { name: 'Cancel' }).tap();
    await dialog.waitFor({ state: 'detached' });
    await notes.getByText(note.text).waitFor();
    await notes.getByRole('button', { name: 'Delete the note of Ana Ruiz?' }).tap();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).tap();
    await notes.getByText(note.text).waitFor({ state: 'detached' });
  });

  test('says that its webhooks are on their way again, and then what became of them', async () => {
    const { app } = dashboard;
    const team = await app.makeTeam();
    const endpoint = await startEndpoint();
    await subscribe(team, endpoint);
    const order = await orderKit(team);
    await app.deliver();
    await endpoint.close();
    const page = await dashboard.open(`/orders/${order.id}`, { team });
    const lines = page.locator('.mantine-Timeline-item').getByRole('group');
    await expect.poll(() => lines.filter({ hasText: 'Told 1 endpoint' }).count()).toBeGreaterThan(0);
    const before = await lines.count();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Send its webhooks again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByText('Its webhooks are on their way again.').waitFor();
    await app.runJobs();
    await expect.poll(() => lines.filter({ hasText: 'Waits to be sent' }).count()).toBeGreaterThan(0);
    await expect.poll(() => lines.count()).toBeGreaterThan(before);
    await app.deliver();
    // Lines change one by one, and the first of those that failed is another one then.
    await expect.poll(() => lines.filter({ hasText: 'Waits to be sent' }).count()).toBe(0);
    const failed = lines.filter({ hasText: '1 of 1 endpoint failed' }).first();
    await failed.locator('summary').click();
    await failed.getByText('Failed (connection refused)').waitFor();
    await dashboard.check(page);
  });
});

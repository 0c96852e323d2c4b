import { expect, test } from 'vitest';
import { describeDashboard, PHONE } from './dashboard.ts';
import { startEndpoint } from './endpoint.ts';
import { orderKit, subscribe } from './factories.ts';

type Focusable = { ownerDocument: { activeElement: unknown } };
const isFocused = (element: Focusable): boolean => element === element.ownerDocument.activeElement;

await describeDashboard('the pages of webhooks', (dashboard) => {
  test('an endpoint that fails shows why, is mended, and gets the event again', async () => {
    const { app, team } = dashboard;
    const endpoint = await startEndpoint();
    endpoint.answer((response) => response.writeHead(500).end('the disk is full'));
    // An address has no space to break at.
    const id = await subscribe(team, { ...endpoint, url: `${endpoint.url}/${'receive_'.repeat(16)}` });
    await orderKit(team);
    await app.deliver();
    await dashboard.onEachScreen('webhooks', '/webhooks', async (page) => {
      await page
        .getByText(/^since .*, \d+ of \d+ failed$/)
        .first()
        .waitFor();
      await page.getByText('Failed (500)').first().waitFor();
    });
    await dashboard.onEachScreen('webhook', `/webhooks/${id}`, async (page) => {
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      await page.getByRole('rowheader').first().waitFor();
      const buttons = await page.getByRole('button', { name: 'Change' }).boundingBox();
      // On a narrow screen they are beneath the heading.
      expect(buttons?.y).toBeLessThan((page.viewportSize()?.width ?? 0) < 500 ? 420 : 160);
    });
    endpoint.answer(null);
    const page = await dashboard.open(`/webhooks/${id}`);
    const openers = page.getByRole('button', { name: 'labtest.order.created' });
    await openers.first().click();
    await page.getByRole('heading', { name: 'Body of the request' }).waitFor();
    expect(await page.getByRole('heading', { name: 'labtest.order.created' }).evaluate(isFocused)).toBe(true);
    await page.getByText('the disk is full').waitFor();
    await dashboard.check(page);
    const before = endpoint.received.length;
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('It is on its way.').waitFor();
    await app.deliver();
    expect(endpoint.received.length).toBeGreaterThan(before);
    // The new attempt takes the place of the old one.
    await page.getByText('It was sent again.').waitFor();
    await page.getByRole('dialog').getByText('Delivered (204)').waitFor();
    expect(await page.getByRole('dialog').getByText('the disk is full').count()).toBe(0);
    await dashboard.check(page);
    await page.keyboard.press('Escape');
    // The row of the new attempt stands above it.
    await expect.poll(() => openers.nth(1).evaluate(isFocused)).toBe(true);
    await endpoint.close();
  });

  test('somebody chooses events on a phone, where the page keeps its width', async () => {
    const page = await dashboard.open('/webhooks', { screen: PHONE });
    await page.getByRole('button', { name: 'New endpoint' }).first().tap();
    await page.getByLabel(/^Address/).fill('https://example.com/webhooks');
    await page.getByRole('combobox', { name: 'Events' }).tap();
    await page.getByRole('option', { name: 'daily.data.activity.*' }).tap();
    expect(await page.evaluate('innerWidth')).toBe(PHONE.width);
    // The list stays open for more, until somebody taps beside it.
    await page.getByRole('heading', { name: 'New endpoint' }).tap();
    await page.getByRole('button', { name: 'Create', exact: true }).tap();
    await page.getByText('Gets daily.data.activity.*').waitFor();
    await dashboard.check(page);
  });

  test('somebody creates an endpoint for orders alone, tests it and replaces its secret', async () => {
    const { app } = dashboard;
    const endpoint = await startEndpoint();
    const page = await dashboard.open('/webhooks');
    const create = page.getByRole('button', { name: 'New endpoint' }).first();
    await create.click();
    await expect.poll(() => page.getByLabel(/^Address/).evaluate(isFocused)).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => create.evaluate(isFocused)).toBe(true);
    await create.click();
    await page.getByLabel(/^Address/).fill(endpoint.url);
    await page.getByRole('combobox', { name: 'Events' }).click();
    await page.getByRole('option').first().waitFor();
    const events = await page.getByRole('option').allInnerTexts();
    expect(events.findIndex((name) => name.startsWith('labtest.'))).toBeLessThan(10);
    expect(events).toEqual(expect.arrayContaining(['daily.data.weight.created', 'provider.connection.error']));
    await page.getByRole('combobox', { name: 'Events' }).fill('labtest.order');
    await page.getByRole('option', { name: 'labtest.order.*' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Gets labtest.order.*').waitFor();
    // Only the dashboard knows the secret.
    endpoint.answer((response) => response.writeHead(204).end());
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The test is sent. Its attempt appears beneath').waitFor();
    await expect
      .poll(async () => {
        await app.deliver();
        return endpoint.requests();
      })
      .toBe(1);
    await page.getByRole('status').getByText('Delivered (204)').waitFor();
    await page.getByRole('row', { name: 'labtest.order.created' }).getByText('Delivered (204)').waitFor();
    // Workers write their counts some seconds later.
    expect(await page.getByText('Nothing sent').count()).toBe(0);
    await page.getByText('1 sent', { exact: true }).waitFor();
    await page.getByText('Attempts in 24 hours').locator('..').getByText('1', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Signing secret' }).click();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? '';
    await page.getByRole('button', { name: 'Hide', exact: true }).click();
    await page.getByText(/^whsec_/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText(secret).waitFor();
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await page.getByText('The secret is new. The former secret signs until').waitFor();
    await expect.poll(() => page.getByText(/^whsec_/).textContent()).not.toBe(secret);
    await page.reload();
    await page.getByText(/^The former secret signs until \w+ \d+, \d+, .*, beside the new one\.$/).waitFor();
    await dashboard.check(page);
    await endpoint.close();
  });
});

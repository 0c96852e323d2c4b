import { expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';
import { startEndpoint } from './endpoint.ts';
import { orderKit, subscribe } from './factories.ts';

await describeDashboard('the pages of webhooks', (dashboard) => {
  test('an endpoint that fails shows why, is mended, and gets the event again', async () => {
    const { app, team } = dashboard;
    const endpoint = await startEndpoint();
    endpoint.answer((response) => response.writeHead(500).end('the disk is full'));
    const id = await subscribe(team, endpoint);
    await orderKit(team);
    await app.deliver();
    await dashboard.onEachScreen('webhooks', '/webhooks', async (page) => {
      await page
        .getByText(/Failing|Healthy|Some fail/)
        .first()
        .waitFor();
    });
    await dashboard.onEachScreen('webhook', `/webhooks/${id}`, async (page) => {
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      await page.getByRole('rowheader').first().waitFor();
    });
    endpoint.answer(null);
    const page = await dashboard.open(`/webhooks/${id}`);
    await page.getByRole('button', { name: 'labtest.order.created' }).first().click();
    await page.getByRole('heading', { name: 'Body of the request' }).waitFor();
    await page.getByText('the disk is full').waitFor();
    await dashboard.check(page);
    const before = endpoint.received.length;
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('It is on its way.').waitFor();
    await app.deliver();
    expect(endpoint.received.length).toBeGreaterThan(before);
    await endpoint.close();
  });

  test('somebody creates an endpoint for orders alone, tests it and replaces its secret', async () => {
    const { app } = dashboard;
    const endpoint = await startEndpoint();
    const page = await dashboard.open('/webhooks');
    await page.getByRole('button', { name: 'New endpoint' }).first().click();
    await page.getByLabel(/^Address/).fill(endpoint.url);
    await page.getByRole('combobox', { name: 'Events' }).fill('labtest.order');
    await page.getByRole('option', { name: 'labtest.order.*' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Gets labtest.order.*').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect
      .poll(async () => {
        await app.deliver();
        return endpoint.requests();
      })
      .toBe(1);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const secret = (await page.getByText(/^whsec_/).textContent()) ?? '';
    await page.getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await page.getByText('The one before still signs').waitFor();
    await expect.poll(() => page.getByText(/^whsec_/).textContent()).not.toBe(secret);
    await dashboard.check(page);
    await endpoint.close();
  });
});

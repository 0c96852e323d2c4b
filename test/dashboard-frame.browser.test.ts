import { expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';

await describeDashboard('the frame of the dashboard', (dashboard) => {
  test('shows the overview on each kind of screen', async () => {
    await dashboard.onEachScreen('overview', '/', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await page.getByText('Attempts').waitFor();
      await page.getByText('Nothing was sent').waitFor();
      await page.getByText('Paused').waitFor();
    });
  });

  test('lets people skip the navigation by keyboard', async () => {
    const page = await dashboard.open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await dashboard.check(page);
  });

  test('leads to signing in when the session has ended, and back to the page that was asked for', async () => {
    const page = await dashboard.open('/?from=a-list', { expected: /status of 401/ });
    await page.getByText('Attempts').waitFor();
    const refused = { status: 401, json: { code: 'invalid_session', detail: 'It has ended.', request_id: 'r' } };
    await page.route('**/v1/**', (route) => route.fulfill(refused));
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in to Phial' }).waitFor();
    await page.unroute('**/v1/**');
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(page.url()).toBe(`${dashboard.app.baseUrl}/dashboard/?from=a-list`);
    await dashboard.check(page);
  });
});

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';
import { startFront } from './demo-clinics.ts';
import { startEndpoint } from './endpoint.ts';
import { subscribe } from './factories.ts';

/**
 * Pages that show something once the demo clinic is loaded. No laboratory of a sandbox sends messages to repair. The
 * page of events shows what is published from its opening on.
 */
const FILLED = [
  '/orders',
  '/critical-results',
  '/users',
  '/webhooks',
  '/laboratories?tab=unmatched',
  '/laboratories?tab=laboratories',
  '/catalogue',
  '/connections',
];

let serviceUrl = '';
const front = await startFront(() => serviceUrl);
const env = { PHIAL_BASE_URL: front.url };
/** A page of a busy machine comes when it comes. */
const PATIENCE = { timeout: 60_000 };

await describeDashboard(
  'the overview of a new team',
  (dashboard) => {
    beforeAll(() => {
      serviceUrl = dashboard.app.baseUrl;
    });
    afterAll(front.close);
    /** A figure of the overview, by the label of its tile. */
    const tile = (page: Page, label: string) =>
      page.locator('#content').getByRole('link', { name: new RegExp(`^${label}`) });
    const figureOf = async (page: Page, label: string): Promise<number> => {
      const text = await tile(page, label).locator('span').nth(1).textContent();
      return Number((text ?? '').replaceAll(',', ''));
    };

    test('offers a demo clinic, and shows its progress after a reload too', async () => {
      await dashboard.onEachScreen('overview-empty', '/', async (page) => {
        await page.getByRole('button', { name: 'Load a demo clinic' }).waitFor();
        await tile(page, 'Oldest due').getByText('None').waitFor();
      });
      const page = await dashboard.open('/');
      await page.getByRole('button', { name: 'Load a demo clinic' }).click();
      const progress = page.getByText(/^0 of \d+ steps\. Next: /);
      await progress.waitFor();
      await page.reload();
      await progress.waitFor();
      await dashboard.check(page);
      await dashboard.app.runJobs();
      await page.getByText('The demo clinic is loaded').waitFor();
      await page.getByRole('link', { name: 'acknowledge a critical result' }).waitFor();
      // The figures beneath were read again.
      await expect.poll(() => figureOf(page, 'Users')).toBe(40);
      await dashboard.check(page);
      await page.reload();
      await tile(page, 'Users').waitFor();
      expect(await page.getByRole('button', { name: 'Load a demo clinic' }).count()).toBe(0);
    });

    test('offers the demo clinic to a team that has begun without it', async () => {
      const team = await dashboard.app.makeTeam();
      const endpoint = await startEndpoint();
      await subscribe(team, endpoint);
      const page = await dashboard.open('/', { team });
      // An endpoint alone is no beginning.
      await page.getByText('This team has no users yet').waitFor();
      await page.getByRole('button', { name: 'Load a demo clinic' }).waitFor();
      await page.getByRole('link', { name: 'Create a user' }).click();
      await page.getByLabel(/^Your system’s id/).fill('patient-1');
      await page.getByRole('button', { name: 'Create', exact: true }).waitFor();
      await team.api('POST', '/v2/user', { client_user_id: 'patient-1' });
      await page.goto(`${dashboard.app.baseUrl}/dashboard/`);
      await page.getByText('This sandbox has no demo clinic').waitFor();
      await dashboard.check(page);
      await page.getByRole('button', { name: 'Load a demo clinic' }).click();
      await page.getByText('The demo clinic is being loaded').waitFor();
      await page.locator('h1:focus').waitFor();
      await expect.poll(() => page.evaluate('scrollY')).toBe(0);
      await endpoint.close();
    });

    test('with the demo clinic each page shows something', async () => {
      const page = await dashboard.open('/');
      for (const path of FILLED) {
        await page.goto(`${dashboard.app.baseUrl}/dashboard${path}`);
        await page.locator('#content :is(tbody tr, article, h2)').first().waitFor();
        const empty = page.locator('.empty-state, .failed-state');
        await expect.poll(async () => [path, await empty.count()], PATIENCE).toEqual([path, 0]);
      }
    });

    test('each figure leads to the list that shows its rows', async () => {
      await dashboard.app.deliver();
      await dashboard.onEachScreen('overview', '/', async (shown) => {
        await expect.poll(() => figureOf(shown, 'Completed')).toBeGreaterThan(0);
      });
      const page = await dashboard.open('/');
      const leads = async (label: string, address: RegExp, rows: () => Promise<number>): Promise<void> => {
        await expect.poll(() => figureOf(page, label), PATIENCE).toBeGreaterThan(0);
        const figure = await figureOf(page, label);
        await tile(page, label).click();
        await page.waitForURL(address);
        await expect.poll(rows, PATIENCE).toBe(figure);
        await page.goBack();
      };
      const orders = async (): Promise<number> =>
        Number(/([\d,]+) orders? match/.exec(await page.locator('#content').innerText())?.[1]?.replaceAll(',', ''));
      const rowsOf = (caption: string) => () =>
        page.getByRole('table', { name: caption, exact: true }).locator('tbody tr').count();
      await leads('Critical results', /critical-results$/, () => page.getByRole('article').count());
      await leads('Unmatched results', /tab=unmatched$/, rowsOf('Unmatched results'));
      for (const status of ['received', 'collecting_sample', 'sample_with_lab', 'completed', 'failed', 'cancelled']) {
        const label = `${status.charAt(0).toUpperCase()}${status.slice(1)}`.replaceAll('_', ' ');
        await leads(label, new RegExp(`orders\\?status=${status}$`), orders);
      }
      await leads('Connections in error', /status=error$/, rowsOf('Connections'));
      await leads('Paused connections', /status=paused$/, rowsOf('Connections'));
      await leads('Connections that work', /status=connected$/, rowsOf('Connections'));
      await leads('Users', /users$/, async () => {
        const [users] = /(\d+) users/.exec(await page.locator('#content').innerText()) ?? ['0'];
        return Number.parseInt(users, 10);
      });
      expect(await figureOf(page, 'Samples taken in')).toBeGreaterThan(1_000);
      await tile(page, 'Endpoints that fail').getByText('Of 2, 0 disabled').waitFor();
      await leads('Overdue orders', /orders\?overdue=true$/, orders);
      await dashboard.check(page);
    });
  },
  env,
);

// Takes the pictures of the dashboard that README shows. `npm run picture:dashboard` writes them to docs. Otherwise
// they go to the screenshots of the tests.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';
import { askForClinic, startFront } from './demo-clinics.ts';

const FOLDER = process.env['UPDATE'] ? 'docs' : 'dashboard/screenshots';

const SCREEN = { width: 1_280, height: 1_100, colorScheme: 'light' } as const;

let serviceUrl = '';
const front = await startFront(() => serviceUrl);

await describeDashboard(
  'the pictures of README',
  (dashboard) => {
    beforeAll(async () => {
      serviceUrl = dashboard.app.baseUrl;
      await askForClinic(dashboard.team, 'POST');
      await dashboard.app.runJobs();
      await dashboard.app.deliver();
    });
    afterAll(front.close);

    /** Returns where README shows the picture. */
    async function take(page: Page, name: string): Promise<number> {
      mkdirSync(FOLDER, { recursive: true });
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: `${FOLDER}/${name}.png`, caret: 'initial' });
      return existsSync(`docs/${name}.png`) ? readFileSync('README.md', 'utf8').indexOf(`](docs/${name}.png)`) : -1;
    }

    test('show the overview of a clinic', async () => {
      const page = await dashboard.open('/', { screen: { ...SCREEN, height: 1_000 } });
      await page.getByRole('link', { name: /^Oldest due/ }).waitFor();
      expect(await take(page, 'dashboard-overview')).toBeGreaterThan(0);
    });

    test('show the critical result of an order', async () => {
      const { body } = await dashboard.team.api<{ orders: { id: string }[] }>(
        'GET',
        '/v3/orders?interpretation=critical&size=1',
      );
      const page = await dashboard.open(`/orders/${body.orders[0]?.id}`, { screen: SCREEN });
      await page.getByRole('table').first().waitFor();
      expect(await take(page, 'dashboard-order')).toBeGreaterThan(0);
    });
  },
  { PHIAL_BASE_URL: front.url },
);

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from './test-app.ts';
import { openBrowser } from './browser.ts';
import { bookedOrder } from './collected-orders.ts';
import { orderKit, readOrder, registeredKit, simulate } from './factories.ts';

/** A small phone, without script. */
const PHONE = { viewport: { width: 360, height: 740 }, javaScriptEnabled: false, deviceScaleFactor: 2 };
const THUMB = 44;

const opened = await openBrowser();
const reason = typeof opened === 'string' ? opened : null;

describe.skipIf(reason !== null)(
  `the page of create_portal_url${reason === null ? '' : ` (skipped: ${reason})`}`,
  () => {
    const { browser, close } =
      typeof opened === 'string' ? { browser: null as never, close: async () => undefined } : opened;
    let app: TestApp;
    let team: Team;
    let page: Page;
    const asked: string[] = [];
    const complaints: string[] = [];
    beforeAll(async () => {
      app = await startTestApp();
      page = await browser.newPage(PHONE);
      page.on('request', (request) => asked.push(new URL(request.url()).origin));
      page.on('console', (message) => complaints.push(message.text()));
    });
    afterAll(async () => {
      await close();
      await app?.close();
    });
    beforeEach(async () => {
      team = await app.makeTeam('Desert Clinic');
      const settings = {
        brand_information: {
          company_name: 'Desert Clinic',
          support_email: 'a-rather-long-address-for-all-questions@support.desert-clinic.example.com',
          support_contact: '+1 602 555 0199',
        },
      };
      await app.db
        .updateTable('teams')
        .set({ settings: JSON.stringify(settings) })
        .where('id', '=', team.id)
        .execute();
    });

    async function show(userId: string, body: object, name: string): Promise<void> {
      const answer = await team.api<{ url: string }>('POST', `/v2/user/${userId}/create_portal_url`, body);
      await page.goto(app.baseUrl + new URL(answer.body.url).pathname);
      await look(name);
    }

    /** Checks that hold for every page of it. */
    async function look(name: string): Promise<void> {
      const folder = process.env['SCREENSHOTS'];
      for (const colorScheme of folder ? (['dark', 'light'] as const) : []) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${folder}/portal-${name}-${colorScheme}.png`, fullPage: true });
      }
      expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(PHONE.viewport.width);
      for (const pressed of await page.locator('a, summary').all())
        expect((await pressed.boundingBox())?.height).toBeGreaterThanOrEqual(THUMB);
      // The browser loads the one style sheet: without it the body has the browser's own margin.
      expect(await page.locator('body').evaluate((body) => body.getBoundingClientRect().left)).toBe(0);
      expect(new Set(asked)).toEqual(new Set([new URL(app.baseUrl).origin]));
      expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
    }

    test('shows an order on a narrow screen, and opens the collection instructions without script', async () => {
      const { id, user_id } = await registeredKit(team);
      await show(user_id, { context: 'launch', order_id: id }, 'kit');
      expect(await page.locator('section h2').first().textContent()).toBe('Your kit is registered');
      const step = page.getByText('Wash your hands').first();
      expect(await step.isVisible()).toBe(false);
      await page.locator('summary').click();
      expect(await step.isVisible()).toBe(true);
      await look('kit-open');
      await simulate(team, id);
      await show(user_id, { context: 'launch', order_id: id }, 'results');
      expect(await page.getByRole('link', { name: 'Open your results (PDF)' }).isVisible()).toBe(true);
    });

    test('shows an appointment, and leads from the list of orders to one', async () => {
      const id = await bookedOrder(team, 'psc');
      const { user_id } = await readOrder(team, id);
      await orderKit(team, user_id);
      await show(user_id, { context: 'launch' }, 'list');
      await page.locator('a.order').last().click();
      await page.getByRole('heading', { name: 'When and where' }).waitFor();
      await look('appointment');
      expect(await page.locator('h1').textContent()).toBe('Standard walk-in test');
      await show(user_id, { context: 'communications', order_id: id }, 'message');
    });

    test('shows for an invalid link that it does not open', async () => {
      await page.goto(`${app.baseUrl}/documents/portal/nothing`);
      expect(await page.locator('h1').textContent()).toBe('This link does not open');
      await look('refused');
    });
  },
);

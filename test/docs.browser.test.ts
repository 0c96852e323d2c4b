import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { startTestApp, type TestApp } from './test-app.ts';
import { openBrowser } from './browser.ts';

const opened = await openBrowser();
const reason = typeof opened === 'string' ? opened : null;
/** A page is interactive if its script has run. The search then has its keys. */
const INTERACTIVE_MS = 1_500;
const WIRE_BYTES = 500_000;

describe.skipIf(reason !== null)(`the reference in a browser${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
  const { browser, close } =
    typeof opened === 'string' ? { browser: null as never, close: async () => undefined } : opened;
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    // The first request of a process makes the document from the operations. Readers after it find it made.
    await fetch(`${app.baseUrl}/docs`);
  });
  afterAll(async () => {
    await close();
    await app?.close();
  });

  /** Opens a page that notes what it asks for, and what it complains about. */
  async function openPage(viewport = { width: 1400, height: 900 }) {
    const page = await browser.newPage({ viewport });
    const asked: string[] = [];
    const complaints: string[] = [];
    let bytes = 0;
    page.on('request', (request) => asked.push(request.url().replace(app.baseUrl, '').split('?')[0] as string));
    page.on('requestfinished', (request) => {
      void request.sizes().then(({ responseBodySize }) => (bytes += responseBodySize));
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    return { page, asked, complaints, bytes: () => bytes };
  }

  const search = async (page: Page, words: string, expected: string): Promise<void> => {
    await page.keyboard.press('/');
    await page.getByRole('combobox').fill(words);
    await page.getByRole('option', { name: expected }).first().waitFor();
  };

  test('is interactive in 1.5 s and loads less than 500 kB, from this host only', async () => {
    const { page, asked, complaints, bytes } = await openPage();
    await page.goto(`${app.baseUrl}/docs`);
    const interactive = await page.evaluate<number>(
      `performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`,
    );
    expect(interactive).toBeLessThan(INTERACTIVE_MS);
    await search(page, 'insurance add', 'Add an insurance record to a user');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Add an insurance record to a user' }).waitFor();
    expect(page.url()).toBe(`${app.baseUrl}/docs/operations/create_insurance`);
    await page.waitForLoadState('networkidle');
    expect(bytes()).toBeLessThan(WIRE_BYTES);
    expect(complaints).toEqual([]);
    expect([...new Set(asked)]).toEqual([
      '/docs',
      '/docs/page.css',
      '/docs/page.js',
      '/docs/search.json',
      '/docs/operations/create_insurance',
    ]);
    await page.close();
  });

  test('finds guides, codes and events, and says where it finds nothing', async () => {
    const { page, complaints } = await openPage();
    await page.goto(`${app.baseUrl}/docs/guides/push-data`);
    await search(page, 'slot_taken', 'slot_taken error');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/guides/errors-by-code#slot_taken');
    await search(page, 'labtest.order.updated', 'labtest.order.updated event');
    await search(page, 'import file', 'Import a file');
    await search(page, 'qqq zzz', 'Nothing found');
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('copies a block of code, and leads from a refusal to what to do about it', async () => {
    const { page, complaints } = await openPage();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(`${app.baseUrl}/docs/operations/create_user`);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('curl -X POST "$BASE_URL/v2/user"');
    await page.getByRole('link', { name: 'client_user_id_conflict' }).click();
    await page.waitForURL('**/docs/guides/errors-by-code#client_user_id_conflict');
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('fits a phone: no page is wider than the screen, and the chapters are closed at first', async () => {
    const { page } = await openPage({ width: 390, height: 800 });
    for (const path of [
      '',
      '/operations/create_order',
      '/guides/connect-a-laboratory',
      '/events',
      '/operate/options',
    ]) {
      await page.goto(`${app.baseUrl}/docs${path}`);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect([path, width]).toEqual([path, 390]);
      expect(await page.getByRole('link', { name: 'Guides', exact: true }).isVisible()).toBe(false);
    }
    await page.close();
  });

  test('cannot send a request to another host, because the browser refuses', async () => {
    const { page } = await openPage();
    // The policy comes with the page, and holds whether its own script runs or not.
    await page.route('**/docs/page.js*', (route) => route.abort());
    await page.goto(`${app.baseUrl}/docs`);
    const refused = await page.evaluate(`new Promise((resolve) => {
        const refused = [];
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          refused.push(effectiveDirective);
          if (refused.length === 4) resolve(refused.sort());
        });
        fetch('https://example.com/').catch(() => {});
        document.body.append(Object.assign(new Image(), { src: 'https://example.com/a.png' }));
        document.body.append(Object.assign(document.createElement('script'), { src: 'https://example.com/a.js' }));
        document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.title = 1' }));
      })`);
    expect(refused).toEqual(['connect-src', 'img-src', 'script-src-elem', 'script-src-elem']);
    await page.close();
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../src/operations.ts';
import { eventTypes } from '../src/event-types.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { openBrowser } from './browser.ts';

const opened = await openBrowser();
const PATIENCE_MS = 60_000;
/** A tag in the spelling of the page. */
const titleOf = (tag: string): string =>
  tag === 'ehr' ? 'EHR' : (tag.charAt(0).toUpperCase() + tag.slice(1)).replaceAll('_', ' ');
/**
 * Opens a tag of the sidebar until it shows `last`, returns every visible text there, and closes it. It runs in the
 * page: Playwright takes a second for each tag of a sidebar this long.
 */
const openTag = (title: string, last: string): string => `(async () => {
  const texts = () => {
    // An element for each text: a long word is broken into several nodes.
    const elements = new Set();
    for (const nav of document.querySelectorAll('nav, [role=navigation]')) {
      const walker = document.createTreeWalker(nav, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) elements.add(walker.currentNode.parentElement);
    }
    return [...elements].filter((each) => each.checkVisibility()).map((each) => [each.textContent.trim(), each]);
  };
  const find = (wanted) => texts().find(([text]) => text === wanted)?.[1];
  find(${JSON.stringify(title)}).click();
  const until = Date.now() + ${PATIENCE_MS};
  while (!find(${JSON.stringify(last)}) && Date.now() < until) await new Promise(requestAnimationFrame);
  const shown = texts().map(([text]) => text);
  find(${JSON.stringify(title)}).click();
  return shown;
})()`;
const reason = typeof opened === 'string' ? opened : null;

describe.skipIf(reason !== null)(
  `the reference page in a browser${reason === null ? '' : ` (skipped: ${reason})`}`,
  () => {
    const { browser, close } =
      typeof opened === 'string' ? { browser: null as never, close: async () => undefined } : opened;
    let app: TestApp;
    beforeAll(async () => {
      app = await startTestApp();
    });
    afterAll(async () => {
      await close();
      await app?.close();
    });

    test(
      'shows every operation and every event, and sends no request to another host',
      async () => {
        // A low window: the page draws only the visible operations of hundreds, and drawing takes the time.
        const page = await browser.newPage({ viewport: { width: 1400, height: 300 } });
        // Some seconds on an idle machine, because the document has hundreds of operations and events.
        page.setDefaultTimeout(PATIENCE_MS);
        const asked: string[] = [];
        const complaints: string[] = [];
        page.on('request', (request) => asked.push(request.url()));
        page.on('pageerror', (error) => complaints.push(error.message));
        page.on('console', (message) => {
          if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
        });

        await page.goto(`${app.baseUrl}/docs`);
        await page.getByRole('heading', { name: 'Phial' }).waitFor();
        const sidebar = page.getByRole('navigation');
        // Tags are closed at first: a page that opens hundreds of operations at once hangs for many seconds.
        const listed = new Set<string>();
        const lastOf = new Map(
          operations.filter(({ alias }) => !alias).map(({ tag, summary }) => [tag, summary] as const),
        );
        for (const [tag, last] of lastOf)
          for (const line of await page.evaluate<string[]>(openTag(titleOf(tag), last))) listed.add(line);
        expect(operations.map(({ summary }) => summary).filter((line) => !listed.has(line))).toEqual([]);

        // For events it shows their names and occasions. Drawing them like operations took most of a minute.
        await sidebar.getByText('Events', { exact: true }).first().click();
        const named = await page.locator('td code').allInnerTexts();
        expect(eventTypes.map(({ name }) => name).filter((name) => !named.includes(name))).toEqual([]);

        await sidebar.getByText('Orders', { exact: true }).first().click();
        await sidebar.getByText('List orders', { exact: true }).first().waitFor();
        expect(await sidebar.getByText('List orders', { exact: true }).count()).toBe(1);
        await sidebar.getByText('Insurance', { exact: true }).first().click();
        await sidebar.getByText('Add an insurance record to a user').first().click();
        await page.getByText('/v2/user/{user_id}/insurance', { exact: true }).first().waitFor();
        await page.waitForLoadState('networkidle');

        expect(complaints).toEqual([]);
        expect([...new Set(asked)]).toEqual(
          ['/docs', '/docs/reference.js', '/docs/openapi.json'].map((path) => app.baseUrl + path),
        );
        await page.close();
      },
      // Each tag is opened and drawn: three hundred operations on a busy machine.
      5 * PATIENCE_MS,
    );

    test('answers at /docs/ too, and finds script and document from there', async () => {
      const page = await browser.newPage();
      // The page needs seconds for the whole document, which the test above shows.
      await page.route(`${app.baseUrl}/docs/openapi.json`, async (route) => {
        const { openapi, info } = (await (await route.fetch()).json()) as Record<string, unknown>;
        await route.fulfill({ json: { openapi, info, paths: {} } });
      });
      await page.goto(`${app.baseUrl}/docs/`);
      const heading = page.getByRole('heading', { name: 'Phial' });
      await heading.waitFor();
      expect(await heading.isVisible()).toBe(true);
      await page.close();
    });

    test('cannot send a request to another host, because the browser refuses', async () => {
      const page = await browser.newPage();
      // The policy comes with the page, and holds whether its own script runs or not.
      await page.route('**/docs/reference.js', (route) => route.abort());
      await page.goto(`${app.baseUrl}/docs`);
      const refused = await page.evaluate(`new Promise((resolve) => {
      const refused = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        refused.push(effectiveDirective);
        if (refused.length === 3) resolve(refused.sort());
      });
      fetch('https://example.com/').catch(() => {});
      document.body.append(Object.assign(new Image(), { src: 'https://example.com/a.png' }));
      document.body.append(Object.assign(document.createElement('script'), { src: 'https://example.com/a.js' }));
    })`);
      expect(refused).toEqual(['connect-src', 'img-src', 'script-src-elem']);
      await page.close();
    });
  },
);

// Opens pages of the built dashboard in Chromium, against a service with its own database, and checks what no page may
// get wrong. dashboard/README.md shows a test of a page.
import { readFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { openBrowser } from './browser.ts';
import { signInOperator, type SignedIn } from './signed-in.ts';
import { startTestApp, type Team, type TestApp } from './test-app.ts';

const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** Git ignores it. Look at the pictures: no test sees that a page is ugly. */
const SCREENSHOTS = join(PACKAGE_ROOT, 'dashboard', 'screenshots');
const PATIENCE_MS = 30_000;

type Screen = { width: number; height: number; colorScheme: 'light' | 'dark'; isPhone?: boolean };
/** A phone is touched, and makes the page wider if something does not fit. */
export const PHONE: Screen = { width: 390, height: 844, colorScheme: 'light', isPhone: true };
const SCREENS: Record<string, Screen> = {
  wide: { width: 1280, height: 800, colorScheme: 'light' },
  'wide-dark': { width: 1280, height: 800, colorScheme: 'dark' },
  narrow: PHONE,
  'narrow-dark': { ...PHONE, colorScheme: 'dark' },
};

type Open = {
  screen?: Screen;
  /** Where the viewer is. Default: where the tests run. */
  timeZone?: string;
  /** The team whose data the page shows. Default: that of the service. Null: nobody is signed in. */
  team?: Team | null;
  /** The browser has no choice of a team from before. */
  isFirstVisit?: boolean;
  /** Messages of the console that belong to the test, such as a refusal that it provokes. */
  expected?: RegExp;
};

export type Dashboard = {
  /** Set when the tests run. */
  readonly app: TestApp;
  /** The team that is signed in. Make its data through the interface. */
  readonly team: Team;
  /** Opens a path below /dashboard. */
  open: (path: string, options?: Open) => Promise<Page>;
  /** Fails on a message in the console, a request to another host, a violation of axe, and sideways scrolling. */
  check: (page: Page) => Promise<void>;
  /** Opens a path on each kind of screen, calls `use`, checks the page and takes its picture. */
  onEachScreen: (name: string, path: string, use: (page: Page) => Promise<unknown>, options?: Open) => Promise<void>;
};

/**
 * Declares tests of pages, which are skipped where Chromium cannot run. Name the file `….browser.test.ts`. `env` has
 * options of the service.
 */
export async function describeDashboard(
  title: string,
  declare: (dashboard: Dashboard) => void,
  env: Record<string, string> = {},
): Promise<void> {
  const opened = await openBrowser();
  const reason = typeof opened === 'string' ? ` (skipped: ${opened})` : '';
  // Four screens, each with axe: on a busy machine that is slow.
  describe.skipIf(typeof opened === 'string')(`${title}${reason}`, { timeout: 300_000 }, () => {
    if (typeof opened === 'string') return declare(null as never);
    const { browser, close } = opened;
    const complaints = new WeakMap<Page, string[]>();
    const contexts: BrowserContext[] = [];
    let app: TestApp;
    beforeAll(async () => {
      app = await startTestApp(env);
    });
    afterAll(async () => {
      await close();
      await app?.close();
    });
    const dashboard: Dashboard = {
      get app() {
        return app;
      },
      get team() {
        return app.team;
      },
      open: async (
        path,
        { screen = SCREENS['wide'] as Screen, team = app.team, timeZone, isFirstVisit = false, expected } = {},
      ) => {
        const { width, height, colorScheme, isPhone = false } = screen;
        const context = await browser.newContext({
          viewport: { width, height },
          colorScheme,
          isMobile: isPhone,
          hasTouch: isPhone,
          locale: 'en-US',
          ...(timeZone && { timezoneId: timeZone }),
        });
        contexts.push(context);
        context.setDefaultTimeout(PATIENCE_MS);
        await signIn(context, app, team);
        // Without a choice the pages show the oldest team of the organisation.
        if (team && !isFirstVisit)
          await context.addInitScript(`localStorage.setItem('phial.team', ${JSON.stringify(team.id)})`);
        const page = await context.newPage();
        complaints.set(page, gatherComplaints(page, app.baseUrl, expected));
        await page.goto(`${app.baseUrl}/dashboard${path}`);
        return page;
      },
      check: async (page) => {
        expect(await violationsOf(page)).toEqual([]);
        // A phone makes innerWidth larger if something does not fit.
        const width = page.viewportSize()?.width ?? 0;
        expect(await page.evaluate(`document.scrollingElement.scrollWidth`)).toBeLessThanOrEqual(width);
        expect(complaints.get(page)).toEqual([]);
      },
      onEachScreen: async (name, path, use, options = {}) => {
        for (const [kind, screen] of Object.entries(SCREENS)) {
          const page = await dashboard.open(path, { ...options, screen });
          await use(page);
          await dashboard.check(page);
          mkdirSync(SCREENSHOTS, { recursive: true });
          // Hiding the caret would need a style that the policy of the page refuses.
          await page.screenshot({ path: join(SCREENSHOTS, `${name}-${kind}.png`), fullPage: true, caret: 'initial' });
          await page.context().close();
        }
      },
    };
    declare(dashboard);
  });
}

/** The session of each team. One serves all pages. */
const sessions = new WeakMap<Team, Promise<SignedIn>>();

/** Opens a select by the keyboard, and moves up until it stands on the option with the name, as a person does. */
export async function chooseByKeyboard(page: Page, select: Locator, name: string): Promise<void> {
  await select.focus();
  await page.keyboard.press('Enter');
  const option = page.getByRole('option', { name, exact: true });
  await option.waitFor();
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowUp');
      return await option.getAttribute('data-combobox-selected');
    })
    .toBe('true');
  await page.keyboard.press('Enter');
}

/** Signs the operator in, in a browser that has only the cookie. Null signs nobody in. */
async function signIn(context: BrowserContext, app: TestApp, team: Team | null): Promise<void> {
  if (!team) return;
  const session = sessions.get(team) ?? signInOperator(app, team);
  sessions.set(team, session);
  const { token: value } = await session;
  await context.addCookies([{ name: 'phial_session', value, url: app.baseUrl, httpOnly: true, sameSite: 'Lax' }]);
}

/** Returns a list that grows with each message in the console and each request to another host. */
function gatherComplaints(page: Page, baseUrl: string, expected?: RegExp): string[] {
  const found: string[] = [];
  const add = (text: string): void => {
    if (!expected?.test(text)) found.push(text);
  };
  page.on('pageerror', (error) => add(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) add(`${message.type()}: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${baseUrl}/`) && !/^(data|blob):/.test(url)) add(`request to ${new URL(url).host}`);
  });
  return found;
}

/** The rules that a page breaks, each with its elements. */
async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = await page.evaluate<{ id: string; nodes: { target: string[]; failureSummary: string }[] }[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`,
  );
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from './test-app.ts';
import { openBrowser } from './browser.ts';
import { linkTokenOf, makeUser } from './factories.ts';
import { startProvider, type Provider } from './provider.ts';
import { PROVIDERS } from '../src/wearables/providers/provider-catalogue.ts';

/** A small phone, without script. */
const PHONE = { viewport: { width: 390, height: 844 }, javaScriptEnabled: false, deviceScaleFactor: 2 };
const THUMB = 44;

const opened = await openBrowser();
const reason = typeof opened === 'string' ? opened : null;

/** A proxy before the service, which adds a path. The links of a page must work behind it. */
async function startFront(target: () => string): Promise<{ server: Server; baseUrl: string }> {
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').replace(/^\/behind/, '');
    const { cookie } = request.headers;
    const { method = 'GET' } = request;
    const sent = method === 'POST' ? { method, body: new Uint8Array(await buffer(request)) } : {};
    const type = request.headers['content-type'];
    const headers = { ...(cookie && { cookie }), ...(type && { 'content-type': type }) };
    const answer = await fetch(target() + path, { redirect: 'manual', headers, ...sent });
    const passed = ['content-type', 'content-security-policy', 'location', 'set-cookie', 'referrer-policy'];
    for (const name of passed) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/behind` };
}

describe.skipIf(reason !== null)(`the hosted page${reason === null ? '' : ` (skipped: ${reason})`}`, () => {
  const { browser, close } =
    typeof opened === 'string' ? { browser: null as never, close: async () => undefined } : opened;
  let provider: Provider;
  let front: Awaited<ReturnType<typeof startFront>>;
  let app: TestApp;
  let page: Page;
  const asked: string[] = [];
  const complaints: string[] = [];
  beforeAll(async () => {
    provider = await startProvider();
    front = await startFront(() => app.baseUrl);
    app = await startTestApp({
      ...provider.env('oura'),
      ...provider.env('strava'),
      ...provider.env('google_health'),
      PHIAL_BASE_URL: front.baseUrl,
    });
    page = await browser.newPage(PHONE);
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    page.on('console', (message) => complaints.push(message.text()));
  });
  afterAll(async () => {
    await close();
    await app?.close();
    await provider?.close();
    front?.server.closeAllConnections();
    front?.server.close();
  });

  const saveScreenshot = async (name: string): Promise<void> => {
    const folder = process.env['SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };

  test('lists the providers on a narrow screen without script, and loads nothing from elsewhere', async () => {
    const { user_id } = await makeUser(app.team);
    const { link_web_url } = await linkTokenOf(app.team, user_id);
    await page.goto(link_web_url);
    expect(await page.locator('h1').textContent()).toBe('Connect a device or app');
    const offered = await page.locator('a.provider strong').allTextContents();
    // Real providers come first. The sandbox simulates all others.
    expect(offered.slice(0, 3)).toEqual(['Google Health API', 'Oura', 'Strava']);
    expect(offered.toSorted()).toEqual(
      Object.values(PROVIDERS)
        .map(({ name }) => name)
        .toSorted(),
    );
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(PHONE.viewport.width);
    for (const link of await page.locator('a').all())
      expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(THUMB);
    for (const picture of await page.locator('img').all())
      expect(
        await picture.evaluate((img) => (img as unknown as { naturalWidth: number }).naturalWidth),
      ).toBeGreaterThan(0);
    // The browser loads the one style sheet: without it the body has the browser's own margin.
    expect(await page.locator('body').evaluate((body) => body.getBoundingClientRect().left)).toBe(0);
    await saveScreenshot('link');
    await page.emulateMedia({ colorScheme: 'dark' });
    await saveScreenshot('link-dark');
    expect(new Set(asked)).toEqual(new Set([new URL(front.baseUrl).origin]));
    expect(complaints).toEqual([]);
  });

  test('leads to the provider and back, and confirms the connection; the link is then used', async () => {
    const { user_id } = await makeUser(app.team);
    const { link_web_url } = await linkTokenOf(app.team, user_id);
    await page.goto(link_web_url);
    await page.getByRole('link', { name: 'Oura', exact: false }).first().click();
    await page.getByRole('heading', { name: 'Connected' }).waitFor();
    expect(page.url()).toBe(`${front.baseUrl}/link/done?state=success`);
    await saveScreenshot('done');
    const { body } = await app.api<{ providers: object[] }>('GET', `/v2/user/providers/${user_id}`);
    expect(body.providers).toMatchObject([{ slug: 'oura', status: 'connected' }]);
    await page.goto(link_web_url);
    expect(await page.locator('main').textContent()).toContain('This link was used already.');
  });

  test('shows an error, and lets the user choose again', async () => {
    const { user_id } = await makeUser(app.team);
    const { link_web_url } = await linkTokenOf(app.team, user_id);
    await page.goto(link_web_url);
    provider.fail({ status: 500, body: '' });
    await page.getByRole('link', { name: 'Strava' }).click();
    await page.getByRole('heading', { name: 'Not connected' }).waitFor();
    expect(await page.locator('p').first().textContent()).toContain('The provider did not answer as it should.');
    await saveScreenshot('error');
    await page.getByRole('link', { name: 'Choose again' }).click();
    await page.getByRole('link', { name: 'Strava' }).click();
    await page.getByRole('heading', { name: 'Connected', exact: true }).waitFor();
  });

  test('offers a way back to the sender of the user, where the team has listed it', async () => {
    const back = 'https://app.example.com/connected';
    await app.api('PUT', `/v1/org/${app.team.org_id}/team/${app.team.id}/link_redirect_urls`, { urls: [back] });
    const { user_id } = await makeUser(app.team);
    const more = { redirect_url: back, on_close: 'redirect', provider: 'strava' };
    await page.goto((await linkTokenOf(app.team, user_id, more)).link_web_url);
    expect(await page.locator('a.provider strong').allTextContents()).toEqual(['Strava']);
    const href = await page.getByRole('link', { name: 'Not now' }).getAttribute('href');
    expect(href).toMatch(/^https:\/\/app\.example\.com\/connected\?state=error&error_type=user_cancelled/);
    await page.goto((await linkTokenOf(app.team, user_id)).link_web_url);
    expect(await page.getByRole('link', { name: 'Not now' }).count()).toBe(0);
  });

  test('simulates every way to sign in, from the choice to the shared data, without script', async () => {
    const { user_id } = await makeUser(app.team);
    const begin = async (name: string): Promise<void> => {
      await page.goto((await linkTokenOf(app.team, user_id)).link_web_url);
      await page
        .getByRole('link')
        .filter({ has: page.getByText(name, { exact: true }) })
        .click();
    };
    const done = () => page.getByRole('heading', { name: 'Connected', exact: true }).waitFor();
    await begin('Fitbit');
    await saveScreenshot('demo-consent');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await done();

    await begin('Zwift');
    await page.getByLabel('User name or email').fill('ada');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('That was not right.');
    expect(await page.getByLabel('User name or email').inputValue()).toBe('ada');
    await saveScreenshot('demo-password');
    await page.getByLabel('Password').fill('sandbox-mfa');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code').fill('123456');
    await saveScreenshot('demo-code');
    await page.getByRole('button', { name: 'Go on' }).click();
    await done();

    // A user who goes back gets pages, not a form that would be sent again.
    await page.goBack();
    expect(await page.locator('main').textContent()).toContain('This link was used already.');

    await begin('Freestyle Libre');
    await page.getByLabel('Email').fill('unavailable@example.com');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('link', { name: 'Choose again' }).click();
    await page
      .getByRole('link')
      .filter({ has: page.getByText('Freestyle Libre', { exact: true }) })
      .click();
    await page.getByRole('link', { name: 'Choose another' }).click();
    await page
      .getByRole('link')
      .filter({ has: page.getByText('Freestyle Libre', { exact: true }) })
      .click();
    await page.getByLabel('Email').fill('success@example.com');
    await saveScreenshot('demo-email');
    await page.getByRole('button', { name: 'Connect' }).click();
    await done();
    expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(PHONE.viewport.width);

    await app.runJobs();
    const { body } = await app.api<{ providers: object[] }>('GET', `/v2/user/providers/${user_id}`);
    expect(body.providers).toMatchObject(
      ['fitbit', 'zwift', 'freestyle_libre'].map((slug) => ({
        slug,
        status: 'connected',
        last_data_at: expect.any(String),
        next: { action: 'poll' },
      })),
    );

    // Browsers restrict a form to the targets of its redirects, which include the address of the team.
    const end = `http://localhost:${new URL(front.baseUrl).port}/behind/healthz`;
    await app.api('PUT', `/v1/org/${app.team.org_id}/team/${app.team.id}/link_redirect_urls`, { urls: [end] });
    await page.goto((await linkTokenOf(app.team, user_id, { redirect_url: end, provider: 'polar' })).link_web_url);
    await page.getByRole('link').first().click();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForURL(`${end}?state=success`);
    expect(complaints).toEqual([]);
  });

  test('shows that a link is invalid, whatever its address contains', async () => {
    await page.goto(`${front.baseUrl}/link?token=<b>`);
    expect(await page.locator('main').textContent()).toContain('This link is not valid.');
    await page.goto(`${front.baseUrl}/link/done?state=error&error_type=<b>constructor`);
    expect(await page.locator('b').count()).toBe(0);
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });
});

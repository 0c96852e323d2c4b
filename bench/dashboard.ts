// Measures the dashboard in the Chromium of the tests: its first load, the overview, the list of a team with 200,000
// orders, and a chart with a heart rate a minute of a year.
import type { BrowserContext, Page } from 'playwright-core';
import pg from 'pg';
import type { Ctx } from '../src/context.ts';
import { boundToTeam } from '../src/db/session/bind.ts';
import { createSignInLink } from '../src/tenancy/sessions/create-sign-in-link.ts';
import { operatorOf } from '../src/tenancy/sessions/person.ts';
import { openBrowser } from '../test/browser.ts';
import { useLink } from '../test/signed-in.ts';
import { besideProgram } from './beside-program.ts';
import { median } from './describe-machine.ts';
import { fillOrders } from './filled-orders.ts';
import { judge } from './judge.ts';
import { makeFolder, removeFolder, type MeasuredProgram } from './measured-program.ts';

const GOALS = { scriptBytes: 250_000, overviewMs: 1_000, ordersMs: 500, frameGapMs: 1_000 };
const SIZES = {
  full: { orders: 200_000, minutes: 525_600 },
  quick: { orders: 5_000, minutes: 20_160 },
};
const ROUNDS = 5;
const WITHIN_MS = 180_000;
const PAN_STEPS = 20;

/** Returns true if all goals are reached. Prints why nothing is measured if Chromium does not run here. */
export async function benchDashboard({ quick }: { quick: boolean }): Promise<boolean> {
  const folder = makeFolder();
  // Chromium is unpacked there.
  process.env['TMPDIR'] = folder;
  try {
    const opened = await openBrowser();
    if (typeof opened === 'string') {
      console.log(`not measured: ${opened}`);
      return false;
    }
    try {
      return await besideProgram({ PHIAL_RATE_LIMIT_PER_SECOND: '0' }, async (program, ctx, ownerUrl) => {
        const { userId, orgId } = await fill(program, ctx, ownerUrl, SIZES[quick ? 'quick' : 'full']);
        const { url } = await createSignInLink(ctx, operatorOf(orgId), WITHIN_MS / 1_000);
        const token = await useLink(program, url);
        if (token === null) throw new Error('The sign-in link was refused.');
        const context = await opened.browser.newContext({
          viewport: { width: 1280, height: 800 },
          // Chromium without it takes the locale of the machine, which may be one that no browser has.
          locale: 'en-US',
          // The functions that wait in the page are text, which its policy refuses.
          bypassCSP: true,
        });
        context.setDefaultTimeout(WITHIN_MS);
        await context.addCookies([{ name: 'phial_session', value: token, url: program.baseUrl, httpOnly: true }]);
        return await measure(context, `${program.baseUrl}/dashboard`, userId);
      });
    } finally {
      await opened.close();
    }
  } finally {
    delete process.env['TMPDIR'];
    removeFolder(folder);
  }
}

async function measure(context: BrowserContext, url: string, userId: string): Promise<boolean> {
  const bytes = await firstLoad(await context.newPage(), url);
  const overview: number[] = [];
  const orders: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: 'commit' });
    overview.push(await whenTrue(page, OVERVIEW_IS_SHOWN));
    orders.push(await openOrders(page));
    await page.close();
  }
  console.log(`overview: ${overview.map(Math.round).join(', ')} ms; orders: ${orders.map(Math.round).join(', ')} ms`);
  const chart = await drawYear(await context.newPage(), `${url}/users/${userId}?tab=days`);
  return [
    judge('compressed script of the first load, bytes', bytes, 'at most', GOALS.scriptBytes),
    judge('overview on a warm start, ms', median(overview), 'at most', GOALS.overviewMs),
    judge('list of 200,000 orders, ms', median(orders), 'at most', GOALS.ordersMs),
    judge('longest gap while a year of minutes is drawn, ms', chart.drawing, 'at most', GOALS.frameGapMs),
    judge('longest gap while it is panned, ms', chart.panning, 'at most', GOALS.frameGapMs),
  ].every(Boolean);
}

/** All figures are there. Their grey bars are gone, and a click is answered, because the frame has been drawn. */
const OVERVIEW_IS_SHOWN = `document.querySelectorAll('section a[href]').length >= 20
  && document.querySelector('section .mantine-Skeleton-root') === null && performance.now()`;

/** Waits for a value that is true, looking in each frame. Returns it, as a number. */
async function whenTrue(page: Page, expression: string): Promise<number> {
  const found = await page.waitForFunction(expression, undefined, { polling: 'raf' });
  return Number(await found.jsonValue());
}

/** Returns the bytes of scripts, as they come over the wire, until the overview is shown. */
async function firstLoad(page: Page, url: string): Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script')
      sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await page.goto(url);
  await whenTrue(page, OVERVIEW_IS_SHOWN);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  await page.close();
  return bytes;
}

/** Clicks the link of the navigation, and returns the milliseconds until the first page of orders is shown. */
async function openOrders(page: Page): Promise<number> {
  const begin = await page.evaluate<number>(`(() => {
    const begin = performance.now();
    document.querySelector('nav a[href$="/orders"]').click();
    return begin;
  })()`);
  const shown = await whenTrue(page, `document.querySelectorAll('tbody tr').length >= 50 && performance.now()`);
  return shown - begin;
}

/** Counts the longest time between two frames, from when it is called. */
const WATCH_FRAMES = `(() => {
  window.longestGap = 0;
  let last = performance.now();
  const next = () => {
    const now = performance.now();
    window.longestGap = Math.max(window.longestGap, now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})()`;

async function drawYear(page: Page, url: string): Promise<{ drawing: number; panning: number }> {
  await page.goto(url);
  const chart = page.getByRole('img', { name: /^Heart rate, in bpm\. [1-9]/ });
  await chart.waitFor();
  await page.evaluate(WATCH_FRAMES);
  const begin = performance.now();
  await page.getByText('A year', { exact: true }).click();
  await whenTrue(page, `location.search.includes('range=year')`);
  await page.getByLabel('Samples are being read').first().waitFor({ state: 'detached' });
  await chart.waitFor();
  const seconds = (performance.now() - begin) / 1_000;
  console.log(`${await chart.getAttribute('aria-label')} Read and drawn in ${seconds.toFixed(1)} s.`);
  const drawing = await page.evaluate<number>('window.longestGap');
  await page.evaluate('window.longestGap = 0');
  await chart.focus();
  await page.keyboard.press('+');
  for (let step = 0; step < PAN_STEPS; step += 1) await page.keyboard.press(step < 10 ? 'ArrowRight' : 'ArrowLeft');
  await whenTrue(page, 'new Promise((resolve) => requestAnimationFrame(() => resolve(true)))');
  return { drawing, panning: await page.evaluate<number>('window.longestGap') };
}

type Size = { orders: number; minutes: number };

/** Makes the orders, and a user with a heart rate in each of the last minutes. */
async function fill(program: MeasuredProgram, ctx: Ctx, ownerUrl: string, { orders, minutes }: Size) {
  const { team_id: teamId, team_api_key: key } = program.credentials();
  const client = new pg.Client({ connectionString: ownerUrl });
  client.on('error', () => undefined); // the running query fails
  await client.connect();
  const { rows } = await client.query<{ id: string; org_id: string }>(
    `select lab_tests.id, teams.org_id from lab_tests join teams on teams.id = team_id where team_id = $1 limit 1`,
    [teamId],
  );
  const { id: labTestId, org_id: orgId } = rows[0] as { id: string; org_id: string };
  const team = { ...boundToTeam(ctx, teamId), team: { id: teamId, org_id: orgId, settings: {} } };
  await fillOrders(client, team, labTestId, orders);
  const response = await fetch(`${program.baseUrl}/v2/user`, {
    method: 'POST',
    headers: { 'x-service-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ client_user_id: 'of-a-year' }),
  });
  const { user_id: userId } = (await response.json()) as { user_id: string };
  await client.query(
    `with stream as (
       insert into streams (user_id, team_id, resource, provider, source_type)
       values ($1, $2, 'heartrate', 'apple_health_kit', 'watch') returning id
     )
     insert into samples (stream_id, at, value, team_number)
     select stream.id, date_trunc('minute', now()) - make_interval(mins => minute), 55 + minute % 60, teams.number
       from stream, teams, generate_series(0, $3::int - 1) as minute where teams.id = $2`,
    [userId, teamId, minutes],
  );
  await client.query('vacuum analyze samples, orders, order_events, users');
  await client.end();
  return { userId, orgId };
}

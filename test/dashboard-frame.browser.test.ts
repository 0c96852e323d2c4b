import { expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';

await describeDashboard('the frame of the dashboard', (dashboard) => {
  test('shows the overview on each kind of screen', async () => {
    await dashboard.onEachScreen('overview', '/', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await page.getByText('Attempts').waitFor();
      await page.getByText('Nothing was sent').waitFor();
      await page.getByText('Paused').waitFor();
      await page.getByRole('banner').getByText('Sandbox', { exact: true }).waitFor();
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

const MANY_TEAMS = { PHIAL_TEAMS_PER_ORG: '300' };

await describeDashboard(
  'the choice of the team',
  (dashboard) => {
    test('stays with the team of the first visit when somebody adds another', async () => {
      const team = await dashboard.app.makeTeam('North clinic');
      const page = await dashboard.open('/', { team, isFirstVisit: true });
      await page.getByRole('button', { name: /^Team North clinic/ }).waitFor();
      await team.api('POST', `/v1/org/${team.org_id}/team`, { name: 'AAA new', region: 'us' });
      for (const again of [page, await dashboard.open('/', { team, isFirstVisit: true })]) {
        await again.reload();
        await again.getByRole('button', { name: /^Team/ }).click();
        await again.getByRole('menuitem', { name: 'AAA new' }).waitFor();
        expect(await again.getByRole('button', { name: /^Team/ }).textContent()).toContain('North clinic');
      }
    });

    test('finds a team that the menu does not list, and still shows it after a reload', async () => {
      const team = await dashboard.app.makeTeam('AAA first');
      const path = `/v1/org/${team.org_id}/team`;
      const make = async (name: string): Promise<void> => {
        const body = { name, region: 'us' };
        const made = await team.api('POST', path, body);
        expect(made.status).toBe(200);
      };
      for (let n = 0; n < 200; n += 10) await Promise.all(Array.from({ length: 10 }, (_, k) => make(`B ${n + k}`)));
      await make('Zebra clinic');
      const page = await dashboard.open('/', { team });
      await page.getByRole('button', { name: /^Team AAA first/ }).click();
      await page.getByRole('menuitem', { name: 'B 7', exact: true }).waitFor();
      expect(await page.getByRole('menuitem', { name: 'Zebra clinic' }).count()).toBe(0);
      await page.getByRole('menuitem', { name: 'Find another team' }).click();
      await page.getByLabel('Name or your own id').fill('zebr');
      await page.getByRole('dialog').getByRole('button', { name: 'Zebra clinic' }).click();
      await page.getByRole('button', { name: /^Team Zebra clinic/ }).waitFor();
      // The fixture chooses its team at each opening of a page, in the storage that a tab shares.
      await page.reload();
      await page.getByRole('button', { name: /^Team Zebra clinic/ }).waitFor();
      await page.getByText('Attempts').waitFor();
      await dashboard.check(page);
    });
  },
  MANY_TEAMS,
);

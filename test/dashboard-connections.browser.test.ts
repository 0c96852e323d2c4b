import { expect, test } from 'vitest';
import { failConnection } from '../src/wearables/connections/fail.ts';
import { describeDashboard } from './dashboard.ts';
import { importConnection, makeUser } from './factories.ts';
import { person } from './people.ts';
import { teamCtx } from './team-ctx.ts';

await describeDashboard('the page of connections', (dashboard) => {
  const connected = async (provider: string): Promise<{ user_id: string; client_user_id: string }> => {
    const user = await makeUser(dashboard.team);
    await importConnection(dashboard.team, user.user_id, {}, provider);
    return user;
  };

  test('groups errors by provider and cause, and leads to the user of each', async () => {
    const { app, team } = dashboard;
    const page = await dashboard.open('/connections');
    await page.getByText('No connection is broken').waitFor();
    await dashboard.check(page);

    const works = await connected('fitbit');
    const broken = await connected('oura');
    await team.api('PATCH', `/v2/user/${broken.user_id}/info`, person);
    const ctx = await teamCtx(app.ctx, team.id);
    const failure = { type: 'token_refresh_failed', details: '' } as const;
    const other = await connected('oura');
    await failConnection(ctx, { user_id: other.user_id, provider: 'oura' }, { type: 'unknown', details: '' });
    await failConnection(ctx, { user_id: broken.user_id, provider: 'oura' }, failure);
    await dashboard.onEachScreen('connections', '/connections', async (shown) => {
      await shown.getByRole('rowheader', { name: broken.client_user_id }).waitFor();
    });

    await page.reload();
    await page.getByRole('link', { name: '1: The provider no longer accepts the token' }).click();
    await page.waitForURL(/status=error&provider=oura&cause=token_refresh_failed/);
    await expect.poll(() => page.getByRole('rowheader', { name: other.client_user_id }).count()).toBe(0);
    const link = page.getByRole('link', { name: broken.client_user_id });
    await page.getByRole('rowheader').getByText(`${person.first_name} ${person.last_name}`).waitFor();
    expect(await link.getAttribute('href')).toBe(`/dashboard/users/${broken.user_id}?tab=connections`);
    await page.getByRole('link', { name: '1 of Fitbit, connected' }).click();
    await page.getByRole('rowheader', { name: works.client_user_id }).waitFor();
    expect(await page.getByRole('rowheader', { name: broken.client_user_id }).count()).toBe(0);
    await dashboard.check(page);
  });
});

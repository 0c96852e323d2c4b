import { expect, test } from 'vitest';
import { chooseByKeyboard, describeDashboard } from './dashboard.ts';
import { makeUser, orderKit } from './factories.ts';
import type { Team } from './test-app.ts';

const orderOfNewUser = async (team: Team) => {
  const user = await makeUser(team);
  return { ...user, order: await orderKit(team, user.user_id) };
};

await describeDashboard('the page of events', (dashboard) => {
  test('begins with the events of the last hour, and goes on with each new one', async () => {
    const { team } = dashboard;
    const before = await orderOfNewUser(team);
    await dashboard.onEachScreen('events', '/events', async (page) => {
      await page.getByRole('button', { name: 'labtest.order.created' }).waitFor();
      expect(await page.getByRole('link', { name: before.client_user_id }).count()).toBe(2);
      await page.getByText('Live', { exact: true }).waitFor();
    });
    const page = await dashboard.open('/events');
    await page.getByText('Live', { exact: true }).waitFor();
    const after = await orderOfNewUser(team);
    await page.getByRole('link', { name: after.client_user_id }).nth(1).waitFor();
    const types = await page.getByRole('rowheader').allInnerTexts();
    expect(types).toEqual([
      'labtest.order.updated',
      'labtest.order.created',
      'labtest.order.updated',
      'labtest.order.created',
    ]);
    // The newest stand first.
    const users = await page.getByRole('table').getByRole('link').allInnerTexts();
    expect(users.slice(0, 2)).toEqual([after.client_user_id, after.client_user_id]);
    await page.getByRole('button', { name: 'labtest.order.created' }).first().click();
    await page.getByRole('link', { name: 'All its deliveries' }).click();
    await page.getByRole('heading', { name: 'Payload' }).waitFor();
    await dashboard.check(page);
  });

  test('begins now if somebody asks for it, by the keyboard', async () => {
    const { team } = dashboard;
    await orderOfNewUser(team);
    const page = await dashboard.open('/events');
    await page.getByRole('rowheader').first().waitFor();
    await chooseByKeyboard(page, page.getByRole('combobox', { name: 'Since' }), 'Now');
    await page.getByText('No event yet').waitFor();
    expect(new URL(page.url()).searchParams.get('from')).toBe('0');
    const { client_user_id } = await orderOfNewUser(team);
    await page.getByRole('link', { name: client_user_id }).nth(1).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(2);
    await dashboard.check(page);
  });

  test('shows events of one type and one user, also of a day ago, and a pause keeps new ones back', async () => {
    const { team } = dashboard;
    const { client_user_id, user_id } = await orderOfNewUser(team);
    await orderOfNewUser(team);
    const page = await dashboard.open('/events?from=1440&type=labtest.order.created');
    await page.getByRole('rowheader').nth(1).waitFor();
    await page.getByRole('combobox', { name: 'User' }).fill(client_user_id);
    await page.getByRole('option', { name: client_user_id }).click();
    await expect.poll(() => page.getByRole('rowheader').allInnerTexts()).toEqual(['labtest.order.created']);
    expect(new URL(page.url()).searchParams.get('user')).toBe(user_id);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await orderKit(team, user_id);
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(1);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('rowheader').nth(1).waitFor();
    await dashboard.check(page);
  });
});

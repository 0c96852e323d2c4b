import { expect, test } from 'vitest';
import { describeDashboard } from './dashboard.ts';

type Found = { id: string; name: string; status: string; method: string; markers: { name: string }[] };

await describeDashboard('the pages of the catalogue', (dashboard) => {
  const listed = async (query: string): Promise<Found[]> =>
    (await dashboard.team.api<{ data: Found[] }>('GET', `/v3/lab_test?${query}`)).body.data;

  test('the list shows what the filters of its address name', async () => {
    const [first] = await listed('collection_method=testkit');
    const { name } = first as Found;
    await dashboard.onEachScreen('catalogue', '/catalogue', async (page) => {
      await page.getByRole('rowheader').nth(1).waitFor();
    });
    const page = await dashboard.open('/catalogue?method=testkit');
    await page
      .getByText(/^\d+ (panel|marker)s?(, \d+ single markers?)?$/)
      .first()
      .waitFor();
    await page.getByRole('rowheader', { name }).first().waitFor();
    expect(await page.getByRole('rowheader').count()).toBe((await listed('collection_method=testkit')).length);
    await page.getByRole('textbox', { name: 'Name' }).fill('Nothing like this');
    await page.getByText('No test matches').waitFor();
    expect(page.url()).toMatch(/method=testkit.*name=Nothing/);
    await page.getByRole('button', { name: 'Show all tests' }).click();
    await page.getByRole('rowheader', { name }).first().waitFor();
    await dashboard.check(page);
  });

  test('a test shows its markers, and the instructions for its sample', async () => {
    const [kit] = await listed('collection_method=testkit');
    const { id, name, markers } = kit as Found;
    await dashboard.onEachScreen('lab-test', `/catalogue/${id}`, async (page) => {
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page
        .getByRole('rowheader', { name: markers[0]?.name as string })
        .first()
        .waitFor();
    });
    const page = await dashboard.open(`/catalogue/${id}`);
    await page.getByText(/^\d+ (panel|marker)s?(, .*)?, \d+ results?$/).waitFor();
    await page.getByRole('button', { name: 'Collection instructions' }).click();
    await page.locator(`iframe[title="Instructions of ${name}"]`).waitFor();
  });

  test('somebody makes a test of chosen markers, and finds it in the list', async () => {
    const page = await dashboard.open('/catalogue');
    await page.getByRole('button', { name: 'New test' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Winter check');
    await dialog.getByLabel('Description').fill('For tired people.');
    expect(await dialog.getByRole('button', { name: 'Create the test' }).isDisabled()).toBe(true);
    await dialog.getByRole('combobox', { name: 'Laboratory' }).click();
    await page.getByRole('option').first().click();
    await dialog.getByRole('combobox', { name: 'Method' }).click();
    await page.getByRole('option').first().click();
    await dialog.getByRole('combobox', { name: 'Markers' }).click();
    await page.getByRole('option').first().click();
    await page.keyboard.press('Escape');
    await dashboard.check(page);
    await dialog.getByRole('button', { name: 'Create the test' }).click();
    await page.getByRole('heading', { name: 'Winter check', level: 1 }).waitFor();
    await page.getByText('Active', { exact: true }).waitFor();
    const [made] = await listed('name=Winter');
    expect(made).toMatchObject({ name: 'Winter check', status: 'active', markers: [expect.anything()] });
    expect(page.url()).toContain(made?.id);
    await dashboard.check(page);
  });
});

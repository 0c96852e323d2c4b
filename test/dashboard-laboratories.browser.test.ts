import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHl7, type Hl7 } from '../src/labs/laboratories/hl7/start-hl7.ts';
import { describeDashboard } from './dashboard.ts';
import {
  loseResults,
  lowStatuses,
  makeUser,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
  registeredKit,
} from './factories.ts';
import { addLabTest, byMllp, connectTestLaboratory } from './hl7-deployment.ts';
import { resultMessage, sendFrame, startHl7Laboratory, text_, type Hl7Laboratory } from './hl7-laboratory.ts';
import { labOf, receiveFor, reportOf } from './lab-reports.ts';
import type { Team } from './test-app.ts';

await describeDashboard('the pages of laboratories', (dashboard) => {
  let laboratory: Hl7Laboratory;
  let hl7: Hl7;
  let walkIn: string;
  let messages = 0;
  beforeAll(async () => {
    const { app, team } = dashboard;
    laboratory = await startHl7Laboratory();
    await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
    hl7 = await startHl7({
      ...app.ctx,
      config: { ...app.ctx.config, hl7: { ...app.ctx.config.hl7, port: 0 } },
    });
    walkIn = await addLabTest(app, team, 'walk_in_test');
  });
  afterAll(async () => {
    await hl7?.stop();
    await laboratory?.close();
  });

  async function createOrder(team: Team = dashboard.team): Promise<string> {
    const { user_id } = await makeUser(team);
    const { body } = await team.api<{ order: { id: string } }>('POST', '/v3/order', {
      user_id,
      order_set: { lab_test_ids: [walkIn] },
      patient_details: patientDetails,
      patient_address: patientAddress,
      physician,
    });
    return body.order.id;
  }

  /** An order at the laboratory, and the id of a message about it with a value whose status is unknown. */
  async function orderWithFaultyMessage(): Promise<{ orderId: string; messageId: string; controlId: string }> {
    const { app, team } = dashboard;
    const orderId = await createOrder();
    await app.runJobs();
    messages += 1;
    const controlId = `MSG-${messages}`;
    const values = [
      { code: 'GLU', value: '88', status: 'Q' },
      { code: 'A1C', value: '5.4', unit: '%' },
    ];
    const placer = text_(laboratory.orders.at(-1) as never, 'ORC.2');
    await sendFrame(hl7.port as number, resultMessage({ controlId, placer, values }));
    const { body } = await team.api<{ data: { id: string }[] }>(
      'GET',
      `/v1/org/${team.org_id}/team/${team.id}/sandbox/laboratory_message?order_id=${orderId}`,
    );
    return { orderId, messageId: body.data[0]?.id as string, controlId };
  }

  test('a message is found in the queue, its faulty field is marked, and its repair completes the order', async () => {
    const { orderId, messageId, controlId } = await orderWithFaultyMessage();
    await dashboard.onEachScreen('laboratories', '/laboratories', async (page) => {
      await page.getByRole('rowheader', { name: controlId }).waitFor();
      await page.getByText('A value has an unknown status: GLU').waitFor();
    });
    await dashboard.onEachScreen('laboratory-message', `/laboratories/messages/${messageId}`, async (page) => {
      await page.getByRole('heading', { name: `Message ${controlId}` }).waitFor();
      await page.getByText('F: final.').first().waitFor();
    });
    const page = await dashboard.open('/laboratories?reason=wrong_obx_11');
    await page.getByRole('link', { name: controlId }).click();
    const status = page.getByRole('textbox', { name: 'Status (OBX-11)' });
    expect(await status.inputValue()).toBe('Q');
    expect(await status.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('mark').allInnerTexts()).toEqual(['Q']);
    await page.getByRole('link', { name: /^Its order, of .*, born Apr 12, 1988$/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Mend and send through' }).isDisabled()).toBe(true);
    await status.fill('F');
    await page.getByText('1 change', { exact: true }).waitFor();
    // The old message is not sent beside a change, and nobody loses the change by a click.
    await expect.poll(() => page.getByRole('button', { name: 'Send through again' }).isDisabled()).toBe(true);
    await page.getByRole('link', { name: /^Its order/ }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click();
    expect(await status.inputValue()).toBe('F');
    await page.getByRole('button', { name: 'Mend and send through' }).click();
    await page.getByText('The mended message was applied').waitFor();
    await page.getByText('Replaced by a mended one', { exact: true }).waitFor();
    await page.getByText('A mended message replaced it').waitFor();
    expect(await page.getByText('Discarded', { exact: true }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Open the order' }).getAttribute('href')).toContain(orderId);
    expect(lowStatuses(await readOrder(dashboard.team, orderId)).at(-1)).toBe('completed');
    await dashboard.check(page);
    await page.getByRole('link', { name: 'All that wait' }).click();
    await page.getByText('No message waits to be repaired').waitFor();
    await dashboard.check(page);
    await page.goto(`${dashboard.app.baseUrl}/dashboard/orders/${orderId}`);
    await page.getByText('Mended by a person').waitFor();
  });

  test('a message is sent through again, still waits, and is discarded', async () => {
    const { messageId, controlId } = await orderWithFaultyMessage();
    const page = await dashboard.open(`/laboratories/messages/${messageId}`);
    await page.getByRole('button', { name: 'Send through again' }).click();
    await page.getByText('It still waits').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Discard it' }).click();
    await page.getByText('It was discarded').waitFor();
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0);
    await dashboard.check(page);
    await page.goto(`${dashboard.app.baseUrl}/dashboard/laboratories?state=discarded&lab=saguaro-lab`);
    await page.getByRole('rowheader', { name: controlId }).waitFor();
  });

  test('a refused order is sent again or given up, and a waiting one is held and released', async () => {
    const { app, team } = dashboard;
    laboratory.behave('refuses');
    const [again, lost] = [await createOrder(), await createOrder()];
    const { user_id } = await readOrder(team, again);
    await team.api('PATCH', `/v2/user/${user_id}/info`, {
      ...patientDetails,
      first_name: 'Sent',
      last_name: 'Again',
      address: { first_line: '1 Saguaro Way', country: 'US', zip: '85004', city: 'Phoenix', state: 'AZ' },
    });
    await app.runJobs();
    laboratory.behave(null);
    await dashboard.onEachScreen('laboratories-outgoing', '/laboratories?tab=outgoing', async (page) => {
      await page.getByRole('rowheader').nth(1).waitFor();
      await page
        .getByText(/^The laboratory answered AE: a required field is missing \(error 101\)/)
        .first()
        .waitFor();
      await page.getByRole('link', { name: 'Sent again' }).waitFor();
    });
    const page = await dashboard.open('/laboratories');
    await page.getByRole('tab', { name: 'Outgoing' }).click();
    const rowOf = (id: string) => page.getByRole('row').filter({ hasText: id.slice(-8) });
    const notice = page.getByRole('status');
    await rowOf(again).getByRole('button', { name: 'Send again' }).click();
    await notice.getByText('It is waiting to be sent.').waitFor();
    await rowOf(again).getByText('Waits to be sent', { exact: true }).waitFor();
    await rowOf(lost).getByRole('button', { name: 'Give up' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Give up' }).click();
    await rowOf(lost).waitFor({ state: 'detached' });
    expect((await readOrder(team, lost)).status).toBe('cancelled');

    await rowOf(again).getByRole('button', { name: 'Hold' }).click();
    await rowOf(again).getByText('By your organisation').waitFor();
    await rowOf(again).getByRole('button', { name: 'Release' }).click();
    await rowOf(again).getByRole('button', { name: 'Hold' }).waitFor();
    await app.runJobs();
    await notice.getByText('Sent. The laboratory accepted it.').waitFor();
    await rowOf(again).waitFor({ state: 'detached' });
    await dashboard.check(page);
  });

  test('a result without an order is accepted for the right one, and another is rejected', async () => {
    const { team } = dashboard;
    const { order } = await loseResults(team, { interpretation: 'abnormal' });
    const path = '/laboratories?tab=unmatched';
    await dashboard.onEachScreen('laboratories-unmatched', path, async (page) => {
      await page.getByRole('button', { name: 'Decide' }).waitFor();
      await page.getByText('Grace Unmatched').waitFor();
      await page.getByRole('tab', { name: 'Unmatched results (1)' }).waitFor();
    });
    await dashboard.onEachScreen('laboratories-decide', path, async (page) => {
      await page.getByRole('button', { name: 'Decide' }).click();
      await page.getByText(`${patientDetails.first_name} Unmatched`, { exact: true }).waitFor();
      await page.getByText(/same name and date of birth, /).waitFor();
      await page.getByText(/^Grace Unmatched, born Apr 12, 1988\. .*, ordered /).waitFor();
      await page.getByRole('dialog').getByRole('columnheader', { name: 'Result' }).waitFor();
      // The choice comes before the rows, and the button says whose order is chosen.
      await page.getByText(`Chosen: order …${order.id.slice(-8)} of Grace Unmatched, born Apr 12, 1988`).waitFor();
      const topOf = async (name: string) => (await page.getByText(name, { exact: true }).boundingBox())?.y ?? 0;
      expect(await topOf('To which order does it belong?')).toBeLessThan(await topOf('Range'));
    });
    const page = await dashboard.open(path);
    await page.getByRole('button', { name: 'Decide' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^(High|Low)$/)
      .first()
      .waitFor();
    // An order that nobody finds cannot be accepted.
    const accept = page.getByRole('button', { name: 'Accept for this order' });
    await page.getByRole('radio', { name: 'Another order' }).check();
    await page.getByLabel('Find the order').fill('nonsense');
    await page.getByText('No order matches.').waitFor();
    expect(await accept.isDisabled()).toBe(true);
    await page.getByLabel('Find the order').fill(order.sample_id as string);
    await page.getByRole('radiogroup', { name: 'Orders found' }).getByRole('radio').check();
    await expect.poll(() => accept.isDisabled()).toBe(false);
    await dashboard.check(page);
    await page.getByLabel('Note').fill('Called the clinic.');
    await accept.click();
    // The second click of a double click sends nothing.
    const sent: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())));
    await page.getByRole('button', { name: 'Accept', exact: true }).dblclick();
    await page.getByRole('status').getByText('The result is accepted').waitFor();
    expect(sent.filter((url) => url.endsWith('/accept'))).toHaveLength(1);
    expect(await page.getByRole('link', { name: 'Open the order' }).getAttribute('href')).toContain(order.id);
    await page.getByText('Accepted', { exact: true }).waitFor();
    await dashboard.check(page);
    await page.getByRole('button', { name: 'Look' }).click();
    await page.getByRole('link', { name: `Order …${order.id.slice(-8)}` }).waitFor();
    await page.getByText('Called the clinic.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    expect(lowStatuses(await readOrder(team, order.id)).at(-1)).toBe('completed');

    const other = await loseResults(team);
    await page.reload();
    await page.getByRole('button', { name: 'Decide' }).click();
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('button', { name: 'Reject it' }).click();
    await page.getByRole('button', { name: 'Look' }).nth(1).waitFor();
    const { body } = await team.api('GET', `/v3/unmatched_result/${other.unmatched_id}`);
    expect(body).toMatchObject({ status: 'resolved' });
    await dashboard.check(page);
  });

  test('a result of another person is accepted only after a confirmation, and the order says who did it', async () => {
    const { app, team } = dashboard;
    const order = await registeredKit(team, {
      patient_details: { ...patientDetails, first_name: 'Elena', last_name: 'Marsh', dob: '1961-10-27' },
    });
    const patient = { first_name: 'Noor', last_name: 'Salt', dob: '1993-02-16', gender: null };
    await receiveFor(app, { team, orderId: null, labId: labOf(order) }, reportOf({ patient }));
    const ask = async (page: Page): Promise<void> => {
      await page
        .getByRole('row', { name: /Noor Salt/ })
        .getByRole('button', { name: 'Decide' })
        .click();
      await page.getByText('No order is chosen.').waitFor();
      await page.getByLabel('Find the order').fill(order.sample_id as string);
      await page.getByRole('radiogroup', { name: 'Orders found' }).getByRole('radio').check();
      await page.getByRole('button', { name: 'Accept for this order' }).click();
      await page.getByRole('row', { name: 'Name Differs Noor Salt Elena Marsh' }).waitFor();
    };
    const path = '/laboratories?tab=unmatched';
    await dashboard.onEachScreen('laboratories-other-patient', path, ask);
    const page = await dashboard.open(path);
    await ask(page);
    await page.getByRole('row', { name: 'Date of birth Differs Feb 16, 1993 Oct 27, 1961' }).waitFor();
    const dialog = page.getByRole('dialog', { name: 'Accept the result for this order?' });
    await dialog.getByText(/names another patient than the order.*collected before the order was made/).waitFor();
    const accept = dialog.getByRole('button', { name: 'Accept', exact: true });
    await expect.poll(() => accept.isDisabled()).toBe(true);
    await dialog.getByRole('checkbox').check();
    await expect.poll(() => accept.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('She married, and the clinic wrote a wrong date.');
    await accept.click();
    await page.getByRole('link', { name: 'Open the order' }).click();
    const step = page.getByRole('listitem').or(page.locator('.mantine-Timeline-item'));
    await step
      .filter({ hasText: 'A person gave this order a result' })
      .filter({ hasText: 'Operator' })
      .first()
      .waitFor();
    await dashboard.check(page);
  });

  test('the laboratories are shown with the accounts at them', async () => {
    await dashboard.onEachScreen('laboratories-adapters', '/laboratories?tab=laboratories', async (page) => {
      await page.getByRole('heading', { name: 'Saguaro Laboratory' }).waitFor();
      await page.getByRole('heading', { name: 'Accounts at laboratories' }).waitFor();
    });
  });
});

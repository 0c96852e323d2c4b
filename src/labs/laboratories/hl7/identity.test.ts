// Results with an order number that leads to the order of another person than the patient in the message.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeUser } from '../../../../test/factories.ts';
import { obr, obx, startLaboratoryOrders, type LaboratoryOrders } from '../../../../test/hl7-orders.ts';
import { inboxOfLaboratories } from './inbox/apply-waiting.ts';

let orders: LaboratoryOrders;
beforeAll(async () => {
  orders = await startLaboratoryOrders([]);
});
afterAll(() => orders.close());

const pid = (ids: string, name = 'Palmer^Grace', sex = 'F', dob = '19880412'): string =>
  `PID|1||${ids}||${name}||${dob}|${sex}`;
/** Sends a critical glucose for a new order with the patient of this PID, and returns the answer. */
async function responseTo(pidOf: (userId: string) => string): Promise<{ answer: string; id: string; userId: string }> {
  const { id, user_id, number } = await orders.walkIn(['MET']);
  const answer = await orders.send([pidOf(user_id), obr(number, 'MET', 'F'), obx('GLU', '480', { flag: 'HH' })]);
  return { answer, id, userId: user_id };
}

test('a result with an id of another user of any team waits, and the order shows it', async () => {
  const ours = await makeUser(orders.app.team);
  const theirs = await makeUser(await orders.app.makeTeam());
  for (const other of [ours.user_id, theirs.user_id, theirs.user_id.toUpperCase()]) {
    const { answer, id } = await responseTo(() => pid(`X7~${other}`));
    expect(answer).toBe('AE patient_mismatch');
    expect((await orders.results(id)).code).toBe('results_not_available');
    expect((await orders.read(id))['has_results_in_review']).toBe(true);
    expect(await orders.events(id)).not.toContain('critical');
  }
  expect((await responseTo(() => pid(`${crypto.randomUUID()}^^^PHIAL^PI`))).answer).toBe('AE patient_mismatch');
});

test('a result with the short number of another patient waits, and one with its own number does not', async () => {
  const [one, two] = [await orders.walkIn(['MET']), await orders.walkIn(['MET'])];
  const rows = await orders.app.db.selectFrom('patient_numbers').select(['user_id', 'number']).execute();
  const numberOf = ({ user_id }: { user_id: string }): string =>
    rows.find((row) => row.user_id === user_id)?.number as string;
  const send = (patient: string): Promise<string> =>
    orders.send([pid(patient), obr(one.number, 'MET', 'F'), obx('GLU', '91')]);
  expect(await send(numberOf(two))).toBe('AE patient_mismatch');
  expect(await send(`${numberOf(one)}^^^PHIAL^PI~U12345678^^^LAB^MR`)).toBe('AA');
});

test("a result with the user's own id or ids of the laboratory is applied", async () => {
  expect((await responseTo((userId) => pid(`${userId}^^^PHIAL^PI~L-55^^^LAB^MR`))).answer).toBe('AA');
  expect((await responseTo(() => pid(`${crypto.randomUUID()}^^^LAB^MR`))).answer).toBe('AA');
});

describe('a patient with', () => {
  test.each([
    ['another name and another sex', 'Stone^Peter', 'M', 'AE patient_mismatch'],
    ['another first name and another sex', 'Palmer^Peter', 'M', 'AE patient_mismatch'],
    ['only another name', 'Stone^Grace', 'F', 'AA'],
    ['only another sex', 'Palmer^Grace', 'M', 'AA'],
    ['another name and no sex', 'Stone^Peter', '', 'AA'],
    ['another name and an unknown sex', 'Stone^Peter', 'U', 'AA'],
    ['the name as laboratories write it, and another sex', 'PALMER^GRACE M', 'M', 'AA'],
    ['a cut name, and another sex', 'Palm^Gra', 'M', 'AA'],
  ])('%s gets the expected answer', async (_, name, sex, expected) => {
    expect((await responseTo(() => pid('X7', name, sex))).answer).toBe(expected);
  });
});

test('each patient of a message is checked separately', async () => {
  const [one, two] = [await orders.walkIn(['MET']), await orders.walkIn(['MET'])];
  const answer = await orders.send([
    pid(one.user_id),
    obr(one.number, 'MET', 'F'),
    obx('GLU', '91'),
    pid(one.user_id, 'Stone^Peter', 'M'),
    obr(two.number, 'MET', 'F'),
    obx('GLU', '92'),
  ]);
  expect(answer).toBe('AE patient_mismatch');
  expect((await orders.results(one.id)).results).toMatchObject([{ result: '91' }]);
  expect((await orders.results(two.id)).code).toBe('results_not_available');
});

test('a result for a user scheduled for deletion is applied after the undo', async () => {
  const { id, user_id, number } = await orders.walkIn(['MET']);
  await orders.app.team.api('DELETE', `/v2/user/${user_id}`);
  const critical = obx('GLU', '480', { flag: 'HH' });
  expect(await orders.send([pid(user_id), obr(number, 'MET', 'F'), critical])).toBe('AE user_scheduled_for_deletion');
  await inboxOfLaboratories.run(orders.app.ctx, {} as never);
  expect((await orders.messages()).at(-1)).toMatchObject({ state: 'failed', reason: 'user_scheduled_for_deletion' });
  await orders.app.team.api('POST', `/v2/user/undo_delete?user_id=${user_id}`);
  await inboxOfLaboratories.run(orders.app.ctx, {} as never);
  expect((await orders.messages()).at(-1)).toMatchObject({ state: 'applied', reason: null });
  expect((await orders.results(id)).results).toMatchObject([{ result: '480' }]);
  expect(await orders.events(id)).toContain('critical');
});

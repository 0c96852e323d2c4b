// Whose a result is, where its number leads to somebody whom it does not name.
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
/** The answer to a critical glucose for a new order, of the patient in this PID. */
async function answerTo(pidOf: (userId: string) => string): Promise<{ answer: string; id: string; userId: string }> {
  const { id, user_id, number } = await orders.walkIn(['MET']);
  const answer = await orders.send([pidOf(user_id), obr(number, 'MET', 'F'), obx('GLU', '480', { flag: 'HH' })]);
  return { answer, id, userId: user_id };
}

test('an id that we issued for another user makes the result wait, of whichever team that is, and the order says so', async () => {
  const ours = await makeUser(orders.app.team);
  const theirs = await makeUser(await orders.app.makeTeam());
  for (const other of [ours.user_id, theirs.user_id, theirs.user_id.toUpperCase()]) {
    const { answer, id } = await answerTo(() => pid(`X7~${other}`));
    expect(answer).toBe('AE patient_mismatch');
    expect((await orders.results(id)).code).toBe('results_not_available');
    expect((await orders.read(id))['has_results_in_review']).toBe(true);
    expect(await orders.told(id)).not.toContain('critical');
  }
  expect((await answerTo(() => pid(`${crypto.randomUUID()}^^^PHIAL^PI`))).answer).toBe('AE patient_mismatch');
});

test('a short number that we issued for another patient makes it wait, and that of its own does not', async () => {
  const [one, two] = [await orders.walkIn(['MET']), await orders.walkIn(['MET'])];
  const rows = await orders.app.db.selectFrom('patient_numbers').select(['user_id', 'number']).execute();
  const numberOf = ({ user_id }: { user_id: string }): string =>
    rows.find((row) => row.user_id === user_id)?.number as string;
  const send = (patient: string): Promise<string> =>
    orders.send([pid(patient), obr(one.number, 'MET', 'F'), obx('GLU', '91')]);
  expect(await send(numberOf(two))).toBe('AE patient_mismatch');
  expect(await send(`${numberOf(one)}^^^PHIAL^PI~U12345678^^^LAB^MR`)).toBe('AA');
});

test("the user's own id, and ids of the laboratory, are no other patient's", async () => {
  expect((await answerTo((userId) => pid(`${userId}^^^PHIAL^PI~L-55^^^LAB^MR`))).answer).toBe('AA');
  expect((await answerTo(() => pid(`${crypto.randomUUID()}^^^LAB^MR`))).answer).toBe('AA');
});

describe('a name and a sex', () => {
  test.each([
    ['both others', 'Stone^Peter', 'M', 'AE patient_mismatch'],
    ['another first name and another sex', 'Palmer^Peter', 'M', 'AE patient_mismatch'],
    ['another name alone', 'Stone^Grace', 'F', 'AA'],
    ['another sex alone', 'Palmer^Grace', 'M', 'AA'],
    ['another name and no sex', 'Stone^Peter', '', 'AA'],
    ['another name and an unknown sex', 'Stone^Peter', 'U', 'AA'],
    ['the name as laboratories write it, and another sex', 'PALMER^GRACE M', 'M', 'AA'],
    ['a name that was cut, and another sex', 'Palm^Gra', 'M', 'AA'],
  ])('that are %s', async (_, name, sex, expected) => {
    expect((await answerTo(() => pid('X7', name, sex))).answer).toBe(expected);
  });
});

test('of two patients in one message each is looked at alone', async () => {
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

test('a result that came while its user was scheduled for deletion is applied by itself after an undo', async () => {
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
  expect(await orders.told(id)).toContain('critical');
});

// Results of a laboratory with which several teams have accounts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from '../../../../test/hl7-deployment.ts';
import {
  resultMessage,
  sendFrame,
  startHl7Laboratory,
  text_,
  type Hl7Laboratory,
  type ResultToSend,
} from '../../../../test/hl7-laboratory.ts';
import { addLabAccount } from '../../catalogue/lab-accounts/add.ts';
import { startHl7, type Hl7 } from './start-hl7.ts';

type Ordered = { id: string; placer: string; sample: string };

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let one: Team;
let other: Team;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_HL7_PORT: '0' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  one = await app.makeTeam();
  other = await app.makeTeam();
  await openAccount(one, 'ACC-ONE');
  await openAccount(other, 'ACC-OTHER');
  hl7 = await startHl7(app.ctx);
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

const openAccount = (team: Team, number: string): Promise<string> =>
  addLabAccount(app.ctx, {
    org_id: team.org_id,
    lab: 'saguaro-lab',
    status: 'active',
    delegated_flow: 'not_delegated',
    provider_account_id: number,
    account_name: null,
    default_clinical_notes: null,
    business_units: null,
    allowed_billing: { client_bill: ['AZ'] },
    team_id_allowlist: [team.id],
  });
/** Makes an order that the laboratory gets under the account of its team. */
const ordered = async (team: Team): Promise<Ordered> => {
  const { id, sample_id } = await kitAtLaboratory(app, team, await addLabTest(app, team));
  await app.runJobs();
  const sent = laboratory.orders.at(-1) as never;
  return { id, placer: text_(sent, 'ORC.2'), sample: sample_id as string };
};
const send = (result: Partial<ResultToSend> & { controlId: string }) =>
  sendFrame(
    hl7.port as number,
    resultMessage({ placer: '', filler: 'F-OF-NOBODY', values: [{ code: 'GLU', value: '90' }], ...result }),
  );
const hasResult = async (team: Team, id: string): Promise<boolean> =>
  (await team.api('GET', `/v3/order/${id}/result`)).status === 200;
const unmatched = (team: Team) =>
  app.db.selectFrom('unmatched_results').selectAll().where('team_id', '=', team.id).execute();

test('an order and its result use the account of the team', async () => {
  const mine = await ordered(one);
  expect(text_(laboratory.orders.at(-1) as never, 'MSH.4')).toBe('ACC-ONE');
  expect(await send({ controlId: 'O1', placer: mine.placer, filler: 'F-O1', account: 'ACC-ONE' })).toMatchObject({
    code: 'AA',
  });
  expect(await hasResult(one, mine.id)).toBe(true);
});

describe('a result that was sent to the account of another team does not match', () => {
  test.each<[string, (order: Ordered) => Partial<ResultToSend>]>([
    ['by our number', ({ placer }) => ({ placer })],
    ['by the sample id', ({ sample }) => ({ sampleId: sample })],
    ['by both', ({ placer, sample }) => ({ placer, sampleId: sample })],
  ])('%s', async (how, numbers) => {
    const mine = await ordered(one);
    const controlId = `X-${how.replaceAll(' ', '-')}`;
    const answer = await send({ controlId, account: 'ACC-OTHER', ...numbers(mine) });
    expect(answer).toMatchObject({ code: 'AE', error: 'other_account' });
    expect(await hasResult(one, mine.id)).toBe(false);
    expect(await unmatched(other)).toEqual([]);
  });

  test('by an earlier number of the laboratory', async () => {
    const mine = await ordered(one);
    const numbers = { placer: mine.placer, filler: 'F-ONE', account: 'ACC-ONE' };
    await send({ controlId: 'L1', ...numbers, status: 'P', values: [{ code: 'GLU', value: '80', status: 'P' }] });
    const answer = await send({ controlId: 'L2', filler: 'F-ONE', account: 'ACC-OTHER', at: '20260125' });
    expect(answer).toMatchObject({ code: 'AE', error: 'other_account' });
  });

  test('by the accession number', async () => {
    const mine = await ordered(one);
    const numbers = { placer: mine.placer, account: 'ACC-ONE', accession: 'ACN-1' };
    await send({ controlId: 'N1', ...numbers, status: 'P', values: [{ code: 'GLU', value: '80', status: 'P' }] });
    const later = { filler: '', accession: 'ACN-1', at: '20260125' };
    const answer = await send({ controlId: 'N2', ...later, account: 'ACC-OTHER' });
    expect(answer).toMatchObject({ code: 'AE', error: 'other_account' });
    expect(await send({ controlId: 'N3', ...later, account: 'ACC-ONE' })).toMatchObject({ code: 'AA' });
    const { body } = await one.api<{ results: object[] }>('GET', `/v3/order/${mine.id}/result`);
    expect(body.results).toMatchObject([{ result: '90', status: 'final' }]);
  });

  test('by the patient, and goes to the other team without candidates of this one', async () => {
    const mine = await ordered(one);
    expect(await send({ controlId: 'P1', account: 'ACC-OTHER', filler: 'F-3' })).toMatchObject({ code: 'AA' });
    expect(await hasResult(one, mine.id)).toBe(false);
    const candidates = await app.db.selectFrom('unmatched_candidates').selectAll().execute();
    expect([(await unmatched(other)).length, candidates]).toEqual([1, []]);
  });
});

test('candidates for a result without a number show that they have another account', async () => {
  const mine = await ordered(one);
  const second = await openAccount(one, 'ACC-SECOND');
  await app.db.updateTable('orders').set({ lab_account_id: second }).where('id', '=', mine.id).execute();
  expect(await send({ controlId: 'S1', account: 'ACC-ONE', filler: 'F-2' })).toMatchObject({ code: 'AA' });
  const rows = await app.db
    .selectFrom('unmatched_candidates')
    .select(['order_id', 'reasons'])
    .where('team_id', '=', one.id)
    .execute();
  const reasons = Object.fromEntries(rows.map((row) => [row.order_id, row.reasons]));
  expect(reasons[mine.id]).toContain('lab_account_mismatch');
});

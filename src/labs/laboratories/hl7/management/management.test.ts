// The repair queue with management keys: messages that wait between a team and its laboratory.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../../../test/test-app.ts';
import {
  loseResults,
  lowStatuses,
  makeUser,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
} from '../../../../../test/factories.ts';
import { addLabTest, byMllp, connectTestLaboratory } from '../../../../../test/hl7-deployment.ts';
import {
  resultMessage,
  sendFrame,
  startHl7Laboratory,
  text_,
  type Hl7Laboratory,
  type ResultToSend,
} from '../../../../../test/hl7-laboratory.ts';
import { createManagementKey } from '../../../../tenancy/keys/create-management-key.ts';
import { holdOrder, releaseOrder } from '../outbox/outbox-actions.ts';
import { startHl7, type Hl7 } from '../start-hl7.ts';

type Message = { id: string; state: string; reason: string | null; order_id: string | null; lab: string };
type Page = { data: Message[]; next_cursor: string | null };
type ShownMessage = Message & {
  is_shown: boolean;
  segments: { number: number; name: string; fields: Record<string, string> }[];
};
type Refusal = { code: string; detail: string };

let laboratory: Hl7Laboratory;
let app: TestApp;
let hl7: Hl7;
let team: Team;
let walkIn: string;
let messages = 0;
beforeAll(async () => {
  laboratory = await startHl7Laboratory();
  app = await startTestApp({ PHIAL_HL7_PORT: '0' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port) });
  hl7 = await startHl7(app.ctx);
});
beforeEach(async () => {
  team = await app.makeTeam();
  walkIn = await addLabTest(app, team, 'walk_in_test');
  laboratory.behave(null);
});
afterAll(async () => {
  await hl7.stop();
  await app.close();
  await laboratory.close();
});

async function order(of = team, test = walkIn): Promise<{ id: string; placer: string }> {
  const { user_id } = await makeUser(of);
  const { body } = await of.api<{ order: { id: string } }>('POST', '/v3/order', {
    user_id,
    order_set: { lab_test_ids: [test] },
    patient_details: patientDetails,
    patient_address: patientAddress,
    physician,
  });
  await app.runJobs();
  return { id: body.order.id, placer: text_(laboratory.orders.at(-1) as never, 'ORC.2') };
}
async function send(placer: string, changes: Partial<ResultToSend> = {}): Promise<void> {
  messages += 1;
  const values = [
    { code: 'GLU', value: '88' },
    { code: 'A1C', value: '5.4', unit: '%' },
  ];
  await sendFrame(hl7.port as number, resultMessage({ controlId: `M${messages}`, placer, values, ...changes }));
}
/** Sends a result with one value that has an invalid status. */
const sendWithoutStatus = (placer: string): Promise<void> =>
  send(placer, {
    values: [
      { code: 'GLU', value: '88', status: 'Q' },
      { code: 'A1C', value: '5.4', unit: '%' },
    ],
  });

const at = (path: string, of: Team = team): string => `/v1/org/${of.org_id}/team/${of.id}/sandbox/${path}`;
const list = async (query = '', of = team): Promise<Page> =>
  (await of.api<Page>('GET', `${at('laboratory_message', of)}${query}`)).body;
const show = async (id: string): Promise<ShownMessage> =>
  (await team.api<ShownMessage>('GET', at(`laboratory_message/${id}`))).body;
const see = (id: string, action: string, body?: object) =>
  team.api<Message & Refusal>('POST', at(`laboratory_message/${id}/${action}`), body);
const last = async (id: string): Promise<string | undefined> => lowStatuses(await readOrder(team, id)).at(-1);

describe('a waiting message', () => {
  test('is listed, shown without its patient, repaired and applied, with an entry in the audit log', async () => {
    const { id: orderId, placer } = await order();
    await sendWithoutStatus(placer);
    const [waiting] = (await list()).data;
    expect(waiting).toMatchObject({ state: 'failed', reason: 'wrong_obx_11', order_id: orderId, lab: 'saguaro-lab' });
    const shown = await show(waiting?.id as string);
    const glucose = shown.segments.find(({ fields }) => fields['3']?.startsWith('GLU'));
    expect(shown).toMatchObject({
      is_partly_applied: true,
      waits: [{ reason: 'wrong_obx_11', segment: 'OBX', number: glucose?.number, codes: ['GLU'] }],
    });
    expect(glucose).toMatchObject({ name: 'OBX', fields: { '5': '88', '11': 'Q' } });
    expect(JSON.stringify(shown)).not.toMatch(/Palmer|Grace|1988/);
    const repaired = await see(shown.id, 'repair', { changes: [{ segment: glucose?.number, field: 11, value: 'F' }] });
    expect(repaired.body).toMatchObject({ state: 'applied', reason: null });
    expect(await last(orderId)).toBe('completed');
    expect((await list()).data).toEqual([]);
    expect(await show(shown.id)).toMatchObject({
      state: 'discarded',
      reason: 'repaired',
      is_shown: false,
      segments: [],
    });
    await app.flushAudit();
    const lines = await app.db
      .selectFrom('audit_log')
      .select(['actor', 'records', 'status'])
      .where('action', '=', 'repair_laboratory_message')
      .where('team_id', '=', team.id)
      .execute();
    expect(lines).toMatchObject([{ actor: 'management_key', status: 200 }]);
    expect(lines[0]?.records).toContain(shown.id);
  });

  test('refuses changes of identifying fields, lists all of them, and stays as it is', async () => {
    const { placer } = await order();
    await sendWithoutStatus(placer);
    const [waiting] = (await list()).data;
    const id = waiting?.id as string;
    const refused = await see(id, 'repair', {
      changes: [
        { segment: 2, field: 5, value: 'Doe^John' },
        { segment: 3, field: 2, value: 'P999' },
        { segment: 3, remove: true },
        { segment: 4, field: 5, value: '88|F' },
        { segment: 900, field: 5, value: '1' },
        { segment: 4 },
      ],
    });
    expect([refused.status, refused.body.code]).toEqual([400, 'message_not_repairable']);
    for (const at of [0, 1, 2, 3, 4, 5]) expect(refused.body.detail).toContain(`changes/${at} `);
    expect((await list()).data.map((message) => message.id)).toEqual([id]);
    expect((await see(id, 'repair', { changes: [] })).status).toBe(422);
  });

  test('that is still unreadable after the repair stays with its team', async () => {
    const { placer } = await order();
    await sendWithoutStatus(placer);
    const [waiting] = (await list()).data;
    const shown = await show(waiting?.id as string);
    const change = { segment: shown.segments.at(-1)?.number, field: 5, value: '1~'.repeat(1_100) };
    const worse = await see(shown.id, 'repair', { changes: [change] });
    expect(worse.body).toMatchObject({ state: 'failed', reason: 'too_large' });
    expect((await list()).data.map(({ id }) => id)).toEqual([worse.body.id]);
  });

  test('about another patient shows no field, cannot be repaired, and can be discarded', async () => {
    const { id: orderId, placer } = await order();
    await send(placer, { dob: '19700101' });
    const [waiting] = (await list()).data;
    const shown = await show(waiting?.id as string);
    expect(shown).toMatchObject({ is_shown: false, segments: [] });
    const change = { changes: [{ segment: 4, field: 11, value: 'F' }] };
    expect((await see(shown.id, 'repair', change)).body.code).toBe('message_not_repairable');
    expect((await see(shown.id, 'discard')).body).toMatchObject({ state: 'discarded' });
    expect((await see(shown.id, 'discard')).body.code).toBe('message_not_waiting');
    expect((await see(shown.id, 'replay')).body.code).toBe('message_not_waiting');
    expect(lowStatuses(await readOrder(team, orderId))).not.toContain('completed');
  });

  test('is applied by a replay once its code is mapped', async () => {
    const { id: orderId, placer } = await order();
    await send(placer, {
      values: [
        { code: 'GLU', value: '88' },
        { code: 'A1C', value: '5.4' },
        { code: 'NEW', value: '1.0' },
      ],
    });
    const [waiting] = (await list('?reason=unmapped_code')).data;
    const id = waiting?.id as string;
    expect((await see(id, 'replay')).body).toMatchObject({ id, state: 'failed', reason: 'unmapped_code' });
    await connectTestLaboratory(
      app.databaseUrl,
      { orders: byMllp(laboratory.port) },
      {
        analytes: [
          { code: 'GLU', slug: 'saguaro-glucose', name: 'Glucose', loinc_code: '2345-7', unit: 'mg/dL' },
          { code: 'A1C', slug: 'saguaro-hba1c', name: 'Hemoglobin A1c', loinc_code: '4548-4', unit: '%' },
          { code: 'NEW', slug: 'saguaro-new', name: 'New', unit: 'mg/dL', required: false },
        ],
      },
    );
    expect((await see(id, 'replay')).body).toMatchObject({ id, state: 'applied' });
    expect(await last(orderId)).toBe('completed');
  });

  test('is listed in pages, by state, laboratory, reason and order', async () => {
    const orders = [await order(), await order(), await order()];
    for (const { placer } of orders) await sendWithoutStatus(placer);
    const first = await list('?limit=2');
    const second = await list(`?limit=2&next_cursor=${first.next_cursor}`);
    expect([...first.data, ...second.data].map(({ order_id }) => order_id)).toEqual(orders.map(({ id }) => id));
    expect(second.next_cursor).toBeNull();
    const many = async (query: string): Promise<number> => (await list(query)).data.length;
    expect(await many(`?order_id=${orders[1]?.id}`)).toBe(1);
    expect(await many('?lab=saguaro-lab&reason=wrong_obx_11')).toBe(3);
    for (const query of ['?lab=nobody', '?reason=nothing', '?state=applied', '?state=toString'])
      expect(await many(query), query).toBe(0);
    expect((await team.api('GET', at('laboratory_message?next_cursor=x'))).status).toBe(422);
    expect((await team.api('GET', at('laboratory_message?limit=101'))).status).toBe(422);
  });

  test('is visible only to its own team, and one without a team only to the operator', async () => {
    const { placer } = await order();
    await sendWithoutStatus(placer);
    await send('P0000000', { account: 'NOBODY' });
    const [waiting, ...more] = (await list()).data;
    expect(more).toEqual([]);
    const id = waiting?.id as string;
    const other = await app.makeTeam();
    expect((await list('', other)).data).toEqual([]);
    for (const [method, path, body] of [
      ['GET', `laboratory_message/${id}`],
      ['POST', `laboratory_message/${id}/replay`],
      ['POST', `laboratory_message/${id}/discard`],
      ['POST', `laboratory_message/${id}/repair`, { changes: [{ segment: 4, field: 11, value: 'F' }] }],
    ] as const)
      expect((await other.api(method, at(path, other), body)).status, path).toBe(404);
    expect((await other.api('GET', at('laboratory_message'))).status).toBe(404);
    const { rows } = await sql<{ id: string }>`
      select id from hl7_messages where team_id is null and state = 'failed'`.execute(app.db);
    expect(rows.length).toBeGreaterThan(0);
    for (const nobodys of rows) expect((await see(nobodys.id, 'replay')).status).toBe(404);
    const second = await app.makeTeam();
    const bound = await createManagementKey(app.ctx, {
      org_id: second.org_id,
      label: 'bound',
      role: 'team_admin',
      team_ids: [second.id],
    });
    expect((await second.api('GET', at('laboratory_message', second), undefined, { key: bound.value })).status).toBe(
      200,
    );
  });
});

describe('a message to a laboratory', () => {
  const outbox = async (query = ''): Promise<Page['data']> =>
    (await team.api<Page>('GET', `${at('laboratory_outbox')}${query}`)).body.data;
  const act = (id: string, name: string, of = team) =>
    of.api<Refusal & { success: boolean }>('POST', at(`laboratory_outbox/${id}/${name}`, of));

  test('that was refused is listed and sent again, and another team gets 404', async () => {
    laboratory.behave('refuses');
    const { id } = await order();
    const [refused] = await outbox();
    const { user_id } = await readOrder(team, id);
    expect(refused).toMatchObject({ order_id: id, user_id, state: 'refused', lab: 'saguaro-lab', action: 'new' });
    const other = await app.makeTeam();
    for (const name of ['resend', 'give_up', 'hold', 'release'])
      expect((await act(refused?.id as string, name, other)).status).toBe(404);
    laboratory.behave(null);
    const before = laboratory.orders.length;
    expect((await act(refused?.id as string, 'resend')).body).toEqual({ success: true });
    await app.runJobs();
    expect(laboratory.orders.length).toBe(before + 1);
    expect(await outbox()).toEqual([]);
    const again = await act(refused?.id as string, 'resend');
    expect([again.status, again.body.code]).toEqual([400, 'message_not_changeable']);
  });

  test('that was refused is given up: its order ends, and the audit log has an entry', async () => {
    laboratory.behave('refuses');
    const { id } = await order();
    laboratory.behave(null);
    const [refused] = await outbox();
    expect((await act(refused?.id as string, 'give_up')).body).toEqual({ success: true });
    expect(await outbox('?state=given_up')).toMatchObject([{ order_id: id, held_by: null }]);
    expect((await readOrder(team, id)).last_event.status).toBe('cancelled.walk_in_test.cancelled');
    const lines = await app.db
      .selectFrom('audit_log')
      .select('records')
      .where('action', '=', 'give_up_laboratory_order')
      .where('team_id', '=', team.id)
      .execute();
    expect(lines.map(({ records }) => records)).toEqual([expect.arrayContaining([refused?.id])]);
  });

  test('is held and released', async () => {
    const { user_id } = await makeUser(team);
    await team.api('POST', '/v3/order', {
      user_id,
      order_set: { lab_test_ids: [walkIn] },
      patient_details: patientDetails,
      patient_address: patientAddress,
      physician,
    });
    const [waiting] = await outbox('?state=waiting');
    const id = waiting?.id as string;
    expect((await act(id, 'hold')).status).toBe(200);
    const before = laboratory.orders.length;
    await app.runJobs();
    expect(laboratory.orders.length).toBe(before);
    expect(await outbox('?state=held')).toMatchObject([{ id, held_by: 'organisation' }]);
    // What is not done has several states.
    expect(await outbox('?state=open')).toEqual(await outbox('?state=held'));
    expect((await act(id, 'release')).status).toBe(200);
    // Only the operator can release what the operator holds.
    await holdOrder(app.ctx, id, 'operator');
    const refused = await act(id, 'release');
    expect([refused.status, refused.body.code]).toEqual([400, 'message_not_changeable']);
    expect(await outbox('?state=held')).toMatchObject([{ id, held_by: 'operator' }]);
    await releaseOrder(app.ctx, id, 'operator');
    await app.runJobs();
    expect(laboratory.orders.length).toBe(before + 1);
    expect(await outbox('?state=open')).toEqual([]);
  });
});

test('a result without an order is listed and decided without showing its patient', async () => {
  const { order: lost, unmatched_id } = await loseResults(team);
  const { body } = await team.api<{ data: { id: string; patient: object | null }[] }>('GET', at('unmatched_result'));
  expect(body.data).toMatchObject([{ id: unmatched_id, patient: null }]);
  const path = at(`unmatched_result/${unmatched_id}`);
  expect((await team.api<{ patient: object | null }>('GET', path)).body.patient).toBeNull();
  const other = await app.makeTeam();
  expect((await other.api('GET', at(`unmatched_result/${unmatched_id}`, other))).status).toBe(404);
  const accepted = await team.api<{ order_id: string }>('POST', `${path}/accept`, { order_id: lost.id });
  expect(accepted.body).toEqual({ order_id: lost.id });
  const again = await team.api<Refusal>('POST', `${path}/resolve`, { action: 'reject' });
  expect([again.status, again.body.code]).toEqual([400, 'unmatched_result_resolved']);
  const rejected = at(`unmatched_result/${(await loseResults(team)).unmatched_id}/resolve`);
  const { body: decided } = await team.api<{ status: string; note: string | null }>('POST', rejected, {
    action: 'reject',
    note: 'Sent twice.',
  });
  expect(decided).toMatchObject({ status: 'resolved', patient: null, note: null });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { orderBy } from '../../../../test/collected-orders.ts';
import { patientDetails, registeredKit, simulate, type OrderBody } from '../../../../test/factories.ts';
import { query } from '../../../../test/global-setup.ts';
import { observed, receiveFor, labOf, reportOf } from '../../../../test/lab-reports.ts';
import { signInOperator } from '../../../../test/signed-in.ts';
import { startTestApp, type Team, type TestApp } from '../../../../test/test-app.ts';

type Entry = {
  id: string;
  code: string;
  order_id: string;
  user_id: string;
  client_user_id: string;
  status: string;
  markers: Record<string, unknown>[];
  order: { patient: Record<string, unknown>; last_status: string };
  belongs_to_ended_order: boolean;
  received_at: string;
  result_status: string;
  acknowledgement: Record<string, unknown> | null;
  sign_off: Record<string, unknown> | null;
};
type Page = { data: Entry[]; next_cursor: string | null };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const list = async (team: Team, of = ''): Promise<Page> =>
  (await team.api<Page>('GET', `/v3/critical_result${of}`)).body;
async function criticalKit(team: Team): Promise<OrderBody> {
  const order = await registeredKit(team);
  await simulate(team, order.id, '', { interpretation: 'critical' });
  return order;
}
async function openEntry(team: Team): Promise<Entry> {
  const { id } = await criticalKit(team);
  const [entry] = (await list(team, `?order_id=${id}`)).data;
  return entry as Entry;
}
const acknowledge = (team: Team, id: string, body: object = { acknowledged_by: 'Dr Ana Ruiz' }) =>
  team.api<Entry>('POST', `/v3/critical_result/${id}/acknowledge`, body);
const signOff = (team: Team, id: string, body: object = { signed_off_by: 'Dr Bo Chen' }) =>
  team.api<Entry>('POST', `/v3/critical_result/${id}/sign_off`, body);

describe('the list of critical results', () => {
  test('has an entry with the critical values for a critical report, and none for others', async () => {
    const team = await app.makeTeam();
    const order = await criticalKit(team);
    const normal = await registeredKit(team);
    await simulate(team, normal.id, '', { interpretation: 'abnormal' });
    const { data, next_cursor } = await list(team);
    const { results } = (await team.api<{ results: Record<string, unknown>[] }>('GET', `/v3/order/${order.id}/result`))
      .body;
    const critical = results.filter(({ interpretation }) => interpretation === 'critical');
    expect(critical.length).toBeGreaterThan(0);
    expect([data.length, next_cursor]).toEqual([1, null]);
    expect(data[0]).toMatchObject({
      order_id: order.id,
      user_id: order.user_id,
      interpretation: 'critical',
      result_status: 'final',
      belongs_to_ended_order: false,
      status: 'open',
      acknowledgement: null,
      sign_off: null,
      order: {
        last_status: 'completed.testkit.completed',
        patient: { first_name: null, last_name: null, dob: patientDetails.dob, gender: patientDetails.gender },
      },
      markers: critical.map(({ name, slug, loinc, result, unit, reference_range }) => ({
        name,
        slug,
        loinc,
        result,
        unit,
        reference_range,
      })),
    });
    expect((await team.api('GET', `/v3/critical_result/${data[0]?.id}`)).body).toEqual(data[0]);
  });

  test('has pages in both directions, and filters by status, user and order', async () => {
    const team = await app.makeTeam();
    const orders = [await criticalKit(team), await criticalKit(team), await criticalKit(team)];
    const ids = orders.map(({ id }) => id);
    const pages = async (direction: string): Promise<string[]> => {
      const first = await list(team, `?limit=2&order_direction=${direction}`);
      const second = await list(team, `?limit=2&order_direction=${direction}&next_cursor=${first.next_cursor}`);
      expect([first.data.length, second.data.length, second.next_cursor]).toEqual([2, 1, null]);
      return [...first.data, ...second.data].map(({ order_id }) => order_id);
    };
    expect([await pages('asc'), await pages('desc')]).toEqual([ids, ids.toReversed()]);
    const [, second, third] = (await list(team)).data.toReversed() as [Entry, Entry, Entry];
    await acknowledge(team, second.id);
    await acknowledge(team, third.id);
    await signOff(team, third.id);
    const found = async (of: string): Promise<string[]> => (await list(team, of)).data.map(({ order_id }) => order_id);
    expect(await found('?status=open')).toEqual([ids[0]]);
    expect(await found('?status=acknowledged')).toEqual([ids[1]]);
    expect(await found('?status=acknowledged,signed_off')).toEqual([ids[2], ids[1]]);
    expect(await found('?status=seen')).toEqual([]);
    expect(await found(`?user_id=${orders[0]?.user_id}`)).toEqual([ids[0]]);
    expect(await found(`?order_id=${randomUUID()}`)).toEqual([]);
    expect((await team.api('GET', '/v3/critical_result?next_cursor=abc')).status).toBe(422);
  });

  test('shows the names of patients to a team whose lists show them', async () => {
    const team = await app.makeTeam();
    await criticalKit(team);
    await query(
      app.databaseUrl,
      `update teams set settings = '{"full_patient_details_in_webhooks": true}' where id = '${team.id}'`,
    );
    expect((await list(team)).data[0]?.order.patient).toMatchObject({
      first_name: patientDetails.first_name,
      last_name: patientDetails.last_name,
    });
  });

  test('shows the names of patients to a person who is signed in', async () => {
    const team = await app.makeTeam();
    const { id } = await openEntry(team);
    const { api } = await signInOperator(app, team);
    const { first_name, last_name, dob, gender } = patientDetails;
    const patient = { first_name, last_name, dob, gender };
    const { body } = await api<Page>('GET', '/v3/critical_result', undefined, { team: team.id });
    expect(body.data[0]?.order.patient).toEqual(patient);
    const one = await api<Entry>('GET', `/v3/critical_result/${id}`, undefined, { team: team.id });
    expect(one.body.order.patient).toEqual(patient);
  });

  test('has a further entry if a correction brings another critical value', async () => {
    const team = await app.makeTeam();
    const order = await registeredKit(team);
    await simulate(team, order.id, '?final_status=sample_with_lab.testkit.delivered_to_lab');
    const send = (text: string, day: number, status: 'final' | 'corrected') =>
      receiveFor(
        app,
        { team, orderId: order.id, labId: labOf(order) },
        reportOf({ status, observations: [observed({ text, flags: ['HH'], status })] }, day),
      );
    await send('70', 7, 'final');
    await send('70', 8, 'final');
    const [first] = (await list(team)).data as [Entry];
    await acknowledge(team, first.id);
    await send('90', 9, 'corrected');
    const { data } = await list(team);
    expect(data.map(({ status, markers }) => [status, markers[0]?.['result']])).toEqual([
      ['open', '90'],
      ['acknowledged', '70'],
    ]);
  });

  test('has an entry of an order that had ended, with the values of the waiting report', async () => {
    const team = await app.makeTeam();
    const id = await orderBy(team, 'walk_in_test');
    await team.api('POST', `/v3/order/${id}/cancel`);
    const { forTeam } = await import('../../../tenancy/teams/team-scope.ts');
    const { inTransaction } = await import('../../../db/transaction.ts');
    const { loadOrder } = await import('../../orders/load-order.ts');
    const { receiveReport } = await import('../unmatched/receive-report.ts');
    const ctx = forTeam(app.ctx, { id: team.id, org_id: team.org_id, settings: {} });
    const order = await loadOrder(ctx, id);
    const report = reportOf({ observations: [observed({ flags: ['HH'] }), observed({ code: 'X2', flags: ['N'] })] });
    const receive = () =>
      inTransaction(ctx, (tx) => receiveReport(tx, { lab_id: order.lab.id, lab_account_id: null, order, report }));
    expect([await receive(), await receive()]).toEqual(['unmatched', 'known_unmatched']);
    const { data } = await list(team);
    expect(data).toMatchObject([
      {
        order_id: id,
        belongs_to_ended_order: true,
        markers: [{ name: 'Something', slug: null, result: '7', unit: 'mg/dL', source_interpretation: 'HH' }],
      },
    ]);
  });

  test('leaves out users who are scheduled for deletion', async () => {
    const team = await app.makeTeam();
    const entry = await openEntry(team);
    await team.api('DELETE', `/v2/user/${entry.user_id}`);
    expect((await list(team)).data).toEqual([]);
    for (const answer of [
      await team.api<Entry>('GET', `/v3/critical_result/${entry.id}`),
      await acknowledge(team, entry.id),
      await signOff(team, entry.id),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'user_scheduled_for_deletion']);
  });

  test('reads the values of an entry that a migration made from the report', async () => {
    const team = await app.makeTeam();
    const entry = await openEntry(team);
    await query(app.databaseUrl, `update critical_results set markers = null where id = '${entry.id}'`);
    expect((await list(team)).data).toEqual([entry]);
  });
});

describe('an acknowledgement', () => {
  const called = {
    acknowledged_by: 'Dr Ana Ruiz',
    called_person: 'Nurse Di Egan',
    called_at: new Date().toISOString(),
    read_back: true,
    note: 'On her way\nto the ward.',
  };

  test('stores who, when and whom they called, and a second one changes nothing', async () => {
    const entry = await openEntry(app.team);
    const { status, body } = await acknowledge(app.team, entry.id, {
      ...called,
      called_at: called.called_at.replace('Z', '+00:00'),
    });
    expect([status, body.status, body.acknowledgement]).toEqual([
      200,
      'acknowledged',
      { ...called, acknowledged_at: expect.stringMatching(/Z$/) as string },
    ]);
    const again = await acknowledge(app.team, entry.id, { acknowledged_by: 'Somebody else', note: 'Mine' });
    expect([again.status, again.body]).toEqual([200, body]);
    expect((await app.api('GET', `/v3/critical_result/${entry.id}`)).body).toEqual(body);
  });

  test('needs the name of a person from a key', async () => {
    const entry = await openEntry(app.team);
    for (const answer of [await acknowledge(app.team, entry.id, {}), await signOff(app.team, entry.id, {})])
      expect([answer.status, answer.body.code]).toEqual([400, 'author_required']);
    expect((await acknowledge(app.team, entry.id, { acknowledged_by: '' })).status).toBe(422);
    const future = new Date(Date.now() + 3_600_000).toISOString();
    expect((await acknowledge(app.team, entry.id, { acknowledged_by: 'A', called_at: future })).status).toBe(422);
  });

  test('names a person who was told after the result was received, and who alone can read it back', async () => {
    const entry = await openEntry(app.team);
    const refused = async (body: object): Promise<unknown[]> => {
      const { status, body: answer } = await acknowledge(app.team, entry.id, { acknowledged_by: 'A', ...body });
      const { code, detail } = answer as Entry & { detail: { loc: unknown }[] };
      return [status, code, detail.map(({ loc }) => loc)];
    };
    const early = { called_person: 'Nurse Di Egan', called_at: '1900-01-01T00:00:00Z' };
    expect(await refused(early)).toEqual([422, 'called_before_result', [['body', 'called_at']]]);
    expect(await refused({ read_back: true })).toEqual([422, 'validation_failed', [['body', 'called_person']]]);
    // A person writes down minutes, so the call may seem to be shortly before the result.
    const minute = new Date(Date.parse(entry.received_at) - 60_000).toISOString();
    expect((await acknowledge(app.team, entry.id, { ...called, called_at: minute })).status).toBe(200);
  });

  test('takes the entry out of the count of open critical results', async () => {
    const team = await app.makeTeam();
    const entry = await openEntry(team);
    type Counts = { with_open_critical_result: number; critical_results: Record<string, number> };
    const counts = async () => {
      const { with_open_critical_result, critical_results: by } = (await team.api<Counts>('GET', '/v3/order_counts'))
        .body;
      return [with_open_critical_result, by['open'], by['acknowledged'], by['signed_off']];
    };
    expect(await counts()).toEqual([1, 1, 0, 0]);
    await acknowledge(team, entry.id);
    expect(await counts()).toEqual([0, 0, 1, 0]);
    await signOff(team, entry.id);
    expect(await counts()).toEqual([0, 0, 0, 1]);
  });
});

describe('a sign-off', () => {
  test('follows the acknowledgement, and a second one changes nothing', async () => {
    const entry = await openEntry(app.team);
    const early = await signOff(app.team, entry.id);
    expect([early.status, early.body.code]).toEqual([409, 'critical_result_not_acknowledged']);
    await acknowledge(app.team, entry.id);
    const { status, body } = await signOff(app.team, entry.id, { signed_off_by: 'Dr Bo Chen', note: 'Treated' });
    expect([status, body.status, body.sign_off]).toEqual([
      200,
      'signed_off',
      { signed_off_by: 'Dr Bo Chen', note: 'Treated', signed_off_at: expect.stringMatching(/Z$/) as string },
    ]);
    expect((await signOff(app.team, entry.id, { signed_off_by: 'Somebody else' })).body).toEqual(body);
    expect((await acknowledge(app.team, entry.id, { acknowledged_by: 'Somebody else' })).body).toEqual(body);
  });
});

test("an unknown critical result and another team's answer 404", async () => {
  const theirs = await openEntry(await app.makeTeam());
  for (const id of [theirs.id, randomUUID()])
    for (const answer of [
      await app.api<Entry>('GET', `/v3/critical_result/${id}`),
      await acknowledge(app.team, id),
      await signOff(app.team, id),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Team, type TestApp } from '../../../../test/test-app.ts';
import {
  loseResults,
  lowStatuses,
  orderKit,
  patientDetails,
  readOrder,
  register,
  registeredKit,
  simulate,
  type OrderBody,
} from '../../../../test/factories.ts';
import { labOf, receiveFor, reportOf, sampled as sampledAs, type Received } from '../../../../test/lab-reports.ts';
import { publishedTo } from '../../../../test/publish-event.ts';
import { signInOperator } from '../../../../test/signed-in.ts';
import { eraseUsers } from '../../../../test/erase-due-users.ts';
import { dropExpired } from '../erase.ts';
import { acrossTeams } from '../../../db/session/bind.ts';
import type { LabReport } from '../lab-report.ts';
import { sql } from 'kysely';

type Unmatched = {
  id: string;
  code: string;
  status: string;
  decision_code: string;
  reason: string;
  patient: { last_name: string; dob: string } | null;
  sample_ids: string[];
  markers: { result: string | null }[];
  interpretation: string;
  result_status: string;
  note: string | null;
  allowed_actions: string[];
  reviewed_at: string | null;
  order_id: string | null;
  decided_by: string | null;
  lab: { id: number; slug: string };
  candidate_groups: {
    user_id: string;
    candidates: {
      order_id: string;
      candidate_type: string;
      confidence_level: string;
      reasons: string[];
      last_status: string;
    }[];
  }[];
};

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const read = async (id: string): Promise<Unmatched> =>
  (await app.api<Unmatched>('GET', `/v3/unmatched_result/${id}`)).body;
const managedPath = (id: string): string =>
  `/v1/org/${app.team.org_id}/team/${app.team.id}/sandbox/unmatched_result/${id}`;
const accept = (id: string, body: object): Promise<Answer<OrderBody & { code: string }>> =>
  app.api('POST', `/v3/unmatched_result/${id}/accept`, body);
const resolve = (id: string, body: object): Promise<Answer<Unmatched>> =>
  app.api('POST', `/v3/unmatched_result/${id}/resolve`, body);
const list = async (query = ''): Promise<{ data: Unmatched[]; next_cursor: string | null }> =>
  (await app.api<{ data: Unmatched[]; next_cursor: string | null }>('GET', `/v3/unmatched_result${query}`)).body;
const reviews = async (team: Team): Promise<Record<string, unknown>[]> =>
  (await publishedTo(app, team))
    .filter(({ event_type }) => event_type.startsWith('labtest.match_review'))
    .map(({ body }) => JSON.parse(body) as Record<string, unknown>);

const receive = (report: LabReport, from: { orderId?: string | null; team?: Team; labId: number }): Promise<Received> =>
  receiveFor(app, { team: app.team, orderId: null, ...from }, report);

const sampled = (order: OrderBody, changes: Partial<LabReport> = {}): LabReport =>
  sampledAs((order.sample_id as string).toLowerCase(), changes);

describe('results without a number', () => {
  test('wait with their candidates, and the order stays as it was', async () => {
    const { order, unmatched_id } = await loseResults(app.team, { interpretation: 'abnormal' });
    expect(lowStatuses(order).at(-1)).toBe('delivered_to_lab');
    expect(await read(unmatched_id)).toMatchObject({
      id: unmatched_id,
      status: 'pending_customer_review',
      decision_code: 'match_demo',
      patient: { last_name: 'Unmatched', dob: patientDetails.dob },
      interpretation: 'abnormal',
      result_status: 'final',
      decision: null,
      order_id: null,
      note: null,
      allowed_actions: ['accept', 'reject', 'unsure'],
      reviewed_at: null,
      candidate_groups: [
        {
          user_id: order.user_id,
          candidates: [
            {
              order_id: order.id,
              candidate_type: 'order_option',
              last_status: 'delivered_to_lab',
              reasons: ['demographic_match', 'same_lab', 'marker_overlap_exact'],
            },
          ],
        },
      ],
    });
  });

  test('get to the order by accept, as if the laboratory had named it', async () => {
    const team = await app.makeTeam();
    const { order, unmatched_id } = await loseResults(team);
    const path = `/v3/unmatched_result/${unmatched_id}`;
    const accepted = await team.api<OrderBody>('POST', `${path}/accept`, { note: 'Called the clinic.' });
    expect([accepted.status, accepted.body.id, lowStatuses(accepted.body).at(-1)]).toEqual([
      200,
      order.id,
      'completed',
    ]);
    expect((await team.api('GET', `/v3/order/${order.id}/result`)).status).toBe(200);
    expect((await team.api('GET', path)).body).toMatchObject({
      status: 'resolved',
      decision: 'accepted',
      order_id: order.id,
      note: 'Called the clinic.',
      allowed_actions: [],
      reviewed_at: expect.any(String),
    });
    const published = { id: unmatched_id, decision_code: 'match_demo', sub_reason_codes: [], interpretation: 'normal' };
    expect(await reviews(team)).toEqual(
      [
        { event_type: 'labtest.match_review.created', data: { ...published, status: 'pending_customer_review' } },
        { event_type: 'labtest.match_review.updated', data: { ...published, status: 'resolved' } },
      ].map((event) => ({ ...event, team_id: team.id, user_id: null, client_user_id: null })),
    );
    const again = await team.api<{ code: string }>('POST', `${path}/accept`, {});
    expect([again.status, again.body.code]).toEqual([400, 'unmatched_result_resolved']);
  });

  test('are rejected by reject, and stay open for the operator by unsure', async () => {
    const { order, unmatched_id: id } = await loseResults(app.team);
    const unsure = await resolve(id, { action: 'unsure', note: 'No idea.' });
    expect(unsure.body).toMatchObject({
      status: 'pending_ops_review',
      note: 'No idea.',
      allowed_actions: ['accept', 'reject'],
    });
    expect((await resolve(id, { action: 'unsure' })).body.status).toBe('pending_ops_review');
    expect((await resolve(id, { action: 'reject' })).body).toMatchObject({
      status: 'resolved',
      decision: 'rejected',
      order_id: null,
      note: 'No idea.',
    });
    expect((await resolve(id, { action: 'reject' })).body.code).toBe('unmatched_result_resolved');
    expect((await accept(id, { order_id: order.id })).body.code).toBe('unmatched_result_resolved');
    expect(lowStatuses(await readOrder(app.team, order.id)).at(-1)).toBe('delivered_to_lab');
    expect((await resolve(id, { action: 'accept' })).status).toBe(422);
  });
});

describe('a report', () => {
  test("with an order's number is stored, and if repeated changes and publishes nothing", async () => {
    const order = await registeredKit(app.team);
    const from = { orderId: order.id, labId: labOf(order) };
    expect(await receive(reportOf(), from)).toBe('stored');
    const stored = await readOrder(app.team, order.id);
    // The report arrived before any scan of the carrier, so the order gets the statuses of the kit's way too.
    expect(lowStatuses(stored).slice(-3)).toEqual(['transit_lab', 'delivered_to_lab', 'completed']);
    expect(await receive(reportOf(), from)).toBe('unchanged');
    expect(await readOrder(app.team, order.id)).toEqual(stored);
  });

  test('that comes twice without a match waits once', async () => {
    const order = await registeredKit(app.team);
    const report = reportOf({ filler_number: randomUUID() });
    expect(await receive(report, { labId: labOf(order) })).toBe('unmatched');
    expect(await receive(report, { labId: labOf(order) })).toBe('known_unmatched');
  });

  const waits = async (report: LabReport, options: Parameters<typeof receive>[1]): Promise<Unmatched> => {
    expect(await receive(report, options)).toBe('unmatched');
    return read((await list('?limit=1')).data[0]?.id as string);
  };
  const newest = (found: Unmatched): string | undefined => found.candidate_groups[0]?.candidates[0]?.order_id;

  test('with a sample id of the team, and no number, waits for a person', async () => {
    const order = await registeredKit(app.team);
    await simulate(app.team, order.id, '?final_status=sample_with_lab.testkit.delivered_to_lab');
    const found = await waits(sampled(order), { labId: labOf(order) });
    expect([found.decision_code, newest(found)]).toEqual(['match_sample_id', order.id]);
    expect(found.reason).toContain('sample id');
    expect(found.sample_ids).toEqual([order.sample_id?.toLowerCase()]);
    expect(found.markers[0]?.result).toEqual(expect.any(String));
    const managed = await app.api<Unmatched>('GET', managedPath(found.id));
    expect([managed.body.sample_ids, managed.body.markers[0]?.result]).toEqual([[], null]);
  });

  test('of an order that is completed or cancelled has a decision code for that', async () => {
    const done = await registeredKit(app.team);
    await simulate(app.team, done.id);
    expect((await waits(sampled(done), { labId: labOf(done) })).decision_code).toBe('match_completed');
    const refused = await registeredKit(app.team);
    await simulate(app.team, refused.id, '?final_status=failed.testkit.sample_error');
    expect((await waits(sampled(refused), { labId: labOf(refused) })).decision_code).toBe('wrong_collection');
    const kit = await orderKit(app.team);
    const { order: off } = (await register(app.team, { user_id: kit.user_id, sample_id: 'OFF-1' })).body;
    expect((await app.api('POST', `/v3/order/${off.id}/cancel`)).status).toBe(200);
    const found = await waits(sampled(off), { labId: labOf(off) });
    expect(found.decision_code).toBe('match_cancelled');
  });

  test('can be given to a cancelled order by a person, and changes no status', async () => {
    const kit = await orderKit(app.team);
    const { order: off } = (await register(app.team, { user_id: kit.user_id, sample_id: 'OFF-2' })).body;
    await app.api('POST', `/v3/order/${off.id}/cancel`);
    const found = await waits(sampled(off), { labId: labOf(off) });
    expect((await accept(found.id, { order_id: off.id })).status).toBe(200);
    expect(lowStatuses(await readOrder(app.team, off.id)).at(-1)).toBe('cancelled');
    expect((await app.api('GET', `/v3/order/${off.id}/result`)).status).toBe(200);
    const unregistered = await orderKit(app.team);
    const other = await waits(sampled(off, { filler_number: 'F-2' }), { labId: labOf(off) });
    const given = await accept(other.id, { order_id: unregistered.id });
    expect([given.status, given.body.code]).toEqual([400, 'order_takes_no_results']);
    expect((await read(other.id)).status).toBe('pending_customer_review');
  });

  test('with the sample id of an order with another birth date or laboratory waits with a code for that', async () => {
    const order = await registeredKit(app.team);
    const patient = { first_name: 'Grace', last_name: 'Palmer', dob: '1990-01-01', gender: null };
    const found = await waits(sampled(order, { patient }), { labId: labOf(order) });
    expect([found.decision_code, newest(found)]).toEqual(['match_sample_id_mismatch_demo', order.id]);
    const other = await app.db
      .selectFrom('labs')
      .select('id')
      .where('id', '<>', labOf(order))
      .executeTakeFirstOrThrow();
    expect((await waits(sampled(order), { labId: other.id })).decision_code).toBe('wrong_lab');
  });

  test('with a name that several users have lists them all, and accept needs the order', async () => {
    const patient_details = { ...patientDetails, first_name: 'Sam', last_name: 'Twin', dob: '1991-03-03' };
    const [a, b] = [
      await registeredKit(app.team, { patient_details }),
      await registeredKit(app.team, { patient_details }),
    ];
    const found = await waits(reportOf({ patient: patient_details }), { labId: labOf(a) });
    expect(found.decision_code).toBe('multiple_demo_match');
    expect(found.candidate_groups.map(({ user_id }) => user_id).toSorted()).toEqual([a.user_id, b.user_id].toSorted());
    const open = await accept(found.id, {});
    expect([open.status, open.body.code]).toEqual([400, 'unmatched_order_required']);
    expect((await accept(found.id, { user_id: a.user_id, order_id: b.id })).status).toBe(404);
    expect((await accept(found.id, { user_id: b.user_id })).body.id).toBe(b.id);
  });

  test('with only a name, or of an unknown person, has no candidate', async () => {
    const order = await registeredKit(app.team);
    const patient = { first_name: 'Grace', last_name: 'Palmer', dob: null, gender: null };
    const found = await waits(reportOf({ patient, filler_number: randomUUID() }), { labId: labOf(order) });
    expect([found.decision_code, found.candidate_groups]).toEqual(['no_match', []]);
  });

  test("with another team's sample id never finds that order", async () => {
    const other = await app.makeTeam();
    const theirs = await registeredKit(other);
    const found = await waits(sampled(theirs), { labId: labOf(theirs) });
    expect([found.decision_code, found.candidate_groups]).toEqual(['no_match', []]);
    expect((await accept(found.id, { order_id: theirs.id })).status).toBe(404);
    expect(lowStatuses(await readOrder(other, theirs.id))).toEqual(lowStatuses(theirs));
  });
});

describe('a report given to an order by the management interface', () => {
  const today = { timestamp: new Date().toISOString(), timezone_offset: 0 };
  const ofGrace = {
    first_name: 'Grace M.',
    last_name: patientDetails.last_name,
    dob: patientDetails.dob,
    gender: null,
  };

  /** A report that waits, and an order that it does not name. */
  async function waiting(changes: Partial<LabReport>): Promise<{ id: string; order: OrderBody }> {
    const order = await registeredKit(app.team);
    const report = reportOf({ filler_number: randomUUID(), collected_at: today, patient: ofGrace, ...changes });
    expect(await receive(report, { labId: labOf(order) })).toBe('unmatched');
    return { id: (await list('?limit=1')).data[0]?.id as string, order };
  }
  const give = (id: string, body: object): Promise<Answer<{ code: string; order_id: string }>> =>
    app.api('POST', `${managedPath(id)}/accept`, body);

  test('that names another patient needs a confirmation and the reason', async () => {
    for (const patient of [
      { ...ofGrace, dob: '1990-01-01' },
      { ...ofGrace, last_name: 'Marsh' },
    ]) {
      const { id, order } = await waiting({ patient });
      const order_id = order.id;
      for (const body of [{ order_id }, { order_id, confirm_patient: true }, { order_id, note: 'Married.' }])
        expect((await give(id, body)).body.code).toBe('report_of_other_patient');
      expect((await read(id)).status).toBe('pending_customer_review');
      const accepted = await give(id, { order_id, confirm_patient: true, note: 'Married.' });
      expect([accepted.status, accepted.body.order_id]).toEqual([200, order_id]);
    }
  });

  test('whose sample is older than the order by more than a day needs them too', async () => {
    const daysAgo = (days: number) => ({ ...today, timestamp: new Date(Date.now() - days * 86_400_000).toISOString() });
    const { id, order } = await waiting({ collected_at: daysAgo(1.1) });
    const order_id = order.id;
    expect((await give(id, { order_id })).body.code).toBe('collected_before_order');
    expect((await give(id, { order_id, confirm_patient: true })).body.code).toBe('collected_before_order');
    expect((await give(id, { order_id, confirm_patient: true, note: 'Written down late.' })).status).toBe(200);
    const sameDay = await waiting({ collected_at: daysAgo(0.9) });
    expect((await give(sameDay.id, { order_id: sameDay.order.id })).status).toBe(200);
  });

  test('of the same patient needs neither, and is found by its order with who decided', async () => {
    const { id, order } = await waiting({});
    const { api, shown } = await signInOperator(app, app.team);
    const given = await api('POST', `${managedPath(id)}/accept`, { order_id: order.id });
    expect(given.status).toBe(200);
    const decided = await api<{ data: Unmatched[] }>(
      'GET',
      managedPath(id).replace(id, `?order_id=${order.id}`).replace('/?', '?'),
    );
    expect(decided.body.data).toMatchObject([{ id, order_id: order.id, decided_by: shown.person.name, patient: null }]);
    expect((await list(`?order_id=${order.id}`)).data.map((each) => each.id)).toEqual([id]);
    expect((await list(`?order_id=${randomUUID()}`)).data).toEqual([]);
    // A key is not a person.
    const other = await waiting({});
    await give(other.id, { order_id: other.order.id });
    expect((await read(other.id)).decided_by).toBeNull();
  });
});

test('the list has every filter and pages', async () => {
  const team = await app.makeTeam();
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.unshift((await loseResults(team)).unmatched_id);
  await team.api('POST', `/v3/unmatched_result/${ids[0]}/resolve`, { action: 'reject' });
  const found = async (query: string): Promise<string[]> =>
    (await team.api<{ data: Unmatched[] }>('GET', `/v3/unmatched_result${query}`)).body.data.map(({ id }) => id);
  expect(await found('')).toEqual(ids);
  expect(await found('?status=resolved')).toEqual(ids.slice(0, 1));
  expect(await found('?status=pending_customer_review')).toEqual(ids.slice(1));
  expect(await found('?decision_code=no_match')).toEqual([]);
  expect(await found('?decision_code=multiple_demo_match,match_demo&lab_slug=nobody')).toEqual([]);
  const { body } = await team.api<Unmatched>('GET', `/v3/unmatched_result/${ids[0]}`);
  expect(await found(`?lab_slug=${body.lab.slug}`)).toEqual(ids);
  const today = new Date().toISOString().slice(0, 10);
  expect(await found(`?created_at_start=${today}&created_at_end=${today}`)).toEqual(ids);
  expect(await found('?created_at_end=2020-01-01')).toEqual([]);
  const page = await team.api<{ data: Unmatched[]; next_cursor: string }>('GET', '/v3/unmatched_result?limit=2');
  expect(page.body.data.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(await found(`?limit=2&next_cursor=${page.body.next_cursor}`)).toEqual(ids.slice(2));
  const wrong = await team.api<{ code: string }>('GET', '/v3/unmatched_result?next_cursor=nonsense');
  expect([wrong.status, wrong.body.code]).toEqual([422, 'invalid_cursor']);
});

test('an unmatched result is deleted with its only candidate user, and 90 days after its decision', async () => {
  const team = await app.makeTeam();
  const { order, unmatched_id } = await loseResults(team);
  const decided = await loseResults(team, { interpretation: 'critical' });
  await team.api('POST', `/v3/unmatched_result/${decided.unmatched_id}/resolve`, { action: 'reject' });
  const status = async (id: string): Promise<number> => (await team.api('GET', `/v3/unmatched_result/${id}`)).status;
  await dropExpired(acrossTeams(app.ctx));
  expect(await status(decided.unmatched_id)).toBe(200);
  await sql`
    update unmatched_results set reviewed_at = now() - interval '91 days'
     where id = ${decided.unmatched_id}`.execute(app.db);
  await dropExpired(acrossTeams(app.ctx));
  expect([await status(unmatched_id), await status(decided.unmatched_id)]).toEqual([200, 404]);
  await team.api('DELETE', `/v2/user/${decided.order.user_id}`);
  await team.api('DELETE', `/v2/user/${order.user_id}`);
  expect((await team.api<Unmatched>('GET', `/v3/unmatched_result/${unmatched_id}`)).body.candidate_groups).toEqual([]);
  await sql`update users set deleted_at = now() - interval '8 days' where deleted_at is not null`.execute(app.db);
  await eraseUsers(app.ctx);
  expect(await status(unmatched_id)).toBe(404);
});

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../test/app.ts';
import {
  kitTestId,
  patientAddress,
  patientDetails,
  physician,
  readOrder,
  shippingAddress,
  simulate,
  subscribe,
  type OrderBody,
} from '../../test/factories.ts';
import { person } from '../../test/people.ts';
import { startReceiver, type Receiver } from '../../test/receiver.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { purgeDeletedUsers } from './purge.ts';

let app: TestApp;
let team: Team;
let receiver: Receiver;
beforeAll(async () => {
  app = await startTestApp();
  receiver = await startReceiver();
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
});

const daysFromNow = (days: number): Date => new Date(Date.now() + days * 86_400_000);

type Somebody = { userId: string; traces: string[]; orders: OrderBody[] };

/** A user with something of every kind, and the texts by which they could be found. */
async function makeSomebody(): Promise<Somebody> {
  const mark = `Q${randomUUID().slice(0, 8)}`;
  const keyed = () => ({ headers: { 'x-idempotency-key': randomUUID() } });
  const named = { ...person, last_name: mark, email: `${mark}@example.com` };
  const {
    body: { user_id },
  } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: `ref-${mark}` }, keyed());
  await team.api('POST', '/v2/user', { client_user_id: `ref-${mark}` }, keyed());
  await team.api('PATCH', `/v2/user/${user_id}/info`, named);
  await team.api(
    'POST',
    `/v2/user/${user_id}/insurance`,
    { payor_code: 'SBX00001', member_id: `M-${mark}`, relationship: 'Self', insured: named },
    keyed(),
  );
  await subscribe(team, receiver);
  // What a receiver answers is kept: here it repeats who the event is about.
  receiver.answer((response) => response.writeHead(500).end(`no ${user_id} ${mark}`));
  const order = async (): Promise<OrderBody> =>
    (
      await team.api<{ order: OrderBody }>(
        'POST',
        '/v3/order/testkit',
        {
          user_id,
          lab_test_id: await kitTestId(team),
          shipping_details: { ...shippingAddress, receiver_name: `Grace ${mark}` },
        },
        keyed(),
      )
    ).body.order;
  const [done, underWay] = [await order(), await order()];
  await app.deliver();
  receiver.answer(null);
  await team.api(
    'POST',
    '/v3/order/testkit/register',
    {
      user_id,
      sample_id: `S-${mark}`,
      patient_details: { ...patientDetails, last_name: mark },
      patient_address: patientAddress,
      physician,
    },
    keyed(),
  );
  await simulate(team, done.id, '', { interpretation: 'critical' });
  await simulate(team, underWay.id, '?delay=3600');
  await app.deliver();
  await order();
  return { userId: user_id, traces: [user_id, mark, mark.toUpperCase()], orders: [done, underWay] };
}

/** Tables of every schema in which one of the texts stands in any column, as the owner sees them. */
async function findTraces(texts: string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: app.databaseUrl });
  await client.connect();
  try {
    const { rows: columns } = await client.query<{ place: string; name: string; data_type: string }>(`
      select format('%I.%I', table_schema, table_name) as place, quote_ident(column_name) as name, data_type
        from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`);
    expect(columns.map(({ place }) => place)).toEqual(
      expect.arrayContaining(['public.orders', 'public.attempts_default', 'graphile_worker._private_jobs']),
    );
    const found = new Set<string>();
    for (const { place, name, data_type } of columns) {
      const text = data_type === 'bytea' ? `encode(${name}, 'escape')` : `${name}::text`;
      const { rows } = await client.query(`select from ${place} where ${text} ilike any ($1) limit 1`, [
        texts.map((one) => `%${one}%`),
      ]);
      if (rows.length > 0) found.add(place.replace(/_(default|\d{8})$/, ''));
    }
    return [...found].toSorted();
  } finally {
    await client.end();
  }
}

describe('the purge', () => {
  test('erases everything of a user 7 days after the deletion, from every table, and keeps an audit record', async () => {
    const { userId, traces, orders } = await makeSomebody();
    const bystander = await makeSomebody();
    const theirs = await findTraces(bystander.traces);
    await team.api('DELETE', `/v2/user/${userId}`);
    const before = await findTraces(traces);
    expect(before).toEqual(
      expect.arrayContaining([
        'public.attempts',
        'public.client_user_ids',
        'public.events',
        'public.idempotency_keys',
        'public.insurances',
        'public.lab_results',
        'public.order_events',
        'public.order_name_words',
        'public.order_transactions',
        'public.orders',
        'public.sample_ids',
        'public.shipments',
        'public.simulations',
        'public.user_info',
        'public.users',
      ]),
    );

    expect(await purgeDeletedUsers(app.ctx, daysFromNow(6))).toBe(0);
    expect(await findTraces(traces)).toEqual(before);

    expect(await purgeDeletedUsers(app.ctx, daysFromNow(8))).toBe(1);
    expect(await findTraces(traces)).toEqual(['public.audit_log']);
    const audit = await app.db
      .selectFrom('audit_log')
      .select(['team_id', 'action', 'records'])
      .where('action', '=', 'user.purged')
      .execute();
    expect(audit).toEqual([{ team_id: team.id, action: 'user.purged', records: { user_id: userId } }]);
    const waiting = await app.db
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .select('event_id')
      .where('events.team_id', '=', team.id)
      .execute();
    expect(
      (await app.db.selectFrom('deliveries').select('event_id').where('team_id', '=', team.id).execute()).length,
    ).toBe(waiting.length);

    for (const path of [`/v2/user/${userId}`, ...orders.map(({ id }) => `/v3/order/${id}`)]) {
      const answer = await team.api<{ code: string }>('GET', path);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    expect(await purgeDeletedUsers(app.ctx, daysFromNow(8))).toBe(0);
    // What repeats no id of theirs may go: answers that are stored for a day only.
    expect((await findTraces(bystander.traces)).filter((place) => place !== 'public.idempotency_keys')).toEqual(
      theirs.filter((place) => place !== 'public.idempotency_keys'),
    );
  });

  test('leaves a job of theirs with nothing to do, and that is no failure', async () => {
    const { userId } = await makeSomebody();
    await team.api('DELETE', `/v2/user/${userId}`);
    await purgeDeletedUsers(app.ctx, daysFromNow(8));
    await sql`update graphile_worker._private_jobs set run_at = now()`.execute(app.db);
    await app.runJobs();
    const { rows: failed } = await sql`select from graphile_worker._private_jobs where last_error is not null`.execute(
      app.db,
    );
    expect(failed).toEqual([]);
  });

  test('sets the client_user_id and the sample id free', async () => {
    const {
      userId,
      traces: [, mark],
    } = await makeSomebody();
    await team.api('DELETE', `/v2/user/${userId}`);
    const again = () =>
      team.api<{ user_id: string; code: string }>('POST', '/v2/user', { client_user_id: `ref-${mark}` });
    expect((await again()).body.code).toBe('client_user_id_conflict');
    await purgeDeletedUsers(app.ctx, daysFromNow(8));
    const { status, body } = await again();
    expect([status, body.user_id === userId]).toEqual([200, false]);
  });

  test('of a user who handed a kit on leaves the kit with its new user', async () => {
    const {
      userId,
      orders: [, underWay],
    } = await makeSomebody();
    const {
      body: { user_id },
    } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: randomUUID() });
    const { sample_id } = await readOrder(team, underWay?.id as string);
    await team.api('POST', '/v3/order/testkit/register', {
      user_id,
      sample_id,
      patient_details: patientDetails,
      patient_address: patientAddress,
      physician,
    });
    await team.api('DELETE', `/v2/user/${userId}`);
    await purgeDeletedUsers(app.ctx, daysFromNow(8));
    expect(await findTraces([userId])).toEqual(['public.audit_log']);
    expect((await readOrder(team, underWay?.id as string)).user_id).toBe(user_id);
  });

  test('does nothing to a user whose deletion was undone: everything is back', async () => {
    const {
      userId,
      orders: [order],
    } = await makeSomebody();
    const paths = [
      `/v2/user/${userId}`,
      `/v2/user/${userId}/info/latest`,
      `/v2/user/${userId}/insurance/latest`,
      `/v3/order/${order?.id}`,
      `/v3/order/${order?.id}/result`,
      `/v3/orders?user_id=${userId}`,
    ];
    const readAll = () => Promise.all(paths.map(async (path) => (await team.api('GET', path)).body));
    const before = await readAll();
    await team.api('DELETE', `/v2/user/${userId}`);
    await team.api('POST', `/v2/user/undo_delete?user_id=${userId}`);
    expect(await purgeDeletedUsers(app.ctx, daysFromNow(8))).toBe(0);
    expect(await readAll()).toEqual(before);
  });

  test('that meets an undo which is not committed waits for it, and then leaves the user alone', async () => {
    const {
      body: { user_id },
    } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: randomUUID() });
    await team.api('DELETE', `/v2/user/${user_id}`);
    const { purge } = await app.db.transaction().execute(async (db) => {
      await db.updateTable('users').set({ deleted_at: null }).where('id', '=', user_id).execute();
      const purge = purgeDeletedUsers(app.ctx, daysFromNow(8));
      await untilBlocked(app.db);
      return { purge };
    });
    expect(await purge).toBe(0);
    expect((await team.api('GET', `/v2/user/${user_id}`)).status).toBe(200);
  });
});

test("the service's role can neither change nor delete what the audit log holds", async () => {
  for (const change of [sql`update audit_log set action = 'x'`, sql`delete from audit_log`, sql`truncate audit_log`]) {
    await expect(change.execute(app.db)).rejects.toMatchObject({ code: '42501' });
  }
});

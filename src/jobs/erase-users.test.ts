import { randomUUID } from 'node:crypto';
import type { JobHelpers } from 'graphile-worker';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { overlapTransactions } from '../../test/overlap-transactions.ts';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { steps } from '../../test/invented-events.ts';
import {
  kitTestId,
  patientAddress,
  patientDetails,
  physician,
  pushEverySummary,
  readOrder,
  shippingAddress,
  simulate,
  subscribe,
  type OrderBody,
} from '../../test/factories.ts';
import { upload } from '../../test/exports.ts';
import { person } from '../../test/people.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import { query } from '../../test/global-setup.ts';
import { findTraces } from '../../test/find-traces.ts';
import { untilBlocked } from '../../test/until-blocked.ts';
import { MIN_ID } from '../ids.ts';
import { publishEvent } from '../events/publish.ts';
import { eraseUsers } from '../../test/erase-due-users.ts';
import { dropExpired } from './retention.ts';
import { eraseSomeUsers } from './erase-users.ts';
import { tasksOf } from './run-jobs.ts';

let app: TestApp;
let team: Team;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});
beforeEach(async () => {
  team = await app.makeTeam();
});

type Somebody = { userId: string; traces: string[]; orders: OrderBody[] };

/** A user with data of every kind, and the texts by which they can be found. */
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
  await team.api('POST', `/v2/timeseries/${user_id}/samples`, [
    {
      resource: 'note',
      provider: 'manual',
      app_id: mark,
      start: '2026-01-05T07:00:00Z',
      end: '2026-01-05T07:00:00Z',
      unit: 'text',
      value: `Lunch with ${mark}`,
    },
  ]);
  await pushEverySummary(team, user_id);
  await upload(team, user_id, '<gpx/>');
  const endpoint = await startEndpoint();
  await subscribe(team, endpoint);
  // We store the answer of an endpoint. Here the endpoint repeats the user of the event.
  endpoint.answer((response) => response.writeHead(500).end(`no ${user_id} ${mark}`));
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
  endpoint.answer(null);
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
  await endpoint.close();
  return { userId: user_id, traces: [user_id, mark, mark.toUpperCase()], orders: [done, underWay] };
}

/** Moves the deletions of the team, and the data that was stored before them, into the past. */
async function age(days: number): Promise<void> {
  const ago = sql<string>`- make_interval(days => ${days})`;
  await sql`update users set deleted_at = deleted_at ${ago} where team_id = ${team.id}`.execute(app.db);
  await sql`update idempotency_keys set created_at = created_at ${ago} where scope_id = ${team.id}`.execute(app.db);
}

describe('the erasure of deleted users', () => {
  test('erases all data of a user 7 days after the deletion, from every table, and keeps an audit record', async () => {
    const { userId, traces, orders } = await makeSomebody();
    const bystander = await makeSomebody();
    const theirs = await findTraces(app, bystander.traces);
    await team.api('DELETE', `/v2/user/${userId}`);
    const before = await findTraces(app, traces);
    expect(before).toEqual(
      expect.arrayContaining([
        'attempts.response_body',
        'client_user_ids.client_user_id',
        'events.body',
        'idempotency_keys.body',
        'imports.user_id',
        'insurances.details',
        'lab_results.user_id',
        'order_events.user_id',
        'order_transactions.user_id',
        'orders.personal',
        'sample_ids.sample_id',
        'sample_notes.text',
        'shipments.user_id',
        'simulations.user_id',
        'streams.app_id',
        'summaries.user_id',
        'user_info.info',
        'users.client_user_id',
      ]),
    );

    await age(6);
    expect(await eraseUsers(app.ctx)).toBe(0);
    expect(await findTraces(app, traces)).toEqual(before);

    await age(2);
    expect(await eraseUsers(app.ctx)).toBe(1);
    expect(await findTraces(app, traces)).toEqual(['audit_log.records']);
    const audit = await app.db
      .selectFrom('audit_log')
      .select(['team_id', 'action', 'records'])
      .where('action', '=', 'user.erased')
      .execute();
    expect(audit).toEqual([{ team_id: team.id, action: 'user.erased', records: [userId] }]);
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
    expect(await eraseUsers(app.ctx)).toBe(0);
    // An erasure may also delete stored responses of other users. They exist for only a day.
    expect(
      (await findTraces(app, bystander.traces)).filter((column) => !column.startsWith('idempotency_keys.')),
    ).toEqual(theirs.filter((column) => !column.startsWith('idempotency_keys.')));
  });

  test('leaves a job of the user with nothing to do, which is no failure', async () => {
    const { userId } = await makeSomebody();
    await team.api('DELETE', `/v2/user/${userId}`);
    await age(8);
    await eraseUsers(app.ctx);
    await sql`update graphile_worker._private_jobs set run_at = now()`.execute(app.db);
    await app.runJobs();
    const { rows: failed } = await sql`select from graphile_worker._private_jobs where last_error is not null`.execute(
      app.db,
    );
    expect(failed).toEqual([]);
  });

  test('makes the client_user_id and the sample id available again', async () => {
    const {
      userId,
      traces: [, mark],
    } = await makeSomebody();
    await team.api('DELETE', `/v2/user/${userId}`);
    const again = () =>
      team.api<{ user_id: string; code: string }>('POST', '/v2/user', { client_user_id: `ref-${mark}` });
    expect((await again()).body.code).toBe('client_user_id_conflict');
    await age(8);
    await eraseUsers(app.ctx);
    const { status, body } = await again();
    expect([status, body.user_id === userId]).toEqual([200, false]);
  });

  test('leaves a kit with its new user when the erased user gave it away', async () => {
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
    await age(8);
    await eraseUsers(app.ctx);
    expect(await findTraces(app, [userId])).toEqual(['audit_log.records']);
    expect((await readOrder(team, underWay?.id as string)).user_id).toBe(user_id);
  });

  test('does nothing to a user whose deletion was undone', async () => {
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
    await age(8);
    expect(await eraseUsers(app.ctx)).toBe(0);
    expect(await readAll()).toEqual(before);
  });

  test('and retention do nothing in a process whose clock is a minute off', async () => {
    const {
      body: { user_id },
    } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: randomUUID() });
    await team.api('DELETE', `/v2/user/${user_id}`);
    await age(8);
    const now = Date.now.bind(Date);
    for (const seconds of [-61, 61]) {
      vi.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1000);
      await expect(eraseUsers(app.ctx)).rejects.toThrow(/clocks/);
      await expect(dropExpired(app.ctx)).rejects.toThrow(/clocks/);
      vi.restoreAllMocks();
    }
    expect(await eraseUsers(app.ctx)).toBe(1);
  });

  test('that fails for one user delays no other, and a later run tries that user again', async () => {
    const ids: string[] = [];
    for (const _ of [1, 2]) {
      const { body } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: randomUUID() });
      await team.api('DELETE', `/v2/user/${body.user_id}`);
      ids.push(body.user_id);
    }
    await age(8);
    await query(app.databaseUrl, `create function refuse() returns trigger language plpgsql as 'begin raise; end'`);
    await query(
      app.databaseUrl,
      `create trigger refuse before delete on users for each row when (old.id = '${ids[0]}') execute function refuse()`,
    );
    expect(await eraseUsers(app.ctx)).toBe(1);
    await query(app.databaseUrl, 'drop function refuse cascade');
    expect(await eraseUsers(app.ctx)).toBe(1);
  });

  test('that stopped halfway cannot be undone, and a later run continues with it', async () => {
    const { userId, traces } = await makeSomebody();
    await team.api('DELETE', `/v2/user/${userId}`);
    await age(8);
    await query(app.databaseUrl, `create function refuse() returns trigger language plpgsql as 'begin raise; end'`);
    await query(app.databaseUrl, 'create trigger refuse before delete on users for each row execute function refuse()');
    expect(await eraseUsers(app.ctx)).toBe(0);
    const half = await findTraces(app, traces);
    expect(half).toContain('orders.personal');
    expect(half).not.toContain('events.body');
    for (const by of [`user_id=${userId}`, `client_user_id=ref-${traces[1]}`]) {
      const { status, body } = await team.api<{ code: string }>('POST', `/v2/user/undo_delete?${by}`);
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
    await team.api('DELETE', `/v2/user/${userId}`);
    await query(app.databaseUrl, 'drop function refuse cascade');
    expect(await eraseUsers(app.ctx)).toBe(1);
    expect(await findTraces(app, traces)).toEqual(['audit_log.records']);
  });

  test('includes what is published about the user at the last moment', async () => {
    const client_user_id = randomUUID();
    const {
      body: { user_id },
    } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id });
    await team.api('DELETE', `/v2/user/${user_id}`);
    await age(8);
    const erased = await overlapTransactions(
      app.db,
      async (db) => {
        await sql`select from users where id = ${user_id} for key share`.execute(db);
        await publishEvent({ ...app.ctx, db, team }, steps, { user: { id: user_id, client_user_id }, data: {} });
      },
      () => eraseUsers(app.ctx),
    );
    expect(erased).toBe(1);
    const { rows } = await sql`select from events where user_id = ${user_id}`.execute(app.db);
    expect(rows).toHaveLength(0);
  });

  test('waits for an undo that is not committed yet, and then leaves the user alone', async () => {
    const {
      body: { user_id },
    } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: randomUUID() });
    await team.api('DELETE', `/v2/user/${user_id}`);
    await age(8);
    const { erasure } = await app.db.transaction().execute(async (db) => {
      await db.updateTable('users').set({ deleted_at: null }).where('id', '=', user_id).execute();
      const erasure = eraseUsers(app.ctx);
      await untilBlocked(app.db);
      return { erasure };
    });
    expect(await erasure).toBe(0);
    expect((await team.api('GET', `/v2/user/${user_id}`)).status).toBe(200);
  });
});

/** Users of the team whose grace period is over. */
async function makeDue(many: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into users (id, team_id, client_user_id, deleted_at)
      select gen_random_uuid(), ${team.id}, gen_random_uuid(), now() - interval '8 days'
        from generate_series(1, ${many})
    returning id`.execute(app.db);
  return rows.map(({ id }) => id).toSorted();
}
const usersLeft = async (): Promise<string[]> =>
  (await app.db.selectFrom('users').select('id').where('team_id', '=', team.id).orderBy('id').execute()).map(
    ({ id }) => id,
  );

describe('the job that erases deleted users', () => {
  const begin = () => tasksOf(app.ctx)['erase_deleted_users']?.({}, { job: {} } as JobHelpers);
  const readRounds = async () =>
    (
      await sql<object>`
        select key, flags, attempts from graphile_worker.jobs
         where task_identifier = 'erase_some_deleted_users'`.execute(app.db)
    ).rows;
  const flags = { erasures: true };
  const waiting = { key: 'erase deleted users', flags, attempts: 0 };
  beforeEach(() => sql`delete from graphile_worker._private_jobs`.execute(app.db));

  test('continues run by run until no user is left', async () => {
    // One more than the users of a run.
    await makeDue(101);
    await begin();
    await app.runJobs();
    expect(await usersLeft()).toEqual([]);
    expect(await readRounds()).toEqual([]);
  });

  test('exists once, also if the schedule adds it while it runs, and uses one permit of erasures', async () => {
    const [id] = await makeDue(1);
    await begin();
    await begin();
    expect(await readRounds()).toEqual([waiting]);
    const running = await app.db.transaction().execute(async (elsewhere) => {
      await sql`select from users where id = ${id} for update`.execute(elsewhere);
      const done = app.runJobs();
      await untilBlocked(app.db);
      await begin();
      await begin();
      expect(await readRounds()).toEqual([{ ...waiting, attempts: 1 }]);
      return { done };
    });
    await running.done;
    expect(await usersLeft()).toEqual([]);
  });

  test('begins again after a run that failed or died with its process', async () => {
    await begin();
    await sql`update graphile_worker._private_jobs set attempts = 9, run_at = now() + interval '5 hours'`.execute(
      app.db,
    );
    await begin();
    expect(await readRounds()).toEqual([waiting]);
    await sql`update graphile_worker._private_jobs set attempts = 1, locked_at = now() - interval '31 minutes'`.execute(
      app.db,
    );
    await begin();
    expect(await readRounds()).toContainEqual(waiting);
  });

  test('ends a run after its steps, and the next one continues after the last user', async () => {
    const ids = await makeDue(3);
    const first = await eraseSomeUsers(app.ctx, MIN_ID, 7);
    expect(first).toEqual({ erased: 1, next: ids[0] });
    expect(await usersLeft()).toEqual(ids.slice(1));
    expect(await eraseSomeUsers(app.ctx, ids[0] as string)).toEqual({ erased: 2, next: null });
  });

  test('ends between two steps when the process stops, and returns where to continue', async () => {
    const ids = await makeDue(2);
    const stopping = new AbortController();
    const { round } = await app.db.transaction().execute(async (elsewhere) => {
      await sql`select from users where id = ${ids[0]} for update`.execute(elsewhere);
      const round = eraseSomeUsers({ ...app.ctx, stopping: stopping.signal }, MIN_ID);
      await untilBlocked(app.db);
      stopping.abort();
      return { round };
    });
    expect(await round).toEqual({ erased: 0, next: MIN_ID });
    expect(await usersLeft()).toEqual(ids);
    expect(await eraseUsers(app.ctx)).toBe(2);
  });
});

describe('stored answers', () => {
  const keyed = async (client_user_id: string = randomUUID()): Promise<string> => {
    const key = randomUUID();
    await team.api('POST', '/v2/user', { client_user_id }, { headers: { 'x-idempotency-key': key } });
    return key;
  };
  const hoursAgo = (hours: number) =>
    sql`update idempotency_keys set created_at = now() - make_interval(hours => ${hours})`.execute(app.db);
  const storedKeys = async (): Promise<string[]> =>
    (await app.db.selectFrom('idempotency_keys').select('key').where('scope_id', '=', team.id).execute()).map(
      ({ key }) => key,
    );

  test('of a team are opened once per run, however many of its users are erased', async () => {
    const keys = [await keyed(), await keyed(), await keyed()];
    await hoursAgo(2);
    await makeDue(4);
    let opened = 0;
    const { openText } = app.ctx.cipher;
    const counting: typeof openText = (column, row, sealed) => {
      if (column === 'idempotency_keys.body') opened += 1;
      return openText(column, row, sealed);
    };
    expect(await eraseUsers({ ...app.ctx, cipher: { ...app.ctx.cipher, openText: counting } })).toBe(4);
    expect(opened).toBe(3);
    expect((await storedKeys()).toSorted()).toEqual(keys.toSorted());
  });

  test('that do not open are erased, and delay no erasure', async () => {
    const [whole, damaged] = [await keyed(), await keyed()];
    await sql`
      update idempotency_keys set body = set_byte(body, length(body) - 1, 255 - get_byte(body, length(body) - 1))
       where key = ${damaged}`.execute(app.db);
    await sql`update idempotency_keys set body = substr(body, 1, 3) where key = ${await keyed()}`.execute(app.db);
    await hoursAgo(2);
    await makeDue(1);
    expect(await eraseUsers(app.ctx)).toBe(1);
    expect(await storedKeys()).toEqual([whole]);
  });

  test('that name a user and come during the erasure are erased with the user', async () => {
    const client_user_id = randomUUID();
    const { body } = await team.api<{ user_id: string }>('POST', '/v2/user', { client_user_id });
    await team.api('DELETE', `/v2/user/${body.user_id}`);
    await age(8);
    const erased = await app.db.transaction().execute(async (elsewhere) => {
      await sql`select from users where id = ${body.user_id} for no key update`.execute(elsewhere);
      const erasure = eraseUsers(app.ctx);
      await untilBlocked(app.db);
      await keyed(client_user_id);
      expect(await storedKeys()).toHaveLength(1);
      return { erasure };
    });
    expect(await erased.erasure).toBe(1);
    expect(await storedKeys()).toEqual([]);
  });
});

test('the role of the service can neither change nor delete audit lines', async () => {
  for (const change of [sql`update audit_log set action = 'x'`, sql`delete from audit_log`, sql`truncate audit_log`]) {
    await expect(change.execute(app.db)).rejects.toMatchObject({ code: '42501' });
  }
});

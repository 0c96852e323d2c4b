import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  askForClinic as ask,
  endpointsOf as endpoints,
  rowsOfTeam,
  startFront,
  type Webhook,
} from '../../test/demo-clinics.ts';
import { eraseTeams } from '../../test/erase-deleted-teams.ts';
import { webhookPath } from '../../test/factories.ts';
import { startTestApp, type Team, type TestApp } from '../../test/test-app.ts';
import { COLLECTION_METHODS, fullStatus, statusesOf } from '../labs/orders/status/statuses.ts';

type Page<T> = { data: T[] };

let app: TestApp;
let front: Awaited<ReturnType<typeof startFront>>;
let clinic: Team;
beforeAll(async () => {
  front = await startFront(() => app.baseUrl);
  app = await startTestApp({ PHIAL_BASE_URL: front.url });
  clinic = await app.makeTeam();
  await ask(clinic, 'POST');
  await app.runJobs();
  await app.deliver();
}, 120_000);
afterAll(async () => {
  await app.close();
  front.close();
});

const countOf = (team: Team, table: string): Promise<number> => rowsOfTeam(app, team, table);

describe('a loaded demo clinic', () => {
  test('has taken all its steps, and its team is not empty any more', async () => {
    const { body } = await ask(clinic, 'GET');
    expect(body).toMatchObject({ state: 'loaded', next: null, team_is_empty: false, ended_at: expect.any(String) });
    expect([body.done, body.done > 40]).toEqual([body.total, true]);
  });

  test('has 40 people with addresses and numbers of their own, of whom two have the same name', async () => {
    const { users } = (await clinic.api<{ users: { user_id: string }[] }>('GET', '/v2/user?limit=100')).body;
    expect(users).toHaveLength(40);
    type Info = { first_name: string; last_name: string; email: string; phone_number: string; dob: string };
    const infos = await Promise.all(
      users.map(async ({ user_id }) => (await clinic.api<Info>('GET', `/v2/user/${user_id}/info/latest`)).body),
    );
    const distinct = (of: (info: Info) => string): number => new Set(infos.map(of)).size;
    expect([distinct((info) => info.email), distinct((info) => info.phone_number)]).toEqual([40, 40]);
    expect(distinct(({ first_name, last_name }) => `${first_name} ${last_name}`)).toBe(39);
    for (const { email, phone_number, dob } of infos) {
      expect([email, phone_number]).toEqual([
        expect.stringMatching(/@example\.com$/),
        expect.stringMatching(/^\+1602555\d{4}$/),
      ]);
      expect(dob < '2005').toBe(true);
    }
  });

  test.each(COLLECTION_METHODS)('has an order by %s in each of its statuses', async (method) => {
    const { rows } = await sql<{ last_status: string }>`
      select distinct last_status from orders where team_id = ${clinic.id} and method = ${method}`.execute(app.db);
    expect(rows.map(({ last_status }) => last_status).toSorted()).toEqual(
      statusesOf(method)
        .map((status) => fullStatus(method, status) as string)
        .toSorted(),
    );
  });

  test('has no order that a list or a read refuses to show', async () => {
    const ids: string[] = [];
    for (let page = 1; ids.length < (await countOf(clinic, 'orders')); page += 1) {
      const { body } = await clinic.api<{ orders: { id: string }[] }>('GET', `/v3/orders?page=${page}&size=100`);
      ids.push(...body.orders.map(({ id }) => id));
      expect(body.orders.length).toBeGreaterThan(0);
    }
    expect(ids.length).toBeGreaterThan(80);
    for (const id of ids) expect((await clinic.api('GET', `/v3/order/${id}`)).status).toBe(200);
  });

  test('has normal, abnormal and at least three critical results, and one that waits for its order', async () => {
    const total = async (query: string): Promise<number> =>
      (await clinic.api<{ total: number }>('GET', `/v3/orders?${query}`)).body.total;
    expect(await total('interpretation=critical')).toBeGreaterThanOrEqual(3);
    expect(await total('interpretation=abnormal')).toBeGreaterThanOrEqual(3);
    expect(await total('interpretation=normal')).toBeGreaterThanOrEqual(3);
    const unmatched = await clinic.api<Page<object>>('GET', '/v3/unmatched_result?limit=10');
    expect(unmatched.body.data).toHaveLength(1);
  });

  test('has people with results of the same markers over months', async () => {
    const resolved = await clinic.api<{ user_id: string }>('GET', '/v2/user/resolve/demo-clinic-01');
    const orders = await clinic.api<{ orders: { id: string }[] }>(
      'GET',
      `/v3/orders?user_id=${resolved.body.user_id}&order_type=at_home_phlebotomy&size=100`,
    );
    const drawn: string[] = [];
    for (const { id } of orders.body.orders) {
      type Result = { metadata: { date_collected: string }; results: { slug: string }[] };
      const { status, body } = await clinic.api<Result>('GET', `/v3/order/${id}/result`);
      if (status === 200 && body.results.some(({ slug }) => slug === 'total-cholesterol'))
        drawn.push(body.metadata.date_collected);
    }
    expect(drawn.length).toBeGreaterThanOrEqual(5);
    const days =
      (Date.parse(drawn.toSorted().at(-1) as string) - Date.parse(drawn.toSorted()[0] as string)) / 86_400_000;
    expect(days).toBeGreaterThan(250);
  });

  test('has appointments to come at home and at service centers', async () => {
    const { rows } = await sql<{ type: string; soon: number }>`
      select type, count(*)::integer as soon from appointments
       where team_id = ${clinic.id} and status = 'confirmed'
         and start_at between now() - interval '1 day' and now() + interval '3 days'
       group by type order by type`.execute(app.db);
    expect(rows).toEqual([
      { type: 'patient_service_center', soon: expect.any(Number) },
      { type: 'phlebotomy', soon: expect.any(Number) },
    ]);
    for (const { soon } of rows) expect(soon).toBeGreaterThanOrEqual(2);
  });

  test('has connections with 30 days of data, one of them paused and one in error', async () => {
    const { rows } = await sql<{ status: string; many: number }>`
      select status, count(*)::integer as many from connections where team_id = ${clinic.id}
       group by status order by status`.execute(app.db);
    expect(rows).toEqual([
      { status: 'connected', many: 7 },
      { status: 'error', many: 1 },
      { status: 'paused', many: 1 },
    ]);
    const { body } = await clinic.api<{ user_id: string }>('GET', '/v2/user/resolve/demo-clinic-01');
    const start = new Date(Date.now() - 31 * 86_400_000).toISOString().slice(0, 10);
    const sleeps = await clinic.api<{ sleep: object[] }>(
      'GET',
      `/v2/summary/sleep/${body.user_id}?start_date=${start}`,
    );
    expect(sleeps.body.sleep.length).toBeGreaterThan(20);
  });

  test('has insurances, which pay some of the orders', async () => {
    expect(await countOf(clinic, 'insurances')).toBe(14);
    const { body } = await clinic.api<{ user_id: string }>('GET', '/v2/user/resolve/demo-clinic-01');
    expect((await clinic.api('GET', `/v2/user/${body.user_id}/insurance/latest`)).status).toBe(200);
    const { rows } = await sql`
      select from orders where team_id = ${clinic.id} and billing_type = 'commercial_insurance'`.execute(app.db);
    expect(rows.length).toBeGreaterThan(5);
  });

  test('has an endpoint that took every event and one that fails', async () => {
    type Attempt = { http_status: number };
    for (const { id, description } of await endpoints(clinic)) {
      const { body } = await clinic.api<Page<Attempt>>('GET', `${webhookPath(clinic)}/${id}/attempt?limit=50`);
      const statuses = new Set(body.data.map(({ http_status }) => http_status));
      expect([description.slice(0, 18), body.data.length > 3, ...statuses]).toEqual(
        description.includes('takes') ? ['Demo: takes every ', true, 200] : ['Demo: refuses ever', true, 500],
      );
    }
    expect(await endpoints(clinic)).toHaveLength(2);
  });

  test('is mended by giving the failing endpoint the URL of the other one', async () => {
    const [failing, healthy] = (await endpoints(clinic)).toSorted((a, b) =>
      a.description.localeCompare(b.description),
    ) as [Webhook, Webhook];
    const { body } = await clinic.api<Webhook>('PATCH', `${webhookPath(clinic)}/${failing.id}`, { url: healthy.url });
    expect(body.url).toBe(healthy.url);
  });

  test('has overdue orders of every kind', async () => {
    const { body } = await clinic.api<{ overdue: Record<string, number> }>('GET', '/v3/order_counts');
    expect(Object.entries(body.overdue).filter(([, count]) => count === 0)).toEqual([]);
    const listed = await clinic.api<{ total: number }>('GET', '/v3/orders?is_overdue=true');
    // The laboratory of Noor Unmatched has lost the number of her order.
    expect([listed.body.total, body.overdue['total'], body.overdue['at_laboratory']]).toEqual([7, 7, 2]);
  });

  test('has kits that went from order to result in days, the oldest status first', async () => {
    type Listed = { created_at: string; events: { created_at: string }[] };
    const { body } = await clinic.api<{ orders: Listed[] }>('GET', '/v3/orders?order_type=testkit&size=100');
    const spans = body.orders.map(({ created_at, events }) => {
      const times = events.map((event) => event.created_at);
      expect([times, times[0]]).toEqual([times.toSorted(), created_at]);
      expect((times.at(-1) as string) < new Date().toISOString()).toBe(true);
      return new Set(times.map((time) => time.slice(0, 10))).size;
    });
    expect(spans.filter((days) => days >= 5).length).toBeGreaterThan(5);
  });

  test('finds its orders by the day on which they were placed', async () => {
    type Listed = { id: string; created_at: string };
    const all = await clinic.api<{ orders: Listed[] }>('GET', '/v3/orders?size=100&order_direction=asc');
    const [oldest] = all.body.orders as [Listed];
    const day = new Date(Date.parse(oldest.created_at) + 86_400_000).toISOString().slice(0, 10);
    const found = await clinic.api<{ orders: Listed[] }>('GET', `/v3/orders?end_date=${day}&size=100`);
    expect(found.body.orders.map(({ id }) => id)).toContain(oldest.id);
  });

  test('publishes events of now, whatever the day of the order', async () => {
    const { rows } = await sql<{ old: number; many: number }>`
      select count(*)::integer as many, count(*) filter (where id < uuid_v7_floor(current_date - 1))::integer as old
        from events where team_id = ${clinic.id}`.execute(app.db);
    expect([rows[0]?.old, (rows[0]?.many ?? 0) > 300]).toEqual([0, true]);
  });

  test.each(['America/Phoenix', 'America/New_York', 'Europe/Berlin'])(
    "has appointments of today or of the day after for a reader in %s, at the hours of the clinic's day",
    async (zone) => {
      const day = (days: number): string =>
        new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(Date.now() + days * 86_400_000);
      const onDay = async (date: string): Promise<string[]> =>
        (
          await clinic.api<Page<{ start_at: string }>>('GET', `/v3/appointment?date=${date}&time_zone=${zone}`)
        ).body.data.map(({ start_at }) => start_at);
      const [today, next] = [await onDay(day(0)), await onDay(day(1))];
      // Visits in different zones may begin at the same moment.
      expect([new Set([...today, ...next]).size >= 2, today.length >= 3 || next.length >= 3]).toEqual([true, true]);
      if (zone === 'America/Phoenix') expect([today.length, next.length]).toEqual([6, 3]);
    },
  );

  test('has a result that somebody acknowledged and nobody signed off, beside open ones', async () => {
    type Listed = { status: string; received_at: string };
    const { body } = await clinic.api<Page<Listed>>('GET', '/v3/critical_result?limit=50&order_direction=asc');
    const moments = body.data.map(({ received_at }) => received_at);
    expect(moments).toEqual(moments.toSorted());
    const statuses = body.data.map(({ status }) => status);
    expect(statuses.filter((status) => status === 'open').length).toBeGreaterThanOrEqual(3);
    const acknowledged = await clinic.api<Page<object>>('GET', '/v3/critical_result?status=acknowledged');
    expect(acknowledged.body.data).toHaveLength(1);
  });

  test('has corrected results that show the value before', async () => {
    type Listed = { orders: { id: string }[] };
    const { body } = await clinic.api<Listed>('GET', '/v3/orders?status=corrected&size=10');
    const [{ id }] = body.orders as [{ id: string }];
    type Result = { results: { previous_result: string | null }[] };
    const { results } = (await clinic.api<Result>('GET', `/v3/order/${id}/result`)).body;
    expect(results.some(({ previous_result }) => previous_result !== null)).toBe(true);
  });

  test('has two members and an invite, and sent no mail', async () => {
    const org = `/v1/org/${clinic.org_id}`;
    const { members } = (await clinic.api<{ members: { name: string }[] }>('GET', `${org}/member`)).body;
    expect(members.map(({ name }) => name)).toEqual(['Dana Whitfield', 'Marlon Estevez']);
    const invites = await clinic.api<{ invites: { email: string }[] }>('GET', `${org}/invite`);
    expect(invites.body.invites.map(({ email }) => email)).toEqual(['keiko.lindqvist@example.com']);
    const { rows } = await sql`select from mails where org_id = ${clinic.org_id}`.execute(app.db);
    expect(rows).toEqual([]);
  });

  test('has messages of a laboratory that wait, each mended by one field', async () => {
    type Waiting = { id: string; order_id: string; reason: string; waits: { segment: string; number: number }[] };
    const path = webhookPath(clinic).replace(/webhook$/, 'laboratory_message');
    const { data } = (await clinic.api<Page<Waiting>>('GET', path)).body;
    expect(data.map(({ reason }) => reason).toSorted()).toEqual(['value_not_of_type', 'wrong_obx_11']);
    for (const { id, order_id, reason, waits } of data) {
      const number = waits[0]?.number;
      const mended = reason === 'wrong_obx_11' ? { field: 11, value: 'F' } : { field: 5, value: '5.4' };
      const repair = await clinic.api('POST', `${path}/${id}/repair`, { changes: [{ segment: number, ...mended }] });
      expect([reason, repair.status]).toEqual([reason, 200]);
      type Result = { metadata: { status: string }; results: object[] };
      const { body } = await clinic.api<Result>('GET', `/v3/order/${order_id}/result`);
      expect([body.metadata.status, body.results.length]).toEqual(['final', 5]);
    }
    expect((await clinic.api<Page<object>>('GET', path)).body.data).toEqual([]);
  });

  test('has orders that reached their laboratory, and one that is sent again', async () => {
    const path = webhookPath(clinic).replace(/webhook$/, 'laboratory_outbox');
    const inState = async (state: string): Promise<{ id: string; order_id: string }[]> =>
      (await clinic.api<Page<{ id: string; order_id: string }>>('GET', `${path}?state=${state}`)).body.data;
    const [refused] = await inState('refused');
    expect([(await inState('accepted')).length, refused]).toEqual([5, expect.any(Object)]);
    await clinic.api('POST', `${path}/${refused?.id}/resend`);
    await app.runJobs();
    expect([(await inState('accepted')).length, await inState('refused')]).toEqual([6, []]);
    expect((await clinic.api('GET', `/v3/order/${refused?.order_id}/result`)).status).toBe(200);
  });

  test('is loaded once', async () => {
    const again = await ask(clinic, 'POST');
    expect([again.status, again.body.code]).toEqual([409, 'demo_clinic_exists']);
    await app.runJobs();
    expect(await countOf(clinic, 'users')).toBe(40);
  });
});

test('the receiver takes nothing without the token of the team and of its behaviour', async () => {
  const [healthy] = (await endpoints(clinic)).filter(({ description }) => description.includes('takes')) as [Webhook];
  const path = new URL(healthy.url).pathname;
  const other = await app.makeTeam();
  const statusOf = async (sent: string): Promise<number> => (await app.api('POST', sent, {}, { key: null })).status;
  expect(await statusOf(path)).toBe(200);
  expect(await statusOf(path.replace(clinic.id, other.id))).toBe(404);
  expect(await statusOf(path.replace('/healthy/', '/failing/'))).toBe(404);
});

test('erasing the team erases all of its demo clinic', async () => {
  await clinic.api('DELETE', `/v1/org/${clinic.org_id}/team/${clinic.id}`);
  await eraseTeams(app.ctx);
  for (const table of ['demo_clinics', 'users', 'orders', 'webhooks', 'events', 'connections', 'appointments'])
    expect([table, await countOf(clinic, table)]).toEqual([table, 0]);
});

// Operators see no personal data. Every text that the service receives contains a marker. The test then searches for
// the marker in all log lines, the metrics and the output of the process.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import { request, type Dispatcher } from 'undici';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { operations } from '../src/operations.ts';
import type { Operation } from '../src/operation/operation.ts';
import { jsonOf } from '../src/operation/media.ts';
import { jobs, tasksOf } from '../src/jobs/run-jobs.ts';
import { startTestApp, type Team, type TestApp } from './test-app.ts';
import {
  consents,
  importConnection,
  kitTestId,
  linkTokenOf,
  orderKit,
  pushSummaries,
  readOrder,
  shippingAddress,
  simulate,
  webhookPath,
} from './factories.ts';
import { appleDocument, appleRecord, upload } from './exports.ts';
import { homeAddress, person } from './people.ts';
import { invite, letIn, makeMember } from './people-of-orgs.ts';
import { startEndpoint, type Endpoint } from './endpoint.ts';
import { reportForm, reportPdf, type ParsingJob } from './sent-reports.ts';

const MARK = 'Quetzalnamed';
const lines: string[] = [];
const printed: string[] = [];

let app: TestApp;
let linkToken = '';
let endpoint: Endpoint;
beforeAll(async () => {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    vi.spyOn(stream, 'write').mockImplementation(((chunk: string | Uint8Array, ...rest: never[]) => {
      printed.push(Buffer.from(chunk as never).toString());
      return write(chunk as string, ...rest);
    }) as typeof stream.write);
  }
  // No mail server answers there.
  const mail = { PHIAL_SMTP_URL: `smtp://user:${MARK}@127.0.0.1:9`, PHIAL_MAIL_FROM: 'phial@example.com' };
  app = await startTestApp({ PHIAL_LOG_LEVEL: 'trace', ...mail }, { logTo: (line) => lines.push(line) });
  endpoint = await startEndpoint();
  endpoint.answer((response) => response.writeHead(500).end(`no ${MARK}`));
});
afterAll(async () => {
  vi.restoreAllMocks();
  await app.close();
  await endpoint.close();
});

const address = { ...homeAddress, first_line: `1 ${MARK} Way`, second_line: MARK, city: MARK, access_notes: MARK };
const marked = { ...person, first_name: MARK, last_name: MARK, email: `${MARK}@example.com`, address };
const shipping = {
  ...shippingAddress,
  receiver_name: MARK,
  first_line: `1 ${MARK} Way`,
  second_line: MARK,
  city: MARK,
};
const registration = {
  patient_details: { ...person, address: undefined, first_name: MARK, last_name: MARK, email: `${MARK}@example.com` },
  patient_address: { ...shipping, phone_number: undefined },
  consents,
  physician: { first_name: MARK, last_name: MARK, npi: '1234567893' },
};

const source = { provider: 'manual', app_id: MARK, provider_id: MARK };
const markedSummaries = {
  workouts: [
    {
      ...source,
      sport: 'running',
      title: MARK,
      map: { polyline: MARK },
      time_start: '2026-01-05T06:30:00Z',
      time_end: '2026-01-05T07:15:00Z',
    },
  ],
  meal: [{ ...source, name: MARK, timestamp: '2026-01-05T12:30:00Z', data: { [MARK]: {} } }],
  devices: [{ provider: 'manual', device_manufacturer: MARK, device_model: MARK, device_id: MARK }],
};

/** A request with the marker in every possible position besides the body. Its answer does not matter here. */
async function send(method: string, path: string, body?: string, key: string = app.team.api_key): Promise<number> {
  const { statusCode, body: answer } = await request(app.baseUrl + path, {
    method: method as Dispatcher.HttpMethod,
    headers: {
      [path.startsWith('/v1/org') ? 'x-management-key' : 'x-service-api-key']: key,
      'x-service-link-token': linkToken,
      'x-idempotency-key': `${MARK}-${randomUUID()}`,
      'user-agent': MARK,
      referer: `https://example.com/${MARK}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body ?? null,
  });
  await answer.arrayBuffer(); // an unread answer keeps its connection
  return statusCode;
}

/** A lab report whose text, file name and fields contain the marker, and an unreadable one. */
async function sendMarkedReport({ api }: Team, user_id: string): Promise<void> {
  const report = await reportPdf({
    head: [MARK, `Patient Name: ${MARK}, ${MARK}    DOB: 04/12/1988`, `Specimen ID: ${MARK}`],
    rows: [{ name: MARK, value: '95', unit: MARK, range: '70-99' }],
    panel: MARK,
  });
  const sendForm = (fields: Record<string, string>, file: Buffer) =>
    api<{ id: string }>('POST', '/lab_report/v1/parser/job', undefined, reportForm(fields, [file], `${MARK}.pdf`));
  const fields = { user_id, [MARK]: MARK };
  const { body } = await sendForm(fields, report);
  await sendForm(fields, Buffer.from(`%PDF-1.7 ${MARK}`));
  await sendForm(fields, Buffer.from(MARK));
  await sendForm({ user_id: MARK }, report);
  await app.runJobs();
  const read = await api<ParsingJob>('GET', `/lab_report/v1/parser/job/${body.id}`);
  expect(read.body.status).not.toBe('started');
  const link = new URL(read.body.files[0]?.url as string);
  expect((await fetch(app.baseUrl + link.pathname, { headers: { referer: MARK } })).status).toBe(200);
}

type Known = { user_id: string; order_id: string; webhook_id: string };

/** The story with the marker in every text field. */
async function story(): Promise<Known> {
  const { team, api } = app;
  const client = `${MARK}-${randomUUID()}`;
  const { body: user } = await api<{ user_id: string }>('POST', '/v2/user', { client_user_id: client });
  await api('PATCH', `/v2/user/${user.user_id}/info`, marked);
  const payor = await api<{ payor_code: string }>('POST', '/v3/payor', { name: MARK, address });
  await api('POST', `/v2/user/${user.user_id}/insurance`, {
    payor_code: payor.body.payor_code,
    member_id: MARK,
    group_id: MARK,
    relationship: 'Self',
    insured: marked,
  });
  const hook = await api<{ id: string }>('POST', webhookPath(team), {
    url: `${endpoint.url}/${MARK}`,
    description: MARK,
  });
  await api('PUT', `${webhookPath(team)}/${hook.body.id}/headers`, { headers: { 'x-mark': MARK } });
  await api('POST', `/v1/org/${team.org_id}/domain`, { domain: `${MARK}.example.com` });
  await letIn(team, MARK);
  await invite(team, `${MARK}-invited@example.com`);
  await makeMember(app, team, { name: MARK, email: `${MARK}@example.com` });
  const file = appleDocument([appleRecord('HKQuantityTypeIdentifierStepCount', { source: MARK, value: MARK }), MARK]);
  await upload(team, user.user_id, file.slice(0, -5));
  await sendMarkedReport(team, user.user_id);
  const order = await api<{ order: { id: string } }>('POST', '/v3/order/testkit', {
    user_id: user.user_id,
    lab_test_id: await kitTestId(team),
    shipping_details: shipping,
  });
  const { id } = order.body.order;
  await simulate(team, id);
  const { sample_id } = await readOrder(team, id);
  await api('POST', '/v3/order/testkit/register', { ...registration, sample_id });
  await simulate(team, id, '', { interpretation: 'critical' });
  await simulate(team, (await orderKit(team, user.user_id)).id, '?delay=1');
  for (const [path, items] of Object.entries(markedSummaries)) await pushSummaries(team, user.user_id, path, items);
  await app.deliver();
  await app.runJobs();
  linkToken = (await linkTokenOf(team, user.user_id)).link_token;
  await importConnection(team, user.user_id, { access_token: MARK, refresh_token: MARK, provider_id: MARK });
  return { user_id: user.user_id, order_id: id, webhook_id: hook.body.id };
}

type Schema = { type?: string | string[]; properties?: Record<string, Schema>; items?: Schema };

/** A value of the schema in which every text is the marker. */
function markedValue({ type, properties, items }: Schema): unknown {
  if (properties) return Object.fromEntries(Object.entries(properties).map(([name, of]) => [name, markedValue(of)]));
  if (items) return [markedValue(items)];
  if ([type].flat().includes('boolean')) return true;
  return MARK;
}

/**
 * Every operation with good and bad keys, ids, queries and bodies, all with the marker. With `known`, only the
 * right paths and keys, which reach the database.
 */
async function everyRefusal(known: Known, which: 'all' | 'known' = 'all'): Promise<number> {
  const { org_id, id: team_id, api_key, management_key } = app.team;
  const fixed: Record<string, string> = {
    ...known,
    org_id,
    team_id,
    env: 'sandbox',
    environment: 'sandbox',
    region: 'us',
  };
  const pathOf = (operation: Operation, of: (name: string) => string): string =>
    operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => of(name));
  let sent = 0;
  // Operations that would delete the data of the story get other ids only. So do operations that wait for jobs, because
  // nobody runs jobs here.
  const elsewhere = new Set([
    'delete_team_api_keys',
    'revoke_management_key',
    'delete_team',
    'delete_webhook',
    'delete_user',
    'refresh_user',
  ]);
  for (const operation of operations) {
    const key = operation.auth === 'management_key' ? management_key : api_key;
    const query = Object.keys((operation.query as Schema | undefined)?.properties ?? {});
    const search = query.length === 0 ? '' : `?${query.map((name) => `${name}=${MARK}`).join('&')}`;
    const body = operation.body ? JSON.stringify(markedValue((jsonOf(operation.body) ?? {}) as Schema)) : undefined;
    const right = pathOf(operation, (name) => fixed[name] ?? randomUUID());
    const unknown = pathOf(operation, (name) =>
      name.endsWith('_id') && name !== 'org_id' ? randomUUID() : (fixed[name] ?? MARK),
    );
    const attempts: [path: string, body: string | undefined, key: string][] = [
      [unknown, body, key],
      [unknown + search, body, key],
      [unknown, operation.body && `{"${MARK}": ${MARK}`, key],
      [unknown, operation.body && JSON.stringify(MARK), key],
      [pathOf(operation, () => MARK), body, key],
      [right, body, MARK],
      ...(elsewhere.has(operation.id)
        ? []
        : ([
            [right, body, key],
            [right + search, body, key],
          ] as [string, string | undefined, string][])),
    ];
    const wanted = which === 'all' ? attempts : attempts.filter(([path, , by]) => path.startsWith(right) && by === key);
    // A refusal and a read are the same the second time. A change may find what the first one made.
    const again = operation.method === 'GET' ? 0 : 2;
    const texts = wanted.map((attempt) => JSON.stringify(attempt));
    const different = wanted.filter((_, n) => texts.indexOf(texts[n] as string) === n || n >= wanted.length - again);
    for (const [path, content, by] of different) {
      await send(operation.method, path, content, by);
      sent += 1;
    }
  }
  for (const query of ['patient_name', 'shipping_recipient_name', 'search_input'])
    await send('GET', `/v3/orders?${query}=${MARK}`);
  await send('GET', `/v2/team/users/search?query_id=${MARK}`);
  await send('GET', `/${MARK}`);
  await send('POST', '/v2/user', `{"client_user_id":"${MARK}${'x'.repeat(2_000_000)}"}`);
  return sent;
}

/** The output since the last call, and the metrics. */
async function said(): Promise<string[]> {
  const metrics = await (await fetch(`${app.baseUrl}/metrics`)).text();
  return [...lines.splice(0), ...printed.splice(0), metrics];
}

const leaks = (texts: string[]): string[] => texts.filter((text) => text.toLowerCase().includes(MARK.toLowerCase()));

let known: Known;

test('a story with personal data leaves none of it in logs, metrics and output', async () => {
  known = await story();
  const texts = await said();
  expect(leaks(texts)).toEqual([]);
  expect(texts.length).toBeGreaterThan(30);
});

test('no operation leaves any of it, whatever it refuses', async () => {
  const sent = await everyRefusal(known);
  await app.deliver();
  await app.runJobs();
  const texts = await said();
  expect(leaks(texts)).toEqual([]);
  expect(sent).toBeGreaterThan(operations.length * 5);
  expect(texts.length).toBeGreaterThan(sent);
});

test('errors of the database that quote a row leave none of it in a log or at a failed job', async () => {
  await simulate(app.team, (await orderKit(app.team)).id, '?delay=3600');
  const owner = new pg.Client({ connectionString: app.databaseUrl });
  await owner.connect();
  try {
    await owner.query(`
      create function break_it() returns trigger language plpgsql as $$
      begin raise exception 'broken: ${MARK} %', new using detail = '${MARK}', hint = '${MARK}'; end $$`);
    const broken = ['users', 'user_info', 'insurances', 'orders', 'order_events', 'lab_results', 'events'];
    for (const table of [...broken, 'simulations', 'summaries'])
      await owner.query(
        `create trigger break_it before insert or update on ${table} for each row execute function break_it()`,
      );
    await everyRefusal(known, 'known');
    await send('POST', '/v2/user', JSON.stringify({ client_user_id: `${MARK}-broken` }));
    for (const [path, items] of Object.entries(markedSummaries)) {
      const again = items.map((item) => ({ ...item, version: '2026-01-06T00:00:00Z' }));
      expect(await send('POST', `/v2/summary/${path}/${known.user_id}`, JSON.stringify(again))).toBe(500);
    }
    await send('PATCH', `/v2/user/${known.user_id}/info`, JSON.stringify(marked));
    await sql`update graphile_worker._private_jobs set run_at = now()`.execute(app.db);
    await app.runJobs();
    const texts = await said();
    expect(leaks(texts)).toEqual([]);
    expect(texts.filter((line) => line.includes('unexpected error')).length).toBeGreaterThan(1);
    const { rows } = await owner.query<{ last_error: string }>(
      'select last_error from graphile_worker.jobs where last_error is not null',
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(leaks(rows.map((row) => row.last_error))).toEqual([]);
  } finally {
    await owner.query('drop function break_it cascade');
    await owner.end();
  }
});

test.each(jobs.map(({ name }) => name))('the failing job %s reports its kind and no more', async (name) => {
  const error = Object.assign(new Error(`no ${MARK}\n    at ${MARK} (/x:1:1)`), { code: '23505', detail: MARK });
  const db = new Proxy(app.db, {
    get: () => {
      throw error;
    },
  });
  const run = tasksOf({ ...app.ctx, db })[name] as (payload: unknown, helpers: unknown) => Promise<void>;
  const payload = { team_id: randomUUID(), order_id: randomUUID(), user_id: randomUUID(), overdue_seconds: 0 };
  const failure = await run(payload, { job: { id: '1', key: null, priority: 0 } }).then(
    () => null,
    (thrown: Error) => thrown,
  );
  expect(failure?.message).toBe('Error 23505');
  const texts = await said();
  expect(leaks([...texts, String(failure?.stack)])).toEqual([]);
  expect(texts.some((line) => line.includes(`"job":"${name}"`))).toBe(true);
});

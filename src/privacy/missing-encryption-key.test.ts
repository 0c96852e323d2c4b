import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { attempted, queued } from '../../test/deliveries.ts';
import { steps } from '../../test/invented-events.ts';
import { orderKit, registeredKit, subscribe } from '../../test/factories.ts';
import { query } from '../../test/global-setup.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import { announceProcess } from './processes.ts';
import { rotateKeys } from './rotate.ts';

const key = (version: number): string => `${version}:${Buffer.alloc(32, version).toString('base64')}`;

/** Two services on one database. `behind` does not have the encryption key with which `ahead` seals. */
let behind: TestApp;
let ahead: TestApp;
const lines: string[] = [];
beforeAll(async () => {
  const logTo = (line: string): void => void lines.push(line);
  behind = await startTestApp({ PHIAL_ENCRYPTION_KEYS: key(1), PHIAL_LOG_LEVEL: 'info' }, { logTo });
  ahead = await startTestApp({ PHIAL_ENCRYPTION_KEYS: `${key(2)},${key(1)}` }, { databaseUrl: behind.databaseUrl });
});
afterAll(async () => {
  await ahead.close();
  await behind.close();
});

const withKey = {
  get key() {
    return behind.team.api_key;
  },
};
const refused = { status: 503, body: { code: 'encryption_key_unknown' } };

test('the change feed stops before an event whose key is missing, and does not report it as damaged', async () => {
  const { body } = await behind.api<{ next_cursor: string }>('GET', '/v2/events?after=now');
  await orderKit({ ...behind.team, api: (method, path, asked) => ahead.api(method, path, asked, withKey) });
  const path = `/v2/events?after=${body.next_cursor}`;
  expect(await behind.api('GET', path)).toMatchObject(refused);
  expect(
    JSON.parse(lines.findLast((line) => line.includes('under a key that this process does not have')) as string),
  ).toMatchObject({
    level: 50,
    operation: 'list_events',
    err: { type: 'MissingEncryptionKey', code: 'encryption_key_unknown', key_version: 2 },
  });
  const response = await ahead.api<{ data: { body: unknown }[] }>('GET', path, undefined, withKey);
  expect(response.body.data.map((event) => event.body !== null)).toEqual([true, true]);
});

test('a signed link with a missing key is a 503, and one with an invalid key version is refused', async () => {
  const team = {
    ...behind.team,
    api: <T>(method: string, path: string, asked?: unknown) => ahead.api<T>(method, path, asked, withKey),
  };
  const { requisition_form_url } = (await registeredKit(team as never)) as unknown as { requisition_form_url: string };
  const path = new URL(requisition_form_url).pathname;
  // The process learns the keys in use with each heartbeat and each readiness check.
  expect(await behind.api('GET', '/readyz', undefined, { key: null })).toMatchObject(refused);
  expect(await behind.api('GET', path, undefined, { key: null })).toMatchObject(refused);
  const token = Buffer.from(path.split('/').at(-1) as string, 'base64url');
  token[0] = 77;
  const garbage = `${path.slice(0, path.lastIndexOf('/'))}/${token.toString('base64url')}`;
  expect((await behind.api('GET', garbage, undefined, { key: null })).status).toBe(403);
});

test('a process without a key leaves background jobs to one that has it, and gives none up', async () => {
  const { user_id } = (await ahead.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'a' }, withKey)).body;
  const upload = async (): Promise<string> => {
    const form = new FormData();
    form.append('user_id', user_id);
    form.append('file', new Blob(['%PDF-1.4 of nothing']), 'report.pdf');
    const headers = { 'x-service-api-key': behind.team.api_key };
    const sent = await fetch(`${ahead.baseUrl}/lab_report/v1/parser/job`, { method: 'POST', headers, body: form });
    return ((await sent.json()) as { id: string }).id;
  };
  const id = await upload();
  const { user_id: demo } = (await ahead.api<{ user_id: string }>('POST', '/v2/user', { client_user_id: 'b' }, withKey))
    .body;
  await ahead.api('POST', '/v2/link/connect/demo', { user_id: demo, provider: 'freestyle_libre' }, withKey);
  const pulls = () => query(behind.databaseUrl, `select distinct status from pulls where user_id = '${demo}'`);
  const report = () => query(behind.databaseUrl, `select status, attempts from lab_report_jobs where id = '${id}'`);

  expect(await behind.api('GET', '/readyz', undefined, { key: null })).toMatchObject(refused);
  await behind.runJobs();
  expect(await report()).toEqual([{ status: 'queued', attempts: 0 }]);
  expect(await pulls()).toEqual([{ status: 'scheduled' }]);

  // A postponed job is due in a few seconds.
  await query(behind.databaseUrl, 'update graphile_worker._private_jobs set run_at = now()');
  await ahead.runJobs();
  expect(await pulls()).toEqual([{ status: 'success' }]);
});

test('a worker without a key counts no attempt and releases the queue, and one with the key delivers', async () => {
  const endpoint = await startEndpoint({ invented: true });
  // As before its first heartbeat, the process does not know yet that it lacks a key.
  behind.ctx.cipher.noteMissing([]);
  const webhook = await subscribe(behind.team, endpoint);
  const known = await publishTo(behind, behind.team, steps, { n: 1 });
  await behind.deliver();
  expect(endpoint.received.map(({ id }) => id)).toEqual([known]);
  const sealed = await publishTo(ahead, behind.team, steps, { n: 2 });
  for (let tries = 0; tries < 2; tries += 1) {
    await behind.deliver();
    expect(await queued(behind, webhook)).toMatchObject([{ event_id: sealed, attempt: 0 }]);
  }
  expect((await attempted(ahead, webhook)).map(({ event_id }) => event_id)).toEqual([known]);
  await ahead.deliver();
  expect(await attempted(ahead, webhook)).toMatchObject([
    { event_id: known, outcome: 'succeeded' },
    { event_id: sealed, outcome: 'succeeded', attempt: 1 },
  ]);
  await endpoint.close();
});

test('a damaged value with an invalid key version fails alone, like any other', async () => {
  const endpoint = await startEndpoint({ invented: true });
  const webhook = await subscribe(behind.team, endpoint);
  const damaged = await publishTo(ahead, behind.team, steps, { n: 3 });
  const name = (version: number) =>
    query(behind.databaseUrl, `update events set body = set_byte(body, 0, ${version}) where id = '${damaged}'`);
  await name(77);
  await ahead.deliver();
  expect(await attempted(ahead, webhook)).toMatchObject([{ event_id: damaged, attempt: 1, outcome: 'failed' }]);
  await name(2);
  await endpoint.close();
});

test('rotate-keys is refused while a process does not have the key or seals with another', async () => {
  const rotate = () => rotateKeys({ ownerUrl: behind.databaseUrl, cipher: ahead.ctx.cipher, report: () => undefined });
  const there = await announceProcess(behind.ctx, 'worker');
  await expect(rotate()).rejects.toThrow(/worker on .* does not have encryption key version 2/);
  await there.stop();
  const both = { ...behind.ctx, cipher: { ...behind.ctx.cipher, versions: [1, 2] } };
  const second = await announceProcess(both, 'api');
  await expect(rotate()).rejects.toThrow(/api on .* still seals with version 1/);
  // As if the process had been killed: its last heartbeat is more than a minute old.
  await query(behind.databaseUrl, `update processes set seen_at = now() - interval '61 seconds'`);
  await rotate();
  await second.stop();
});

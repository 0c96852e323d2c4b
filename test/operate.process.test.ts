// What an operator sees of processes: their addresses, their health and their logs.
import { afterEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../bench/free-port.ts';
import { endPrograms, makeDatabase, runCommand, serve, type Program } from './program.ts';
import { serveHere } from './serve-here.ts';

afterEach(endPrograms);

type Line = { level: number; msg: string } & Record<string, unknown>;

const linesOf = (program: Program | { output: string }): Line[] =>
  (typeof program.output === 'string' ? program.output : program.output())
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

const get = async (address: string): Promise<[number, unknown]> => {
  const answer = await fetch(address);
  return [answer.status, await answer.json()];
};

test('a worker answers /healthz and /readyz beside its metrics, and prints their address', async () => {
  const port = await findFreePort();
  const env = { DATABASE_URL: await makeDatabase(), PHIAL_METRICS_PORT: String(port) };
  const worker = await serveHere({ role: 'worker', env });
  const address = `http://127.0.0.1:${port}`;
  expect(worker.output()).toContain(`Metrics and health on ${address}\n`);
  expect(worker.output()).not.toContain('Listening on');
  expect(await get(`${address}/healthz`)).toEqual([200, { status: 'ok' }]);
  expect(await get(`${address}/readyz`)).toEqual([200, { status: 'ready' }]);
  const metrics = await (await fetch(`${address}/metrics`)).text();
  for (const name of [
    'phial_webhook_attempts_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    expect(metrics).toContain(name);
  await worker.stop();
});

test('a worker without an encryption key in use is not ready', async () => {
  const [one, two] = [1, 2].map((version) => `${version}:${Buffer.alloc(32, version).toString('base64')}`);
  const port = await findFreePort();
  const env = { DATABASE_URL: await makeDatabase() };
  const workers = [
    await serveHere({
      role: 'worker',
      env: { ...env, PHIAL_METRICS_PORT: String(port), PHIAL_ENCRYPTION_KEYS: `${one}` },
    }),
    await serveHere({ role: 'worker', env: { ...env, PHIAL_ENCRYPTION_KEYS: `${two},${one}` } }),
  ];
  expect(await get(`http://127.0.0.1:${port}/readyz`)).toEqual([
    503,
    expect.objectContaining({ code: 'encryption_key_unknown', detail: expect.stringContaining('version 2') }),
  ]);
  for (const worker of workers) await worker.stop();
});

test('a start prints its port beside the public address', async () => {
  const env = { DATABASE_URL: await makeDatabase(), PHIAL_BASE_URL: 'https://api.example.com' };
  const api = await serveHere({ role: 'api', env });
  expect(api.output()).toContain('at https://api.example.com ');
  expect(api.output()).toContain(`Listening on http://127.0.0.1:${api.port}\n`);
  await api.stop();
});

describe('with PHIAL_LOG_FORMAT=json', () => {
  test('every line of a process is JSON, from its start to its stop, and probes are logged at debug only', async () => {
    const env = { DATABASE_URL: await makeDatabase(), PHIAL_LOG_FORMAT: 'json' };
    const program = await serve({ env });
    const { port } = program;
    for (const path of ['/healthz', '/readyz', '/v2/user']) await fetch(`${program.baseUrl}${path}`);
    await program.kill('SIGTERM');
    const lines = linesOf(program);
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'started', role: 'serve', api: `http://127.0.0.1:${port}`, data: 'DATABASE_URL' }),
    );
    expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['stopping', 'stopped']));
    expect(lines.filter(({ msg }) => msg === 'request').map(({ operation }) => operation)).toEqual(['list_users']);
    // The first keys of a sandbox go to a terminal only.
    expect(program.output()).not.toMatch(/sk_us_|mg_/);
  });

  test('so are the reasons of a failed start', async () => {
    const json = { PHIAL_LOG_FORMAT: 'json' };
    const misspelled = await runCommand(['api'], { env: { ...json, PHIAL_LOG_LEVL: 'info' } });
    const away = await runCommand(['api'], { env: { ...json, DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' } });
    expect([misspelled.code, away.code]).toEqual([1, 1]);
    expect(linesOf(misspelled).at(-1)).toMatchObject({ level: 60, reason: expect.stringContaining('PHIAL_LOG_LEVL') });
    expect(linesOf(away).at(-1)).toMatchObject({ level: 60, reason: expect.stringContaining('DATABASE_URL') });
  });
});

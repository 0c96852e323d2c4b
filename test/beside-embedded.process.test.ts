// Commands, and a second start, beside a running program with its own PostgreSQL.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf } from './test-app.ts';
import { orderKit, readOrder } from './factories.ts';
import {
  endPrograms,
  makeFolder,
  postgresIsGone,
  readCredentials,
  runCommand,
  serve,
  teamAt,
  type Program,
} from './program.ts';
import { copyReadyDataDir } from './ready-data-dir.ts';
import { runHere } from './run-here.ts';
import { serveHere } from './serve-here.ts';

let program: Program;
beforeAll(async () => {
  program = await serve({ dataDir: await copyReadyDataDir() });
});
afterAll(endPrograms);

test('a taken port is reported before PostgreSQL starts, and a second start names the running process', async () => {
  const dataDir = join(makeFolder(), 'data');
  const taken = await runCommand(['serve'], { port: program.port, dataDir });
  expect([taken.code, taken.output]).toEqual([
    1,
    expect.stringMatching(
      new RegExp(
        `^Phial cannot go on: Another program uses port ${program.port} of 127\\.0\\.0\\.1\\. .* another port: ` +
          `PORT=\\d+\\.\n$`,
      ),
    ),
  ]);
  expect(existsSync(dataDir)).toBe(false);
  const env = { PORT: String(program.port), PHIAL_LOG_LEVEL: 'silent' };
  const again = await runHere(['serve'], { dataDir: program.dataDir, env });
  expect([again.code, again.output]).toEqual([1, expect.stringContaining('already in use by: phial serve')]);
});

test('bootstrap works beside the running embedded server and prints only the key on stdout', async () => {
  const { code, stdout } = await runHere(['bootstrap', '--org', 'Desert Health'], { dataDir: program.dataDir });
  expect(code).toBe(0);
  const { org_id, management_key } = JSON.parse(stdout) as { org_id: string; management_key: string };
  const team = await apiOf(program.baseUrl, '', management_key)('POST', `/v1/org/${org_id}/team`, {
    name: 'Clinic',
    region: 'us',
  });
  expect(team.status).toBe(200);
  expect((await teamAt(program).api('GET', '/v2/user')).status).toBe(200);
});

test('a backup of the running embedded server is restored and served with the same keys', async () => {
  const order = await orderKit(teamAt(program));
  const to = join(makeFolder(), 'backup');
  const made = await runHere(['backup', '--to', to], { dataDir: program.dataDir });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Backed up \d+ rows of \d+ tables to /) });
  await orderKit(teamAt(program));
  expect(await runHere(['restore', '--from', to], { dataDir: program.dataDir })).toMatchObject({
    code: 1,
    output: expect.stringMatching(/in use/),
  });

  const elsewhere = join(makeFolder(), 'data');
  const restored = await runHere(['restore', '--from', to], { dataDir: elsewhere });
  expect(restored.code, restored.output).toBe(0);
  expect(postgresIsGone(elsewhere)).toBe(true);
  const served = await serveHere({ dataDir: elsewhere });
  try {
    const team = teamAt(served, readCredentials(program.dataDir));
    expect((await readOrder(team, order.id)).events).toEqual(order.events);
    expect((await team.api<{ total: number }>('GET', '/v3/orders')).body.total).toBe(1);
  } finally {
    await served.stop();
  }
});

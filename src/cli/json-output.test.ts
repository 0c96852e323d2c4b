// What programs read: one JSON document on stdout with --json, no colour in a pipe, and the exit code.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endPrograms, makeDatabase, makeFolder, type Ran } from '../../test/program.ts';
import { runHere } from '../../test/run-here.ts';
import { writeCredentials } from '../first-keys-file.ts';
import { COMMANDS } from './commands.ts';

/** Commands without --json, each with its reason. */
const WITHOUT: Readonly<Record<string, string>> = {
  serve: 'its log is JSON with PHIAL_LOG_FORMAT=json',
  api: 'as serve',
  worker: 'as serve',
  mcp: 'speaks a protocol',
  listen: 'a line for each event, until it is stopped',
  'audit export': 'always a line of JSON for each line of the log',
  completion: 'a script for a shell',
  openapi: 'always JSON',
};
const NOBODY = '01940000-0000-7000-8000-000000000001';

let env: { DATABASE_URL: string };
let org: string;
beforeAll(async () => {
  env = { DATABASE_URL: await makeDatabase() };
  const made = await runHere(['bootstrap', '--org', 'Desert Health', '--json'], { env });
  ({ org_id: org } = JSON.parse(made.stdout) as { org_id: string });
});
afterAll(endPrograms);

const run = (...args: string[]): Promise<Ran> => runHere(args, { env });
async function read(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, output } = await run(...args, '--json');
  expect([code, output.includes('\u001B')]).toEqual([0, false]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('every command takes --json, except those with a reason', () => {
  const without = COMMANDS.filter(({ flags }) => !('json' in flags)).map(({ words }) => words);
  expect(without.toSorted()).toEqual(Object.keys(WITHOUT).toSorted());
});

describe('--json prints one document', () => {
  test('of organisations, keys and teams', async () => {
    const made = await run('bootstrap', '--org', 'Second Clinic', '--json');
    expect(JSON.parse(made.output)).toEqual({ org_id: expect.any(String), management_key: expect.any(String) });
    expect(await read('org', 'list')).toMatchObject({ organisations: expect.arrayContaining([expect.anything()]) });
    expect(await read('team', 'list', '--org', org)).toEqual({ teams: [] });
    expect(await read('org', 'invites', '--org', org)).toEqual({ invites: [] });
    expect(await read('org', 'set-plan', '--org', org, '--plan', 'grow')).toEqual({ org_id: org, plan: 'grow' });
    expect(await read('sign-in-link', '--org', org)).toEqual({
      org_id: org,
      url: expect.stringContaining('/sign-in/'),
    });
    const dataDir = makeFolder();
    const ids = { team_id: NOBODY, team_api_key: 'key', management_key: 'mg_key' };
    // The newest file belongs to another database.
    for (const [org_id, port] of [
      [org, 4001],
      [NOBODY, 4002],
    ] as const)
      writeCredentials(dataDir, { base_url: `http://localhost:${port}`, org_id, ...ids });
    const linked = await runHere(['sign-in-link'], { env, dataDir });
    expect(linked.stdout).toMatch(/^http:\/\/localhost:4001\/sign-in\//);
    const key = await read('org', 'keys', 'create', '--org', org, '--label', 'jobs');
    const revoked = await read('org', 'keys', 'revoke', '--org', org, '--key', key['id'] as string);
    expect(revoked).toEqual({ key_id: key['id'], is_revoked: true });
  });

  test('of laboratories, messages and appointments', async () => {
    const account = await read(
      'lab-account',
      'add',
      '--org',
      org,
      '--lab',
      'simulated-reference-lab',
      '--number',
      '10077',
    );
    const id = account['lab_account_id'] as string;
    const suspended = ['lab-account', 'set-status', '--org', org, '--account', id, '--status', 'suspended'];
    expect(await read(...suspended)).toEqual({ lab_account_id: id, status: 'suspended' });
    expect(await read('hl7', 'list')).toEqual({ messages: [] });
    expect(await read('hl7', 'outgoing')).toEqual({ messages: [] });
    expect(await read('report-parser', 'list')).toEqual({ jobs: [] });
    expect(await read('appointment', 'list')).toEqual({ appointments: [] });
  });

  test('of migrations, backups and keys', async () => {
    expect(await read('migrate')).toEqual({ applied: [], dropped_audit_months: 0 });
    expect(await read('rotate-keys')).toMatchObject({ tables: expect.anything(), other_versions: [] });
    const directory = join(makeFolder(), 'backup');
    const { tables, rows } = await read('backup', '--to', directory);
    expect([tables, rows]).toEqual([expect.any(Number), expect.any(Number)]);
    const fresh = { DATABASE_URL: await makeDatabase('empty') };
    const restored = await runHere(['restore', '--from', directory, '--json'], { env: fresh });
    expect(JSON.parse(restored.stdout)).toEqual({ directory, tables, rows });
  });
});

test('the exit code is 1 for a failure, and 2 for a wrong command line', async () => {
  const failed = await run('org', 'set-plan', '--org', NOBODY, '--plan', 'grow', '--json');
  expect([failed.code, failed.stdout]).toEqual([1, '']);
  const notDone = await run('hl7', 'resend', '--outbox', NOBODY, '--json');
  expect([notDone.code, notDone.stdout]).toEqual([1, '']);
  const wrong = await run('org', 'set-plan', '--org', 'mine', '--plan', 'grow', '--json');
  expect([wrong.code, wrong.stdout]).toEqual([2, '']);
});

// The commands that ask a running service, against one. Each test prepares what it asks for by the interface.
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort } from '../../../bench/free-port.ts';
import { startEndpoint } from '../../../test/endpoint.ts';
import { makeUser, orderKit, registeredKit, simulate, subscribe } from '../../../test/factories.ts';
import { endPrograms, makeFolder, type Ran } from '../../../test/program.ts';
import { runHere } from '../../../test/run-here.ts';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import { writeCredentials } from '../../first-keys-file.ts';
import type { Finding } from '../finding.ts';

let app: TestApp;
let team: Team;
const folder = makeFolder();
beforeAll(async () => {
  app = await startTestApp();
  ({ team } = app);
});
afterAll(async () => {
  await app.close();
  await endPrograms();
});

/** A data directory as the first start of a sandbox writes it. */
function sandboxOf(of: Team): string {
  const dataDir = makeFolder();
  const keys = { org_id: of.org_id, team_id: of.id, team_api_key: of.api_key, management_key: of.management_key };
  writeCredentials(dataDir, { base_url: app.baseUrl, ...keys });
  return dataDir;
}

/** Runs a command with the address and the key as flags. */
const ask = (args: string[], key = team.api_key): Promise<Ran> =>
  runHere([...args, '--url', app.baseUrl, '--key', key]);
/** Runs a command where a sandbox was started. */
const askSandbox = (args: string[], of = team): Promise<Ran> => runHere(args, { dataDir: sandboxOf(of) });
const json = <T>({ stdout }: Ran): T => JSON.parse(stdout) as T;

describe('phial orders', () => {
  test('lists what the filters find, as a table or as JSON', async () => {
    const mine = await app.makeTeam();
    const user = await makeUser(mine);
    const order = await orderKit(mine, user.user_id);
    await orderKit(mine, (await makeUser(mine)).user_id);
    const table = await ask(['orders', '--user', user.user_id], mine.api_key);
    expect(table.code).toBe(0);
    expect(table.stdout.split('\n')[0]).toMatch(/^ORDER +STATUS +RESULT +LAB TEST +USER +CREATED$/);
    expect(table.stdout).toContain(`${order.id}  received.testkit.awaiting_registration`);
    expect(table.stdout.trimEnd().split('\n')).toHaveLength(2);
    const all = json<{ orders: { id: string }[]; total: number }>(await ask(['orders', '--json'], mine.api_key));
    expect([all.orders.length, all.total]).toEqual([2, 2]);
    const first = await ask(['orders', '--limit', '1', '--json'], mine.api_key);
    expect(json<{ orders: object[]; total: number }>(first)).toMatchObject({ total: 2, orders: [{}] });
    expect((await ask(['orders', '--status', 'completed'], mine.api_key)).stdout).toBe('No order matches.\n');
  });

  test('shows one order with its events, and another team gets a refusal', async () => {
    const order = await orderKit(team, (await makeUser(team)).user_id);
    const shown = await askSandbox(['orders', order.id]);
    expect(shown.stdout).toContain(`Order ${order.id}\n`);
    expect(shown.stdout).toMatch(/Z {2}received\.testkit\.ordered\n/);
    const byKey = await runHere(['orders', order.id], {
      dataDir: sandboxOf(team),
      env: { PHIAL_API_KEY: team.api_key },
    });
    expect(byKey.stdout).toBe(shown.stdout);
    const other = await ask(['orders', order.id], (await app.makeTeam()).api_key);
    expect(other.code).toBe(1);
    expect(other.output).toMatch(/answered 404 not_found: /);
  });

  test('refuses a wrong word, number or day before it asks', async () => {
    for (const [args, text] of [
      [['orders', '7'], 'phial orders takes an id as ID, not "7".'],
      [['orders', '--limit', '0'], 'phial orders takes a number from 1 to 10000 as --limit, not "0".'],
      [['orders', '--limit', '-1'], 'phial orders takes a number from 1 to 10000 as --limit, not "-1".'],
      [['orders', '--since', 'monday'], 'takes a day, such as 2026-01-31, as --since, not "monday"'],
    ] as const) {
      const { code, output } = await runHere([...args]);
      expect([code, output]).toEqual([2, expect.stringContaining(text)]);
    }
  });
});

describe('phial users', () => {
  test('lists, searches and shows users', async () => {
    const mine = await app.makeTeam();
    const user = await makeUser(mine);
    const other = await makeUser(mine);
    const { users } = json<{ users: { user_id: string }[] }>(await ask(['users', '--json'], mine.api_key));
    expect(users.map(({ user_id }) => user_id).toSorted()).toEqual([user.user_id, other.user_id].toSorted());
    const found = await ask(['users', user.client_user_id], mine.api_key);
    expect(found.stdout).toContain(`${user.user_id}  ${user.client_user_id}`);
    expect(found.stdout).not.toContain(other.user_id);
    expect((await ask(['users', user.user_id], mine.api_key)).stdout).toContain(`User ${user.user_id}\n`);
    expect((await ask(['users', 'nobody-like-this'], mine.api_key)).stdout).toBe('No user matches.\n');
  });
});

describe('phial status', () => {
  type Status = { needs_person: boolean; findings: Finding[] };
  const statesOf = ({ findings }: Status): string[] => findings.map(({ check, state }) => `${check} ${state}`);

  test('is 0 while all is well, and tells how the service is', async () => {
    const { code, stdout } = await askSandbox(['status', '--json'], await app.makeTeam());
    const status = JSON.parse(stdout) as Status;
    expect(code).toBe(0);
    expect(status.needs_person).toBe(false);
    expect(statesOf(status)).toEqual([
      'service fine',
      'database fine',
      'requests fine',
      'critical results fine',
      'messages fine',
      'outgoing orders fine',
      'results fine',
      'lab reports fine',
      'deliveries skipped',
      'endpoints skipped',
    ]);
  });

  test('is 1 with a disabled endpoint, which comes first', async () => {
    const mine = await app.makeTeam();
    const path = `/v1/org/${mine.org_id}/team/${mine.id}/sandbox/webhook`;
    const { body } = await mine.api<{ id: string }>('POST', path, { url: 'https://example.com/hook', disabled: true });
    const { code, stdout } = await askSandbox(['status'], mine);
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`^PROBLEM +endpoints +${body.id} at example.com is disabled\n +→ `));
    expect(stdout).not.toContain('\u001B[');
  });

  test('asks one operation about a team, and names the endpoint whose last attempt failed', async () => {
    const mine = await app.makeTeam();
    const endpoint = await startEndpoint();
    const id = await subscribe(mine, endpoint);
    await orderKit(mine, (await makeUser(mine)).user_id);
    await app.deliver();
    const { findings } = json<Status>(await askSandbox(['status', '--json'], mine));
    expect(findings).toContainEqual({
      check: 'endpoints',
      state: 'fine',
      found: 'all 1 work',
      mend: null,
    });
    const log = `/v1/org/${mine.org_id}/audit_log?team_id=${mine.id}&actor=management_key`;
    const asked = async (): Promise<string[]> =>
      (await mine.api<{ data: { action: string }[] }>('GET', log)).body.data.map(({ action }) => action);
    await expect
      .poll(async () => (await asked()).filter((action) => action !== 'list_audit_log'))
      .toEqual(['get_team_status', 'get_webhook_secret', 'create_webhook']);
    endpoint.answer((response) => response.writeHead(503).end());
    await orderKit(mine, (await makeUser(mine)).user_id);
    await app.deliver();
    const failing = await askSandbox(['status'], mine);
    expect(failing.code).toBe(1);
    expect(failing.stdout).toMatch(new RegExp(`^PROBLEM +endpoints +${id} at \\S+ fails: status 503\n +→ `, 'm'));
    expect(failing.stdout).not.toMatch(/^ok +endpoints/m);
    await endpoint.close();
  });

  test('is 1 while nobody has acknowledged a critical result', async () => {
    const mine = await app.makeTeam();
    const order = await registeredKit(mine);
    await simulate(mine, order.id, '', { interpretation: 'critical' });
    const { code, stdout } = await askSandbox(['status'], mine);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^PROBLEM +critical results +\d+ critical results? that nobody has acknowledged\n +→ /);
  });

  test('with a team key tells of the service only', async () => {
    const status = json<Status>(await ask(['status', '--json']));
    expect(statesOf(status)).toEqual(['service fine', 'database fine', 'requests fine', 'team skipped']);
  });
});

describe('phial export', () => {
  test('writes everything of a team to a new file that only its owner reads', async () => {
    const mine = await app.makeTeam();
    const order = await orderKit(mine, (await makeUser(mine)).user_id);
    const file = join(folder, 'team.ndjson');
    const { code, stdout } = await askSandbox(['export', '--to', file, '--json'], mine);
    expect(code).toBe(0);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(JSON.parse(stdout)).toEqual({ file, lines: lines.length - 1, users: 1 });
    expect(lines.at(-1)).toContain('"type":"end"');
    expect(lines.some((line) => line.includes(order.id))).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await askSandbox(['export', '--to', file], mine);
    expect([again.code, again.output]).toEqual([2, expect.stringContaining('exists')]);
  });

  test('writes one user to stdout, with the counts on stderr', async () => {
    const mine = await app.makeTeam();
    const user = await makeUser(mine);
    const order = await orderKit(mine, user.user_id);
    await orderKit(mine, (await makeUser(mine)).user_id);
    const { stdout, output } = await askSandbox(['export', '--user', user.user_id], mine);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; user_id: string });
    expect([...new Set(lines.map(({ user_id }) => user_id))]).toEqual([user.user_id, null]);
    expect(stdout).toContain(order.id);
    expect(output).toContain(`Exported ${lines.length - 1} lines of 1 user.`);
  });

  test('says what is wrong with the folder, before it asks', async () => {
    for (const to of [join(folder, 'nope', 'x'), join(import.meta.filename, 'x')]) {
      const { code, output } = await askSandbox(['export', '--to', to]);
      expect([code, output]).toEqual([2, `phial export writes to a folder that exists, and ${dirname(to)} is none.\n`]);
    }
  });

  test('leaves no file if the user is unknown', async () => {
    const file = join(folder, 'nobody.ndjson');
    const nobody = '01940000-0000-7000-8000-000000000001';
    const { code, output } = await askSandbox(['export', '--user', nobody, '--to', file]);
    expect([code, output]).toEqual([1, expect.stringContaining('404 not_found: User not found.')]);
    expect(() => statSync(file)).toThrow();
  });

  test('says that an export was cut off, and keeps no part of it', async () => {
    const server = createServer(({ url }, response) => {
      if (url === '/') response.setHeader('content-type', 'application/json').end('{"environment":"sandbox"}');
      else response.end('{"type":"user","user_id":null,"data":{}}\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const file = join(folder, 'cut.ndjson');
    const ids = ['--org', team.org_id, '--team', team.id];
    const ran = await runHere(['export', '--to', file, '--url', url, '--key', 'mg_x', ...ids]);
    expect([ran.code, ran.output]).toEqual([1, 'The export was cut off after 1 lines. Run the command again.\n']);
    for (const name of [file, `${file}.part`]) expect(() => statSync(name)).toThrow();
    server.close();
  });
});

test('says what to do if nothing answers, the key is wrong, or there is none', async () => {
  const unused = await findFreePort();
  const away = await runHere(['users', '--url', `http://127.0.0.1:${unused}`, '--key', 'sk_us_x']);
  expect([away.code, away.output]).toEqual([
    1,
    `Nothing answers at http://127.0.0.1:${unused}: connection refused. Start the service with phial serve, or name ` +
      'its address with --url.\n',
  ]);
  const wrong = await ask(['users'], 'sk_us_nobodys');
  expect([wrong.code, wrong.output]).toEqual([1, expect.stringMatching(/answered 401 .* Set PHIAL_API_KEY to a key/)]);
  const none = await runHere(['users', '--url', app.baseUrl]);
  expect([none.code, none.output]).toEqual([2, expect.stringContaining('phial users needs a team API key.')]);
  const page = await runHere(['users', '--url', 'ftp://example.com', '--key', 'x']);
  expect([page.code, page.output]).toEqual([2, expect.stringContaining('takes an http or https address as --url')]);
});

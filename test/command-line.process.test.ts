import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { findFreePort } from '../bench/free-port.ts';
import { apiOf } from './test-app.ts';
import { query } from './global-setup.ts';
import { endPrograms, makeDatabase, makeFolder, runCommand, serve } from './program.ts';
import { runHere } from './run-here.ts';
import { serveHere } from './serve-here.ts';

afterEach(endPrograms);

/** For starts that fail here. Their log would go to the output of the tests. */
const SILENT = { PHIAL_LOG_LEVEL: 'silent', PHIAL_LOG_FORMAT: 'text' };

test('help ends with code 0; a wrong word makes nothing and ends with code 2 and a suggestion', async () => {
  const dataDir = join(makeFolder(), 'data');
  const [all, one, unknown, misspelled, backwards, noBackup] = await Promise.all([
    runHere(['help', 'upkeep'], { dataDir }),
    runHere(['backup', '--help'], { dataDir }),
    runCommand(['bakup'], { dataDir }),
    runHere(['serve', '--port', '80'], { dataDir }),
    runHere(['audit', 'export', '--from', '2026-02-01', '--to', '2026-01-01'], { dataDir }),
    runHere(['restore', '--from', join(dataDir, 'nothing')], { dataDir }),
  ]);
  expect([all.code, one.code, unknown.code, misspelled.code]).toEqual([0, 0, 2, 2]);
  expect(all.stdout).toMatch(/^ {2}restore --from DIRECTORY /m);
  expect(one.stdout).toMatch(/^ {2}--to DIRECTORY /m);
  expect(unknown.output).toBe('There is no command "bakup". Did you mean phial backup?\n');
  expect(misspelled.output).toBe('phial serve takes no --port. See phial serve --help.\n');
  expect([backwards.code, backwards.output]).toEqual([
    2,
    'phial audit export takes a day from 2026-02-01 on as --to, not "2026-01-01".\n',
  ]);
  expect([noBackup.code, noBackup.output]).toEqual([1, expect.stringContaining('nothing')]);
  expect(existsSync(dataDir)).toBe(false);
});

test('a wrong configuration is refused with every problem before the program makes anything', async () => {
  const dataDir = join(makeFolder(), 'data');
  const { code, output } = await runCommand(['serve'], {
    dataDir,
    env: {
      PORT: 'many',
      PHIAL_ENVIRONMENT: 'staging',
      PHIAL_BASE_URL: 'here',
      PHIAL_LOOKUP_KEY: 'short',
      DATABASE_URL: 'mysql://x',
    },
  });
  expect(code).toBe(1);
  for (const name of ['PORT', 'PHIAL_ENVIRONMENT', 'PHIAL_BASE_URL', 'PHIAL_LOOKUP_KEY', 'DATABASE_URL'])
    expect(output).toContain(`  - ${name} must`);
  expect(output).not.toMatch(/\n +at /);
  expect(existsSync(dataDir)).toBe(false);
});

test('production is refused on the database of a sandbox', async () => {
  const env = { DATABASE_URL: await makeDatabase() };
  expect((await runHere(['bootstrap', '--org', 'Desert Health'], { env })).code).toBe(0);
  const production = {
    ...env,
    PHIAL_ENVIRONMENT: 'production',
    PHIAL_LOOKUP_KEY: Buffer.alloc(32, 1).toString('base64'),
    PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 2).toString('base64')}`,
  };
  const { code, output } = await runHere(['serve'], { env: { ...production, ...SILENT } });
  expect(code).toBe(1);
  expect(output).toContain('This database belongs to sandbox us, but the configuration says production us.');
});

test('the error for an unreachable database names its option', async () => {
  const url = await makeDatabase();
  const gone = new URL(url);
  gone.pathname = '/gone';
  const [away, wrong] = await Promise.all([
    runHere(['serve'], { env: { DATABASE_URL: 'postgres://x@127.0.0.1:1/phial', ...SILENT } }),
    runHere(['migrate'], { env: { DATABASE_URL: url, PHIAL_OWNER_DATABASE_URL: gone.href } }),
  ]);
  expect([away.code, wrong.code]).toEqual([1, 1]);
  expect(away.output).toContain(
    'Phial cannot go on: The database of DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:1',
  );
  expect(wrong.output).toMatch(/The database of PHIAL_OWNER_DATABASE_URL cannot be used: database ".*" does not exist/);
});

test('the error for an address that no machine has names its option, and not the port', async () => {
  const env = { DATABASE_URL: await makeDatabase(), PHIAL_HOST: 'nowhere.invalid', ...SILENT };
  const { code, output } = await runHere(['serve'], { env });
  expect(code).toBe(1);
  expect(output).toMatch(/PHIAL_HOST=nowhere\.invalid cannot be used: .* Name an address of this machine/);
  expect(output).not.toContain('PORT=');
});

test('a command that would make an embedded database refuses, and says how to give it the options', async () => {
  const dataDir = join(makeFolder(), 'data');
  const { code, stdout, output } = await runHere(['bootstrap', '--org', 'Desert Health'], { dataDir });
  expect([code, stdout, existsSync(dataDir)]).toEqual([1, '', false]);
  expect(output).toContain(`DATABASE_URL is not set, and ${dataDir} has no embedded PostgreSQL.`);
});

test('an owner that may not become phial_app is refused in production, with the statements to run', async () => {
  const url = await makeDatabase();
  const owner = `owner_${randomUUID().slice(0, 8)}`;
  const asOwner = new URL(url);
  [asOwner.username, asOwner.password] = [owner, 'owner'];
  const database = asOwner.pathname.slice(1);
  await query(url, `create role ${owner} login password 'owner'; alter database ${database} owner to ${owner}`);
  await query(url, `grant select on all tables in schema public to ${owner}`);
  const env = {
    PHIAL_ENVIRONMENT: 'production',
    PHIAL_LOOKUP_KEY: Buffer.alloc(32, 1).toString('base64'),
    PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 2).toString('base64')}`,
    DATABASE_URL: asOwner.href,
    ...SILENT,
  };
  const refusal = `logs in as ${owner}, which owns the database or some of its tables, so row-level security would not`;
  try {
    expect((await runHere(['serve'], { env })).output).toContain(refusal);
    expect((await runHere(['org', 'list'], { env: { ...env, PHIAL_OWNER_DATABASE_URL: url } })).output).toContain(
      refusal,
    );
  } finally {
    await query(url, `alter database ${database} owner to current_user; drop owned by ${owner}; drop role ${owner}`);
  }
});

test('a taken port ends the program with a message', async () => {
  const env = { DATABASE_URL: await makeDatabase() };
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port: used } = other.address() as AddressInfo;
  try {
    const { code, output } = await runCommand(['serve'], { port: used, env });
    expect(code).toBe(1);
    expect(output).toContain(`Another program uses port ${used} of 127.0.0.1. Stop it, or choose another port: PORT=`);
    for (const [option, words] of [
      ['PHIAL_METRICS_PORT', ['serve']],
      ['PHIAL_HL7_PORT', ['worker']],
    ] as const) {
      const port = String(await findFreePort());
      const taken = await runHere([...words], { env: { ...env, PORT: port, [option]: String(used), ...SILENT } });
      expect(taken.code).toBe(1);
      expect(taken.output).toContain(`Another program uses port ${used} of 127.0.0.1.`);
      expect(taken.output).toContain(`choose another port: ${option}=`);
    }
  } finally {
    other.close();
  }
  const port = String(await findFreePort());
  const same = await runHere(['serve'], { env: { ...env, PORT: port, PHIAL_METRICS_PORT: port, ...SILENT } });
  expect(same.output).toContain(`PORT and PHIAL_METRICS_PORT name the same port ${port}. Give each one its own port.`);
});

test('an operator migrates an empty database and makes an organisation, whose key makes a team', async () => {
  const env = { DATABASE_URL: await makeDatabase('empty') };
  expect((await runHere(['migrate'], { env })).output).toMatch(/^Applied 0001_\w+\.sql, .*\.$/m);
  await query(
    env.DATABASE_URL,
    `select ensure_audit_partitions(day::date, day::date)
       from unnest(array[now() - interval '7 years', now() - interval '5 years']) as day`,
  );
  const before = await auditMonths(env.DATABASE_URL);
  const { code, stdout } = await runHere(['migrate'], { env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('The database is up to date.\n')]);
  expect(before.slice(1)).toEqual(await auditMonths(env.DATABASE_URL));
  const made = await runHere(['bootstrap', '--org', 'Desert Health', '--plan', 'scale'], { env });
  const { org_id, management_key } = JSON.parse(made.stdout) as { org_id: string; management_key: string };

  const program = await serveHere({ env });
  expect(existsSync(join(program.dataDir, 'credentials.json'))).toBe(false);
  const manage = apiOf(program.baseUrl, '', management_key);
  const team = await manage<{ id: string }>('POST', `/v1/org/${org_id}/team`, { name: 'Clinic', region: 'us' });
  const key = await manage<{ value: string }>('POST', `/v1/org/${org_id}/team_api_keys/sandbox/us`, {
    label: 'clinic',
    team_id: team.body.id,
  });
  const user = await apiOf(program.baseUrl, key.body.value, '')('POST', '/v2/user', { client_user_id: 'first' });
  expect([team.status, key.status, user.status]).toEqual([200, 200, 200]);

  const beta = ['--org', org_id, '--team', team.body.id, '--beta', 'continuous_queries'];
  for (const [words, outcome] of [
    ['open-beta', 'open'],
    ['close-beta', 'closed'],
  ] as const) {
    const output = `continuous_queries is ${outcome} to the team now.\n`;
    expect(await runHere(['team', words, ...beta], { env })).toMatchObject({ code: 0, stdout: output });
  }
  const setting = ['--org', org_id, '--team', team.body.id, '--setting', 'partial_webhooks_enabled'];
  const asTeam = apiOf(program.baseUrl, key.body.value, '');
  for (const [word, on] of [
    ['on', true],
    ['off', false],
  ] as const) {
    const output = `partial_webhooks_enabled is now ${word} for the team.\n`;
    expect(await runHere(['team', 'switch', ...setting, '--to', word], { env })).toMatchObject({
      code: 0,
      stdout: output,
    });
    const { body } = await asTeam<{ configuration: object }>('GET', `/v2/team/${team.body.id}`);
    expect(body.configuration).toMatchObject({ partial_webhooks_enabled: on });
  }
  const ended = await runHere(['team', 'end-links', '--org', org_id, '--team', team.body.id], { env });
  expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining('All signed links of the team')]);
  const account = ['--org', org_id, '--lab', 'simulated-reference-lab', '--number', '10234', '--team', team.body.id];
  const lab = await runHere(['lab-account', 'add', ...account, '--billing', 'client_bill=az,CA'], { env });
  const lab_account_id = lab.stdout.trim();
  const suspended = ['--org', org_id, '--account', lab_account_id, '--status', 'suspended'];
  expect((await runHere(['lab-account', 'set-status', ...suspended], { env })).code).toBe(0);
  const accounts = await apiOf(
    program.baseUrl,
    key.body.value,
    '',
  )<{ data: unknown[] }>('GET', `/v3/lab_test/lab_account?lab_account_id=${lab_account_id}`);
  const expected = {
    status: 'suspended',
    allowed_billing: { client_bill: ['AZ', 'CA'] },
    team_id_allowlist: [team.body.id],
  };
  expect(accounts.body.data).toMatchObject([expected]);
  for (const billing of ['barter', 'client_bill=XX'])
    expect((await runHere(['lab-account', 'add', ...account, '--billing', billing], { env })).code).toBe(2);
  const changed = await runHere(['org', 'set-plan', '--org', org_id, '--plan', 'launch'], { env });
  expect(changed).toMatchObject({ code: 0, stdout: 'The organisation is on plan launch now.\n' });
  const refused = await manage<{ code: string }>('POST', `/v1/org/${org_id}/team`, { name: 'Second', region: 'us' });
  expect([refused.status, refused.body.code]).toEqual([403, 'plan_required']);

  expect((await runHere(['rotate-keys'], { env })).code).toBe(0);
  const line = { team_id: null, key_id: null, status: null };
  expect(await commandsIn(env.DATABASE_URL)).toEqual([
    { ...line, action: 'bootstrap', org_id, records: [org_id, expect.any(String)] },
    { ...line, action: 'team open-beta', org_id, team_id: team.body.id, records: [team.body.id] },
    { ...line, action: 'team close-beta', org_id, team_id: team.body.id, records: [team.body.id] },
    { ...line, action: 'team switch', org_id, team_id: team.body.id, records: [team.body.id] },
    { ...line, action: 'team switch', org_id, team_id: team.body.id, records: [team.body.id] },
    { ...line, action: 'team end-links', org_id, team_id: team.body.id, records: [team.body.id] },
    { ...line, action: 'lab-account add', org_id, records: [lab_account_id] },
    { ...line, action: 'lab-account set-status', org_id, records: [lab_account_id] },
    { ...line, action: 'org set-plan', org_id, records: [org_id] },
    { ...line, action: 'rotate-keys', org_id: null, records: [] },
  ]);
  await program.stop();
});

/** The lines of commands in the audit log. */
const commandsIn = (url: string): Promise<unknown[]> =>
  query(
    url,
    `select action, org_id, team_id, key_id, status, records from audit_log where actor = 'operator' order by id`,
  );

/** How many of the seeded rows of sandboxes are in the database. */
const invented = async (url: string): Promise<unknown> =>
  (
    await query(
      url,
      `select (select count(*) from labs) as labs, (select count(*) from markers) as markers,
              (select count(*) from lab_tests) as lab_tests, (select count(*) from payors) as payors`,
    )
  )[0];

test('production starts with bootstrap on two roles: the service logs in as one that owns nothing', async () => {
  const owner = await makeDatabase('empty');
  const role = `service_${randomUUID().slice(0, 8)}`;
  await query(owner, `create role ${role} login password 'service'; grant phial_app to ${role}`);
  try {
    const service = new URL(owner);
    [service.username, service.password] = [role, 'service'];
    const env = {
      PHIAL_ENVIRONMENT: 'production',
      PHIAL_BASE_URL: 'https://api.example.com',
      PHIAL_LOOKUP_KEY: Buffer.alloc(32, 1).toString('base64'),
      PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, 2).toString('base64')}`,
      PHIAL_OWNER_DATABASE_URL: owner,
      DATABASE_URL: service.href,
    };
    const byOwner = await runHere(['serve'], { env: { ...env, DATABASE_URL: owner, ...SILENT } });
    expect(byOwner.code).toBe(1);
    expect(byOwner.output).toContain('which is a superuser, so row-level security would not restrict it.');
    const made = await runHere(['bootstrap', '--org', 'Desert Health'], { env });
    const { org_id, management_key } = JSON.parse(made.stdout) as { org_id: string; management_key: string };
    const program = await serve({ env });
    expect(await invented(owner)).toEqual({ labs: '0', markers: '0', lab_tests: '0', payors: '0' });
    const lines = program
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'started',
        environment: 'production',
        base_url: 'https://api.example.com',
        api: `http://127.0.0.1:${program.port}`,
      }),
    );
    expect(existsSync(join(program.dataDir, 'credentials.json'))).toBe(false);
    const manage = apiOf(program.baseUrl, '', management_key);
    const team = await manage<{ id: string }>('POST', `/v1/org/${org_id}/team`, { name: 'Clinic', region: 'us' });
    const key = await manage<{ value: string }>('POST', `/v1/org/${org_id}/team_api_keys/production/us`, {
      label: 'clinic',
      team_id: team.body.id,
    });
    expect(key.body.value).toMatch(/^pk_us_/);
    const call = apiOf(program.baseUrl, key.body.value, '');
    expect((await call('POST', '/v2/user', { client_user_id: 'first' })).status).toBe(200);
    await program.kill('SIGTERM');
  } finally {
    await query(owner, `drop owned by ${role}; drop role ${role}`);
  }
});

test('a restore with other keys than those of the backup says that a start would be refused', async () => {
  const keys = (n: number): Record<string, string> => ({
    PHIAL_ENCRYPTION_KEYS: `1:${Buffer.alloc(32, n).toString('base64')}`,
  });
  const of = { DATABASE_URL: await makeDatabase(), ...keys(1) };
  expect((await runHere(['bootstrap', '--org', 'Desert Health'], { env: of })).code).toBe(0);
  const directory = join(makeFolder(), 'backup');
  const made = await runHere(['backup', '--to', directory], { env: of });
  // Off a terminal a table is no line of the log.
  expect([made.code, made.output]).toEqual([0, expect.not.stringContaining('"table copied"')]);
  const restore = async (n: number) =>
    runHere(['restore', '--from', directory], { env: { DATABASE_URL: await makeDatabase('empty'), ...keys(n) } });
  const [other, same] = [await restore(2), await restore(1)];
  expect([other.code, other.stdout, other.output]).toEqual([
    1,
    '',
    expect.stringMatching(/^Restored .*, but a start with these options would be refused: .*version 1 is not the key/m),
  ]);
  expect([same.code, same.stdout]).toEqual([0, expect.stringMatching(/^Restored .* when you are ready\.\n$/)]);
});

test('commands with missing or wrong flags name them and change nothing', async () => {
  const answers = await Promise.all([
    runHere(['bootstrap']),
    runHere(['bootstrap', '--org', 'Desert Health', '--plan', 'free']),
    runHere(['org', 'set-plan', '--plan', 'scale']),
    runHere(['backup']),
    runHere(['restore']),
  ]);
  expect(answers.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
  const words = ['--org NAME', 'launch, grow, scale', '--org ID', '--to DIRECTORY', '--from DIRECTORY'];
  answers.forEach(({ output }, index) => expect(output).toContain(words[index]));
});

/** The months of the audit log, the oldest first. */
const auditMonths = async (url: string): Promise<string[]> =>
  (
    await query<{ name: string }>(
      url,
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_log'::regclass order by 1",
    )
  ).map(({ name }) => name);

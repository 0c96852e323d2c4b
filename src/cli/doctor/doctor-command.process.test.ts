import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startMailServer, type MailStandIn } from '../../../test/fake-mail-server.ts';
import { query } from '../../../test/global-setup.ts';
import { endPrograms, makeDatabase, makeFolder } from '../../../test/program.ts';
import { runHere } from '../../../test/run-here.ts';
import { serveHere, type Served } from '../../../test/serve-here.ts';
import { writeCredentials } from '../../first-keys-file.ts';
import type { Config } from '../../config/options.ts';
import { freeBytes } from '../../disk-space.ts';
import type { Finding } from '../finding.ts';
import { checkDisks } from './check-disks.ts';

let url: string;
let service: Served;
beforeAll(async () => {
  url = await makeDatabase();
  service = await serveHere({ env: { DATABASE_URL: url } });
});
afterAll(async () => {
  await service.stop();
  await endPrograms();
});

type Examined = { code: number | null; output: string; by: Record<string, Finding> };

async function examine(env: Record<string, string>): Promise<Examined> {
  const { code, output, stdout } = await runHere(['doctor', '--json'], { env });
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return { code, output, by: Object.fromEntries(findings.map((finding) => [finding.check, finding])) };
}

describe('phial doctor', () => {
  test('finds nothing beside a service that works', async () => {
    const { code, by } = await examine({ DATABASE_URL: url, PORT: String(service.port) });
    expect(Object.entries(by).map(([check, { state }]) => [check, state])).toEqual([
      ['options', 'fine'],
      ['database', 'fine'],
      ['clock', 'fine'],
      ['connections', 'fine'],
      ['migrations', 'fine'],
      ['keys', 'fine'],
      ['disk', 'fine'],
      ['service', 'fine'],
      ['mail', 'skipped'],
    ]);
    expect(code).toBe(0);
  });

  test('asks the sandbox of the data directory where it started last, unless an option names the address', async () => {
    const dataDir = makeFolder();
    const ids = { org_id: randomUUID(), team_id: randomUUID(), team_api_key: 'key', management_key: 'mg_key' };
    writeCredentials(dataDir, { base_url: `http://127.0.0.1:${service.port}`, ...ids });
    const here = { DATABASE_URL: url, PHIAL_DATA_DIR: dataDir };
    expect((await examine(here)).by['service']).toMatchObject({ state: 'fine' });
    expect((await examine({ ...here, PORT: '1' })).by['service']).toMatchObject({ state: 'warning' });
  });

  test('prints a line for each check, and how to mend what is wrong', async () => {
    const { code, stdout } = await runHere(['doctor'], { env: { DATABASE_URL: url, PORT: '1' } });
    expect(stdout).toMatch(/^ok {7}options {6}sandbox, region us$/m);
    expect(stdout).toMatch(/^warning {2}service {6}does not answer at http:\/\/localhost:1: .*\n +→ Start it\./m);
    expect(code).toBe(0);
  });

  test('lists every wrong option, and ends with 1', async () => {
    const { code, stdout } = await runHere(['doctor', '--json'], { env: { PORT: 'http', PHIAL_REGION: 'mars' } });
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    expect(findings.map(({ check, state }) => [check, state])).toEqual([
      ['options', 'problem'],
      ['options', 'problem'],
      ['the rest', 'skipped'],
    ]);
    expect(code).toBe(1);
  });

  test('names a database that does not answer, and never its password', async () => {
    const { code, output, by } = await examine({ DATABASE_URL: 'postgres://service:hidden-word@127.0.0.1:1/phial' });
    expect(by['database']).toMatchObject({
      state: 'problem',
      found: expect.stringContaining('DATABASE_URL') as string,
    });
    expect(code).toBe(1);
    expect(output).not.toContain('hidden-word');
  });

  test('says that an embedded database is made at the first start, and makes none', async () => {
    const dataDir = makeFolder();
    const { by } = await examine({ PHIAL_DATA_DIR: dataDir });
    expect(by['database']).toMatchObject({ state: 'skipped', found: `the first start makes it in ${dataDir}` });
  });

  test('looks at the directory of uploads, unless it is within the data directory', async () => {
    const dataDir = makeFolder();
    const disksWith = async (uploads: string): Promise<string[]> => {
      const env = { PHIAL_DATA_DIR: dataDir, PHIAL_UPLOAD_DIR: uploads };
      const { stdout } = await runHere(['doctor', '--json'], { env });
      const { findings } = JSON.parse(stdout) as { findings: Finding[] };
      return findings.filter(({ check }) => check === 'disk').map(({ found }) => found.replace(/^.* in /, ''));
    };
    expect(await disksWith(`${dataDir}/uploads`)).toEqual([dataDir]);
    expect(await disksWith(`${dataDir}-uploads`)).toEqual([dataDir, `${dataDir}-uploads`]);
  });

  test('finds an empty database and migrations that are missing or unknown, and applies none', async () => {
    const empty = await makeDatabase('empty');
    const first = await examine({ DATABASE_URL: empty });
    expect([first.code, first.by['migrations']?.state, first.by['keys']?.state]).toEqual([0, 'warning', 'skipped']);
    expect(await query(empty, `select to_regclass('public.migrations') as made`)).toEqual([{ made: null }]);

    const other = await makeDatabase();
    await query(other, `delete from migrations where name = (select max(name) from migrations)`);
    expect((await examine({ DATABASE_URL: other })).by['migrations']).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/^1 are not applied, the first is \d{4}_/) as string,
    });
    await query(other, `insert into migrations (name) values ('9999_of_tomorrow.sql')`);
    const { code, by } = await examine({ DATABASE_URL: other });
    expect([code, by['migrations']?.state, by['keys']]).toEqual([1, 'problem', undefined]);
  });

  test('counts the connections of every login, whoever asks', async () => {
    const name = `doctor_${randomUUID().slice(0, 8)}`;
    const asked = new URL(url);
    [asked.username, asked.password] = [name, 'doctor'];
    await query(url, `create role ${name} login password 'doctor'; grant phial_app to ${name}`);
    const waiting = Array.from({ length: 5 }, () => new pg.Client({ connectionString: url }));
    try {
      await Promise.all(waiting.map((client) => client.connect()));
      const { by } = await examine({ DATABASE_URL: asked.href });
      const used = Number(/^\d+/.exec(by['connections']?.found ?? '')?.[0]);
      expect(used).toBeGreaterThan(5);
    } finally {
      await Promise.all(waiting.map((client) => client.end()));
      await query(url, `drop owned by ${name}; drop role ${name}`);
    }
  });

  test('finds a service that is not ready, with its reason', async () => {
    const proxy = createServer((_, response) => {
      response.writeHead(503).end(JSON.stringify({ detail: 'The disk of the database has no space left.' }));
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    const env = { DATABASE_URL: url, PORT: String(port), PHIAL_BASE_URL: `http://127.0.0.1:${port}` };
    const { code, by } = await examine(env);
    proxy.close();
    expect(code).toBe(1);
    expect(by['service']).toMatchObject({
      state: 'problem',
      found: `answers 503 at http://127.0.0.1:${port}/readyz: The disk of the database has no space left.`,
    });
  });

  test('finds less free space than the reserve', async () => {
    const folder = makeFolder();
    const free = await freeBytes(folder);
    const statesWith = async (reserveBytes: number): Promise<string[]> => {
      const config = { uploadDir: null, storage: { reserveBytes } } as Config;
      return (await checkDisks(config, folder)).map(({ state }) => state);
    };
    expect(await statesWith(free * 2)).toEqual(['problem']);
    expect(await statesWith(Math.round(free * 0.75))).toEqual(['warning']);
    expect(await statesWith(0)).toEqual(['fine']);
  });

  test('finds keys of another database, and stores no new key', async () => {
    const own = await makeDatabase();
    const keys = (version: number): string => `${version}:${randomBytes(32).toString('base64')}`;
    const first = keys(1);
    await (await serveHere({ env: { DATABASE_URL: own, PHIAL_ENCRYPTION_KEYS: first } })).stop();
    expect((await examine({ DATABASE_URL: own, PHIAL_ENCRYPTION_KEYS: keys(1) })).by['keys']).toMatchObject({
      state: 'problem',
      found: expect.stringContaining('version 1 is not the key') as string,
    });
    expect(
      (await examine({ DATABASE_URL: own, PHIAL_ENCRYPTION_KEYS: `${keys(2)},${first}` })).by['keys'],
    ).toMatchObject({ state: 'fine' });
    expect(await query(own, 'select version from encryption_keys')).toEqual([{ version: 1 }]);
  });

  test('finds in production a login that row-level security would not restrict', async () => {
    const { code, by } = await examine({
      DATABASE_URL: url,
      PHIAL_ENVIRONMENT: 'production',
      PHIAL_LOOKUP_KEY: randomBytes(32).toString('base64'),
      PHIAL_ENCRYPTION_KEYS: `1:${randomBytes(32).toString('base64')}`,
      PHIAL_BASE_URL: 'https://localhost:1',
    });
    expect([code, by['login']?.state, by['keys']?.state]).toEqual([1, 'problem', 'problem']);
    expect(by['login']?.mend).toContain('create role phial_service');
  });
});

describe('phial doctor finds a clock', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 10_000 }));
  afterEach(() => void vi.useRealTimers());

  test('that is ahead of the clock of the database', async () => {
    const { by } = await examine({ DATABASE_URL: url });
    expect(by['clock']).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/^is (9|10)\.\d s ahead of that of the database$/) as string,
    });
  });
});

describe('phial doctor asks the mail server', () => {
  let mail: MailStandIn;
  beforeAll(async () => {
    mail = await startMailServer();
  });
  afterAll(() => mail.close());
  const env = (): Record<string, string> => ({
    DATABASE_URL: url,
    PHIAL_SMTP_URL: mail.url,
    PHIAL_MAIL_FROM: 'phial@example.com',
  });

  test('whether it accepts the login, and sends nothing', async () => {
    expect((await examine(env())).by['mail']).toMatchObject({ state: 'fine' });
    mail.answer((command) => (/^EHLO|^HELO/i.test(command) ? '421 Not today' : null));
    expect((await examine(env())).by['mail']).toMatchObject({ state: 'problem' });
    expect(mail.letters).toEqual([]);
  });
});

// Follows the pages of docs/operate in a production deployment, from its installation to the rotation of its key.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { findFreePort } from '../bench/free-port.ts';
import { databaseUrl, query } from './global-setup.ts';
import { serveCommands } from './command-server.ts';
import { blocksOf, makeClone, openPage, runIn } from './operate-blocks.ts';
import { endPrograms } from './program.ts';
import { serveHere, type Served } from './serve-here.ts';

const missing = ['curl', 'openssl'].find((program) => spawnSync(program, ['--help']).error);
const PATIENCE_MS = 180_000;

const own = randomUUID().slice(0, 8);
/** Roles and databases get their own names, because tests share a server. */
const ownNames = (text: string): string =>
  text
    .replaceAll(/\bphial_(owner|service)\b/g, `phial_$1_${own}`)
    .replaceAll(/database phial\b/g, `database phial_${own}`);

describe.skipIf(missing)(
  `a deployment that follows the pages${missing ? ` (skipped: there is no ${missing})` : ''}`,
  () => {
    const given: Record<string, string> = {};
    let folder: string;
    let commands: Awaited<ReturnType<typeof serveCommands>> | null = null;
    let metricsPort: number;
    let service: ChildProcess | Served | null = null;
    const restored = `phial_restored_${own}`;

    beforeAll(async () => {
      folder = makeClone();
      metricsPort = await findFreePort();
      given['PORT'] = String(await findFreePort());
      given['BASE_URL'] = `http://127.0.0.1:${given['PORT']}`;
    });
    afterAll(async () => {
      await stop();
      await commands?.close();
      for (const name of [`phial_${own}`, restored])
        await query(inject('serverUrl'), `drop database if exists ${name} with (force)`);
      for (const role of ['owner', 'service'])
        await query(inject('serverUrl'), `drop role if exists phial_${role}_${own}`);
      await endPrograms();
    });
    process.once('exit', () => service !== null && 'kill' in service && service.kill('SIGKILL'));

    const run = (text: string): Promise<string> => runIn(folder, text, { ...given, ...commands?.env });
    const runAll = async (page: string): Promise<string> => {
      let output = '';
      for (const { text } of blocksOf(page)) output += await run(text);
      return output;
    };
    const runSql = async (text: string): Promise<void> => {
      for (const statement of text.split(';').filter((each) => each.trim() !== ''))
        await query(inject('serverUrl'), ownNames(statement)).catch((error: Error) => {
          // The server that the tests share has this role already.
          if (!error.message.includes('role "phial_app" already exists')) throw error;
        });
    };
    async function start(): Promise<void> {
      const page = openPage('install');
      const { PATH = '' } = process.env;
      const env = { PATH, PORT: given['PORT'] as string };
      const child = spawn('sh', ['-c', `exec ${page.next('5. Start').trim()}`], { cwd: folder, env, stdio: 'ignore' });
      service = child;
      const isReady = (): Promise<boolean> =>
        fetch(`${given['BASE_URL']}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await expect.poll(isReady, { timeout: 60_000, interval: 100 }).toBe(true);
      expect(child.exitCode).toBeNull();
    }
    /** With the same options, which it reads from the same file. */
    async function startAgain(): Promise<void> {
      const options = parseEnv(readFileSync(join(folder, '.env'), 'utf8')) as Record<string, string>;
      service = await serveHere({ env: { ...options, PORT: given['PORT'] as string } });
    }
    async function stop(): Promise<void> {
      const running = service;
      service = null;
      if (running === null) return;
      if ('stop' in running) return running.stop();
      const ended = new Promise<number | null>((resolve) => running.once('exit', resolve));
      running.kill('SIGTERM');
      expect(running.exitCode ?? (await ended)).toBe(0);
    }
    const request = (path: string): Promise<Response> =>
      fetch(given['BASE_URL'] + path, { headers: { 'x-service-api-key': given['TEAM_API_KEY'] ?? '' } });

    test(
      'is installed, serves a team, and row-level security restricts its service role',
      async () => {
        const page = openPage('install');
        await runSql(page.next('2. Create the roles and the database'));
        const { host } = new URL(inject('serverUrl'));
        const options = ownNames(page.next('3. Write the options'))
          .replaceAll('db.example.com:5432/phial?sslmode=verify-full', `${host}/phial_${own}`)
          .replace('9464', String(metricsPort));
        await run(options);
        const made = await run(page.next('4. Create the tables and the first organisation'));
        expect(made).toMatch(/^Applied 0001_/m);
        const { org_id, management_key } = JSON.parse(/\{[^]*\}/.exec(made)?.[0] ?? '') as Record<string, string>;
        Object.assign(given, { ORG_ID: org_id, MANAGEMENT_KEY: management_key });
        await start();
        page.next('5. Start');
        given['TEAM_API_KEY'] = (await run(page.next('6. Create a team and its API key'))).trim();
        expect((await request('/v2/user')).status).toBe(200);
        expect(page.left).toEqual([]);
        const [team] = await query<{ id: string }>(
          databaseUrl(inject('serverUrl'), `phial_${own}`),
          'select id from teams',
        );
        given['TEAM_ID'] = team?.id ?? '';
        const asService = new URL(databaseUrl(inject('serverUrl'), `phial_${own}`));
        Object.assign(asService, { username: `phial_service_${own}`, password: 'SERVICE-PASSWORD' });
        expect(await query(asService.href, 'set role phial_app; select id from teams')).toEqual([]);
        await expect(query(asService.href, 'drop table audit_log')).rejects.toThrow('must be owner');
      },
      PATIENCE_MS,
    );

    test(
      'manages its organisations, teams and keys',
      async () => {
        // The installation ran its commands and the service as processes. From here on they need none.
        commands = await serveCommands(folder);
        const page = openPage('organisations');
        const outputs = new Map<string, string>();
        const made: string[] = [];
        for (const { heading, text } of page.left) {
          const output = await run(text);
          if (heading === 'Manage management keys')
            made.push(...[...output.matchAll(/"id": "([^"]+)"/g)].map(([, id]) => id as string));
          given['KEY_ID'] = made.at(-1) ?? '';
          outputs.set(heading, (outputs.get(heading) ?? '') + output);
        }
        expect(outputs.get('Find an id')).toMatch(new RegExp(`"Desert Health"[^]*"${given['TEAM_ID']}"`));
        expect(outputs.get('Create an organisation')).toContain('management_key');
        expect(outputs.get('Change the plan')).toBe('The organisation is on plan scale now.\n');
        expect(outputs.get('Manage management keys')).toMatch(/"team_admin"[^]*\(clinic\) from now on\.\n$/);
        expect(outputs.get('Create a team and an API key')).toMatch(
          /"name":"Second team"[^]*"scopes":\["orders:read"\]/,
        );
        expect(outputs.get('Create a token for a program')).toContain('access_token');
        expect(outputs.get('Invite members')).toBe('');
        expect(outputs.get('Open a closed beta')).toMatch(/is open to the team now\.\n.* is closed to the team now\./);
        expect(outputs.get("Send more in a team's webhooks")).toMatch(
          / is now on for the team\.\n.* is now off for the/,
        );
        expect(outputs.get('End links to documents')).toMatch(/^All signed links/);
        const signIn = openPage('sign-in');
        const links = await run(signIn.next('Sign in as the operator'));
        expect(links).toMatch(/^(https:\/\/phial\.example\.com\/sign-in\/si_\w{43}\n){2}$/);
        expect(signIn.left).toEqual([]);
      },
      PATIENCE_MS,
    );

    test('is monitored', async () => {
      const blocks = blocksOf('monitor').map(({ text }) => text.replace('9464', String(metricsPort)));
      const output = (await Promise.all(blocks.map(run))).join('\n');
      expect(output).toMatch(/"status":"ok"[^]*"status":"ready"[^]*^phial_database_up 1$/m);
    });

    test('is examined by its doctor', async () => {
      const [examine, ...others] = blocksOf('troubleshoot');
      expect(others).toEqual([]);
      // The address of the page is not ours, so nothing is sent there.
      const output = await run(`PHIAL_BASE_URL=https://localhost:1 ${examine?.text}`);
      for (const check of ['database', 'migrations', 'keys', 'login'])
        expect(output).toMatch(new RegExp(`^ok +${check} `, 'm'));
    });

    test(
      'exports its audit log: all of it, or of one organisation or team',
      async () => {
        const lines = (await runAll('audit-log')).trim().split('\n');
        const actions = lines.map((line) => (JSON.parse(line) as { action: string }).action);
        expect(actions.filter((action) => action === 'bootstrap')).toHaveLength(3);
        expect(actions.filter((action) => action === 'team open-beta')).toHaveLength(3);
      },
      PATIENCE_MS,
    );

    test(
      'is backed up, and restored beside itself',
      async () => {
        await query(inject('serverUrl'), `create database ${restored} owner phial_owner_${own}`);
        const page = openPage('backup-and-restore');
        expect(await run(page.next('Back up'))).toMatch(/^Backed up \d+ rows/);
        const options = readFileSync(join(folder, '.env'), 'utf8');
        const addressOf = (name: string): string =>
          (new RegExp(`^${name}=(.*)$`, 'm').exec(options)?.[1] ?? '').replace(/[^/]+$/, restored);
        given['NEW_DATABASE_URL'] = addressOf('DATABASE_URL');
        given['NEW_OWNER_DATABASE_URL'] = addressOf('PHIAL_OWNER_DATABASE_URL');
        expect(await run(page.next('Restore'))).toMatch(/^Restored /);
        expect(page.left).toEqual([]);
        const teams = (name: string) =>
          query(databaseUrl(inject('serverUrl'), name), 'select id, name from teams order by id');
        expect(await teams(restored)).toEqual(await teams(`phial_${own}`));
        expect(await teams(restored)).toHaveLength(2);
      },
      PATIENCE_MS,
    );

    test(
      'is upgraded, and maps stored answers of providers again',
      async () => {
        const page = openPage('upgrade');
        expect(await run(page.next('Upgrade'))).toMatch(/^Backed up/);
        await stop();
        expect(await run(page.next('Upgrade'))).toContain('The database is up to date.');
        await startAgain();
        for (const block of page.left) expect(await run(block.text)).toMatch(/^Summaries of whoop_v2: 0 updated/);
      },
      PATIENCE_MS,
    );

    test(
      'gets another encryption key while it serves',
      async () => {
        const page = openPage('rotate-keys');
        const heading = 'Rotate the encryption key';
        const next = (await run(page.next(heading))).trim();
        expect(next).toMatch(/^2:[\w+/]{43}=$/);
        const file = join(folder, '.env');
        const [, old = ''] = /^PHIAL_ENCRYPTION_KEYS=(.*)$/m.exec(readFileSync(file, 'utf8')) ?? [];
        const restartWith = async (keys: string): Promise<void> => {
          writeFileSync(
            file,
            readFileSync(file, 'utf8').replace(/^PHIAL_ENCRYPTION_KEYS=.*$/m, `PHIAL_ENCRYPTION_KEYS=${keys}`),
          );
          await stop();
          await startAgain();
        };
        await restartWith(`${old},${next}`);
        await restartWith(`${next},${old}`);
        expect(await run(page.next(heading))).toContain('sealed with key version 2');
        await restartWith(next);
        expect((await request('/v2/user')).status).toBe(200);
        expect(page.left).toEqual([]);
      },
      PATIENCE_MS,
    );
  },
);

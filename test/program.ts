// Runs the program as its users do: in its own process, with its own data directory.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { expect, inject } from 'vitest';
import { hasCode } from '@phial/embedded-postgres/errors';
import { openEmbedded } from '@phial/embedded-postgres/open';
import { isAlive } from '@phial/embedded-postgres/process-state';
import { findFreePort } from '../bench/free-port.ts';
import { OPTIONS } from '../src/config/option-table.ts';
import { openLog } from '../src/log.ts';
import type { Credentials } from '../src/first-keys-file.ts';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { apiOf, type Team } from './test-app.ts';
import { cloneDatabase, databaseUrl, dropDatabase } from './global-setup.ts';

type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type Program = {
  /** The process id of npm where npm started it. */
  pid: number;
  port: number;
  baseUrl: string;
  dataDir: string;
  /** The output so far. */
  stdout: () => string;
  /** Both streams. */
  output: () => string;
  /** Resolves when the program works and, if it serves the API, is ready. Throws if the program ends before. */
  serving: () => Promise<void>;
  ended: Promise<Exit>;
  kill: (signal: NodeJS.Signals) => Promise<Exit>;
  /** Like Ctrl-C at a terminal: the signal reaches npm, where there is one, and the program. */
  interrupt: () => void;
};

type Start = {
  /** The command of `phial`. npm start runs serve. */
  args?: string[];
  by?: 'npm' | 'node';
  /** The folder of the program, if it is not this one. */
  project?: string;
  dataDir?: string;
  port?: number;
  env?: Record<string, string>;
  cwd?: string;
  /** Another user than ours. */
  uid?: number;
};

const READY_WITHIN_MS = 25_000;

/** Commands that we start in the way of npm start. So they end with the test run, however the run ends. */
const SERVING = new Set(['serve', 'api', 'worker']);

const running: { child: ChildProcess; by: 'npm' | 'node' }[] = [];
const folders: string[] = [];
const databases: string[] = [];

// npm itself stays when somebody breaks off the run, and so would the program that it started.
process.once('exit', () => {
  for (const { child, by } of running) if (by === 'npm' && child.exitCode === null) signalGroup(child, 'SIGTERM');
});

/** A folder that another user may enter, as PostgreSQL needs when we are root, or that belongs to another user. */
export function makeFolder(uid?: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'phial-program-'));
  chmodSync(folder, 0o755);
  if (uid !== undefined) chownSync(folder, uid, uid);
  folders.push(folder);
  return folder;
}

/** A database on the server that the tests share, for DATABASE_URL. */
export async function makeDatabase(kind: 'empty' | 'migrated' = 'migrated'): Promise<string> {
  const name = `program_${randomUUID().replaceAll('-', '')}`;
  await cloneDatabase(inject('serverUrl'), name, kind === 'migrated' ? inject('template') : 'template1');
  databases.push(name);
  return databaseUrl(inject('serverUrl'), name);
}

export async function startProgram(start: Start = {}): Promise<Program> {
  const { args = [], by = 'node', project = PACKAGE_ROOT, env = {}, cwd = project, uid } = start;
  const dataDir = start.dataDir ?? join(makeFolder(), 'data');
  const port = start.port ?? (await findFreePort());
  const command =
    by === 'npm'
      ? ['npm', ...(cwd === project ? [] : ['--prefix', project]), 'start']
      : [process.execPath, join(project, SERVING.has(args[0] ?? 'serve') ? 'bin/start.mjs' : 'bin/phial.mjs'), ...args];
  const child = spawn(command[0] as string, command.slice(1), {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: { ...surroundings(uid), PORT: String(port), PHIAL_DATA_DIR: dataDir, ...env },
  });
  const pid = child.pid ?? NaN;
  running.push({ child, by });
  let output = '';
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  for (const stream of [child.stdout, child.stderr.setEncoding('utf8')])
    stream.on('data', (text: string) => {
      output += text;
    });
  const ended = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const baseUrl = `http://localhost:${port}`;
  return {
    pid,
    port,
    baseUrl,
    dataDir,
    ended,
    stdout: () => stdout,
    output: () => output,
    serving: async () => {
      const until = Date.now() + READY_WITHIN_MS;
      while (
        !/^Phial (serves|works)|"msg":"started"/m.test(output) ||
        !(args[0] === 'worker' || (await isReady(baseUrl)))
      ) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`The program ended while starting:\n${output}`);
        if (Date.now() > until) throw new Error(`The program did not get ready:\n${output}`);
        await wait(20);
      }
    },
    kill: (signal) => {
      process.kill(pid, signal);
      return ended;
    },
    interrupt: () => process.kill(-pid, 'SIGINT'),
  };
}

/** Starts it and waits until it serves. */
export async function serve(start: Start = {}): Promise<Program> {
  const program = await startProgram(start);
  await program.serving();
  return program;
}

export type Ran = { code: number | null; stdout: string; output: string };

/** Runs a command until it ends. `runHere` needs no process for it. */
export async function runCommand(args: string[], start: Start = {}): Promise<Ran> {
  const program = await startProgram({ ...start, args });
  const { code } = await program.ended;
  return { code, stdout: program.stdout(), output: program.output() };
}

/** Returns an environment in which no option is set, neither by our variables nor by a developer's .env. */
export function surroundings(uid?: number): Record<string, string> {
  const unset = Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, '']));
  const home = uid === undefined ? (process.env['HOME'] ?? tmpdir()) : makeFolder(uid);
  return { ...unset, PATH: process.env['PATH'] ?? '', HOME: home, npm_config_update_notifier: 'false' };
}

export const readCredentials = (dataDir: string): Credentials =>
  JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;

/** The team of credentials.json, with calls to this program. */
export function teamAt(
  program: Pick<Program, 'baseUrl' | 'dataDir'>,
  credentials = readCredentials(program.dataDir),
): Team {
  const { org_id, team_id, team_api_key, management_key } = credentials;
  return {
    id: team_id,
    org_id,
    api_key: team_api_key,
    management_key,
    api: apiOf(program.baseUrl, team_api_key, management_key),
  };
}

export async function isReady(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/readyz`)).status === 200;
  } catch {
    return false;
  }
}

export const postmasterPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);

export const postgresIsGone = (dataDir: string): boolean => !existsSync(join(dataDir, 'postgres/data/postmaster.pid'));

/**
 * Returns the id of the process that serves this data directory, from its name in PostgreSQL. The process that the test
 * started may be npm, whose child is a shell.
 */
export async function servingPid(dataDir: string): Promise<number> {
  const [, , , port] = readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n');
  const password = readFileSync(join(dataDir, 'postgres/password'), 'utf8');
  const client = new pg.Client({
    connectionString: `postgres://phial:${password}@127.0.0.1:${port}/postgres?sslmode=disable`,
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select application_name as name from pg_stat_activity where application_name like 'phial serve pid=%'`,
    );
    return Number(/pid=(\d+)/.exec(rows[0]?.name ?? '')?.[1]);
  } finally {
    await client.end();
  }
}

export async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { timeout: 15_000, interval: 20 }).toBe(false);
}

/** For afterEach: ends processes of the test, PostgreSQL too, and removes its folders and databases. */
export async function endPrograms(): Promise<void> {
  for (const { child, by } of running.splice(0)) await endGroup(child, by);
  for (const folder of folders.splice(0)) {
    const dataDir = join(folder, 'data');
    if (existsSync(join(dataDir, 'postgres/data/postmaster.pid'))) {
      const server = await openEmbedded({
        dataDir,
        applicationName: 'phial test',
        lock: 'required',
        log: openLog('silent'),
      });
      await server.stop();
    }
    rmSync(folder, { recursive: true, force: true });
  }
  for (const name of databases.splice(0)) await dropDatabase(inject('serverUrl'), name);
}

/** Ends a whole process group. If npm has ended, the program may still run in the process group of npm. */
async function endGroup(child: ChildProcess, by: 'npm' | 'node'): Promise<void> {
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  if (hasEnded && by === 'node') return;
  const ended = hasEnded
    ? null
    : new Promise((resolve) => {
        child.once('exit', resolve);
      });
  signalGroup(child, 'SIGKILL');
  await ended;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid ?? NaN), signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

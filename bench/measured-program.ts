// Starts the real program for a benchmark, in its own process.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from './free-port.ts';
import { OPTIONS } from '../src/config/option-table.ts';
import type { Credentials } from '../src/first-keys-file.ts';
import { PACKAGE_ROOT } from '../src/package-root.ts';

export type MeasuredProgram = {
  pid: number;
  baseUrl: string;
  dataDir: string;
  credentials: () => Credentials;
  /** Milliseconds from the start of the command (which may be npm) to the first 200 of /readyz. */
  readyAfterMs: number;
  stop: () => Promise<void>;
};

const PROBE_EVERY_MS = 10;
const READY_WITHIN_MS = 60_000;

/** Makes a temporary folder. If we are root, PostgreSQL runs as another user, who may enter it. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'phial-bench-'));
  chmodSync(folder, 0o755);
  return folder;
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/**
 * Starts the program with the default of every option, except the port, the data directory and those in `env`. The log
 * goes to a file in `folder`. Resolves when the program is ready.
 */
export async function startMeasured(
  folder: string,
  command: string[],
  env: Record<string, string> = {},
): Promise<MeasuredProgram> {
  const port = await findFreePort();
  const dataDir = join(folder, 'data');
  const log = openSync(join(folder, 'log'), 'a');
  const defaults = Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, '']));
  const begin = performance.now();
  const child = spawn(command[0] as string, command.slice(1), {
    cwd: PACKAGE_ROOT,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, ...defaults, PORT: String(port), PHIAL_DATA_DIR: dataDir, ...env },
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  await untilReady(child, baseUrl, join(folder, 'log'));
  return {
    pid: child.pid ?? NaN,
    baseUrl,
    dataDir,
    readyAfterMs: performance.now() - begin,
    credentials: () => JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials,
    stop: async () => {
      process.kill(-(child.pid ?? NaN), 'SIGTERM');
      await ended;
    },
  };
}

async function untilReady(child: ChildProcess, baseUrl: string, log: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isReady(baseUrl))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`The program did not get ready:\n${readFileSync(log, 'utf8')}`);
    await wait(PROBE_EVERY_MS);
  }
}

function isReady(baseUrl: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${baseUrl}/readyz`, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).once('error', () => resolve(false));
  });
}

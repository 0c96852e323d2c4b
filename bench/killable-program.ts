// The real program on one data directory and one port, which a benchmark kills and starts again and again.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from './free-port.ts';
import { OPTIONS } from '../src/config/option-table.ts';
import type { Credentials } from '../src/first-keys-file.ts';
import { PACKAGE_ROOT } from '../src/package-root.ts';

export type KillableProgram = {
  baseUrl: string;
  /** The environment for commands of the program on the same database. */
  env: Record<string, string>;
  credentials: () => Credentials;
  /** Returns the milliseconds until /readyz answers 200. */
  start: () => Promise<number>;
  /** Kills node (kill -9) and, if requested, the PostgreSQL that it started. Resolves when node has ended. */
  kill: (what: 'node' | 'node and postmaster') => Promise<void>;
  /** A clean stop. Returns the exit code. */
  stop: () => Promise<number | null>;
};

const LOOK_EVERY_MS = 20;
const READY_WITHIN_MS = 60_000;

/** Prepares the program without starting it. All its files are in `folder`: the data directory and the log. */
export async function prepareProgram(folder: string, env: Record<string, string>): Promise<KillableProgram> {
  const port = await findFreePort();
  const baseUrl = `http://localhost:${port}`;
  const dataDir = join(folder, 'data');
  const log = join(folder, 'log');
  const defaults = Object.fromEntries(Object.keys(OPTIONS).map((name) => [name, '']));
  const ofProgram = { ...defaults, PORT: String(port), PHIAL_DATA_DIR: dataDir, ...env };
  let child: ChildProcess | null = null;
  let ended: Promise<number | null> = Promise.resolve(null);

  const start = async (): Promise<number> => {
    const begin = performance.now();
    const output = openSync(log, 'a');
    // We start bin/start.mjs, because it ends when this process ends for any reason.
    const started = spawn(process.execPath, [join(PACKAGE_ROOT, 'bin/start.mjs')], {
      stdio: ['ignore', output, output],
      env: { ...process.env, ...ofProgram },
    });
    closeSync(output);
    child = started;
    ended = new Promise((resolve) => {
      started.once('exit', resolve);
    });
    while (!(await isReady(baseUrl))) {
      if (started.exitCode !== null || performance.now() - begin > READY_WITHIN_MS)
        throw new Error(`The program did not get ready; see ${log}.`);
      await wait(LOOK_EVERY_MS);
    }
    return performance.now() - begin;
  };

  return {
    baseUrl,
    env: ofProgram,
    start,
    credentials: () => JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as Credentials,
    kill: async (what) => {
      const postmaster = Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
      child?.kill('SIGKILL');
      if (what === 'node and postmaster') process.kill(postmaster, 'SIGKILL');
      await ended;
    },
    stop: async () => {
      child?.kill('SIGTERM');
      return ended;
    },
  };
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/readyz`)).ok;
  } catch {
    return false;
  }
}

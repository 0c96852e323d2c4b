// A data directory as a first start leaves it. A copy costs a hundredth of a first start.
import { execFile } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { inject } from 'vitest';
import { makeFolder } from './program.ts';
import { serveHere } from './serve-here.ts';

/** The number of the lock under which one worker makes the directory for all. */
const LOCK = 1_885_890_925;

/**
 * Returns a copy of a data directory that was started once and stopped cleanly. Copies have the same keys, the same
 * password and the same system identifier.
 */
export async function copyReadyDataDir(): Promise<string> {
  const copy = join(makeFolder(), 'data');
  // Keeps the owner. It shares blocks where the file system can.
  await promisify(execFile)('cp', ['-a', await makeOnce(), copy]);
  return copy;
}

async function makeOnce(): Promise<string> {
  const ready = join(tmpdir(), 'ready');
  if (existsSync(ready)) return ready;
  const client = new pg.Client({ connectionString: inject('serverUrl') });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK]);
    if (!existsSync(ready)) await make(ready);
  } finally {
    await client.end();
  }
  return ready;
}

/** The name says that it is complete. */
async function make(ready: string): Promise<void> {
  const service = await serveHere({ dataDir: `${ready}.new` });
  await service.stop();
  renameSync(`${ready}.new`, ready);
}

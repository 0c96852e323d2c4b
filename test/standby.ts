// A server and its standby. The standby receives changes when the test says so, and can be promoted.
import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect } from 'vitest';
import { chooseAccount, runAs, type Account } from '@phial/embedded-postgres/account';
import { prepareBinaries } from '@phial/embedded-postgres/binaries';
import { openEmbedded } from '@phial/embedded-postgres/open';
import { findFreePort } from '../bench/free-port.ts';
import { openLog } from '../src/log.ts';
import { query } from './global-setup.ts';

export type Pair = {
  /** As superuser. */
  primaryUrl: string;
  standbyUrl: string;
  /** The standby receives everything that the primary has done so far, and nothing that it does later. */
  ship: () => Promise<void>;
  /** The primary dies at once. Changes since the last shipping are lost. */
  killPrimary: () => Promise<void>;
  promote: () => Promise<void>;
  close: () => Promise<void>;
};

const run = promisify(execFile);

/**
 * Log shipping, segment by segment, instead of a stream: the lag of the standby then does not depend on time. `prepare`
 * changes the primary before the standby is copied from it.
 */
export async function openPair(prepare: (primaryUrl: string) => Promise<void>): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'phial-pair-'));
  chmodSync(folder, 0o755);
  const [dataDir, standbyDir, archive] = ['primary', 'standby', 'archive'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(archive, { mode: 0o755 });
  const primary = await openEmbedded({ dataDir, applicationName: 'pair', lock: 'required', log: openLog('silent') });
  const data = join(dataDir, 'postgres', 'data');
  const account = chooseAccount(dataDir);
  const { pgCtl } = await prepareBinaries(dataDir, account);
  const shipUpTo = async (): Promise<string> => {
    const rows = await query<{ lsn: string; last: string }>(
      primary.url,
      `select pg_current_wal_insert_lsn() as lsn, pg_walfile_name(pg_switch_wal()) as last`,
    );
    const { lsn, last } = rows[0] as { lsn: string; last: string };
    const complete = readdirSync(join(data, 'pg_wal')).filter((name) => /^[0-9A-F]{24}$/.test(name) && name <= last);
    for (const name of complete.filter((each) => !existsSync(join(archive, each)))) {
      // The standby sees a segment only when it is whole.
      execFileSync('cp', ['-a', join(data, 'pg_wal', name), join(archive, `${name}.part`)]);
      renameSync(join(archive, `${name}.part`), join(archive, name));
    }
    return lsn;
  };
  await prepare(primary.url);
  const standbyData = await copyAsStandby(primary.url, data, { directory: standbyDir, archive });
  const port = await findFreePort();
  await shipUpTo();
  const control = controlOf(pgCtl, standbyData, account);
  await control('start', '-w', '-l', join(standbyDir, 'server.log'), '-o', `-p ${port}`);
  const standbyUrl = Object.assign(new URL(primary.url), { port: String(port) }).href;
  return {
    primaryUrl: primary.url,
    standbyUrl,
    ship: async () => {
      const lsn = await shipUpTo();
      const heard = async (): Promise<boolean | undefined> =>
        (await query<{ heard: boolean }>(standbyUrl, `select pg_last_wal_replay_lsn() >= '${lsn}' as heard`))[0]?.heard;
      await expect
        .poll(heard, { timeout: 30_000 })
        .toBe(true)
        .catch((error: unknown) => {
          throw new Error(readFileSync(join(standbyDir, 'server.log'), 'utf8').slice(-4_000), { cause: error });
        });
    },
    killPrimary: async () => {
      await controlOf(pgCtl, data, account)('stop', '-m', 'immediate');
    },
    promote: () => control('promote', '-w'),
    close: async () => {
      await primary.stop().catch(() => undefined);
      await control('stop', '-m', 'immediate').catch(() => undefined);
      rmSync(folder, { recursive: true });
    },
  };
}

/** A base backup, whose server reads later changes from the archive. */
async function copyAsStandby(
  primaryUrl: string,
  data: string,
  { directory, archive }: { directory: string; archive: string },
): Promise<string> {
  const client = new pg.Client({ connectionString: primaryUrl });
  await client.connect();
  const copy = join(directory, 'data');
  try {
    // No segment that the standby needs is recycled meanwhile.
    await client.query(`alter system set wal_keep_size = '1GB'`);
    await client.query('select pg_reload_conf()');
    await client.query(`select pg_backup_start('standby', true)`);
    mkdirSync(directory, { mode: 0o755 });
    execFileSync('cp', ['-a', data, copy]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    writeFileSync(join(copy, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(copy, name), { force: true });
  for (const name of readdirSync(join(copy, 'pg_wal'))) rmSync(join(copy, 'pg_wal', name), { recursive: true });
  mkdirSync(join(copy, 'pg_wal', 'archive_status'), { recursive: true });
  writeFileSync(join(copy, 'standby.signal'), '');
  appendFileSync(
    join(copy, 'postgresql.auto.conf'),
    `restore_command = 'cp "${archive}/%f" "%p"'\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n` +
      `recovery_target_timeline = 'latest'\nwal_retrieve_retry_interval = '50ms'\n`,
  );
  // Everything belongs to the owner of the copied files.
  execFileSync('chown', ['-R', `--reference=${join(data, 'PG_VERSION')}`, directory]);
  return copy;
}

const controlOf =
  (pgCtl: string, data: string, account: Account | null) =>
  async (...args: string[]): Promise<void> => {
    await run(pgCtl, ['-D', data, ...args], { cwd: data, env: { TZ: 'UTC', LC_ALL: 'C' }, ...runAs(account) });
  };

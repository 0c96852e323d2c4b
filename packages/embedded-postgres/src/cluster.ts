// The database files of one data directory. <dataDir>/postgres contains `data` (PGDATA), `password` and `server.log`.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, open, readFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import path from 'node:path';
import { type Account, runAs } from './account.ts';
import type { Binaries } from './binaries.ts';
import { buildAtomically } from './build-atomically.ts';
import { EmbeddedError, hasCode } from './errors.ts';

/** The database superuser of the embedded server. */
export const superuser = 'phial';

const supportedMajor = '18';

/** The path of the cluster's files, and the password of its superuser. */
export interface Cluster {
  directory: string;
  data: string;
  serverLog: string;
  password: string;
}

/**
 * Opens the cluster of the data directory, or makes it. Throws EmbeddedError if the files are damaged or belong to
 * another major version of PostgreSQL.
 */
export async function openCluster(dataDir: string, binaries: Binaries, account: Account | null): Promise<Cluster> {
  const directory = path.join(dataDir, 'postgres');
  await buildAtomically(directory, (unfinished) => initialise(unfinished, binaries, account));
  const data = path.join(directory, 'data');
  checkMajor(await readPart(path.join(data, 'PG_VERSION')), dataDir);
  const password = await readPart(path.join(directory, 'password'));
  return { directory, data, serverLog: path.join(directory, 'server.log'), password };
}

/**
 * The environment of initdb and postgres. It has none of our variables, so no PG* setting changes their behaviour and
 * no secret reaches them.
 */
export const serverEnvironment = { TZ: 'UTC', LC_ALL: 'C' };

async function initialise(unfinished: string, binaries: Binaries, account: Account | null): Promise<void> {
  checkUserIsKnown(account);
  const passwordFile = path.join(unfinished, 'password');
  await writePassword(passwordFile);
  if (account !== null) {
    await chown(unfinished, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  await run(
    binaries.initdb,
    [
      '--pgdata',
      path.join(unfinished, 'data'),
      '--pwfile',
      passwordFile,
      '--username',
      superuser,
      '--auth',
      'scram-sha-256',
      '--encoding',
      'UTF8',
      '--no-locale',
      '--locale-provider',
      'builtin',
      '--builtin-locale',
      'C.UTF-8',
      '--no-instructions',
    ],
    unfinished,
    account,
  );
}

async function writePassword(file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(randomBytes(32).toString('base64url'));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readPart(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (hasCode(error, 'EACCES')) {
      throw new EmbeddedError(
        `${file} belongs to another user. Start Phial as the user who started it first, ` +
          'or choose another directory with PHIAL_DATA_DIR.',
        { cause: error },
      );
    }
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new EmbeddedError(
      `The database files are incomplete: ${file} is missing. Restore them from a backup, ` +
        'or choose another directory with PHIAL_DATA_DIR.',
      { cause: error },
    );
  }
}

function checkMajor(major: string, dataDir: string): void {
  if (major === supportedMajor) return;
  throw new EmbeddedError(
    [
      `The data directory ${dataDir} was written by PostgreSQL ${major}; this release embeds PostgreSQL ` +
        `${supportedMajor}.`,
      'Ways out:',
      '- start the release of Phial that wrote it, run "phial backup" there, and restore that backup with ' +
        'this release' +
        ' into an empty PHIAL_DATA_DIR; or',
      `- serve the data with your own PostgreSQL ${major} server, and set DATABASE_URL.`,
    ].join('\n'),
  );
}

/**
 * Throws if our user id has no name in the system, as with `docker run --user 12345`. initdb would fail with an unclear
 * message.
 */
function checkUserIsKnown(account: Account | null): void {
  if (account !== null) return;
  try {
    userInfo();
  } catch (error) {
    throw new EmbeddedError(
      `The user id ${process.getuid?.()} has no name on this system, and PostgreSQL needs one ` +
        'to make its files. Add it to /etc/passwd, run as another user, or set DATABASE_URL.',
      { cause: error },
    );
  }
}

async function run(program: string, args: string[], cwd: string, account: Account | null): Promise<void> {
  const child = spawn(program, args, {
    cwd,
    env: serverEnvironment,
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
    ...runAs(account),
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000);
  });
  await new Promise<void>((resolve, reject) => {
    child.on('error', (error) => reject(explainSpawnError(error, program)));
    child.on('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new EmbeddedError(`initdb ended with ${signal ?? `code ${code}`}: ${said.trim()}`));
    });
  });
}

/** Returns an error for a failed `spawn`. Its message says what to do. */
export function explainSpawnError(error: Error, program: string): EmbeddedError {
  const advice = hasCode(error, 'ENOENT') ? ' On Alpine Linux and other systems without glibc it cannot run.' : '';
  return new EmbeddedError(
    `${program} could not be started (${error.message}).${advice} Set DATABASE_URL to use your own PostgreSQL.`,
    { cause: error },
  );
}

import { access, chmod, constants, mkdir, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Account, canReach, chooseAccount, EXECUTE } from './account.ts';
import { EmbeddedError, hasCode } from './errors.ts';

/** The default data directory if we are root, and the server's user may not enter the directories above the project. */
const systemDataDir = '/var/lib/phial';

/**
 * Chooses the data directory of the embedded PostgreSQL. `why` is a sentence for the log. Throws EmbeddedError if we
 * are root and the server's user has no access to the configured directory.
 */
export function chooseDataDir(input: { configured: string | null; projectRoot: string }): {
  dataDir: string;
  why: string;
} {
  if (input.configured !== null) {
    const dataDir = path.resolve(input.configured);
    const account = chooseAccount(dataDir);
    if (account !== null) assertReachable(path.dirname(dataDir), account);
    return { dataDir, why: 'PHIAL_DATA_DIR names it' };
  }
  const dataDir = path.join(path.resolve(input.projectRoot), '.phial');
  const account = chooseAccount(dataDir);
  if (account === null || canReach(account, nearestExisting(path.dirname(dataDir)), EXECUTE)) {
    return { dataDir, why: 'it is the default, in the project' };
  }
  return {
    dataDir: systemDataDir,
    why: `as root PostgreSQL runs under the user ${account.name}, who cannot reach ${dataDir}`,
  };
}

/**
 * Makes the data directory if it is missing. Only its owner can read it. If we are root, the server's user can enter
 * it.
 */
export async function prepareDataDir(dataDir: string, account: Account | null): Promise<void> {
  try {
    const firstMade = await makeFolders(dataDir, account === null ? 0o700 : 0o711);
    if (account === null) {
      await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
      return;
    }
    if (firstMade !== undefined) await openDownTo(dataDir, firstMade);
    const found = await stat(dataDir);
    if (found.uid === 0 && (found.mode & 0o001) === 0) await chmod(dataDir, (found.mode & 0o7777) | 0o011);
  } catch (error) {
    if (!hasCode(error, 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT')) throw error;
    throw new EmbeddedError(
      `The data directory ${dataDir} cannot be made or used (${(error as Error).message}). ` +
        'Start Phial as the user who started it first, or choose another with PHIAL_DATA_DIR.',
      { cause: error },
    );
  }
  assertReachable(dataDir, account);
}

/**
 * Makes the missing folders of a path, one after the other. Returns the topmost folder that it made. Node's recursive
 * mkdir is not usable here: it reports ENOENT for a read-only directory, and runs without end if the system reports
 * ENOENT for a folder whose parent exists.
 */
async function makeFolders(directory: string, mode: number): Promise<string | undefined> {
  let made = nearestExisting(directory);
  let firstMade: string | undefined;
  for (const name of path.relative(made, directory).split(path.sep).filter(Boolean)) {
    made = path.join(made, name);
    try {
      await mkdir(made, { mode });
      firstMade ??= made;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error; // Another process has made the folder meanwhile.
    }
  }
  await stat(directory + path.sep); // Throws if the path is a file.
  return firstMade;
}

/** Lets the server's user enter the folders that we made, whatever the umask was. */
async function openDownTo(dataDir: string, firstMade: string): Promise<void> {
  for (let made = dataDir; made.length >= firstMade.length; made = path.dirname(made)) await chmod(made, 0o711);
}

function assertReachable(directory: string, account: Account): void {
  const existing = nearestExisting(directory);
  if (canReach(account, existing, EXECUTE)) return;
  throw new EmbeddedError(
    `As root PostgreSQL runs under the user ${account.name}, who cannot reach ${existing}. ` +
      'Choose a directory that is not below a private one (such as /root or another home) with PHIAL_DATA_DIR, ' +
      'start Phial as a normal user, or set DATABASE_URL.',
  );
}

function nearestExisting(directory: string): string {
  let current = directory;
  while (!existsSync(current) && current !== path.dirname(current)) current = path.dirname(current);
  return current;
}

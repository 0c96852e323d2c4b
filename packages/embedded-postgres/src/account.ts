// PostgreSQL refuses to run as root. If we are root, it runs as another user, who needs access to the files.
import { readFileSync, realpathSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { EmbeddedError } from './errors.ts';

interface Owner {
  uid: number;
  gid: number;
}
export interface Account extends Owner {
  name: string;
}

export const READ = 4;
export const EXECUTE = 1;

const passwdFile = '/etc/passwd';

/**
 * Returns the user for initdb and postgres. Null if we are not root, because they then run as our own user. If we are
 * root, this is the owner of an existing data directory, else `postgres`, else `nobody`.
 */
export function chooseAccount(dataDir: string): Account | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readAccounts();
  const named = (owner: Owner | null): Account | undefined => accounts.find(({ uid }) => uid === owner?.uid);
  const ofCluster = ownerOf(path.join(dataDir, 'postgres'));
  // With existing files, postgres can run under a user id that has no name. Only initdb needs a name.
  if (ofCluster !== null) return named(ofCluster) ?? { name: `uid ${ofCluster.uid}`, ...ofCluster };
  return named(ownerOf(dataDir)) ?? unprivileged(accounts);
}

/** Returns the options with which `spawn` runs a program as the account. */
export function runAs(account: Account | null): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid };
}

/** Returns true if the account has these rights on `target` and may enter every directory above it. */
export function canReach(account: Account, target: string, rights: number): boolean {
  try {
    let current = realpathSync(target);
    if (!permits(statSync(current), account, rights)) return false;
    while (current !== path.dirname(current)) {
      current = path.dirname(current);
      if (!permits(statSync(current), account, EXECUTE)) return false;
    }
    return true;
  } catch {
    return false;
  }
}

function permits(entry: Stats, account: Account, rights: number): boolean {
  const shift = entry.uid === account.uid ? 6 : entry.gid === account.gid ? 3 : 0;
  return ((entry.mode >> shift) & rights) === rights;
}

function ownerOf(directory: string): Owner | null {
  const found = statSync(directory, { throwIfNoEntry: false });
  return found === undefined || found.uid === 0 ? null : { uid: found.uid, gid: found.gid };
}

function unprivileged(accounts: Account[]): Account {
  const chosen = accounts.find(({ name }) => name === 'postgres') ?? accounts.find(({ name }) => name === 'nobody');
  if (chosen === undefined) {
    throw new EmbeddedError(
      `PostgreSQL does not run as root, and ${passwdFile} knows neither "postgres" nor ` +
        '"nobody". Start Phial as a normal user, or set DATABASE_URL.',
    );
  }
  return chosen;
}

function readAccounts(): Account[] {
  return readFileSync(passwdFile, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [name = '', , uid = '', gid = ''] = line.split(':');
      return /^\d+$/.test(uid) && /^\d+$/.test(gid) && uid !== '0'
        ? [{ name, uid: Number(uid), gid: Number(gid) }]
        : [];
    });
}

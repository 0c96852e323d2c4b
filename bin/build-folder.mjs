// What the two builds share: whether a folder is built of the sources as they are, and how a new one takes its place.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const STAMP = '.built';

/** Only the command writes to stdout. */
export function say(what) {
  console.error(process.env.PHIAL_LOG_FORMAT === 'json' ? JSON.stringify({ level: 30, msg: what }) : `${what}…`);
}

/** A reason for which a person cannot have a build, in whole sentences. */
export class CannotBuild extends Error {}

/** Calls `build` with the path of a new folder beside `target`, and removes what is left of it. */
export function withFresh(target, build) {
  const fresh = `${target}.${process.pid}`;
  try {
    build(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Two builds may run at once: each has its own folder, and the first to end becomes the target. */
export function putInPlace(fresh, target, fingerprint) {
  const old = `${fresh}.old`;
  try {
    if (hasStamp(target, fingerprint())) return; // another build was faster, and its program may be reading there
    if (existsSync(target)) renameSync(target, old);
    renameSync(fresh, target);
  } catch (error) {
    if (!hasStamp(target, fingerprint())) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

export function hasStamp(folder, fingerprint) {
  const stamp = join(folder, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint;
}

/** Removes the folders of killed builds. */
export function removeAbandoned(folder) {
  for (const name of readdirSync(folder)) {
    const pid = Number(/^dist\.(\d+)/.exec(name)?.[1] ?? NaN);
    if (pid && !isRunning(pid)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** Packages of a package, which npm installs and removes. */
const PACKAGES = /[\\/]node_modules[\\/]/;

/**
 * Returns the input files of a build: those of folders with their times and sizes, so that it also differs after a file
 * was removed. The other files have a hash, because npm writes package-lock.json anew when nothing in it changes.
 */
export function fingerprintOf(folders, files, isLeftOut = () => false) {
  const within = folders.flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((file) => !PACKAGES.test(file)),
  );
  const timed = within
    .filter((file) => !isLeftOut(file))
    .map((file) => {
      const { mtimeMs, size } = statSync(join(root, file));
      return `${file} ${mtimeMs} ${size}`;
    });
  const hashed = files.map((file) => {
    const hash = createHash('sha256').update(readFileSync(join(root, file)));
    return `${file} ${hash.digest('hex')}`;
  });
  return [...timed, ...hashed].sort().join('\n');
}

// Compiles src, packages, examples and bench to dist, if anything changed since the last time.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

/** Builds if sources changed. Two builds may run at once: each has its own folder, and the first to end becomes dist. */
export function buildIfStale() {
  if (!existsSync(join(root, 'src'))) return; // an installed package has no sources
  if (isFresh(dist)) return;
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(compiler)) {
    if (existsSync(join(dist, '.built'))) return; // a production install runs the existing build
    throw new Error('Phial is not built, and its compiler is not installed. Run npm ci.');
  }
  removeAbandoned();
  // only the command writes to stdout
  console.error(process.env.PHIAL_LOG_FORMAT === 'json' ? JSON.stringify({ level: 30, msg: 'building' }) : 'building…');
  const fresh = join(root, `dist.${process.pid}`);
  try {
    mkdirSync(fresh);
    // Written first, so that a file that somebody edits during the build is built again.
    writeFileSync(join(fresh, '.built'), fingerprint());
    const { status } = spawnSync(
      process.execPath,
      [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', fresh],
      { stdio: 'inherit' },
    );
    if (status !== 0) throw new Error('The build failed.');
    linkPackages(fresh);
    const bundled = spawnSync(process.execPath, [join(root, 'bin', 'bundle.mjs'), fresh], { stdio: 'inherit' });
    if (bundled.status !== 0)
      console.error('The program was not bundled: it starts, but slower. Remove dist to build it again.');
    putInPlace(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * The links of node_modules point to the sources of our packages, and an installed program has neither. So the compiled
 * packages go to dist/node_modules, where Node looks first. Their source maps have relative paths, so they stay at the
 * same folder depth.
 */
function linkPackages(fresh) {
  for (const folder of readdirSync(join(root, 'packages')).map((name) => join('packages', name))) {
    const manifestFile = join(root, folder, 'package.json');
    if (!existsSync(manifestFile)) continue;
    const { name, exports } = JSON.parse(readFileSync(manifestFile, 'utf8'));
    const target = join(fresh, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(fresh, folder, 'src'), target);
    const compiled = Object.entries(exports).map(([path, file]) => [
      path,
      file.replace(/^\.\/src\/(.*)\.ts$/, './$1.js'),
    ]);
    const manifest = { name, type: 'module', exports: Object.fromEntries(compiled) };
    writeFileSync(join(target, 'package.json'), JSON.stringify(manifest));
  }
  rmSync(join(fresh, 'packages'), { recursive: true, force: true });
}

function putInPlace(fresh) {
  const old = `${fresh}.old`;
  try {
    if (isFresh(dist)) return; // another build was faster, and its program may be reading there
    if (existsSync(dist)) renameSync(dist, old);
    renameSync(fresh, dist);
  } catch (error) {
    if (!isFresh(dist)) throw error;
  } finally {
    rmSync(old, { recursive: true, force: true });
  }
}

/** Removes the folders of killed builds. */
function removeAbandoned() {
  for (const name of readdirSync(root)) {
    const pid = Number(/^dist\.(\d+)/.exec(name)?.[1] ?? NaN);
    if (pid && !isRunning(pid)) rmSync(join(root, name), { recursive: true, force: true });
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

function isFresh(folder) {
  const stamp = join(folder, '.built');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint();
}

/** Returns all input files of the build with their times and sizes. So it also differs after a file was removed. */
function fingerprint() {
  const files = ['src', 'packages', 'examples', 'bench'].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const others = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'bin/bundle.mjs'];
  return [...files, ...others.map((name) => join(root, name))]
    .map((file) => {
      const { mtimeMs, size } = statSync(file);
      return `${relative(root, file)} ${mtimeMs} ${size}`;
    })
    .sort()
    .join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) buildIfStale();

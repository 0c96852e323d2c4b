// Compiles src, packages, examples and bench to dist, if anything changed since the last time, and the dashboard.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildDashboardIfStale } from './build-dashboard.mjs';
import {
  CannotBuild,
  fingerprintOf,
  hasStamp,
  putInPlace,
  removeAbandoned,
  root,
  say,
  STAMP,
  withFresh,
} from './build-folder.mjs';

const dist = join(root, 'dist');

const INPUTS = ['src', 'packages', 'examples', 'bench'];
const FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'bin/bundle.mjs'];
const fingerprint = () => fingerprintOf(INPUTS, FILES);

const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS']);

/** Builds what has changed: the program, the dashboard, or both. Ends the process if that cannot be. */
export function buildIfStale({ isBuild = false } = {}) {
  if (!existsSync(join(root, 'src'))) return; // an installed package has no sources
  try {
    if (!hasStamp(dist, fingerprint())) buildProgram();
    buildDashboardIfStale({ isBuild });
  } catch (error) {
    if (error instanceof CannotBuild) end(error.message);
    if (!NOT_WRITABLE.has(error.code)) throw error;
    end(
      `Phial is not built of the sources as they are, and this account may not write in ${root}. ` +
        'Run npm run build there as the owner of the folder.',
    );
  }
}

function end(reason) {
  const isJson = process.env.PHIAL_LOG_FORMAT === 'json';
  console.error(isJson ? JSON.stringify({ level: 60, msg: 'the process cannot go on', reason }) : reason);
  process.exit(1);
}

function buildProgram() {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(compiler)) {
    if (existsSync(join(dist, STAMP))) return; // a production install runs the existing build
    throw new CannotBuild('Phial is not built, and its compiler is not installed. Run npm ci.');
  }
  removeAbandoned(root);
  say('building');
  withFresh(dist, (fresh) => {
    mkdirSync(fresh);
    // Written first, so that a file that somebody edits during the build is built again.
    writeFileSync(join(fresh, STAMP), fingerprint());
    const { status } = spawnSync(
      process.execPath,
      [compiler, '-p', join(root, 'tsconfig.build.json'), '--outDir', fresh],
      { stdio: 'inherit' },
    );
    if (status !== 0) throw new CannotBuild('The build failed.');
    linkPackages(fresh);
    const bundled = spawnSync(process.execPath, [join(root, 'bin', 'bundle.mjs'), fresh], { stdio: 'inherit' });
    if (bundled.status !== 0)
      console.error('The program was not bundled: it starts, but slower. Remove dist to build it again.');
    putInPlace(fresh, dist, fingerprint);
  });
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) buildIfStale({ isBuild: true });

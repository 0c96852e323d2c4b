// Builds the dashboard to dashboard/dist, if anything that goes into it changed since the last time.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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

const SOURCES = join(root, 'dashboard');
const BUILT = join(SOURCES, 'dist');

/** Changes of the server change none of these: of the client the dashboard bundles what is no type. */
const INPUTS = ['dashboard/src', 'packages/client/src'];
const FILES = ['dashboard/index.html', 'dashboard/package.json', 'dashboard/tsconfig.json', 'dashboard/vite.config.ts'];
const ONLY_TYPES = 'packages/client/src/schema.ts';

const fingerprint = () => fingerprintOf(INPUTS, FILES, (file) => file === ONLY_TYPES || /\.test\.tsx?$/.test(file));

/**
 * An installed package has only the built dashboard, and a production install has nothing that could build it. Only
 * `npm run build` says so: a start would say it in the log of every process.
 */
export function buildDashboardIfStale({ isBuild }) {
  if (!existsSync(join(SOURCES, 'src')) || hasStamp(BUILT, fingerprint())) return;
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  if (!existsSync(vite)) {
    if (isBuild && !existsSync(join(BUILT, STAMP)))
      console.error(
        'The dashboard is not built, because what builds it is not installed. Everything else works. To have the ' +
          'dashboard, run npm ci && npm run build && npm prune --omit=dev.',
      );
    return;
  }
  removeAbandoned(SOURCES);
  say('building the dashboard');
  withFresh(BUILT, (fresh) => {
    mkdirSync(fresh);
    // Written first, so that a file that somebody edits during the build is built again.
    const stamp = fingerprint();
    const { status } = spawnSync(process.execPath, [vite, 'build', SOURCES, '--outDir', fresh, '--logLevel', 'error'], {
      cwd: SOURCES,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    if (status !== 0) throw new CannotBuild('The build of the dashboard failed.');
    writeFileSync(join(fresh, STAMP), stamp);
    putInPlace(fresh, BUILT, fingerprint);
  });
}

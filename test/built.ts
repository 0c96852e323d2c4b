import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../src/package-root.ts';

/** Builds the program once, before the tests that start it, so that the first start need not build. */
export default function setup(): void {
  execFileSync(process.execPath, [join(PACKAGE_ROOT, 'bin/build.mjs')], { stdio: 'inherit' });
}

import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';

const BUILT = join(PACKAGE_ROOT, 'dist');

test.each(['typebox', 'typebox/value', 'kysely', 'libphonenumber-js/max'])(
  'the built program reads %s from a few files of the build, with the licence beside it',
  (module) => {
    const resolve = `console.log(import.meta.resolve('${module}'))`;
    const found = execFileSync(process.execPath, ['--input-type=module', '-e', resolve], {
      cwd: join(BUILT, 'src'),
      encoding: 'utf8',
    });
    const folder = dirname(fileURLToPath(found.trim()));
    expect(folder).toBe(join(BUILT, 'node_modules', module.split('/')[0] as string));
    const files = readdirSync(folder);
    expect(files.filter((name) => name.endsWith('.mjs')).length).toBeLessThan(8);
    expect(files.some((name) => /^licen[cs]e/i.test(name))).toBe(true);
  },
);

test('a build says that it builds, to people alone, and one that is up to date says nothing', () => {
  const project = mkdtempSync(join(tmpdir(), 'phial-build-'));
  try {
    cpSync(join(PACKAGE_ROOT, 'bin'), join(project, 'bin'), { recursive: true });
    for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'])
      cpSync(join(PACKAGE_ROOT, file), join(project, file));
    symlinkSync(join(PACKAGE_ROOT, 'node_modules'), join(project, 'node_modules'));
    for (const folder of ['src', 'packages', 'examples', 'bench']) mkdirSync(join(project, folder));
    writeFileSync(join(project, 'src', 'main.ts'), 'export const nothing = 1;\n');
    const build = (): [number | null, string, string] => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [join(project, 'bin', 'build.mjs')], {
        encoding: 'utf8',
      });
      return [status, stdout, stderr];
    };
    expect(build()).toEqual([0, '', 'building…\n']);
    expect(build()).toEqual([0, '', '']);
  } finally {
    rmSync(project, { recursive: true });
  }
});

test('what a production install brings is enough to build the program and to run it', () => {
  const project = mkdtempSync(join(tmpdir(), 'phial-production-'));
  try {
    for (const name of ['bin', 'src', 'packages', 'examples', 'bench', 'migrations', 'seeds'])
      cpSync(join(PACKAGE_ROOT, name), join(project, name), { recursive: true });
    for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'openapi.json'])
      cpSync(join(PACKAGE_ROOT, file), join(project, file));
    linkProductionPackages(project);
    const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' });
    const { status, stdout, stderr } = run('bin/build.mjs');
    expect([status, stdout, stderr]).toEqual([0, '', 'building…\n']);
    const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(run('bin/phial.mjs', '--version').stdout).toBe(`${version}\n`);
  } finally {
    rmSync(project, { recursive: true });
  }
}, 400_000);

/** As `npm ci --omit=dev` would: those of the lock file that are not for development alone. */
function linkProductionPackages(project: string): void {
  type Locked = { packages: Record<string, { dev?: boolean }> };
  const { packages } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package-lock.json'), 'utf8')) as Locked;
  for (const [place, { dev }] of Object.entries(packages)) {
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(place);
    if (!isTop || dev || !existsSync(join(PACKAGE_ROOT, place))) continue;
    mkdirSync(dirname(join(project, place)), { recursive: true });
    symlinkSync(join(PACKAGE_ROOT, place), join(project, place));
  }
}

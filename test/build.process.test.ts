import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { endPrograms, makeDatabase, makeFolder, runCommand, serve, surroundings } from './program.ts';

const BUILT = join(PACKAGE_ROOT, 'dist');

afterEach(endPrograms);

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

describe('a production install', () => {
  let project: string;
  const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' });
  const build = (): unknown[] => {
    const { status, stdout, stderr } = run('bin/build.mjs');
    return [status, stdout, stderr];
  };
  let built: unknown[];
  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'phial-production-'));
    for (const name of ['bin', 'dashboard', 'src', 'packages', 'examples', 'bench', 'migrations', 'seeds'])
      cpSync(join(PACKAGE_ROOT, name), join(project, name), { recursive: true });
    for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'openapi.json'])
      cpSync(join(PACKAGE_ROOT, file), join(project, file));
    linkProductionPackages(project, { withOurs: true });
    built = build();
  }, 400_000);
  afterAll(() => rmSync(project, { recursive: true }));

  test('is enough to build the program and to run it', () => {
    expect(built).toEqual([0, '', 'building…\n']);
    const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(run('bin/phial.mjs', '--version').stdout).toBe(`${version}\n`);
  });

  test('has nothing that could build the dashboard, and keeps the one that is built', () => {
    expect(existsSync(join(project, 'node_modules/vite'))).toBe(false);
    expect(built).toEqual([0, '', 'building…\n']);
    expect(readFileSync(join(project, 'dashboard/dist/index.html'), 'utf8')).toContain('/dashboard/assets/');
  });

  test('prints that it builds, for people only, and a build without changes prints nothing', () => {
    expect(built).toEqual([0, '', 'building…\n']);
    expect(build()).toEqual([0, '', '']);
  });

  test('is not built anew after npm has written the lock file without a change, and removed packages', () => {
    rmSync(join(project, 'packages/client/node_modules'), { recursive: true });
    const now = new Date();
    utimesSync(join(project, 'package-lock.json'), now, now);
    expect(build()).toEqual([0, '', '']);
  });

  describe('without a built dashboard', () => {
    const built = (): string => join(project, 'dashboard/dist');
    beforeAll(() => rmSync(built(), { recursive: true }));
    afterAll(() => cpSync(join(PACKAGE_ROOT, 'dashboard/dist'), built(), { recursive: true }));

    test('says so when it is built, and names the commands', () => {
      const [status, stdout, stderr] = build();
      expect([status, stdout]).toEqual([0, '']);
      expect(stderr).toMatch(/^The dashboard is not built, .* npm ci && npm run build && npm prune --omit=dev\.\n$/);
    });

    test('starts without a word about it, and answers a link to the dashboard with the reason', async () => {
      const env = { DATABASE_URL: await makeDatabase() };
      const { baseUrl, output } = await serve({ project, args: ['api'], env });
      for (const path of ['/dashboard', '/dashboard/orders']) {
        const response = await fetch(baseUrl + path);
        expect([response.status, await response.json()]).toMatchObject([
          404,
          { code: 'route_not_found', detail: expect.stringMatching(/^This installation has no dashboard/) as string },
        ]);
      }
      expect(output()).not.toContain('is not built');
      const link = await runCommand(['sign-in-link'], { project, env });
      expect([link.code, link.output]).toEqual([
        0,
        expect.stringMatching(/^http.*\nThe link works once.*\nThis installation has no dashboard, /),
      ]);
    }, 60_000);
  });

  test('that an account may not build anew says so in one sentence', () => {
    rmSync(join(project, 'dist'), { recursive: true });
    const nobody = process.getuid?.() === 0 ? 65_534 : undefined;
    if (nobody === undefined) chmodSync(project, 0o555);
    else chmodSync(project, 0o755);
    const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/phial.mjs', '--version'], {
      cwd: project,
      encoding: 'utf8',
      env: surroundings(nobody),
      ...(nobody === undefined ? {} : { uid: nobody, gid: nobody }),
    });
    chmodSync(project, 0o755);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^building…\nPhial is not built .* may not write in .*\. Run npm run build .*\.\n$/);
  });
});

test('the packed program runs in an empty folder, with packages of a registry only', async () => {
  const folder = makeFolder();
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: PACKAGE_ROOT,
      encoding: 'utf8',
    }),
  ) as [{ filename: string }];
  const project = join(folder, 'node_modules', 'phial');
  mkdirSync(project, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', project, '--strip-components', '1']);
  linkProductionPackages(folder, { withOurs: false });
  expect(readdirSync(project).toSorted()).not.toContain('packages');
  // The embedded server starts and the HL7 listener listens. Both come from our own packages.
  const { baseUrl, dataDir, port } = await serve({ project, cwd: folder, env: { PHIAL_HL7_PORT: '0' } });
  expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200);
  const page = await (await fetch(`${baseUrl}/dashboard`)).text();
  const [script = ''] = /\/dashboard\/assets\/[\w-]+\.js/.exec(page) ?? [];
  expect((await fetch(baseUrl + script)).status).toBe(200);
  const story = spawnSync(process.execPath, [join(project, 'bin/quickstart.mjs')], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PHIAL_DATA_DIR: dataDir, PORT: String(port) },
  });
  expect(story.stdout).toMatch(/Everything was as it should be\.\n$/);
}, 400_000);

/**
 * The result of `npm ci --omit=dev`: packages of the lock file that are not for development only, and links to our own.
 */
function linkProductionPackages(project: string, { withOurs }: { withOurs: boolean }): void {
  type Locked = { packages: Record<string, { dev?: boolean; link?: true; resolved?: string }> };
  const { packages } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package-lock.json'), 'utf8')) as Locked;
  for (const [packagePath, { dev, link, resolved = '' }] of Object.entries(packages)) {
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(packagePath);
    if (!isTop || dev || (link && !withOurs) || !existsSync(join(PACKAGE_ROOT, packagePath))) continue;
    mkdirSync(dirname(join(project, packagePath)), { recursive: true });
    symlinkSync(link ? join(project, resolved) : join(PACKAGE_ROOT, packagePath), join(project, packagePath));
  }
}

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';
import { build } from './program.ts';

const BUILT = join(PACKAGE_ROOT, 'dist');

beforeAll(build);

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

import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';

const git = (...args: string[]) => spawnSync('git', args, { cwd: PACKAGE_ROOT, encoding: 'utf8' });
const isCheckout = git('rev-parse', '--is-inside-work-tree').stdout?.trim() === 'true';

test.skipIf(!isCheckout)(
  'git ignores files with keys or personal data, and keeps the ' +
    `example${isCheckout ? '' : ' (skipped: this is no git checkout)'}`,
  () => {
    const secret = [
      '.env',
      '.env.production',
      '.phial/credentials.json',
      '.phial/postgres/data/PG_VERSION',
      'backups/2026-11-21/users.csv',
      'restored/postgres/password',
    ];
    expect(
      git('check-ignore', '--no-index', ...secret)
        .stdout.trim()
        .split('\n'),
    ).toEqual(secret);
    expect(git('check-ignore', '--no-index', '.env.example').status).toBe(1);
  },
);

// The delivery benchmarks call functions of the service. A change of these functions could break the benchmarks.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../src/package-root.ts';

test('a benchmark of deliveries runs, whatever its figures are', async () => {
  const output = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      [join(PACKAGE_ROOT, 'bin/bench.mjs'), 'deliver', '--quick'],
      { cwd: PACKAGE_ROOT, timeout: 100_000 },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    );
  });
  expect(output).toMatch(/^(reached|MISSED) /m);
  expect(output).not.toMatch(/\bError\b/);
});

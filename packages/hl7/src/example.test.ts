import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';

const folder = join(import.meta.dirname, '..');

test('the example of the README runs and prints what the README states', async () => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const example = readFileSync(join(folder, 'example.ts'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${example}\`\`\``);
  const print = vi.spyOn(console, 'log').mockReturnValue();
  await import('../example.ts');
  expect(print.mock.calls).toEqual([['AA', 'C1']]);
  print.mockRestore();
});

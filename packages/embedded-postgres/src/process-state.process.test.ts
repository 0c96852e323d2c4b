import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { isAlive, isZombie } from './process-state.ts';

describe('a process', () => {
  test('is alive while it runs and not after it ended', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(pid)).toBe(false);
  });

  test.runIf(process.platform === 'linux')('is not alive when only its exit status is left', async () => {
    // The shell starts a child, becomes a program that never reads its exit status, and prints the child's id.
    const parent = spawn('/bin/sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    await expect.poll(() => isZombie(pid), { timeout: 10_000 }).toBe(true);
    expect(isAlive(pid)).toBe(false);
    parent.kill('SIGKILL');
  });
});

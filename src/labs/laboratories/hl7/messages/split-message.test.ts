import { expect, test } from 'vitest';
import { splitMessage } from './split-message.ts';

test.each([
  ['headers', 'SFT|\r'],
  ['observations behind an ORC', 'OBX|\r'],
])('a message of more %s than any is left to be refused as it is, at once', (_, line) => {
  const message = Buffer.from(`MSH|^~\\&|LAB\rPID|1\rORC|RE\r${line.repeat(1_000_000)}PID|2\rOBR|1\r`);
  const parts = splitMessage(message);
  expect([parts.length, parts[0] === message]).toEqual([1, true]);
});

import { expect, test } from 'vitest';
import { splitMessage } from './split-message.ts';

test.each([
  ['headers', 'SFT|\r'],
  ['observations behind an ORC', 'OBX|\r'],
])('a message with too many %s is not split', (_, line) => {
  const message = Buffer.from(`MSH|^~\\&|LAB\rPID|1\rORC|RE\r${line.repeat(1_000_000)}PID|2\rOBR|1\r`);
  const parts = splitMessage(message);
  expect([parts.length, parts[0] === message]).toEqual([1, true]);
});

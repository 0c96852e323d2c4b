import { expect, test } from 'vitest';
import { firstMessages, readBatches, readFileOfMessages } from './batch.ts';

test('a file is split into its messages with batch segments, MLLP bytes or nothing around them', () => {
  const message = 'MSH|^~\\&|A\rPID|1\r';
  for (const around of [
    message + message,
    `FHS|^~\\&\rBHS|^~\\&\r${message}${message}BTS|2\rFTS|1\r`,
    `\x0B${message}\x1C\r\x0B${message}\x1C\r`,
  ]) {
    const read = readFileOfMessages(Buffer.from(around));
    const messages = read?.batches.flatMap((batch) => batch.messages) ?? [];
    expect(messages.map((each) => each.toString().trim())).toEqual([message.trim(), message.trim()]);
    expect(read?.isWhole).toBe(true);
  }
  expect(readFileOfMessages(Buffer.from('hello'))).toBeNull();
});

test.each([
  ['fewer messages than its trailer counts', 'BHS|^~\\&\rMSH|^~\\&|A\rBTS|2\r'],
  ['no trailer', 'BHS|^~\\&\rMSH|^~\\&|A\r'],
  ['fewer batches than its file counts', 'FHS|^~\\&\rBHS|^~\\&\rMSH|^~\\&|A\rBTS|1\rFTS|2\r'],
  ['a file without an end', 'FHS|^~\\&\rBHS|^~\\&\rMSH|^~\\&|A\rBTS|1\r'],
])('a batch that has %s is not whole', (_, text) => {
  expect(readFileOfMessages(Buffer.from(text))?.isWhole).toBe(false);
});

test('a frame of very many messages is not split beyond the most messages that are answered', () => {
  const frame = Buffer.from('MSH|^~\\&|X\rPID|1|MSH\r'.repeat(60_000));
  const first = firstMessages(frame, 1_001);
  expect(readBatches(first).batches.map(({ messages }) => messages.length)).toEqual([1_001]);
  expect(firstMessages(frame.subarray(0, first.length), 1_001)).toHaveLength(first.length);
});

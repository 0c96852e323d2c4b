import { expect, test } from 'vitest';
import { readBatches } from '@phial/hl7/batch';
import type { Connection } from '../connections/find-connection.ts';
import { takeBatches } from './take-batches.ts';

const header = (id: number): string => `MSH|^~\\&|LAB|LABFAC|PHIAL|ACC-1|20260122||ORU^R01|C${id}|P|2.5.1\r`;

test('messages of a batch beyond the most orders are refused, each with its own answer', async () => {
  const seen: string[] = [];
  const receive = async (_: Connection[], message: Buffer) => {
    seen.push(message.toString('latin1').split('|')[9] as string);
    return { ack: Buffer.from('taken'), ok: true, parts: 400 };
  };
  const batches = readBatches(Buffer.from(`BHS|^~\\&\r${[1, 2, 3, 4, 5].map(header).join('')}BTS|5\r`));
  const { acks, ok } = await takeBatches(receive, [], batches, 1_000);
  expect(seen).toEqual(['C1', 'C2', 'C3']);
  expect(acks[0]?.slice(0, 3).map(String)).toEqual(['taken', 'taken', 'taken']);
  expect(acks[0]?.slice(3).map((ack) => ack.toString('latin1').split('\r')[1])).toEqual(['MSA|AR|C4', 'MSA|AR|C5']);
  expect(String(acks[0]?.[3])).toContain('too_large');
  expect(ok).toBe(false);
  expect((await takeBatches(receive, [], batches, 2_000)).ok).toBe(true);
});

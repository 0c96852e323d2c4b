import { expect, test } from 'vitest';
import { acknowledge, newControlId, readAcknowledgment } from './acknowledgment.ts';
import { parse, parseHeader } from './parse.ts';
import { write } from './write.ts';

const header = (acknowledgments = ''): string =>
  `MSH|^~\\&|LAB|LABFAC^OID|PHIAL|ACC-1|20260122||ORU^R01|C1|T|2.3|||${acknowledgments}\r`;

test('an acknowledgment goes to the sender and repeats the control id, trigger and version of the message', () => {
  const ack = acknowledge(parseHeader(header()), { code: 'AA', error: null, id: 'A1' });
  const written = write(ack).replace(/\d{14}\+0000/, 'NOW');
  expect(written).toBe('MSH|^~\\&|PHIAL|ACC-1|LAB|LABFAC^OID|NOW||ACK^R01^ACK|A1|T|2.3\rMSA|AA|C1\r');
});

test('an error is written as a condition of HL7 table 0357 with a text', () => {
  const ack = acknowledge(parseHeader(header()), {
    code: 'AE',
    error: { condition: '204', text: 'unknown_number' },
    id: 'A1',
  });
  expect(write(ack).split('\r')[2]).toBe('ERR|||204^Unknown key identifier^HL70357|E|^unknown_number');
  expect(readAcknowledgment(ack)).toEqual({ controlId: 'C1', code: 'AE', isCommit: false, condition: '204' });
});

test('a message that asks for a commit acknowledgment gets a commit code', () => {
  const ack = acknowledge(parseHeader(header('AL|NE')), { code: 'AR', error: null, id: 'A1' });
  expect(write(ack)).toContain('MSA|CR|C1\r');
  expect(readAcknowledgment(ack)).toEqual({ controlId: 'C1', code: 'AR', isCommit: true, condition: null });
});

test('a message without a readable header is acknowledged', () => {
  const ack = acknowledge(null, { code: 'AR', error: { condition: '100', text: 'no_header' }, id: 'A1' });
  expect(write(ack)).toMatch(/^MSH\|\^~\\&\|{5}\d{14}\+0000\|\|ACK\^R01\^ACK\|A1\|P\|2\.5\.1\rMSA\|AR\rERR/);
});

test.each(['MSA|XX|C1', 'PID|1', 'MSA|AAA|C1'])('%s acknowledges nothing', (segment) => {
  expect(readAcknowledgment(parse(`${header()}${segment}\r`))).toBeNull();
});

test('free text of the peer is not read as a condition', () => {
  const read = readAcknowledgment(parse(`${header()}MSA|AE|C1\rERR|||Palmer, Grace\r`));
  expect(read).toMatchObject({ code: 'AE', condition: null });
});

test('control ids differ and fit into MSH-10', () => {
  const ids = Array.from({ length: 1_000 }, newControlId);
  expect(new Set(ids).size).toBe(1_000);
  expect(ids.every((id) => /^[0-9a-f]{20}$/.test(id))).toBe(true);
});

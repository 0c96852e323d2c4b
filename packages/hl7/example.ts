import { connect } from 'node:net';
import { acknowledge, newControlId, readAcknowledgment } from '@phial/hl7/acknowledgment';
import { decode, encode } from '@phial/hl7/encoding';
import { segment } from '@phial/hl7/message';
import { openMllpClient } from '@phial/hl7/mllp-client';
import { listenByMllp } from '@phial/hl7/mllp-server';
import { parse } from '@phial/hl7/parse';
import { write } from '@phial/hl7/write';

const onError = console.error;
const take = async (content: Buffer) => {
  const [header = null] = parse(decode(content, 'UTF-8'));
  return [encode(write(acknowledge(header, { code: 'AA', error: null, id: newControlId() })), 'UTF-8')];
};
const server = await listenByMllp({
  host: '127.0.0.1',
  port: 0,
  tls: null,
  admit: async () => true,
  identify: async () => ({ take, onError }),
  onError,
});

const client = openMllpClient(connect(server.port, '127.0.0.1'), { responseMs: 5_000, take: null, onError });
const message = write([segment('MSH', { 1: '|', 2: '^~\\&', 9: ['ORU', 'R01'], 10: 'C1', 11: 'P', 12: '2.5.1' })]);
const readResponse = (content: Buffer) => readAcknowledgment(parse(decode(content, 'UTF-8')));
const response = await client.send(encode(message, 'UTF-8'), readResponse);
console.log(response.code, response.controlId);
client.close();
await server.close();

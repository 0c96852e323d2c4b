// A queue at a real broker, read by basic.get, as a consumer of a team would read it.
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { frameReader, type Frame } from '../src/outbound/amqp/frames.ts';
import { readBrokerUri } from '../src/pipelines/etl/broker-uri.ts';

/** The address of a test server, as amqp://guest:guest@127.0.0.1:5672. Without it the tests use no real broker. */
export const AMQP_URL = process.env['PHIAL_TEST_AMQP_URL'] ?? null;

export type Got = { routing_key: string; header: Buffer; body: string };

export type Queue = { get: () => Promise<Got | null>; close: () => void };

const short = (text: string): Buffer => Buffer.concat([Buffer.of(Buffer.byteLength(text)), Buffer.from(text)]);
const long = (bytes: Buffer): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
};
const method = (channel: number, classId: number, id: number, ...values: Buffer[]): Buffer => {
  const payload = Buffer.concat([Buffer.of(0, classId, 0, id), ...values]);
  const head = Buffer.of(1, 0, channel);
  return Buffer.concat([head, long(payload), Buffer.of(0xce)]);
};
const NONE = Buffer.alloc(4);

/** An exclusive queue that gets all messages of a topic exchange, which it makes. */
export async function bindQueue(uri: string, exchange: string): Promise<Queue> {
  const { host, port, username, password, vhost } = readBrokerUri(uri);
  const socket = connect({ host, port });
  await once(socket, 'connect');
  const next = frames(socket);
  const say = async (bytes: Buffer): Promise<Buffer> => {
    socket.write(bytes);
    return (await next()).payload;
  };
  await say(Buffer.from('AMQP\0\0\x09\x01', 'latin1'));
  const login = long(Buffer.from(`\0${username}\0${password}`));
  await say(method(0, 10, 11, NONE, short('PLAIN'), login, short('en_US')));
  socket.write(method(0, 10, 31, Buffer.of(0, 1, 0, 2, 0, 0, 0, 0)));
  await say(method(0, 10, 40, short(vhost), short(''), Buffer.of(0)));
  await say(method(1, 20, 10, short('')));
  await say(method(1, 40, 10, Buffer.of(0, 0), short(exchange), short('topic'), Buffer.of(4), NONE));
  const declared = await say(method(1, 50, 10, Buffer.of(0, 0), short(''), Buffer.of(0b100), NONE));
  const queue = declared.toString('utf8', 5, 5 + (declared[4] ?? 0));
  await say(method(1, 50, 20, Buffer.of(0, 0), short(queue), short(exchange), short('#'), Buffer.of(0), NONE));
  return {
    async get() {
      const response = await say(method(1, 60, 70, Buffer.of(0, 0), short(queue), Buffer.of(1)));
      if (response.readUInt16BE(2) === 72) return null;
      const at = 14 + (response[13] ?? 0);
      const routing_key = response.toString('utf8', at + 1, at + 1 + (response[at] ?? 0));
      const { payload: header } = await next();
      const chunks: Buffer[] = [];
      while (Buffer.concat(chunks).length < Number(header.readBigUInt64BE(4))) chunks.push((await next()).payload);
      return { routing_key, header, body: Buffer.concat(chunks).toString() };
    },
    close: () => socket.destroy(),
  };
}

function frames(socket: Socket): () => Promise<Frame> {
  const arrived: Frame[] = [];
  const read = frameReader(1_000_000, (each) => arrived.push({ ...each, payload: Buffer.from(each.payload) }));
  let wake: (() => void) | null = null;
  socket.on('data', (chunk: Buffer) => {
    read(chunk);
    wake?.();
  });
  return async () => {
    while (arrived.length === 0)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return arrived.shift() as Frame;
  };
}

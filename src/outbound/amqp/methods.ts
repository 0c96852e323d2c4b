// What a publisher says to a broker and hears from it: AMQP 0-9-1 with RabbitMQ's confirms. Numbers are those of the protocol.
import { frame, HEADER, METHOD, NotAmqp } from './frames.ts';

const short = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};
const long = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const longLong = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};

/** The longest text of this kind, in bytes. */
export const LONGEST_SHORT_TEXT = 255;

const shortText = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  if (bytes.length > LONGEST_SHORT_TEXT) throw new RangeError('A short text of AMQP has 255 bytes at most.');
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
};
const longText = (bytes: Buffer): Buffer => Buffer.concat([long(bytes.length), bytes]);
const flag = (name: string): Buffer => Buffer.concat([shortText(name), Buffer.from('t'), Buffer.of(1)]);
const method = (channel: number, classId: number, id: number, ...values: Buffer[]): Buffer =>
  frame(METHOD, channel, Buffer.concat([short(classId), short(id), ...values]));

export const PROTOCOL = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1]);

export const HEARD = {
  start: '10.10',
  tune: '10.30',
  opened: '10.41',
  closing: '10.50',
  closed: '10.51',
  channelOpened: '20.11',
  channelClosing: '20.40',
  confirming: '85.11',
  ack: '60.80',
  nack: '60.120',
} as const;

/** Which method a frame carries, as `class.method`, and what follows; throws NotAmqp. */
export function readMethod(payload: Buffer): { name: string; values: Buffer } {
  if (payload.length < 4) throw new NotAmqp('a method has no name');
  return { name: `${payload.readUInt16BE(0)}.${payload.readUInt16BE(2)}`, values: payload.subarray(4) };
}

const atLeast = (values: Buffer, bytes: number): Buffer => {
  if (values.length < bytes) throw new NotAmqp('a method lacks values');
  return values;
};

/** What the broker offers: bytes of a frame and seconds between signs of life, 0 for any and for none. */
export function readTune(values: Buffer): { frameMax: number; heartbeat: number } {
  atLeast(values, 8);
  return { frameMax: values.readUInt32BE(2), heartbeat: values.readUInt16BE(6) };
}

/** Why the broker ends it: a number of the protocol, as 403 for a login. Its words are left out. */
export const readReason = (values: Buffer): number => atLeast(values, 2).readUInt16BE(0);

export function readConfirm(values: Buffer): { tag: number; multiple: boolean } {
  atLeast(values, 9);
  return { tag: Number(values.readBigUInt64BE(0)), multiple: (values.readUInt8(8) & 1) === 1 };
}

export const startOk = ({ username, password }: { username: string; password: string }): Buffer => {
  const can = Buffer.concat(
    ['publisher_confirms', 'basic.nack', 'connection.blocked', 'authentication_failure_close'].map(flag),
  );
  const properties = Buffer.concat([
    shortText('product'),
    Buffer.from('S'),
    longText(Buffer.from('Phial')),
    shortText('capabilities'),
    Buffer.from('F'),
    longText(can),
  ]);
  return method(
    0,
    10,
    11,
    longText(properties),
    shortText('PLAIN'),
    longText(Buffer.from(`\0${username}\0${password}`)),
    shortText('en_US'),
  );
};
export const tuneOk = (of: { frameMax: number; heartbeat: number }): Buffer =>
  method(0, 10, 31, short(1), long(of.frameMax), short(of.heartbeat));
export const openVhost = (vhost: string): Buffer => method(0, 10, 40, shortText(vhost), shortText(''), Buffer.of(0));
export const openChannel = (): Buffer => method(1, 20, 10, shortText(''));
export const selectConfirms = (): Buffer => method(1, 85, 10, Buffer.of(0));
export const closeConnection = (): Buffer => method(0, 10, 50, short(200), shortText(''), short(0), short(0));
export const closeConnectionOk = (): Buffer => method(0, 10, 51);

/** To an exchange: neither mandatory nor immediate, since a team binds what it wants. */
export const publish = (exchange: string, routingKey: string): Buffer =>
  method(1, 60, 40, short(0), shortText(exchange), shortText(routingKey), Buffer.of(0));

const CONTENT_TYPE = 1 << 15;
const HEADERS = 1 << 13;
const DELIVERY_MODE = 1 << 12;
const MESSAGE_ID = 1 << 7;
const TIMESTAMP = 1 << 6;
const TYPE = 1 << 5;
const PERSISTENT = 2;

export type Properties = {
  /** Names the message: the same whenever it is published again. */
  id: string;
  type: string;
  /** Seconds since 1970. */
  at: number;
  /** Short texts by their names, which are of ours. */
  headers: Readonly<Record<string, string>>;
};

/** Of a message of JSON that outlives a restart of the broker. */
export function contentHeader(bytes: number, { id, type, at, headers }: Properties): Buffer {
  const table = Object.entries(headers).flatMap(([name, value]) => [
    shortText(name),
    Buffer.from('S'),
    longText(Buffer.from(value)),
  ]);
  return frame(
    HEADER,
    1,
    Buffer.concat([
      short(60),
      short(0),
      longLong(bytes),
      short(CONTENT_TYPE | (table.length > 0 ? HEADERS : 0) | DELIVERY_MODE | MESSAGE_ID | TIMESTAMP | TYPE),
      shortText('application/json'),
      ...(table.length > 0 ? [longText(Buffer.concat(table))] : []),
      Buffer.of(PERSISTENT),
      shortText(id),
      longLong(at),
      shortText(type),
    ]),
  );
}

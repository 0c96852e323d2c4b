// The methods that a publisher and a broker send each other: AMQP 0-9-1 with RabbitMQ's publisher confirms. The numbers
// of classes and methods are those of the protocol.
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

/** The most bytes of a short string of AMQP. */
export const LONGEST_SHORT_TEXT = 255;

const shortText = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  if (bytes.length > LONGEST_SHORT_TEXT) throw new RangeError('A short string of AMQP has at most 255 bytes.');
  return Buffer.concat([Buffer.of(bytes.length), bytes]);
};
const longText = (bytes: Buffer): Buffer => Buffer.concat([long(bytes.length), bytes]);
const flag = (name: string): Buffer => Buffer.concat([shortText(name), Buffer.from('t'), Buffer.of(1)]);
const method = (channel: number, classId: number, id: number, ...values: Buffer[]): Buffer =>
  frame(METHOD, channel, Buffer.concat([short(classId), short(id), ...values]));

export const PROTOCOL = Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1]);

export const BROKER_METHODS = {
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

/** Returns the method of a frame in the form `class.method`, and its arguments. Throws NotAmqp. */
export function readMethod(payload: Buffer): { name: string; values: Buffer } {
  if (payload.length < 4) throw new NotAmqp('a method has no class and method number');
  return { name: `${payload.readUInt16BE(0)}.${payload.readUInt16BE(2)}`, values: payload.subarray(4) };
}

const atLeast = (values: Buffer, bytes: number): Buffer => {
  if (values.length < bytes) throw new NotAmqp('a method lacks arguments');
  return values;
};

/**
 * Returns the offer of the broker: the largest frame in bytes (0 means no limit) and the seconds between heartbeats (0
 * means no heartbeats).
 */
export function readTune(values: Buffer): { frameMax: number; heartbeat: number } {
  atLeast(values, 8);
  return { frameMax: values.readUInt32BE(2), heartbeat: values.readUInt16BE(6) };
}

/**
 * Returns the reply code with which the broker closes, for example 403 for a refused login. We do not read its reply
 * text.
 */
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

/**
 * Returns the method that publishes to an exchange. With `mandatory`, the broker would return a message that reaches no
 * queue. We do not set it, because the team decides which queues it binds to the exchange.
 */
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
  /** The id of the message. It is the same each time we publish the message. */
  id: string;
  type: string;
  /** The time in seconds since 1970. */
  at: number;
  /** Short texts by header name. We choose the names. */
  headers: Readonly<Record<string, string>>;
};

/** Returns the header frame of a JSON message that the broker stores on disk, so that it survives a restart. */
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

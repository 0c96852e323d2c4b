import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

type Received = { exchange: string; routing_key: string; headers: Buffer; body: string };

/**
 * The behaviour of a stand-in: `mute` does not even greet, `silent` confirms nothing, `nack` refuses, `flood` confirms
 * and then sends heartbeats as fast as the client reads them, and a number closes the channel with that code.
 */
type Manner = 'confirm' | 'mute' | 'silent' | 'nack' | 'flood' | number;

export type Broker = {
  port: number;
  uri: string;
  received: Received[];
  logins: string[];
  /** Sets how it treats further messages. */
  behave: (manner: Manner) => void;
  /** Resolves once it has received so many messages. */
  receives: (many: number) => Promise<Received[]>;
  connections: () => number;
  /** The number of connections since the start. */
  connected: () => number;
  /** Sends so many heartbeats on every connection. */
  beat: (times: number) => void;
  close: () => Promise<void>;
};

const method = (channel: number, classId: number, id: number, values: Buffer = Buffer.alloc(0)): Buffer => {
  const head = Buffer.alloc(11);
  head.writeUInt8(1, 0);
  head.writeUInt16BE(channel, 1);
  head.writeUInt32BE(4 + values.length, 3);
  head.writeUInt16BE(classId, 7);
  head.writeUInt16BE(id, 9);
  return Buffer.concat([head, values, Buffer.of(0xce)]);
};
/** So many heartbeats. */
const beats = (many: number): Buffer =>
  Buffer.concat(Array.from({ length: many }, () => Buffer.of(8, 0, 0, 0, 0, 0, 0, 0xce)));
const long = (text: string): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([size, Buffer.from(text)]);
};
const shortText = (bytes: Buffer, at: number): string => bytes.toString('utf8', at + 1, at + 1 + (bytes[at] ?? 0));

/**
 * The part of AMQP 0-9-1 that a publisher needs. Frames have 4 KiB, so that bodies arrive in chunks. It sends no
 * heartbeats by itself.
 */
export async function startBroker(port = 0, heartbeat = 60): Promise<Broker> {
  const received: Received[] = [];
  const logins: string[] = [];
  const sockets = new Set<Socket>();
  const waiting: { many: number; resolve: (all: Received[]) => void }[] = [];
  let manner: Manner = 'confirm';
  let connected = 0;

  const take = (message: Received): void => {
    received.push(message);
    for (const each of waiting) if (received.length >= each.many) each.resolve([...received]);
  };

  const server = createServer((socket) => {
    sockets.add(socket);
    connected += 1;
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    serve(socket, {
      heartbeat,
      login: (text) => logins.push(text),
      manner: () => manner,
      take,
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const at = (server.address() as AddressInfo).port;
  return {
    port: at,
    uri: `amqp://phial:of%20broker@127.0.0.1:${at}/clinic`,
    received,
    logins,
    behave: (next) => {
      manner = next;
    },
    receives: (many) =>
      received.length >= many
        ? Promise.resolve([...received])
        : new Promise((resolve) => waiting.push({ many, resolve })),
    connections: () => sockets.size,
    connected: () => connected,
    beat: (times) => {
      for (const socket of sockets) socket.write(beats(times));
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function flood(socket: Socket): void {
  const chunk = beats(8_192);
  const more = (): void => {
    if (!socket.destroyed) socket.write(chunk, () => setImmediate(more));
  };
  more();
}

type Side = {
  heartbeat: number;
  login: (text: string) => void;
  manner: () => Manner;
  take: (message: Received) => void;
};

function serve(socket: Socket, { heartbeat, login, manner, take }: Side): void {
  let buffered: Buffer = Buffer.alloc(0);
  let greeted = false;
  let tag = 0;
  let open: { exchange: string; routing_key: string; headers: Buffer; size: number; chunks: Buffer[] } | null = null;

  const finish = (): void => {
    if (!open || Buffer.concat(open.chunks).length < open.size) return;
    const { exchange, routing_key, headers, chunks } = open;
    open = null;
    tag += 1;
    const how = manner();
    const values = Buffer.alloc(9);
    values.writeBigUInt64BE(BigInt(tag));
    take({ exchange, routing_key, headers, body: Buffer.concat(chunks).toString() });
    if (how === 'confirm' || how === 'flood') socket.write(method(1, 60, 80, values));
    if (how === 'flood') flood(socket);
    if (how === 'nack') socket.write(method(1, 60, 120, values));
    if (typeof how === 'number') {
      const code = Buffer.alloc(7);
      code.writeUInt16BE(how);
      socket.write(method(1, 20, 40, code));
    }
  };
  const said = (name: string, values: Buffer): void => {
    if (name === '10.11') {
      const properties = values.readUInt32BE(0);
      const mechanism = 4 + properties;
      const response = mechanism + 1 + (values[mechanism] ?? 0);
      login(values.toString('utf8', response + 4, response + 4 + values.readUInt32BE(response)));
      socket.write(method(0, 10, 30, Buffer.from([0, 10, 0, 0, 0x10, 0, 0, heartbeat])));
    }
    if (name === '10.40') socket.write(method(0, 10, 41, Buffer.of(0)));
    if (name === '10.50') socket.end(method(0, 10, 51));
    if (name === '20.10') socket.write(method(1, 20, 11, long('')));
    if (name === '85.10') socket.write(method(1, 85, 11));
    if (name === '60.40') {
      const exchange = shortText(values, 2);
      const routing_key = shortText(values, 3 + exchange.length);
      open = { exchange, routing_key, headers: Buffer.alloc(0), size: 0, chunks: [] as Buffer[] };
    }
  };
  socket.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    if (manner() === 'mute') return;
    if (!greeted && buffered.length >= 8) {
      greeted = true;
      buffered = buffered.subarray(8);
      socket.write(method(0, 10, 10, Buffer.concat([Buffer.of(0, 9), long(''), long('PLAIN'), long('en_US')])));
    }
    while (greeted && buffered.length >= 8 && buffered.length >= buffered.readUInt32BE(3) + 8) {
      const [type, size] = [buffered[0], buffered.readUInt32BE(3)];
      const payload = buffered.subarray(7, 7 + size);
      buffered = buffered.subarray(size + 8);
      if (type === 1) said(`${payload.readUInt16BE(0)}.${payload.readUInt16BE(2)}`, payload.subarray(4));
      if (type === 2 && open) {
        open.headers = payload;
        open.size = Number(payload.readBigUInt64BE(4));
        finish();
      }
      if (type === 3 && open) {
        open.chunks.push(payload);
        finish();
      }
    }
  });
}

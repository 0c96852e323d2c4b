// Tests both sides of a connection: against each other, and against a plain socket.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { frame, openFrameReader } from './mllp-frames.ts';
import { openMllpClient, type MllpClient, type MllpClientOptions } from './mllp-client.ts';
import { listenByMllp, type MllpServerOptions } from './mllp-server.ts';

const HOST = '127.0.0.1';
const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function listen(options: Partial<MllpServerOptions> = {}): Promise<number> {
  const server = await listenByMllp({
    host: HOST,
    port: 0,
    tls: null,
    admit: async () => true,
    identify: async () => ({
      take: async (content) => [Buffer.from(`answer to ${content.toString()}`)],
      onError: () => undefined,
    }),
    onError: () => undefined,
    ...options,
  });
  opened.push(server.close);
  return server.port;
}

function dial(port: number, options: Partial<MllpClientOptions> = {}): { client: MllpClient; socket: Socket } {
  const socket = connect(port, HOST);
  const client = openMllpClient(socket, { responseMs: 5_000, take: null, onError: () => undefined, ...options });
  opened.push(client.close);
  return { client, socket };
}

const responseTo = (message: string) => (content: Buffer) =>
  content.toString().endsWith(message) ? content.toString() : null;
const send = (client: MllpClient, message: string): Promise<string> =>
  client.send(Buffer.from(message), responseTo(message));

/** Listens with a peer that does what a test wants with its frames. */
async function listenPlainly(hear: (socket: Socket, content: string) => void): Promise<number> {
  const server = createServer((socket) => {
    const reader = openFrameReader(1_000_000);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => reader.push(bytes).forEach((content) => hear(socket, content.toString())));
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  opened.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('messages on one connection are answered one after the other', async () => {
  const { client } = dial(await listen());
  expect(await send(client, 'one')).toBe('answer to one');
  expect(await send(client, 'two')).toBe('answer to two');
});

describe('a client', () => {
  test('waits for the frame that answers its message, and skips other frames', async () => {
    const port = await listenPlainly((socket, content) => {
      socket.write(frame(Buffer.from('answer to another')));
      socket.write(frame(Buffer.from(`answer to ${content}`)));
    });
    expect(await send(dial(port).client, 'one')).toBe('answer to one');
  });

  test.each([
    ['is silent for too long', 'no_answer', () => undefined],
    ['closes the connection', 'closed', (socket: Socket) => socket.destroy()],
    ['does not speak MLLP', 'not_mllp', (socket: Socket) => socket.write('HTTP/1.1 200 OK')],
  ] as const)('whose peer %s gets no answer and closes its connection', async (_, code, hear) => {
    const { client } = dial(await listenPlainly(hear), { responseMs: 200 });
    await expect(send(client, 'one')).rejects.toMatchObject({ name: 'NotAnswered', code });
    expect(client.isOpen()).toBe(false);
    await expect(send(client, 'two')).rejects.toMatchObject({ name: 'NotAnswered' });
  });

  test('takes and answers messages of its peer once it has recorded the answer to its own message', async () => {
    const heard: string[] = [];
    const port = await listenPlainly((socket, content) => {
      heard.push(content);
      if (content !== 'one') return;
      socket.write(frame(Buffer.from('update')));
      socket.write(frame(Buffer.from('answer to one')));
    });
    const taken: string[] = [];
    const { client } = dial(port, {
      take: async (content) => {
        taken.push(content.toString());
        return [Buffer.from('thanks')];
      },
    });
    await send(client, 'one');
    expect(taken).toEqual([]);
    client.release();
    await vi.waitFor(() => expect(heard).toEqual(['one', 'thanks']));
    expect(taken).toEqual(['update']);
  });

  test('goes on after `take` fails for a message', async () => {
    const port = await listenPlainly((socket, content) => {
      for (const unsolicited of ['bad', 'good']) socket.write(frame(Buffer.from(unsolicited)));
      socket.write(frame(Buffer.from(`answer to ${content}`)));
    });
    const errors: unknown[] = [];
    const taken: string[] = [];
    const { client } = dial(port, {
      onError: (error) => errors.push(error),
      take: async (content) => {
        if (content.toString() === 'bad') throw new Error('bad');
        taken.push(content.toString());
        return [];
      },
    });
    await send(client, 'one');
    client.release();
    await vi.waitFor(() => expect(taken).toEqual(['good']));
    expect(errors).toEqual([new Error('bad')]);
  });
});

describe('a server', () => {
  const closes = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      socket.on('error', () => undefined);
      socket.once('close', () => resolve());
    });

  test('closes the connection of an address that is not admitted or not identified', async () => {
    for (const options of [{ admit: async () => false }, { identify: async () => null }]) {
      const { client, socket } = dial(await listen(options));
      await closes(socket);
      expect(client.isOpen()).toBe(false);
    }
  });

  test('closes a connection that does not speak MLLP, and reports the code', async () => {
    const errors: unknown[] = [];
    const peer = { take: async () => [], onError: (error: unknown) => void errors.push(error) };
    const socket = connect(await listen({ identify: async () => peer }), HOST);
    socket.write('GET / HTTP/1.1');
    await closes(socket);
    expect(errors).toMatchObject([{ code: 'not_mllp' }]);
  });

  test('closes a connection without an answer if `take` fails', async () => {
    const failure = new Error('no disk');
    const errors: unknown[] = [];
    const peer = { take: () => Promise.reject(failure), onError: (error: unknown) => void errors.push(error) };
    const { client } = dial(await listen({ identify: async () => peer }));
    await expect(send(client, 'one')).rejects.toMatchObject({ code: 'closed' });
    expect(errors).toEqual([failure]);
  });

  test('reports a failure before a peer is identified, and goes on', async () => {
    const errors: unknown[] = [];
    let isDown = true;
    const port = await listen({
      onError: (error) => errors.push(error),
      admit: async () => {
        if (isDown) throw new Error('no database');
        return true;
      },
    });
    await closes(dial(port).socket);
    expect(errors).toEqual([new Error('no database')]);
    isDown = false;
    expect(await send(dial(port).client, 'one')).toBe('answer to one');
  });

  test('accepts at most 16 connections of one address', async () => {
    const port = await listen();
    const clients = Array.from({ length: 16 }, () => dial(port).client);
    await Promise.all(clients.map((client) => send(client, 'one')));
    await closes(dial(port).socket);
    clients[0]?.close();
    await vi.waitFor(async () => expect(await send(dial(port).client, 'one')).toBe('answer to one'));
  });
});

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Line } from './broker-line.ts';

const FRAMES = 1_000;
const frame = Buffer.alloc(131_072);

let server: Server;
let line: Line;
let peer: Socket;
let made = 0;
beforeEach(async () => {
  server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [[peer]] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')])) as [[Socket], unknown];
  peer.on('error', () => undefined);
  line = new Line(socket);
  made = 0;
});
afterEach(() => {
  line.fail('closed');
  peer.destroy();
  server.close();
});

function* frames(): Generator<Buffer> {
  for (; made < FRAMES; made += 1) yield frame;
}

test('publish makes no more frames than the peer reads', async () => {
  const published = line.publish(1, frames());
  await vi.waitFor(() => expect(made).toBeGreaterThan(0));
  expect(made).toBeLessThan(FRAMES / 2);
  peer.resume();
  await published;
  expect(made).toBe(FRAMES);
});

test('publish to a peer that reads nothing rejects when the line fails', async () => {
  const published = line.publish(1, frames());
  line.fail('timeout');
  await expect(published).rejects.toMatchObject({ code: 'timeout' });
  expect(made).toBeLessThan(FRAMES / 2);
});

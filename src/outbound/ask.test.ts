// How much of an answer is read, on a real socket: what is more is not, and its connection is closed.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseConfig } from '../config/options.ts';
import { ask } from './ask.ts';

const { config } = parseConfig({});
const MB = 1024 * 1024;

let server: Server;
let url: string;
let sockets: Set<Socket>;
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
  sockets = new Set();
  server = createServer((_, response) => answer(response));
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** A body that never ends, as fast as it is taken. */
function forEver(status: number): void {
  answer = (response) => {
    response.writeHead(status);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 'x')));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
}
async function allClosed(): Promise<void> {
  await expect.poll(() => sockets.size, { timeout: 2_000 }).toBe(0);
}

test.each([302, 404, 500, 503])('an error of %i without an end is told by its status', async (status) => {
  forEver(status);
  expect(await ask(config, { method: 'GET', url })).toMatchObject({ status, text: '' });
  await allClosed();
});

test('an answer without an end whose status alone counts is told by it', async () => {
  forEver(200);
  expect(await ask(config, { method: 'POST', url }, { onlyStatus: true })).toMatchObject({ status: 200, text: '' });
  await allClosed();
});

test('an answer that is to be read and is longer than that is none', async () => {
  forEver(200);
  await expect(ask(config, { method: 'GET', url })).rejects.toMatchObject({ code: 'answer_too_large' });
  await allClosed();
});

test('an answer within the bound of its caller is read whole', async () => {
  answer = (response) => response.end('x'.repeat(MB));
  expect((await ask(config, { method: 'GET', url }, { mostBytes: MB })).text).toHaveLength(MB);
});

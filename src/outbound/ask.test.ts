// Tests with a real socket how much of a response we read, and that we close the connection if the response is larger.
import { Resolver } from 'node:dns';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../config/options.ts';
import { ask } from './ask.ts';

const { config } = parseConfig({});
const MB = 1024 * 1024;

let server: Server;
let url: string;
let sockets: Set<Socket>;
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
  // Name servers that answer every name with the address of this machine.
  type Callback = (error: Error | null, addresses: object[]) => void;
  const respondWith = (addresses: object[]) => (_name: string, _how: unknown, callback: Callback) =>
    callback(null, addresses);
  vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(
    respondWith([{ address: '127.0.0.1', ttl: 60 }]) as never,
  );
  vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(respondWith([]) as never);
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
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
});

/** Makes the server respond with a body that never ends. It writes as fast as the client reads. */
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

test.each([302, 404, 500, 503])('an error %i with an endless body returns its status', async (status) => {
  forEver(status);
  expect(await ask(config, { method: 'GET', url })).toMatchObject({ status, text: '' });
  await allClosed();
});

test('an answer with an endless body returns its status when only the status matters', async () => {
  forEver(200);
  expect(await ask(config, { method: 'POST', url }, { onlyStatus: true })).toMatchObject({ status: 200, text: '' });
  await allClosed();
});

test('an answer that is larger than the limit is an error', async () => {
  forEver(200);
  await expect(ask(config, { method: 'GET', url })).rejects.toMatchObject({ code: 'answer_too_large' });
  await allClosed();
});

test('an answer within the limit of the caller is read to its end', async () => {
  answer = (response) => response.end('x'.repeat(MB));
  expect((await ask(config, { method: 'GET', url }, { maxBytes: MB })).text).toHaveLength(MB);
});

describe('an address that the deployment does not send to', () => {
  const { config: elsewhere } = parseConfig({ PHIAL_WEBHOOK_ALLOWED_NETWORKS: '10.9.0.0/16' });
  const bearer = { authorization: 'Bearer token-of-a-user' };

  test.each([
    ['as a literal', (port: string) => `http://127.0.0.1:${port}/v2/tokens`],
    ['mapped into IPv6', (port: string) => `http://[::ffff:127.0.0.1]:${port}/v2/tokens`],
    ['behind a name', (port: string) => `http://api.provider.example.com:${port}/v2/tokens`],
  ])('%s is refused before anything is sent', async (_how, urlAt) => {
    let came = 0;
    answer = (response) => response.end('{}');
    server.on('request', () => (came += 1));
    const asked = urlAt(new URL(url).port);
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      await expect(ask(elsewhere, { method, url: asked, headers: bearer })).rejects.toMatchObject({
        code: 'address_refused',
      });
    expect(came).toBe(0);
    if (asked.includes('example.com')) expect((await ask(config, { method: 'GET', url: asked })).status).toBe(200);
  });
});

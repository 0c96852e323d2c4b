import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { reasonOf } from './reason.ts';

const reason = async (url: string, signal?: AbortSignal): Promise<string> => {
  try {
    await fetch(url, signal ? { signal } : {});
  } catch (error) {
    return reasonOf(error);
  }
  return 'answered';
};

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test('a missing answer has its reason in words', async () => {
  const server = createServer(({ url, socket }) => {
    if (url === '/gone') socket.destroy();
  });
  const address = await listening(server);
  expect(await reason(address, AbortSignal.timeout(100))).toBe('timeout');
  expect(await reason(`${address}/gone`)).toBe('connection lost');
  server.closeAllConnections();
  server.close();

  const closed = createServer();
  const nowhere = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
  expect(await reason(nowhere)).toBe('connection refused');
  expect(await reason('http://nobody.invalid')).toBe('dns');
  // Ports that HTTP clients must not use (Fetch, 2.9).
  expect(await reason('http://127.0.0.1:9')).toBe('bad port');
});

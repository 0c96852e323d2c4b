import type { LookupAddress } from 'node:dns';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from 'vitest';
import { CERTIFICATE, KEY } from '../../test/certificate.ts';
import { addressPolicy } from './address-policy.ts';
import { openResolver } from './open-resolver.ts';
import { AddressRefused, tlsStarter, vettingConnector, type Lookup } from './vetting-connector.ts';

const ENDPOINT = 'receiver.example.com';
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})));
  closers.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** A server that sends nothing and stores what it receives. */
async function startSilentServer(): Promise<{ port: number; heard: Buffer[]; connections: () => number }> {
  const heard: Buffer[] = [];
  let connections = 0;
  const server = createTcpServer((socket) => {
    connections += 1;
    socket.on('data', (chunk) => heard.push(chunk));
  });
  return { port: await listen(server), heard, connections: () => connections };
}

async function startTlsServer(): Promise<{ port: number; resumed: boolean[] }> {
  const resumed: boolean[] = [];
  const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (socket) => {
    resumed.push(socket.isSessionReused());
    socket.on('error', () => {}).write('hello');
  });
  return { port: await listen(server), resumed };
}

type Options = { allow?: string[]; lookup?: Lookup; ca?: string };

const noLookup: Lookup = () => Promise.reject(new Error('this test has no name server'));

function connectorWith({ allow = [], lookup = noLookup, ca }: Options) {
  const policy = addressPolicy({ allowedNetworks: allow, allowHttp: true });
  const connect = vettingConnector({ policy, timeoutMs: 300, lookup, startTls: tlsStarter(300, ca) });
  return (url: string) =>
    new Promise<Socket>((resolve, reject) => {
      const { hostname, host, protocol, port } = new URL(url);
      connect({ hostname, host, protocol, port }, (error, socket) => {
        if (error) return reject(error);
        closers.push(() => socket.destroy());
        return resolve(socket);
      });
    });
}

const answering =
  (...addresses: string[]) =>
  async (): Promise<LookupAddress[]> =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('a connection is refused', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '①②⑦.⓪.⓪.①',
    '0.0.0.0',
    '0',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::1]',
    '[::]',
    '[64:ff9b::7f00:1]',
  ])('to the literal %s', async (host) => {
    const server = await startSilentServer();
    const connect = connectorWith({ lookup: () => Promise.reject(new Error('no lookup for a literal')) });
    await expect(connect(`http://${host}:${server.port}`)).rejects.toBeInstanceOf(AddressRefused);
    expect(server.connections()).toBe(0);
  });

  test.each([
    ['loopback', ['127.0.0.1']],
    ['private', ['10.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['IPv4-mapped', ['::ffff:127.0.0.1']],
    ['unique local', ['fd00:ec2::254']],
    ['mixed, the forbidden one last', ['8.8.8.8', '2606:4700::1111', '127.0.0.1']],
    ['mixed, the forbidden one first', ['127.0.0.1', '8.8.8.8']],
  ])('to a name with %s answers', async (_, addresses) => {
    const server = await startSilentServer();
    const connect = connectorWith({ lookup: answering(...addresses) });
    const refusal = await connect(`http://${ENDPOINT}:${server.port}`).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AddressRefused);
    expect(refusal).toMatchObject({ code: 'address_refused', hostname: ENDPOINT });
    expect(server.connections()).toBe(0);
  });

  test('to localhost, whatever name servers answer', async () => {
    const server = await startSilentServer();
    const lookup: Lookup = (hostname) => openResolver().lookup({ org: 'one', team: 'one' }, hostname);
    await expect(connectorWith({ lookup })(`http://localhost:${server.port}`)).rejects.toBeInstanceOf(AddressRefused);
    expect(server.connections()).toBe(0);
  });

  test.each(['http', 'https'])(
    'over %s when the real peer is not the vetted address, before a byte is sent',
    async (scheme) => {
      // The system connects 0.0.0.0 to 127.0.0.1, which this policy forbids.
      const server = await startSilentServer();
      const connect = connectorWith({ allow: ['0.0.0.0/32'], lookup: answering('0.0.0.0') });
      await expect(connect(`${scheme}://${ENDPOINT}:${server.port}`)).rejects.toMatchObject({
        name: 'AddressRefused',
        address: '127.0.0.1',
      });
      await expect.poll(server.connections).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(server.heard).toEqual([]);
    },
  );
});

describe('a name', () => {
  test('is resolved once for each connection, so that a later answer cannot redirect it', async () => {
    const server = await startSilentServer();
    let lookups = 0;
    const rebinding = () => answering(lookups++ === 0 ? '127.0.0.1' : '127.0.0.2')();
    const connect = connectorWith({ allow: ['127.0.0.1/32'], lookup: rebinding });
    const socket = await connect(`http://${ENDPOINT}:${server.port}`);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    expect(lookups).toBe(1);
    await expect(connect(`http://${ENDPOINT}:${server.port}`)).rejects.toBeInstanceOf(AddressRefused);
  });

  test('without an address fails, and one whose first address does not answer uses the second', async () => {
    const server = await startSilentServer();
    const url = `http://${ENDPOINT}:${server.port}`;
    const allow = ['127.0.0.0/8', '::1'];
    await expect(connectorWith({ allow, lookup: answering() })(url)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const socket = await connectorWith({ allow, lookup: answering('::1', '127.0.0.1') })(url);
    expect(socket.remoteAddress).toBe('127.0.0.1');
  });
});

describe('over TLS', () => {
  const options = { allow: ['127.0.0.0/8'], lookup: answering('127.0.0.1'), ca: CERTIFICATE };

  test('the certificate must be trusted and must match the host', async () => {
    const server = await startTlsServer();
    const socket = (await connectorWith(options)(`https://${ENDPOINT}:${server.port}`)) as TLSSocket;
    expect(socket.authorized).toBe(true);
    await expect(
      connectorWith({ ...options, ca: undefined })(`https://${ENDPOINT}:${server.port}`),
    ).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    for (const host of ['other.example.com', '127.0.0.1']) {
      await expect(connectorWith(options)(`https://${host}:${server.port}`)).rejects.toMatchObject({
        code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      });
    }
  });

  test('a later connection to the same host resumes the session, also after garbage was collected', async () => {
    const server = await startTlsServer();
    const connect = connectorWith(options);
    const first = await connect(`https://${ENDPOINT}:${server.port}`);
    await new Promise((resolve) => first.once('data', resolve));
    first.destroy();
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    await connect(`https://${ENDPOINT}:${server.port}`);
    await expect.poll(() => server.resumed).toEqual([false, true]);
  });

  test('a server that never completes the handshake causes a time-out, and its connection is closed', async () => {
    let closed = false;
    const port = await listen(createTcpServer((socket) => socket.on('close', () => (closed = true)).resume()));
    await expect(connectorWith(options)(`https://${ENDPOINT}:${port}`)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await expect.poll(() => closed).toBe(true);
  });
});
